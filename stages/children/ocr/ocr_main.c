/* ocr_main.c - platen-ocr: reads the words of pages, with Tesseract or with models
 * for ONNX Runtime.
 *
 * Started by stages/print/ocr.c; not for direct use: orders and pixels arrive
 * on descriptor 3, messages of ocr_protocol.h go to descriptor 4. It looks at
 * pixels and at its tables and models only after entering the sandbox.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "stages/children/ocr/ocr_onnx.h"
#include "stages/children/ocr/ocr_tesseract.h"
#include "stages/children/ocr/onnx_model.h"
#include "stages/children/sandbox/sandbox.h"
#include "stages/children/wire/build.h"
#include "stages/children/wire/ocr_protocol.h"
#include "stages/children/wire/ocr_scripts.h"

/* --- ocr wire -------------------------------------------------------------- */

/* The child's side of ocr_protocol.h. Any failure to write ends
 * the process; if the parent has gone, SIGPIPE does. */

/* Reports that the languages or models are loaded. */
static void ocr_wire_ready(bool tells_script, uint32_t scripts,
                           const char *engine)
{
    sandbox_send_text((struct child_frame){.type = OCR_MSG_READY,
                                           .a = tells_script,
                                           .b = scripts,
                                           .c = onnx_model_library() != NULL},
                      engine, FRAME_TEXT_MAX);
}

/* Sends the script of a page; page: the order's number. */
static void ocr_wire_script(uint32_t page, const struct ocr_script *script)
{
    sandbox_send_text((struct child_frame){.type = OCR_MSG_SCRIPT,
                                           .a = page,
                                           .b = script->hundredths},
                      script->name, OCR_SCRIPT_MAX);
}

/* Sends the words of a page; page: the order's number. */
static void ocr_wire_words(uint32_t page, const struct ocr_result *found)
{
    size_t n_packed = found->n_word * sizeof *found->word;
    sandbox_send(
        (struct child_frame){.type = OCR_MSG_WORDS,
                             .size = n_packed + found->n_byte + found->n_word,
                             .a = page,
                             .b = found->n_word,
                             .c = found->n_byte,
                             .d = found->cut,
                             .e = found->turns});
    sandbox_write(found->word, n_packed);
    sandbox_write(found->byte, found->n_byte);
    sandbox_write(found->sure, found->n_word);
}

/* Sends the last message; text is cut. */
static void ocr_wire_fail(enum ocr_status status, const char *text)
{
    sandbox_send_text((struct child_frame){.type = FRAME_FAIL, .a = status},
                      text, FRAME_TEXT_MAX);
}

/* Reads the next order and its page, which the caller frees. False at the end
 * of the orders, or if the order is invalid. */
static bool ocr_wire_order(struct child_frame *order, struct image *page)
{
    struct err err = {0};
    *page = (struct image){0};
    if (!sandbox_receive(order, OCR_MSG_ORDER) || order->b < 1 ||
        order->c < 1 || (uint64_t)order->b * order->c > OCR_PIXELS_MAX ||
        order->size != (uint64_t)order->b * order->c)
        return false;
    *page = image_new((int)order->b, (int)order->c, 1, &err);
    if (!err_failed(&err) && sandbox_read(page->data, order->size)) return true;
    image_free(page);
    return false;
}

/* --- ocr main -------------------------------------------------------------- */

/* LeakSanitizer needs ptrace, which the sandbox forbids. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

enum { LETTERS_LEAST = 10 }; /* of words that give the script */

struct task {
    const char *folder, *languages, *models, *engine;
    struct sandbox_profile profile;
    bool allow_unsandboxed;
};

/* False for an unknown option. */
static bool read_options(struct task *task, int argc, char **argv)
{
    enum {
        FOLDER = 1,
        LANGUAGES,
        MODELS,
        ENGINE,
        MEMORY,
        CPU,
        TURNS,
        PARENT,
        UNSANDBOXED
    };
    static const struct option options[] = {
        {"data", required_argument, NULL, FOLDER},
        {"languages", required_argument, NULL, LANGUAGES},
        {"models", required_argument, NULL, MODELS},
        {"engine", required_argument, NULL, ENGINE},
        {"memory", required_argument, NULL, MEMORY},
        {"cpu", required_argument, NULL, CPU},
        {"turns-max", required_argument, NULL, TURNS},
        {"parent", required_argument, NULL, PARENT},
        {"allow-unsandboxed", no_argument, NULL, UNSANDBOXED},
        {0}};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        long long n = optarg ? strtoll(optarg, NULL, 10) : 0;
        switch (option) {
        case FOLDER: task->folder = optarg; break;
        case LANGUAGES: task->languages = optarg; break;
        case MODELS: task->models = optarg; break;
        case ENGINE: task->engine = optarg; break;
        case MEMORY: task->profile.memory_bytes = n; break;
        case CPU: task->profile.cpu_s = (int)n; break;
        case TURNS: task->profile.turns_max = (int)n; break;
        case PARENT: task->profile.parent = (long)n; break;
        case UNSANDBOXED: task->allow_unsandboxed = true; break;
        default: return false;
        }
    }
    return optind == argc && *task->languages && *task->engine;
}

/* False if too few layers are active. */
static bool enter_sandbox(struct task *task)
{
    task->profile.readable = &task->folder;
    task->profile.n_readable = *task->folder != 0;
    struct sandbox_layers walls = sandbox_confine_child(&task->profile);
    return sandbox_greet(&walls, task->allow_unsandboxed);
}

/* What reads: `onnx` if it is not NULL, else Tesseract, which in any case tells
 * scripts. */
struct engines {
    struct ocr_onnx *onnx;
    struct ocr_tesseract *tesseract;
};

static void fail_without_model(const struct task *task)
{
    char why[FRAME_TEXT_MAX + 1];
    if (onnx_model_library())
        snprintf(why, sizeof why,
                 "ocr_engine = onnx: no models that detect and read lines in "
                 "\"%s\" (ocr_models); platen model get ocr downloads them",
                 task->models);
    else
        snprintf(why, sizeof why,
                 "ocr_engine = onnx: this build is without ONNX Runtime; "
                 "install libonnxruntime-dev (Debian 13) and build again");
    ocr_wire_fail(OCR_NO_MODEL, why);
}

/* False, after saying why, if what is asked for cannot be loaded. */
static bool load(struct engines *r, const struct task *task)
{
    uint32_t scripts = ocr_scripts_of(task->languages);
    char engine[FRAME_TEXT_MAX + 1] = "";
    bool must = !strcmp(task->engine, "onnx");
    r->tesseract = ocr_tesseract_open(task->folder);
    if (r->onnx && !ocr_onnx_load(r->onnx, scripts)) r->onnx = NULL;
    if (r->onnx && !must && scripts & ~ocr_onnx_scripts(r->onnx))
        r->onnx = NULL;
    if (r->onnx) {
        ocr_onnx_describe(r->onnx, engine, sizeof engine);
    } else if (must) {
        fail_without_model(task);
        return false;
    } else if (!ocr_tesseract_load(r->tesseract, task->languages)) {
        ocr_wire_fail(OCR_NO_LANGUAGE, "a language cannot be loaded");
        return false;
    } else {
        snprintf(engine, sizeof engine, "Tesseract %s",
                 ocr_tesseract_version());
    }
    ocr_wire_ready(ocr_tesseract_tells_script(r->tesseract),
                   r->onnx ? ocr_onnx_scripts(r->onnx) : 0, engine);
    return true;
}

/* Reads a page on its side or upside down again: as the words say, or where they
 * are doubtful, its script. It stays as it was read unless that is better. */
static void turn_page(const struct engines *r, struct image *page, int dpi,
                      bool sure, const struct ocr_script *script,
                      struct ocr_result *found)
{
    uint32_t turns = sure || !script->turns ? found->turns : script->turns;
    found->turns = 0;
    if (!turns) return;
    ocr_tesseract_read_turned(r->tesseract, page, dpi, turns, found);
    if (sure || found->turns || turns == 2) return;
    /* the page stays turned: lines that run up look as if they ran down */
    ocr_tesseract_read_turned(r->tesseract, page, dpi, 2, found);
    if (!found->turns) return;
    ocr_words_turn_back(found, turns);
    found->turns = (turns + 2) & 3;
}

/* Answers an order. False if the engine fails. */
static bool answer_order(const struct engines *r,
                         const struct child_frame *order, struct image *page)
{
    int dpi = order->d <= 2400 ? (int)order->d : 0;
    bool words = order->e & OCR_WANT_WORDS, is_read = true;
    struct ocr_result found = {.n_word = 0};
    struct ocr_script script = {.hundredths = 0};
    if (words)
        is_read = r->onnx ? ocr_onnx_read(r->onnx, page, dpi, &found)
                          : ocr_tesseract_read(r->tesseract, page, dpi, &found);
    /* of a script that they lack, models read a few marks, confidently */
    bool sure = ocr_words_are_sure(&found) &&
                (!r->onnx || ocr_words_letters(&found) >= LETTERS_LEAST);
    if (is_read && !sure)
        ocr_tesseract_script(r->tesseract, page, dpi, &script);
    if (words && !r->onnx) turn_page(r, page, dpi, sure, &script, &found);
    if (is_read && words) ocr_wire_words(order->a, &found);
    if (is_read && order->e & OCR_WANT_SCRIPT)
        ocr_wire_script(order->a, &script);
    ocr_words_free(&found);
    return is_read;
}

int main(int argc, char **argv)
{
    struct task task = {
        .folder = "", .languages = "", .models = "", .engine = ""};
    struct engines reader = {.onnx = NULL};
    struct stat st;
    if (build_asked(argc, argv)) return 0;
    if (!read_options(&task, argc, argv) || fstat(SANDBOX_FD_OUT, &st)) {
        fputs("platen-ocr is started by platen; see stages/print/ocr.c\n",
              stderr);
        return 1;
    }
    if (strcmp(task.engine, "tesseract") != 0)
        reader.onnx = ocr_onnx_find(task.models);
    if (!enter_sandbox(&task) || !load(&reader, &task)) return 0;
    struct child_frame order;
    struct image page;
    while (ocr_wire_order(&order, &page)) {
        sandbox_cpu(&task.profile);
        bool done = answer_order(&reader, &order, &page);
        image_free(&page);
        if (done) continue;
        ocr_wire_fail(OCR_INTERNAL, "its engine cannot read the page");
        return 0;
    }
    return 0;
}
