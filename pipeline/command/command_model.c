/* command_model.c - platen model: gets, converts and examines model files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/bench/kernel_flag.h"
#include "pipeline/command/commands.h"
#include "pipeline/config/command.h"
#include "pipeline/config/config.h"
#include "pipeline/models/image_file.h"
#include "pipeline/models/model_check.h"
#include "pipeline/models/model_get.h"
#include "pipeline/models/model_imatrix.h"
#include "pipeline/models/model_info.h"
#include "pipeline/models/model_ocr.h"
#include "pipeline/models/page_time.h"
#include "stages/document/reason.h"
#include "vlm/base/file_map.h"
#include "vlm/base/memory_limit.h"
#include "vlm/convert/convert.h"
#include "vlm/model/gguf.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

/* --- model convert ----------------------------------------------------- */

/* Platen model convert: makes a GGUF file of a checkpoint. */

/* On a terminal: one line, overwritten for each tensor. */
static void show_progress(void *arg, const char *tensor, int done, int all)
{
    (void)arg;
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r%d of %d: %-40s", done + 1, all, tensor);
    if (done + 1 == all) fputc('\n', stderr);
}

/* Converts the checkpoint in `folder` as --out, --type and --imatrix say, and
 * prints the paths of the files written. n_thread 0: all processors.
 * FAIL: ERR_ARGS without --out or --type, otherwise as convert_run. */
static void model_convert(const struct command_line *line, const char *folder,
                          int n_thread, struct err *err)
{
    if (err_failed(err)) return;
    struct convert_options o = {
        .folder = folder,
        .out = command_value(line, "out"),
        .type = command_value(line, "type"),
        .imatrix = command_value(line, "imatrix"),
        .n_thread = n_thread,
        .tell = show_progress,
    };
    if (!o.out || !o.type) {
        err_set(err, ERR_ARGS, "missing: --out FILE.gguf and --type TYPE");
        return;
    }
    struct arena *arena = arena_new();
    const char *mmproj = convert_run(&o, arena, err);
    if (!err_failed(err)) printf("%s\n", o.out);
    if (mmproj) printf("%s\n", mmproj);
    arena_free(arena);
}

/* --- command model ----------------------------------------------------- */

enum { TEXT_BYTES_MOST = 64 << 20, NUMBER_MOST = 1 << 24 };

static const double MIB = 1024.0 * 1024.0;

/* --- shared options ------------------------------------------------------ */

static struct vlm_options options_of(const struct command_line *line,
                                     const char *model, int n_ctx, int n_batch,
                                     struct err *err)
{
    const char *kv = command_value(line, "kv");
    if (kv && strcmp(kv, "f16") != 0 && strcmp(kv, "q8") != 0 &&
        strcmp(kv, "f32") != 0)
        err_set(err, ERR_ARGS, "--kv %s: not one of f16, q8, f32", kv);
    return (struct vlm_options){
        .model = model,
        .mmproj = command_value(line, "mmproj"),
        .n_ctx = command_number(line, "ctx", NUMBER_MOST, n_ctx, err),
        .n_thread = command_number(line, "threads", NUMBER_MOST,
                                   line->config->stage.n_thread, err),
        .n_batch_max = n_batch,
        .kv_q8 = kv && !strcmp(kv, "q8"),
        .kv_f32 = kv && !strcmp(kv, "f32"),
        .exact = command_value(line, "exact") != NULL,
        .fast_vision = strcmp(line->config->stage.vision, "exact") != 0,
        .yarn_factor = (float)command_number(line, "yarn", NUMBER_MOST,
                                             line->config->stage.yarn, err),
        .features_off = kernel_flag_off(line, err),
        .max_pixels = settings_page_pixels(&line->config->stage),
        .cache = line->config->stage.cache,
    };
}

/* For examining a model: on the CPU, the reference for other devices. */
static struct vlm *open_model(const struct command_line *line,
                              const char *model, int n_ctx, int n_batch,
                              struct err *err)
{
    struct vlm_options o = options_of(line, model, n_ctx, n_batch, err);
    return vlm_open(&o, err);
}

/* For running a model: on the configured device. */
static struct vlm *open_on_device(const struct command_line *line,
                                  const char *model, int n_ctx, int n_batch,
                                  struct err *err)
{
    struct vlm_options o = options_of(line, model, n_ctx, n_batch, err);
    o.device = line->config->stage.device;
    return vlm_open(&o, err);
}

/* --- plan ---------------------------------------------------------------- */

static void print_row(const char *what, double bytes)
{
    printf("%-28s %12.1f MiB\n", what, bytes / MIB);
}

/* Prints the memory for `parallel` sequences, and whether it fits. */
static int print_memory(struct vlm *v, int parallel)
{
    struct vlm_memory m = vlm_memory(v);
    double n = parallel;
    double sum = (double)m.weights + (double)m.vision +
                 n * ((double)m.kv + (double)m.recurrent) + (double)m.compute +
                 (double)m.vision_peak;
    printf("%d sequences of %d tokens\n", parallel, m.n_ctx);
    print_row("weights", (double)m.weights);
    if (m.vision) print_row("vision weights", (double)m.vision);
    print_row("keys and values", n * (double)m.kv);
    print_row("recurrent state", n * (double)m.recurrent);
    print_row("compute", (double)m.compute);
    if (m.vision)
        print_row("vision peak, largest image", (double)m.vision_peak);
    print_row("sum", sum);
    double have =
        m.device ? (double)m.device : (double)memory_limit_available();
    if (m.device) printf("on %s\n", vlm_info(v)->device);
    if (have > 0) {
        print_row(m.device ? "available there" : "available on this machine",
                  have);
        printf("%s\n", sum <= have ? "fits"
                                   : "does not fit: use a smaller --ctx, fewer "
                                     "--parallel, --kv q8, or a smaller model");
    }
    return have > 0 && sum > have ? EXIT_OTHER : EXIT_OK;
}

static int print_plan(const struct command_line *line, const char *model,
                      struct err *err)
{
    int parallel = command_number(line, "parallel", NUMBER_MOST, 1, err);
    struct vlm *v = open_on_device(line, model, 0, parallel, err);
    if (err_failed(err)) return EXIT_CONFIG;
    int code = print_memory(v, parallel);
    vlm_close(v);
    return code;
}

/* The memory that a model needs, and if it has eyes and fits, its speed. */
static int print_costs(const struct command_line *line, const char *model,
                       struct err *err)
{
    struct vlm *v = open_on_device(line, model, 0, 1, err);
    if (err_failed(err)) return EXIT_CONFIG;
    int code = print_memory(v, 1);
    if (code == EXIT_OK && vlm_info(v)->has_vision) {
        double s = page_time_measure(
            v, settings_page_pixels(&line->config->stage), err);
        printf("about %.*f s for a page at 150 dpi and an answer of %d tokens, "
               "estimated from the time of a part of each\n",
               s < 10 ? 1 : 0, s, PAGE_TIME_ANSWER);
    }
    vlm_close(v);
    return code;
}

/* --- logits -------------------------------------------------------------- */

struct rows_file {
    FILE *file;
    int n_vocab;
    bool failed;
};

static void write_rows(void *arg, const float *write_logits, int n_row)
{
    struct rows_file *f = arg;
    size_t n = (size_t)n_row * (size_t)f->n_vocab;
    if (fwrite(write_logits, sizeof *write_logits, n, f->file) != n)
        f->failed = true;
}

/* The text marks the place of the image by <|image_pad|>, once or repeated,
 * with or without the vision start and end tokens around it. */
static void feed_prompt(struct vlm_session *s, struct span text,
                        const struct image *image, struct err *err)
{
    static const char pad[] = "<|image_pad|>", start[] = "<|vision_start|>",
                      end[] = "<|vision_end|>";
    const char *at = image->data ? strstr(text.data, pad) : NULL;
    if (!at) {
        if (image->data)
            err_set(err, ERR_INPUT, "the text has no %s for the image", pad);
        vlm_feed_text(s, text, true, err);
        return;
    }
    const char *behind = at + strlen(pad);
    size_t before = (size_t)(at - text.data), n = strlen(start);
    if (before >= n && !memcmp(at - n, start, n)) before -= n;
    while (!strncmp(behind, pad, strlen(pad)))
        behind += strlen(pad);
    if (!strncmp(behind, end, strlen(end))) behind += strlen(end);
    if (before) vlm_feed_text(s, (struct span){text.data, before}, true, err);
    vlm_feed_image(s, image, err);
    size_t rest = text.size - (size_t)(behind - text.data);
    if (rest) vlm_feed_text(s, (struct span){behind, rest}, true, err);
}

static void feed_input(const struct command_line *line, struct vlm *v,
                       struct vlm_session *s, struct span input, bool is_text,
                       struct err *err)
{
    const char *picture = command_value(line, "image");
    struct image image = {0};
    if (picture)
        image =
            image_file_read(picture, &line->config->stage, vlm_info(v), err);
    if (is_text)
        feed_prompt(s, input, &image, err);
    else
        vlm_feed_tokens(s, (const int32_t *)(const void *)input.data,
                        (int)(input.size / sizeof(int32_t)), err);
    image_free(&image);
}

static void write_logits(const struct command_line *line, const char *model,
                         struct err *err)
{
    const char *ids = command_value(line, "tokens");
    const char *text = command_value(line, "prompt-text");
    const char *out = command_value(line, "out");
    if (!ids == !text || !out) {
        err_set(err, ERR_ARGS,
                "logits needs --out and one of --tokens and --prompt-text");
        return;
    }
    struct arena *arena = arena_new();
    struct span input =
        file_map_read(ids ? ids : text, TEXT_BYTES_MOST, arena, err);
    int n_ctx = ids && input.size / 4 > 16384 ? (int)(input.size / 4) : 0;
    struct vlm *v = open_on_device(line, model, n_ctx, 1, err);
    struct vlm_session *s = err_failed(err) ? NULL : vlm_session_open(v, err);
    if (!err_failed(err)) {
        struct rows_file f = {.file = fopen(out, "wb")};
        if (!f.file) err_errno(err, "%s", out);
        f.n_vocab = vlm_info(v)->n_vocab;
        vlm_watch_logits(s, write_rows, &f);
        feed_input(line, v, s, input, !ids, err);
        if (f.file && (fclose(f.file) || f.failed))
            err_errno(err, "%s: write", out);
    }
    vlm_session_close(s);
    vlm_close(v);
    arena_free(arena);
}

/* --- tokens -------------------------------------------------------------- */

static void tokens(const struct command_line *line, const char *model,
                   struct err *err)
{
    const char *path = command_value(line, "text");
    if (!path) {
        err_set(err, ERR_ARGS, "--text FILE is needed");
        return;
    }
    struct arena *arena = arena_new();
    struct span text = file_map_read(path, TEXT_BYTES_MOST, arena, err);
    struct gguf *g = gguf_open(model, err);
    struct tokenizer *t = tokenizer_open(g, err);
    struct tokens ids = {0};
    if (!err_failed(err))
        ids = tokenizer_encode(t, text, command_value(line, "special") != NULL,
                               arena, err);
    for (int i = 0; i < ids.n && !err_failed(err); i++)
        printf("%d\n", ids.id[i]);
    tokenizer_close(t);
    gguf_close(g);
    arena_free(arena);
}

/* --- check and get ------------------------------------------------------- */

static int check_model(const struct command_line *line, const char *model,
                       struct err *err)
{
    struct vlm *v = open_model(line, model, 0, 1, err);
    enum weight_sanity verdict =
        model_check(v, model, command_value(line, "mmproj"), err);
    vlm_close(v);
    return verdict == WEIGHT_SANITY_SANE       ? EXIT_OK
           : verdict == WEIGHT_SANITY_DOUBTFUL ? EXIT_OTHER
                                               : EXIT_CONFIG;
}

/* Writes the model into platen.conf, unless it is broken. */
static int use_model(const struct command_line *line, struct model_got got,
                     int code, struct err *err)
{
    int checked = check_model(line, got.model, err);
    if (checked == EXIT_CONFIG)
        err_set(err, ERR_CONFIG,
                "%s: the model is broken; platen.conf was not changed",
                got.model);
    model_get_use(line, got, err);
    return checked == EXIT_OK ? code : checked;
}

/* Downloads the OCR models and prints their folder; --use: then uses it. */
static int get_ocr(const struct command_line *line, const char *what,
                   struct err *err)
{
    struct arena *arena = arena_new();
    const char *folder = model_ocr_get(line, what, arena, err);
    if (!err_failed(err)) {
        printf("%s\n", folder);
        if (command_value(line, "use")) model_get_use_ocr(line, folder, err);
    }
    arena_free(arena);
    return EXIT_OK;
}

/* Downloads a model, prints its memory and speed; --use: then uses it. */
static int get_model(const struct command_line *line, const char *what,
                     struct err *err)
{
    struct arena *arena = arena_new();
    struct model_got got = model_get(line, what, arena, err);
    int code = EXIT_OK;
    if (!err_failed(err)) {
        struct command_line with = *line;
        with.value[0] = got.mmproj; /* the row of --mmproj */
        printf("%s\n", got.model);
        if (got.mmproj) printf("%s\n", got.mmproj);
        code = print_costs(&with, got.model, err);
        if (command_value(line, "use") && !err_failed(err))
            code = use_model(&with, got, code, err);
    }
    arena_free(arena);
    return code;
}

static void make_imatrix(const struct command_line *line, const char *model,
                         struct err *err)
{
    struct vlm_options o = options_of(line, model, 0, 1, err);
    model_imatrix(line, &o, 2, err);
}

static int model_command(const struct command_line *line, struct err *err)
{
    const char *verb = line->operand[0], *file = line->operand[1];
    int code = EXIT_OK;
    if (line->n_operand > 2 && strcmp(verb, "imatrix") != 0) {
        err_set(err, ERR_ARGS, "%s: too many arguments: %s", verb,
                line->operand[2]);
        return EXIT_ARGS;
    }
    if (!strcmp(verb, "list") != !file) {
        err_set(err, ERR_ARGS,
                file ? "model %s takes no arguments"
                     : "model %s needs a name; see platen model --help",
                verb);
        return EXIT_ARGS;
    }
    if (!strcmp(verb, "info"))
        model_info(file, err);
    else if (!strcmp(verb, "plan"))
        code = print_plan(line, file, err);
    else if (!strcmp(verb, "logits"))
        write_logits(line, file, err);
    else if (!strcmp(verb, "tokens"))
        tokens(line, file, err);
    else if (!strcmp(verb, "check"))
        code = check_model(line, file, err);
    else if (!strcmp(verb, "get") && model_ocr_is_asked(file))
        code = get_ocr(line, file, err);
    else if (!strcmp(verb, "get"))
        code = get_model(line, file, err);
    else if (!strcmp(verb, "convert"))
        model_convert(line, file,
                      command_number(line, "threads", NUMBER_MOST,
                                     line->config->stage.n_thread, err),
                      err);
    else if (!strcmp(verb, "imatrix"))
        make_imatrix(line, file, err);
    else if (!strcmp(verb, "list"))
        model_get_list(err);
    else if (!strcmp(verb, "rm"))
        model_get_remove(file, err);
    else
        err_set(err, ERR_ARGS,
                "%s: not one of get, convert, imatrix, list, rm, check, info, "
                "plan, "
                "logits, tokens",
                verb);
    return code;
}

static const struct command_flag flags[] = {
    {"mmproj", "FILE", "the vision file", 0},
    {"image", "FILE", "logits: the image of the prompt", 0},
    {"ctx", "N", "context length", 0},
    {"yarn", "F", "YaRN factor (2, 4)", 0},
    {"parallel", "P", "plan: sequences at once", 0},
    {"kv", "TYPE", "keys and values as f16, q8 or f32", 0},
    {"exact", NULL, "F32 activations on quantised weights", 0},
    {"kernels", "NAME", "best, avx2+vnni, avx2, neon or scalar", 0},
    {"threads", "N", "threads of the engine", 't'},
    {"tokens", "FILE", "logits: ids as 32-bit integers", 0},
    {"prompt-text", "FILE", "logits: text with its markup", 0},
    {"out", "FILE",
     "convert, imatrix: the file to write; logits: rows of 32-bit floats", 'o'},
    {"text", "FILE", "tokens: the text", 0},
    {"special", NULL, "tokens: recognise special tokens in the text", 0},
    {"dir", "DIR", "get: the folder for the files", 0},
    {"sha256", "HEX", "get: expected hash of a file from an address", 0},
    {"mirror", "URL",
     "get ocr: where the files are, instead of their publisher", 0},
    {"use", NULL, "get: write the model into platen.conf", 0},
    {"type", "TYPE",
     "convert: bf16, f16, f32, q8_0, q4_k_m, q5_k_m, q6_k, mxfp4 or nvfp4", 0},
    {"imatrix", "FILE", "convert: importance of each column", 0},
    {0},
};

const struct command command_model_row = {
    .name = "model",
    .usage =
        "get 4b | get hf:OWNER/REPO[:QUANT] | get ocr[:SCRIPT] | convert DIR "
        "-o FILE "
        "--type TYPE | imatrix "
        "FILE DOCUMENT... -o OUT | list | "
        "rm WHAT | check FILE | info FILE | "
        "plan FILE "
        "[--mmproj F] --ctx N --parallel P | "
        "logits FILE ... | tokens FILE --text FILE",
    .summary = "download, convert, check and inspect model files",
    .help =
        "get\tdownloads a model and its vision file from a hub or an address: "
        "resumes interrupted downloads, checks length and SHA-256, reports "
        "memory needed and the seconds per page here, and with --use writes it "
        "into platen.conf. It never sends a document. The names 0.8b, 2b, 4b, "
        "9b, 27b and 35b-a3b are published files of Qwen3.5 "
        "(unsloth/Qwen3.5-4B-GGUF and so on), not tested with this version; "
        "the largest type up to Q4_K_M (2b and below: Q8_0) that fits into "
        "memory is used, or the one named: 4b:Q8_0. If several models of "
        "another repository match it asks or, without a terminal, lists them "
        "and exits with 1. HF_ENDPOINT, HF_TOKEN and HF_HOME are those of "
        "Hugging Face's tools. get ocr: the models for ocr_engine = onnx, 32 "
        "MB; they read Latin script, Chinese and Japanese. get ocr:greek adds "
        "a model for another script\n"
        "convert\tmakes --out (GGUF) and its vision file mmproj-* from a "
        "checkpoint: safetensors, config.json, tokenizer.json; ModelOpt's "
        "NVFP4 is read, and kept with --type nvfp4. A file gets its name only "
        "after it was opened as a model\n"
        "imatrix\twrites to --out how much each column of a model is used "
        "while it reads the documents (every page; .txt as text): weights for "
        "convert --imatrix. FILE should be a bf16 or q8_0 of the checkpoint\n"
        "list\tthe models in HF_HOME/hub (~/.cache/huggingface/hub)\n"
        "rm\tremoves one of them, by its path, its name or "
        "hf:OWNER/REPO[:QUANT]; or ocr\n"
        "check\tsane, doubtful or broken (exit status 0, 15, 9): checks the "
        "numbers of every tensor, the tokenizer's round trip, the perplexity "
        "of a text and, with --mmproj, the confidence on drawn pages; outliers "
        "are named\n"
        "info\tsizes, tensor types by count and bytes, tokenizer, hash; "
        "missing and unknown keys and tensors are errors\n"
        "plan\tmemory needed, and whether this machine has it (exits with 15 "
        "if not)\n"
        "logits\tthe logits after every token of --tokens or --prompt-text, as "
        "raw rows of floats in --out; with --image, the text has one "
        "<|image_pad|>\n"
        "tokens\tthe token ids of a text, one per line",
    .flag = flags,
    .least = 1,
    .most = -1,
    .run = model_command,
};
