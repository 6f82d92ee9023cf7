/* command_bench.c - platen bench: speed of a model on this machine. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/bench/bench_page.h"
#include "pipeline/bench/bench_serve.h"
#include "pipeline/bench/kernel_flag.h"
#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/models/image_file.h"
#include "pipeline/process/signals.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/cpu.h"
#include "vlm/base/err.h"
#include "vlm/base/sort.h"
#include "vlm/tensor/processor_limits.h"
#include "vlm/vlm.h"

/* --- bench limits ------------------------------------------------------ */

/* The hardware's limits, for comparison with test results.
 *
 * A test's floor is the least time it can take: the time to read all its
 * weights, keys and values from memory, or to do all its multiplications on
 * the fastest 8-bit unit, whichever is longer.
 */

struct bench_limits {
    double read;     /* bytes per second; 0: not measured */
    double products; /* multiplications per second; 0: not measured */
};

enum { EACH_UP_TO = 8 };

static void print_json(int n_thread, const struct processor_limits *l)
{
    const char *name[] = {"f32_gflops", "bf16_gflops", "int8_gops",
                          "amx_bf16_gflops", "amx_int8_gops"};
    double rate[] = {l->f32, l->bf16, l->i8, l->tile_bf16, l->tile_i8};
    printf("{\"test\":\"limits\",\"t\":%d,\"read_gbs\":%.3f", n_thread,
           l->read / 1e9);
    for (int i = 0; i < 5; i++)
        if (rate[i] > 0)
            printf(",\"%s\":%.2f", name[i], rate[i] / 1e9);
        else
            printf(",\"%s\":null", name[i]);
    printf("}\n");
}

static void print_rate(double rate)
{
    if (rate > 0)
        printf(" %13.1f", rate / 1e9);
    else
        printf(" %13s", "-");
}

static void print_row(int n_thread, const struct processor_limits *l)
{
    if (n_thread == 1)
        printf("%7s %10s %13s %13s %13s %13s %13s\n", "threads", "read GB/s",
               "F32 GFLOP/s", "BF16 GFLOP/s", "int8 GOP/s", "AMX BF16",
               "AMX int8");
    printf("%7d %10.2f", n_thread, l->read / 1e9);
    print_rate(l->f32);
    print_rate(l->bf16);
    print_rate(l->i8);
    print_rate(l->tile_bf16);
    print_rate(l->tile_i8);
    printf("\n");
}

/* Resets the peak of resident memory, so that tests do not count the buffers
 * read here. */
static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f) return;
    fputs("5", f); /* resets VmHWM */
    fclose(f);
}

/* Measures with 1 to n_thread threads (above 8 only powers of two and
 * n_thread) and prints a row or a JSON object for each. Returns the limits of
 * n_thread threads. FAIL: ERR_SYSTEM. */
static struct bench_limits bench_limits_run(int n_thread, bool json,
                                            struct err *err)
{
    struct bench_limits limits = {0};
    for (int n = 1; n <= n_thread && !err_failed(err);) {
        struct processor_limits l = processor_limits_measure(n, err);
        if (err_failed(err)) break;
        (json ? print_json : print_row)(n, &l);
        fflush(stdout);
        limits.read = l.read;
        limits.products = fmax(l.i8, fmax(l.f32, l.tile_i8)) / 2;
        int next = n < EACH_UP_TO ? n + 1 : 2 * n;
        n = n < n_thread && next > n_thread ? n_thread : next;
    }
    reset_peak();
    return limits;
}

/* Least seconds for reading `bytes` and doing `products` multiplications. */
static double bench_limits_floor(const struct bench_limits *l, double bytes,
                                 double products)
{
    return fmax(bytes / l->read, products / l->products);
}

/* --- command bench ----------------------------------------------------- */

enum {
    LIST_MAX = 16,
    TOKENS_MOST = 1 << 20,
    SESSIONS_MOST = 64,
    TURNS_MOST = 64,
    CELL_PIXELS_LEAST = 28 * 28, /* pixels per image token */
    DOCUMENTS_MOST = 10000
};

struct list {
    int value[LIST_MAX], n;
};

/* "512,2048" */
static struct list numbers(const struct command_line *line, const char *flag,
                           const char *otherwise, struct err *err)
{
    const char *text = command_value(line, flag);
    struct list l = {0};
    text = text ? text : otherwise;
    for (const char *at = text; !err_failed(err);) {
        char *end;
        errno = 0;
        long n = strtol(at, &end, 10);
        if (errno || end == at || (*end && *end != ',') || n < 0 ||
            n > TOKENS_MOST || l.n == LIST_MAX)
            err_set(err, ERR_ARGS,
                    "--%s %s: must be numbers up to %d, separated by commas, "
                    "at most %d of them",
                    flag, text, TOKENS_MOST, LIST_MAX);
        l.value[l.n++] = (int)n;
        if (!*end || err_failed(err)) break;
        at = end + 1;
    }
    return l;
}

static int most(const struct list *l)
{
    int m = 0;
    for (int i = 0; i < l->n; i++)
        m = l->value[i] > m ? l->value[i] : m;
    return m;
}

struct bench {
    struct vlm *v;
    struct vlm_session *s;
    int n_thread, n_repeat;
    bool json;
    int32_t *token; /* [n_token] random, the same in every run */
    struct bench_limits limits;
};

/* What a test has to read and to multiply at least; 0: not counted. */
struct bench_need {
    double bytes, products;
};

struct bench_result {
    const char *test;
    double tps; /* tokens per second; 0: not a test of tokens */
    double s;   /* seconds taken */
    struct bench_need need;
};

/* The end of a line: what the test needs, and its lower bound by the hardware's
 * limits if they were measured. */
static void print_need(const struct bench *b, double s,
                       const struct bench_need *need)
{
    double floor_s = 0;
    if (b->limits.read > 0 && need->products > 0)
        floor_s = bench_limits_floor(&b->limits, need->bytes, need->products);
    if (b->json && need->products > 0)
        printf(",\"gb\":%.6f,\"gop\":%.6f", need->bytes / 1e9,
               2 * need->products / 1e9);
    if (b->json && floor_s > 0)
        printf(",\"floor_s\":%.6f,\"share\":%.4f", floor_s, floor_s / s);
    else if (floor_s > 0)
        printf(" %6.1f %% of its floor's speed", 100 * floor_s / s);
    printf(b->json ? "}\n" : "\n");
    fflush(stdout);
}

static void print_result(const struct bench *b, const struct bench_result *r)
{
    if (b->json && r->tps > 0)
        printf("{\"test\":\"%s\",\"t\":%d,\"tps\":%.3f,\"s\":%.4f", r->test,
               b->n_thread, r->tps, r->s);
    else if (b->json)
        printf("{\"test\":\"%s\",\"t\":%d,\"s\":%.4f", r->test, b->n_thread,
               r->s);
    else if (r->tps > 0)
        printf("%-14s %10.2f tokens/s %10.3f s", r->test, r->tps, r->s);
    else
        printf("%-14s %28.3f s", r->test, r->s);
    print_need(b, r->s, &r->need);
}

/* Names the GPU that the following figures are for. */
static void print_device(const struct bench *b)
{
    const char *device = vlm_info(b->v)->device;
    if (!strncmp(device, "cpu", 3)) return;
    printf(b->json ? "{\"device\":\"%s\"}\n" : "device         %s\n", device);
}

static double median(double *x, int n)
{
    sort_doubles(x, (size_t)n);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Seconds for n tokens after the mark: as a prompt (all at once, logits of the
 * last one) or as an answer (one by one, logits of each). */
static double one_run(const struct bench *b, int depth, int n, bool answer,
                      struct err *err)
{
    const int32_t *token = b->token + depth;
    vlm_rewind(b->s, 0, err);
    double start = clock_seconds();
    if (!answer) vlm_feed_tokens(b->s, token, n, err);
    if (!answer) vlm_logits(b->s, err);
    for (int i = 0; answer && i < n; i++) {
        vlm_feed_tokens(b->s, token + i, 1, err);
        vlm_logits(b->s, err);
    }
    return clock_seconds() - start;
}

/* For n tokens after `depth` others. The weights are read once for a whole prompt
 * (with one output head), and once for each token of an answer. */
static struct bench_need text_need(const struct bench *b, int depth, int n,
                                   bool answer)
{
    struct vlm_work w = vlm_work(b->v);
    int n_head = answer ? n : 1;
    double seen = depth + (n - 1) / 2.0; /* on average */
    double passes = answer ? n : 1;
    return (struct bench_need){
        passes * w.bytes + (answer ? n * seen : depth + n) * w.depth_bytes,
        n * (w.products + seen * w.depth_products) + n_head * w.head};
}

static void text_test(const struct bench *b, int depth, int n, bool answer,
                      struct err *err)
{
    double second[64];
    if (n == 0) return;
    for (int r = 0; r < b->n_repeat && !err_failed(err); r++)
        second[r] = one_run(b, depth, n, answer, err);
    if (err_failed(err)) return;
    double s = median(second, b->n_repeat);
    char test[64];
    int size = snprintf(test, sizeof test, "%s%d", answer ? "tg" : "pp", n);
    if (depth) snprintf(test + size, sizeof test - (size_t)size, "@%d", depth);
    print_result(b, &(struct bench_result){test, n / s, s,
                                           text_need(b, depth, n, answer)});
}

static void print_vision(const struct bench *b, const struct image *image,
                         int n_row, double s)
{
    struct bench_need need = {
        0, vlm_cost_vision(b->v, image->width_px, image->height_px)};
    if (b->json)
        printf("{\"test\":\"vision\",\"t\":%d,\"s\":%.4f,\"tokens\":%d,"
               "\"width\":%d,\"height\":%d",
               b->n_thread, s, n_row, image->width_px, image->height_px);
    else
        printf("%-14s %10d rows     %10.3f s", "vision", n_row, s);
    print_need(b, s, &need);
}

static void vision_test(const struct bench *b, const struct image *image,
                        struct err *err)
{
    double second[64];
    int n_y = 0, n_x = 0;
    for (int r = 0; r < b->n_repeat && !err_failed(err); r++) {
        double start = clock_seconds();
        mem_free(vlm_encode_image(b->v, image, &n_y, &n_x, err));
        second[r] = clock_seconds() - start;
    }
    if (err_failed(err)) return;
    print_vision(b, image, n_y * n_x, median(second, b->n_repeat));
}

/* Peak resident memory, and the present anonymous memory (no mapped files). */
static void memory_test(const struct bench *b)
{
    long peak = 0, own = 0;
    char row[256];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(row, sizeof row, f)) {
        sscanf(row, "VmHWM: %ld", &peak);
        sscanf(row, "RssAnon: %ld", &own);
    }
    if (f) fclose(f);
    if (b->json)
        printf("{\"test\":\"rss\",\"peak_mb\":%ld,\"anon_mb\":%ld}\n",
               peak / 1024, own / 1024);
    else
        printf("%-14s %10ld MB peak  %10ld MB own\n", "rss", peak / 1024,
               own / 1024);
}

static void fill_tokens(struct bench *b, int n)
{
    uint64_t random = 1;
    int n_vocab = vlm_info(b->v)->n_token;
    int usable = n_vocab > 1024 ? n_vocab - 300 : n_vocab / 2;
    b->token = mem_alloc((size_t)n, sizeof *b->token);
    for (int i = 0; i < n; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        b->token[i] = (int32_t)((random >> 33) % (uint64_t)usable);
    }
}

static void run_tests(struct bench *b, const struct list *prompt,
                      const struct list *answer, const struct list *depth,
                      struct err *err)
{
    /* warm-up: loads the weights into memory and wakes the threads */
    vlm_feed_tokens(b->s, b->token, 32, err);
    for (int d = 0; d < depth->n; d++) {
        vlm_session_clear(b->s);
        if (depth->value[d])
            vlm_feed_tokens(b->s, b->token, depth->value[d], err);
        vlm_mark(b->s, 0, err);
        for (int i = 0; i < prompt->n; i++)
            text_test(b, depth->value[d], prompt->value[i], false, err);
        for (int i = 0; i < answer->n; i++)
            text_test(b, depth->value[d], answer->value[i], true, err);
    }
}

/* --- as a server --- */

struct served {
    struct list prompt, answer, session, document, turn;
};

/* The context that a session needs: tokens of all turns and of the image. */
static int context_of(const struct served *w, const struct settings *set,
                      bool picture)
{
    int one = most(&w->prompt) + most(&w->answer) + 16;
    int turns = w->turn.value[0] > 1 ? w->turn.value[0] : 1;
    int page = (int)(settings_page_pixels(set) / CELL_PIXELS_LEAST) + 16;
    return one * turns + (picture ? page : 0);
}

static void serve(struct bench *b, const struct served *w,
                  const struct image *image, struct err *err)
{
    for (int p = 0; p < w->prompt.n && !err_failed(err); p++)
        for (int i = 0; i < w->session.n && !err_failed(err); i++) {
            int n = w->document.value[0] ? w->document.value[0]
                                         : 4 * w->session.value[i];
            struct bench_serve one = {.v = b->v,
                                      .image = image,
                                      .token = b->token,
                                      .n_session = w->session.value[i],
                                      .n_document = n,
                                      .n_prompt = w->prompt.value[p],
                                      .n_answer = w->answer.value[0],
                                      .n_turn = w->turn.value[0],
                                      .json = b->json};
            bench_serve_run(&one, err);
            if (i == 0) bench_serve_turns(&one, err);
        }
}

/* All but the lengths. */
static struct vlm_options options_of(const struct command_line *line,
                                     struct err *err)
{
    const struct settings *set = &line->config->stage;
    int n_thread = numbers(line, "threads", "0", err).value[0];
    return (struct vlm_options){
        .model = set->model,
        .mmproj = command_value(line, "image") ? set->mmproj : NULL,
        .mtp = settings_mtp(set),
        .mtp_off = settings_mtp_off(set),
        .yarn_factor = (float)set->yarn,
        .n_thread = n_thread ? n_thread : set->n_thread,
        .device = set->device,
        .timings = set->cache,
        .features_off = kernel_flag_off(line, err),
        .fast_vision = strcmp(set->vision, "exact") != 0,
        .fast_prompt = strcmp(set->prompt, "exact") != 0,
        .max_pixels = settings_page_pixels(set),
    };
}

static void check_served(const struct served *w, struct err *err)
{
    const struct list *list[] = {&w->prompt, &w->answer, &w->session};
    static const char *const name[] = {"prompt", "answer", "sessions"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < list[i]->n; k++)
            if (list[i]->value[k] < 1)
                err_set(err, ERR_ARGS,
                        "--%s: must be 1 or more with --serve-like", name[i]);
    if (most(&w->session) > SESSIONS_MOST || w->turn.value[0] > TURNS_MOST ||
        w->document.value[0] > DOCUMENTS_MOST)
        err_set(err, ERR_ARGS,
                "at most %d --sessions, %d --turns, %d --documents",
                SESSIONS_MOST, TURNS_MOST, DOCUMENTS_MOST);
}

static int serve_command(const struct command_line *line, struct err *err)
{
    const struct settings *set = &line->config->stage;
    struct served w = {numbers(line, "prompt", "512", err),
                       numbers(line, "answer", "128", err),
                       numbers(line, "sessions", "1,4", err),
                       numbers(line, "documents", "0", err),
                       numbers(line, "turns", "4", err)};
    struct bench b = {.json = command_value(line, "json") != NULL};
    const char *picture = command_value(line, "image");
    struct vlm_options o = options_of(line, err);
    o.n_batch_max = most(&w.session);
    check_served(&w, err);
    if (err_failed(err)) return EXIT_ARGS;
    o.n_ctx = context_of(&w, set, picture != NULL);
    b.v = vlm_open(&o, err);
    struct image image = {0};
    if (!err_failed(err)) print_device(&b);
    if (!err_failed(err))
        fill_tokens(&b, most(&w.prompt) *
                            (4 * most(&w.session) + w.document.value[0]));
    if (picture && !err_failed(err))
        image = image_file_read(picture, set, vlm_info(b.v), err);
    serve(&b, &w, picture ? &image : NULL, err);
    if (!err_failed(err)) memory_test(&b);
    image_free(&image);
    mem_free(b.token);
    vlm_close(b.v);
    return EXIT_OK;
}

/* --- a page ------------------------------------------------------------------ */

static int page_command(const struct command_line *line, struct err *err)
{
    struct settings settings = line->config->stage;
    if (!strcmp(settings.ground, "auto"))
        settings.ground = "off"; /* the model reads */
    struct list thread = numbers(line, "threads", "0", err);
    struct list repeat = numbers(line, "repeat", "1", err);
    struct bench_page b = {.settings = &settings,
                           .file = command_value(line, "page"),
                           .schema = command_value(line, "schema"),
                           .dictated = command_value(line, "dictated"),
                           .n_repeat = repeat.value[0],
                           .json = command_value(line, "json") != NULL};
    if (!b.schema) err_set(err, ERR_ARGS, "--page needs --schema NAME");
    if (b.n_repeat < 1 || b.n_repeat > 64)
        err_set(err, ERR_ARGS, "-r %d: must be 1 to 64", b.n_repeat);
    if (err_failed(err)) return EXIT_ARGS;
    if (thread.value[0]) settings.n_thread = thread.value[0];
    if (!settings.n_thread) settings.n_thread = cpu_count();
    signals_open();
    bench_page_run(&b, err);
    return EXIT_OK;
}

static int bench_command(const struct command_line *line, struct err *err)
{
    if (command_value(line, "page")) return page_command(line, err);
    if (command_value(line, "serve-like")) return serve_command(line, err);
    const struct settings *set = &line->config->stage;
    struct list prompt = numbers(line, "prompt", "512", err);
    struct list answer = numbers(line, "answer", "128", err);
    struct list depth = numbers(line, "depth", "0", err);
    struct list repeat = numbers(line, "repeat", "3", err);
    struct bench b = {.json = command_value(line, "json") != NULL,
                      .n_repeat = repeat.value[0]};
    if (b.n_repeat < 1 || b.n_repeat > 64)
        err_set(err, ERR_ARGS, "-r %d: must be 1 to 64", b.n_repeat);
    if (err_failed(err)) return EXIT_ARGS;
    int longest = most(&prompt) > most(&answer) ? most(&prompt) : most(&answer);
    int n_token = most(&depth) + longest + 32;
    const char *picture = command_value(line, "image");
    struct vlm_options o = options_of(line, err);
    o.n_ctx = n_token;
    double start = clock_seconds();
    b.v = vlm_open(&o, err);
    b.s = err_failed(err) ? NULL : vlm_session_open(b.v, err);
    double load = clock_seconds() - start;
    if (!err_failed(err)) {
        b.n_thread = vlm_threads(b.v);
        print_device(&b);
        if (command_value(line, "limits"))
            b.limits = bench_limits_run(b.n_thread, b.json, err);
        fill_tokens(&b, n_token);
        print_result(&b, &(struct bench_result){"load", 0, load, {0, 0}});
        run_tests(&b, &prompt, &answer, &depth, err);
    }
    if (picture && !err_failed(err)) {
        struct image image = image_file_read(picture, set, vlm_info(b.v), err);
        vision_test(&b, &image, err);
        image_free(&image);
    }
    if (!err_failed(err)) memory_test(&b);
    mem_free(b.token);
    vlm_session_close(b.s);
    vlm_close(b.v);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"image", "FILE", "time the vision encoder on this image", 0},
    {"prompt", "N,...", "prompt lengths (512)", 'p'},
    {"answer", "N,...", "generation lengths (128)", 'n'},
    {"depth", "N,...", "tokens already in the context (0)", 'd'},
    {"threads", "N", "threads of the engine", 't'},
    {"kernels", "NAME", "best, avx2+vnni, avx2, neon or scalar", 0},
    {"repeat", "N", "runs; medians are printed (3; with --page 1)", 'r'},
    {"limits", NULL, "compare with the limits of this machine", 0},
    {"page", "FILE", "time each step of this document", 0},
    {"schema", "NAME|FILE", "with --page: its schema", 's'},
    {"dictated", "FILE", "with --page: use this answer instead of the model's",
     0},
    {"serve-like", NULL, "several documents at once, like a server", 0},
    {"sessions", "N,...", "with --serve-like: documents at once (1,4)", 0},
    {"documents", "N", "with --serve-like: measured documents (4 per session)",
     0},
    {"turns", "N", "with --serve-like: turns of a conversation (4)", 0},
    {"json", NULL, "one JSON object per line", 0},
    {0},
};

const struct command command_bench_row = {
    .name = "bench",
    .usage = "--model FILE [--mmproj FILE --image FILE] [-p 512] [-n 128] "
             "[-d 0] [-t N] [-r 3] [--kernels NAME] [--limits] [--serve-like "
             "[--sessions 1,4] "
             "[--documents "
             "N] [--turns 4]] [--page FILE --schema NAME|FILE [--dictated "
             "FILE]] [--json]",
    .summary = "measure a model's speed on this machine",
    .help =
        "load: seconds to open the model; ppN: prompt of N tokens; tgN: "
        "generation of N tokens, each with all its logits; @D: after D "
        "tokens; vision: the vision encoder alone; rss: memory.\n"
        "\n"
        "--serve-like: a number of documents at once; the next one starts "
        "when an answer is finished. ttft_ms: time to first token, "
        "including waiting for others; tpot_ms: time per output token; "
        "e2el_ms: end-to-end latency; prefill and decode: tokens per "
        "second while reading and generating; output: over the whole run. "
        "-p, -n and --image set the sizes; answers always have -n tokens. "
        "One warm-up document per session is not counted. Turns: time to "
        "first token with and without the prefix cache.\n"
        "\n"
        "--limits: first measures memory bandwidth and the arithmetic "
        "units (F32, BF16 and 8 bits; a multiply-add counts as two; AMX: "
        "tiles), with one thread and more. Each test is compared with the "
        "time that memory or the fastest 8-bit unit needs at least; data "
        "that fits the caches may be faster.\n"
        "\n"
        "--page: from a file to the valid record with the configured "
        "model: raster (drawing), prepare (deskew, scaling, text layer), "
        "second (waiting for OCR), vision (encoder), prompt (question and "
        "image rows), forced (tokens that the schema leaves no choice "
        "about), drafted (speculative tokens; the passes of the answer over "
        "the weights), sampled (tokens one by one), validate, evidence, other "
        "(the rest). load is not part of "
        "the sum. The bar shows each part's share by its letter. With -r 2 "
        "or more the schema stays loaded, as for further documents of a "
        "spool, and the median run is printed.\n"
        "\n"
        "  platen bench --model FILE --serve-like --sessions 1,2,4,8 -p "
        "2048 -n 256 --json\n"
        "  platen bench --page samples/good/cafe.pdf --schema receipt",
    .flag = flags,
    .least = 0,
    .most = 0,
    .run = bench_command,
};
