/* ocr.c - see ocr.h: the parent's side of ocr_protocol.h. */
#include "stages/print/ocr.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/child.h"
#include "stages/children/ocr_languages.h"
#include "stages/children/wire/ocr_protocol.h"
#include "stages/children/wire/ocr_scripts.h"
#include "stages/children/wire/packed_words.h"
#include "stages/print/language.h"
#include "stages/print/ocr_digits.h"

enum {
    FAILURES_MAX = 3, /* pages of a document; after these no more are tried */
    AGAIN_MAX = 2,    /* retries of a page if its child was killed */
    PERCENT = 100
};

struct ocr {
    struct document *doc;
    const struct settings *settings;
    struct child child;
    bool started;      /* the child has been started */
    bool runs;         /* the child is ready */
    bool for_good;     /* failed permanently: no more pages are tried */
    bool tells_script; /* the child can detect scripts */
    int n_failure;
    bool runs_models; /* the child was built with ONNX Runtime */
    uint32_t scripts; /* that its models read; 0: it reads with Tesseract */
    char engine[FRAME_TEXT_MAX + 1]; /* name and version */
    int number; /* of the page sent last, as all that follows */
    unsigned want;
    uint32_t dpi;        /* 0: unknown */
    double aspect;       /* width / height */
    struct arena *arena; /* its memory */
    struct image grey;   /* the image that was sent */
    int n_again;         /* how often it was sent again */
};

/* Called "it" in warnings: "OCR: it died". */
static const struct child_status status_table[OCR_N_STATUS] = {
    [OCR_NO_LANGUAGE] = {ERR_MISSING, NULL},
    [OCR_INTERNAL] = {ERR_CHILD, NULL},
    [OCR_NO_MODEL] = {ERR_MISSING, NULL}};

static const struct child_program program = {
    .called = "it", .status = status_table, .n_status = OCR_N_STATUS};

struct ocr *ocr_new(struct document *doc, const struct settings *settings,
                    const struct child_process_stop *stop)
{
    struct ocr *s = mem_alloc(1, sizeof *s);
    s->doc = doc;
    s->settings = settings;
    s->arena = arena_new();
    s->for_good = !strcmp(settings->ocr, "off");
    child_init(&s->child, &program, settings, stop);
    return s;
}

static void end_child(struct ocr *s)
{
    child_close(&s->child);
    s->started = s->runs = false;
}

void ocr_free(struct ocr *s)
{
    if (!s) return;
    end_child(s);
    arena_free(s->arena);
    image_free(&s->grey);
    mem_free(s);
}

bool ocr_is_available(const struct ocr *s)
{
    return !s->for_good;
}

/* --- the child ------------------------------------------------------------ */

static void start_child(struct ocr *s, struct err *err)
{
    const struct spawn_job job = {.program = SPAWN_OCR};
    child_start(&s->child, &job, -1, err);
    s->started = !err_failed(err);
}

/* A missing sandbox layer is a warning in the record. */
static void read_greeting(struct ocr *s, struct document *doc, struct err *err)
{
    struct child_frame f;
    child_allow(&s->child, s->settings->page_timeout_s, "page_timeout");
    child_greet(&s->child, err);
    child_check_walls(&s->child, doc, "OCR: read", err);
    child_expect(&s->child, OCR_MSG_READY, &f, err);
    if (!err_failed(err) && (f.a > 1 || f.c > 1))
        child_broke_protocol(&s->child, "no readiness", err);
    child_read_text(&s->child, FRAME_TEXT_MAX, s->engine, err);
    s->tells_script = f.a;
    s->scripts = f.b;
    s->runs_models = f.c;
    s->runs = !err_failed(err);
}

/* --- a page --------------------------------------------------------------- */

static void send_order(struct ocr *s, struct err *err)
{
    uint32_t width = (uint32_t)s->grey.width_px;
    uint32_t height = (uint32_t)s->grey.height_px;
    child_allow(&s->child, s->settings->page_timeout_s, "page_timeout");
    child_write(&s->child,
                (struct child_frame){.type = OCR_MSG_ORDER,
                                     .size = (uint64_t)width * height,
                                     .a = (uint32_t)s->number,
                                     .b = width,
                                     .c = height,
                                     .d = s->dpi,
                                     .e = s->want},
                err);
    for (int y = 0; y < s->grey.height_px; y++)
        child_write_bytes(&s->child, image_row(&s->grey, y), width, err);
}

static void read_script(struct ocr *s, uint32_t number, struct script *script,
                        struct err *err)
{
    struct child_frame f;
    char name[OCR_SCRIPT_MAX + 1];
    child_allow(&s->child, s->settings->page_timeout_s, "page_timeout");
    child_expect(&s->child, OCR_MSG_SCRIPT, &f, err);
    if (!err_failed(err) && f.a != number)
        child_broke_protocol(&s->child, "another page", err);
    child_read_text(&s->child, OCR_SCRIPT_MAX, name, err);
    if (err_failed(err)) return;
    double measure = f.b / (double)PERCENT;
    snprintf(script->name, sizeof script->name, "%s", name);
    script->confidence = *name ? measure / (1 + measure) : 0;
}

static void read_words(struct ocr *s, uint32_t number, struct words *words,
                       struct err *err)
{
    struct child_frame f;
    child_allow(&s->child, s->settings->page_timeout_s, "page_timeout");
    child_expect(&s->child, OCR_MSG_WORDS, &f, err);
    if (err_failed(err)) return;
    if (f.a != number || f.b > PACKED_WORDS_MAX || f.c < f.b ||
        f.c > PACKED_TEXT_MAX || f.d > 1 || f.e > 3) {
        child_broke_protocol(&s->child, "words that were not requested", err);
        return;
    }
    struct packed_word *packed = arena_array(s->arena, f.b, sizeof *packed);
    char *text = arena_alloc(s->arena, f.c);
    uint8_t *sure = arena_alloc(s->arena, f.b);
    child_read_bytes(&s->child, packed, f.b * sizeof *packed, err);
    child_read_bytes(&s->child, text, f.c, err);
    child_read_bytes(&s->child, sure, f.b, err);
    if (err_failed(err)) return;
    bool is_good = packed_words_unpack(packed, f.b, text, f.c, s->arena, words);
    for (uint32_t i = 0; is_good && i < f.b; i++) {
        is_good = sure[i] <= PERCENT;
        words->word[i].confidence = (float)sure[i] / PERCENT;
    }
    if (!is_good) child_broke_protocol(&s->child, "invalid words", err);
    words->cut = f.d;
    words->turns = (int)f.e;
}

/* Confident words determine the script better than Tesseract's detection, which
 * takes capitals on a Latin receipt for Cyrillic, with the same confidence that
 * it has for Greek. */
static void resolve_script(const struct ocr_page *page, struct script *script)
{
    struct script read;
    double sum = 0, n = 0;
    for (int i = 0; i < page->words.n_word; i++) {
        double size = (double)strlen(page->words.word[i].text);
        sum += size * (double)page->words.word[i].confidence;
        n += size;
    }
    script_of_words(&page->words, &read);
    if (*read.name && sum * 100 >= OCR_SURE * n) *script = read;
}

/* Warns of a page in a script that the models do not read. */
static void check_script(struct ocr *s, const struct script *script)
{
    if (!s->scripts || ocr_scripts_has(s->scripts, script->name)) return;
    document_warn(
        s->doc,
        &(struct warning){.code = WARN_OCR_SCRIPT_UNREAD, .page = s->number},
        "page %d: %s does not read its script, %s", s->number, s->engine,
        script->name);
}

/* Warns of the first page in a language that Tesseract was not told. */
static void check_language(struct ocr *s, const struct words *words)
{
    struct language l =
        s->scripts ? (struct language){0}
                   : language_missing(words, s->settings->ocr_languages);
    if (!l.code || s->doc->warnings->n_of[WARN_OCR_LANGUAGE]) return;
    document_warn(
        s->doc, &(struct warning){.code = WARN_OCR_LANGUAGE, .page = s->number},
        "page %d: its words look %s, but OCR read it as %s: add %s to "
        "ocr_languages (Debian: tesseract-ocr-%s)",
        s->number, l.name, s->settings->ocr_languages, l.code, l.code);
}

/* An error ends the child; a page that fails does not affect the others. */
static void on_failure(struct ocr *s, int number, const struct err *err)
{
    end_child(s);
    if (err->kind == ERR_CANCELLED) return;
    bool for_good = err->kind != ERR_CHILD;
    s->n_failure++;
    s->for_good = for_good || s->n_failure == FAILURES_MAX;
    struct warning lost = {.code = WARN_OCR_FAILED};
    if (!for_good) lost.page = number;
    if (for_good)
        document_warn(s->doc, &lost, "OCR is not available: %s", err->text);
    else
        document_warn(s->doc, &lost, "page %d: OCR: %s", number, err->text);
    if (!for_good && s->for_good)
        document_warn(s->doc, &lost, "OCR: gave up after page %d", number);
}

void ocr_start(struct ocr *s)
{
    struct err err = {0};
    if (!s->for_good && !s->started) start_child(s, &err);
}

static void make_ready(struct ocr *s, struct err *err)
{
    if (s->runs || err_failed(err)) return;
    if (!s->started) start_child(s, err);
    read_greeting(s, s->doc, err);
}

static void send_page(struct ocr *s, struct err *err)
{
    make_ready(s, err);
    send_order(s, err);
}

/* If the child was killed by the user or for lack of system memory, the page is
 * not to blame: sends it to a new child. */
static bool send_again(struct ocr *s, struct err *err)
{
    while (err_failed(err) && s->child.killed && s->n_again < AGAIN_MAX) {
        s->n_again++;
        s->child.killed = false;
        end_child(s);
        *err = (struct err){0};
        send_page(s, err);
        if (!err_failed(err)) return true;
    }
    return false;
}

bool ocr_send(struct ocr *s, int number, const struct image *page, double dpi,
              unsigned want)
{
    struct err err = {0};
    if (s->for_good) return false;
    arena_reset(s->arena);
    s->number = number;
    s->want = want;
    s->child.killed = false;
    s->n_again = 0;
    s->dpi = dpi >= 20 && dpi <= 2400 ? (uint32_t)dpi : 0;
    s->aspect = (double)page->width_px / page->height_px;
    if ((int64_t)page->width_px * page->height_px > OCR_PIXELS_MAX)
        err_set(&err, ERR_CHILD, "the page is too large");
    image_free(&s->grey);
    if (!err_failed(&err)) s->grey = image_to_grey(page, &err);
    send_page(s, &err);
    send_again(s, &err);
    if (err_failed(&err)) on_failure(s, number, &err);
    return !err_failed(&err);
}

bool ocr_has_answered(const struct ocr *s)
{
    return child_process_has_bytes(&s->child.process);
}

static void read_answer(struct ocr *s, struct ocr_page *out, struct err *err)
{
    *out = (struct ocr_page){.words = {.n_word = 0}};
    if (s->want & OCR_WORDS)
        read_words(s, (uint32_t)s->number, &out->words, err);
    if (s->want & OCR_SCRIPT)
        read_script(s, (uint32_t)s->number, &out->script, err);
}

bool ocr_receive(struct ocr *s, struct ocr_page *out)
{
    struct err err = {0};
    read_answer(s, out, &err);
    while (send_again(s, &err))
        read_answer(s, out, &err);
    if (!err_failed(&err)) {
        out->words.aspect = s->aspect;
        out->words.source = WORDS_OF_OCR;
        if (s->want & OCR_SCRIPT) {
            resolve_script(out, &out->script);
            check_script(s, &out->script);
        }
        check_language(s, &out->words);
        ocr_digits_join(&out->words, s->arena);
        return true;
    }
    *out = (struct ocr_page){.words = {.n_word = 0}};
    on_failure(s, s->number, &err);
    return false;
}

bool ocr_read(struct ocr *s, int number, const struct image *page, double dpi,
              unsigned want, struct ocr_page *out)
{
    *out = (struct ocr_page){.words = {.n_word = 0}};
    return ocr_send(s, number, page, dpi, want) && ocr_receive(s, out);
}

/* --- doctor --------------------------------------------------------------- */

/* The scripts that are read, and which of ocr_languages are not. */
static void print_scripts(const struct ocr *s, struct buf *out)
{
    uint32_t lacks = ocr_scripts_of(s->settings->ocr_languages) & ~s->scripts;
    const char *before = "";
    for (int i = 0; ocr_scripts_name(i); i++) {
        if (!(s->scripts >> i & 1)) continue;
        buf_print(out, "%s%s", before, ocr_scripts_name(i));
        before = ", ";
    }
    for (int i = 0; ocr_scripts_name(i); i++)
        if (lacks >> i & 1)
            buf_print(out, "; not %s, which ocr_languages asks for",
                      ocr_scripts_name(i));
}

static void print_engine(const struct ocr *s, struct buf *out)
{
    buf_print(out, "OCR: %s, reads ", s->engine);
    if (s->scripts) {
        print_scripts(s, out);
    } else {
        buf_print(out, "%s (installed: ", s->settings->ocr_languages);
        ocr_languages_list(s->settings, out);
        buf_print(out, "); no models are used%s",
                  !s->runs_models ? ": built without ONNX Runtime (Debian 13: "
                                    "libonnxruntime-dev)"
                  : !*s->settings->ocr_models
                      ? ": none are installed (platen model get ocr --use)"
                      : "");
    }
    if (!s->tells_script)
        buf_add_text(out,
                     ", cannot detect scripts (install tesseract-ocr-osd)");
    buf_add_text(out, "\n");
}

bool ocr_doctor(const struct settings *settings, struct buf *out)
{
    struct err err = {0};
    if (!strcmp(settings->ocr, "off")) {
        buf_print(out, "OCR: off\n");
        return true;
    }
    struct document *doc = document_new("doctor", "doctor", -1);
    struct ocr *s = ocr_new(doc, settings, NULL);
    start_child(s, &err);
    read_greeting(s, NULL, &err);
    bool well = !err_failed(&err);
    if (well) {
        print_engine(s, out);
        well = child_process_print_layers("OCR", s->child.layers, out);
    } else {
        buf_print(out, "! OCR is not available: %s\n", err.text);
        well = !!strcmp(settings->ocr, "always");
    }
    ocr_free(s);
    document_free(doc);
    return well;
}
