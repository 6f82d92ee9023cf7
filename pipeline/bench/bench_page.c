/* bench_page.c - see bench_page.h. */
#include "pipeline/bench/bench_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/local/extract_files.h"
#include "pipeline/process/signals.h"
#include "stages/stages.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum {
    ANSWER_BYTES_MAX = 1 << 24,
    BAR_CELLS = 60,
    REPEAT_MOST = 64,
};

/* In order of processing. */
enum part {
    PART_RASTER,
    PART_PREPARE,
    PART_OCR,
    PART_VISION,
    PART_PROMPT,
    PART_FORCED,
    PART_DRAFTED,
    PART_SAMPLED,
    PART_VALIDATE,
    PART_EVIDENCE,
    PART_OTHER,
    N_PART
};

static const struct {
    const char *name;
    const char *unit; /* unit of its count, or NULL */
    char mark;        /* in the bar */
} parts[N_PART] = {
    [PART_RASTER] = {"raster", "pages", 'r'},
    [PART_PREPARE] = {"prepare", NULL, 'p'},
    [PART_OCR] = {"ocr", NULL, 'o'},
    [PART_VISION] = {"vision", "rows", 'V'},
    [PART_PROMPT] = {"prompt", "tokens", 'P'},
    [PART_FORCED] = {"forced", "tokens", 'f'},
    [PART_DRAFTED] = {"drafted", "tokens", 'd'},
    [PART_SAMPLED] = {"sampled", "tokens", 's'},
    [PART_VALIDATE] = {"validate", NULL, 'v'},
    [PART_EVIDENCE] = {"evidence", NULL, 'e'},
    [PART_OTHER] = {"other", NULL, '.'},
};

/* Times in seconds and counts of one run. */
struct page_times {
    double part[N_PART], total;
    int count[N_PART];
    int n_guessed; /* drafted tokens; count[PART_DRAFTED] were accepted */
    int n_pass;    /* of forced, drafted and sampled tokens over the weights */
};

struct page_bench {
    const struct bench_page *b;
    struct engine *engine;
    struct schema *schema;
    const char *prompt;
    struct arena *arena;
    double load_s;
    struct page_times run[REPEAT_MOST];
};

static double stage_seconds(const struct document *doc, const char *stage)
{
    for (int i = 0; i < doc->n_time; i++)
        if (!strcmp(doc->time[i].stage, stage)) return doc->time[i].seconds;
    return 0;
}

/* For stages of several parts ("prompt", "extract") the engine's own times
 * count; the rest of them is "other". */
static struct page_times split_times(const struct document *doc, double total)
{
    const struct document_spent *spent = &doc->spent;
    struct page_times t = {.total = total};
    t.part[PART_RASTER] =
        stage_seconds(doc, "identify") + stage_seconds(doc, "rasterise");
    t.part[PART_PREPARE] = stage_seconds(doc, "prepare");
    t.part[PART_OCR] = stage_seconds(doc, "ocr");
    t.part[PART_VISION] = spent->vision;
    t.part[PART_PROMPT] = spent->prompt;
    t.part[PART_FORCED] = spent->forced;
    t.part[PART_DRAFTED] = spent->drafted;
    t.part[PART_SAMPLED] = spent->sampled;
    t.part[PART_EVIDENCE] = spent->evidence;
    t.part[PART_VALIDATE] = stage_seconds(doc, "unfence") +
                            stage_seconds(doc, "validate") - spent->evidence;
    double sum = 0;
    for (int i = 0; i < PART_OTHER; i++)
        sum += t.part[i];
    t.part[PART_OTHER] = total - sum;
    t.count[PART_RASTER] = doc->n_page;
    t.count[PART_VISION] = spent->n_vision;
    t.count[PART_PROMPT] = spent->n_prompt;
    t.count[PART_FORCED] = spent->n_forced;
    t.count[PART_DRAFTED] = spent->n_drafted;
    t.count[PART_SAMPLED] = spent->n_sampled;
    t.n_guessed = spent->n_guessed;
    t.n_pass = spent->n_pass;
    return t;
}

static struct page_times run_once(const struct page_bench *p, struct err *err)
{
    const struct settings *settings = p->b->settings;
    struct page_times times = {.total = 0};
    if (err_failed(err)) return times;
    int fd =
        extract_files_open_file(p->b->file, settings->max_document_bytes, err);
    struct document *doc = document_new("bench", p->b->file, fd);
    struct run_context context = {
        .settings = settings, .engine = p->engine, .stop = signals_pending};
    doc->schema = p->schema;
    doc->prompt = p->prompt;
    double start = clock_seconds();
    stages_run(doc, &context, err);
    if (err_failed(err) && fd >= 0) err_context(err, "%s", doc->stage);
    if (!err_failed(err)) times = split_times(doc, clock_seconds() - start);
    err_context(err, "%s", p->b->file);
    if (fd >= 0) close(fd);
    document_free(doc);
    return times;
}

static int by_total(const void *a, const void *b)
{
    double x = ((const struct page_times *)a)->total,
           y = ((const struct page_times *)b)->total;
    return (x > y) - (x < y);
}

/* --- output ------------------------------------------------------------------ */

static void print_json(const struct page_bench *p, const struct page_times *t)
{
    printf("{\"test\":\"page\",\"t\":%d,\"load_s\":%.4f,\"s\":%.6f,\"parts\":{",
           p->b->settings->n_thread, p->load_s, t->total);
    for (int i = 0; i < N_PART; i++)
        printf("%s\"%s\":%.6f", i ? "," : "", parts[i].name, t->part[i]);
    printf("},\"counts\":{");
    for (int i = 0, n = 0; i < N_PART; i++)
        if (parts[i].unit)
            printf("%s\"%s\":%d", n++ ? "," : "",
                   i == PART_RASTER ? "pages" : parts[i].name, t->count[i]);
    printf(",\"guessed\":%d,\"passes\":%d}}\n", t->n_guessed, t->n_pass);
}

/* A bar of the parts by their shares. Rounding the ends, not the widths, keeps
 * the total width. */
static void print_bar(const struct page_times *t)
{
    char bar[BAR_CELLS + 1];
    double sum = 0;
    int at = 0;
    for (int i = 0; i < N_PART; i++) {
        sum += t->part[i];
        int end = (int)(sum / t->total * BAR_CELLS + 0.5);
        while (at < end && at < BAR_CELLS)
            bar[at++] = parts[i].mark;
    }
    bar[at] = '\0';
    printf("[%s]\n", bar);
}

static void print_table(const struct page_bench *p, const struct page_times *t)
{
    printf("%-10s %12.3f s\n", "load", p->load_s);
    for (int i = 0; i < N_PART; i++) {
        printf("%c %-8s %12.3f s %6.1f %%", parts[i].mark, parts[i].name,
               t->part[i], 100 * t->part[i] / t->total);
        if (parts[i].unit) printf(" %8d %s", t->count[i], parts[i].unit);
        if (i == PART_DRAFTED && t->n_guessed)
            printf(", %.0f %% of %d guessed; %d passes in all",
                   100.0 * t->count[i] / t->n_guessed, t->n_guessed, t->n_pass);
        printf("\n");
    }
    printf("%-10s %12.3f s  100.0 %%\n", "sum", t->total);
    print_bar(t);
}

/* --- the run ----------------------------------------------------------------- */

/* Loads the dictated answer as a model writes it: in the schema's order,
 * compact. */
static void load_dictated(struct page_bench *p, struct err *err)
{
    struct span text =
        file_map_read(p->b->dictated, ANSWER_BYTES_MAX, p->arena, err);
    cJSON *value = json_parse(text, err);
    struct buf out = buf_limit(ANSWER_BYTES_MAX);
    if (!err_failed(err)) {
        schema_order(p->schema, value);
        json_print(&out, value, 0);
        p->engine->dictated.data = arena_copy(p->arena, buf_span(&out));
        p->engine->dictated.size = out.size;
    } else if (text.data)
        err_context(err, "%s", p->b->dictated);
    buf_free(&out);
    cJSON_Delete(value);
}

static void open_all(struct page_bench *p, struct err *err)
{
    const struct bench_page *b = p->b;
    struct run_context context = {.settings = b->settings,
                                  .stop = signals_pending};
    double start = clock_seconds();
    p->schema =
        stages_load_schema(b->schema, &context, p->arena, &p->prompt, err);
    p->engine = err_failed(err) ? NULL : engine_open(b->settings, err);
    if (!err_failed(err)) engine_learn(p->engine, p->schema, p->prompt, err);
    p->load_s = clock_seconds() - start;
    if (b->dictated) load_dictated(p, err);
}

void bench_page_run(const struct bench_page *b, struct err *err)
{
    if (err_failed(err)) return;
    struct page_bench *p = mem_alloc(1, sizeof *p);
    p->b = b;
    p->arena = arena_new();
    open_all(p, err);
    if (b->n_repeat > 1) run_once(p, err);
    for (int i = 0; i < b->n_repeat; i++)
        p->run[i] = run_once(p, err);
    if (!err_failed(err)) {
        qsort(p->run, (size_t)b->n_repeat, sizeof *p->run, by_total);
        const struct page_times *median = &p->run[(b->n_repeat - 1) / 2];
        (b->json ? print_json : print_table)(p, median);
    }
    engine_close(p->engine);
    schema_free(p->schema);
    arena_free(p->arena);
    mem_free(p);
}
