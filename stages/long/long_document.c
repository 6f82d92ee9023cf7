/* long_document.c - see long_document.h: page after page, with the state to resume. */
#include "stages/long/long_document.h"

#include <stdlib.h>
#include <unistd.h>

#include "stages/document/version.h"
#include "stages/engine/prompt.h"
#include "stages/long/header_vote.h"
#include "stages/long/long_findings.h"
#include "stages/long/long_inside.h"
#include "stages/long/plan/page_relevance.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { ROWS_OF_PAGE = 40, TEXT_MAX = 1 << 20, PICTURE_TOKENS = 24 };
enum { SPLIT_PAGES = 8 }; /* pages after which larger parts are tried again */
enum { PIECES_MAX = 12 }; /* of a page whose print is too small for the model */
enum { ANSWER_TOKENS = 1024 };

bool long_document_needed(const struct document_run *r, const struct plan *plan)
{
    const struct engine_facts *facts = engine_facts(r->context->engine);
    int64_t n_page = r->doc->n_page, side = r->target.grid;
    if (facts->images_max && n_page > facts->images_max) return true;
    if (!facts->n_ctx || n_page == 1) return false;
    int64_t answer = n_page * ROWS_OF_PAGE * plan_row_tokens(plan);
    int64_t page = r->target.max_pixels / (side * side) + PICTURE_TOKENS;
    if (answer > r->context->settings->max_tokens) return true;
    return prompt_tokens(r->doc->schema, r->doc->prompt) + n_page * page +
               (answer > ANSWER_TOKENS ? answer : ANSWER_TOKENS) >
           facts->n_ctx;
}

/* --- how far it came ------------------------------------------------------- */

static cJSON *sheet_of(const struct page *p)
{
    cJSON *sheet = cJSON_CreateArray();
    const double number[] = {
        p->width_px, p->height_px,    p->fitted_width_px, p->fitted_height_px,
        p->dpi,      p->skew_degrees, p->blank,           p->with_words};
    const struct page_shown *s = &p->shown;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        cJSON_AddItemToArray(sheet, json_new_exact(number[i]));
    if (!s->n_band) return sheet;
    cJSON_AddItemToArray(sheet, json_new_exact(s->x));
    cJSON_AddItemToArray(sheet, json_new_exact(s->w));
    cJSON_AddItemToArray(sheet, json_new_exact(s->scale));
    for (int i = 0; i < s->n_band; i++) {
        cJSON_AddItemToArray(sheet, json_new_exact(s->band[i].from));
        cJSON_AddItemToArray(sheet, json_new_exact(s->band[i].to));
    }
    return sheet;
}

/* After the page's own numbers: the part of it that was shown. */
enum { OF_PAGE = 8, OF_SHOWN = 3, OF_BAND = 2 };

static void set_shown(struct page_shown *s, const double *number, size_t n)
{
    *s = (struct page_shown){.n_band = 0};
    if (n < OF_SHOWN + OF_BAND) return;
    s->x = number[0];
    s->w = number[1];
    s->scale = number[2];
    for (size_t at = OF_SHOWN; at + OF_BAND <= n && s->n_band < PAGE_BANDS;
         at += OF_BAND)
        s->band[s->n_band++] = (struct shown_band){number[at], number[at + 1]};
}

static void set_sheet(struct page *p, const cJSON *sheet)
{
    enum { MOST = OF_PAGE + OF_SHOWN + OF_BAND * PAGE_BANDS };
    double number[MOST] = {0};
    const cJSON *each = NULL;
    size_t n = 0;
    cJSON_ArrayForEach(each, sheet)
    {
        if (n < MOST) number[n++] = each->valuedouble;
    }
    p->width_px = (int)number[0];
    p->height_px = (int)number[1];
    p->fitted_width_px = (int)number[2];
    p->fitted_height_px = (int)number[3];
    p->dpi = number[4];
    p->skew_degrees = number[5];
    p->blank = number[6] > 0;
    p->with_words = number[7] > 0;
    set_shown(&p->shown, number + OF_PAGE, n > OF_PAGE ? n - OF_PAGE : 0);
}

static cJSON *counts_of(const struct long_document *w)
{
    const struct document *doc = w->r->doc;
    const long long number[] = {doc->n_try,       doc->n_prompt_tokens,
                                doc->n_sampled,   doc->n_forced,
                                doc->seed,        w->n_shown,
                                w->n_answer,      w->split,
                                w->n_fit,         w->r->budget,
                                w->no_text_layer, w->r->asked_by_name};
    cJSON *counts = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        cJSON_AddItemToArray(counts, json_new_integer(number[i]));
    return counts;
}

static void set_counts(struct long_document *w, const cJSON *counts)
{
    struct document *doc = w->r->doc;
    double number[12] = {0};
    const cJSON *each = NULL;
    size_t n = 0;
    cJSON_ArrayForEach(each, counts)
    {
        if (n < 12) number[n++] = each->valuedouble;
    }
    doc->n_try = (int)number[0];
    doc->n_prompt_tokens = (int)number[1];
    doc->n_sampled = (int)number[2];
    doc->n_forced = (int)number[3];
    doc->seed = (int64_t)number[4];
    w->n_shown = (int)number[5];
    w->n_answer = (int)number[6];
    w->split = (int)number[7];
    w->n_fit = (int)number[8];
    w->r->budget = (int)number[9];
    w->no_text_layer = number[10] > 0;
    w->r->asked_by_name = number[11] > 0;
}

/* The bytes in memory, in hexadecimal: only the same program reads them (owner_of). */
static cJSON *bytes_of(const void *of, size_t n)
{
    const unsigned char *byte = of;
    struct buf text = buf_limit(TEXT_MAX);
    for (size_t b = 0; b < n; b++)
        buf_print(&text, "%02x", byte[b]);
    cJSON *item = cJSON_CreateString(text.data ? text.data : "");
    buf_free(&text);
    return item;
}

static void set_bytes(void *to, size_t n, const char *text)
{
    unsigned char *byte = to;
    for (size_t b = 0; b < n && text[2 * b] && text[2 * b + 1]; b++) {
        const char two[3] = {text[2 * b], text[2 * b + 1], '\0'};
        byte[b] = (unsigned char)strtoul(two, NULL, 16);
    }
}

/* The shape of each table's rows. */
static cJSON *shapes_of(const struct long_document *w)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < w->plan->n_array; i++)
        cJSON_AddItemToArray(all, bytes_of(&w->shape[i], sizeof w->shape[i]));
    return all;
}

static void set_shapes(struct long_document *w, const cJSON *state)
{
    const cJSON *one = NULL;
    int i = 0;
    cJSON_ArrayForEach(one, json_get(state, "shape"))
    {
        if (i == w->plan->n_array) break;
        set_bytes(&w->shape[i], sizeof w->shape[i], one->valuestring);
        i++;
    }
}

/* Warnings that are in no state yet. */
static cJSON *new_warnings(struct long_document *w)
{
    const struct warnings *all = w->r->doc->warnings;
    int from = w->n_warned;
    w->n_warned = all->n;
    return warnings_print(all, from);
}

/* The page is done: writes its rows and the state. */
static void keep_state(struct long_document *w, int index)
{
    struct document *doc = w->r->doc;
    cJSON *state = cJSON_CreateObject();
    cJSON_AddItemToObject(state, "index", json_new_integer(index));
    cJSON_AddItemToObject(state, "sheet", sheet_of(&doc->page[index]));
    cJSON_AddItemToObject(state, "counts", counts_of(w));
    cJSON_AddItemToObject(state, "warnings", new_warnings(w));
    cJSON_AddItemReferenceToObject(state, "last", w->last);
    cJSON_AddItemReferenceToObject(state, "header", w->header);
    cJSON_AddItemReferenceToObject(state, "scalars", w->scalars);
    cJSON_AddItemReferenceToObject(state, "gaps", w->gaps);
    cJSON_AddItemToObject(state, "shape", shapes_of(w));
    row_file_commit(w->rows, state, w->r->err);
    doc->n_kept = doc->n_read = index + 1;
    rasterise_rested(w->r->raster);
    cJSON_Delete(state);
    while (w->gaps->child)
        cJSON_AddItemToArray(
            doc->gaps, cJSON_DetachItemViaPointer(w->gaps, w->gaps->child));
}

static void replace(cJSON **own, const cJSON *state, const char *key)
{
    cJSON_Delete(*own);
    *own = cJSON_Duplicate(json_get(state, key), true);
}

/* Reads a state of an earlier run (row_file_open); called in order. */
static void take_state(void *arg, const cJSON *state)
{
    struct long_document *w = arg;
    struct document *doc = w->r->doc;
    const cJSON *index = json_get(state, "index"), *each = NULL;
    int i = index ? index->valueint : -1;
    if (i < 0 || i >= doc->n_page) return;
    /* the first state also has warnings from before the first page */
    if (!w->from) doc->warnings = warnings_new(doc->arena);
    w->from = i + 1;
    doc->n_kept = doc->n_read = w->from;
    set_sheet(&doc->page[i], json_get(state, "sheet"));
    set_counts(w, json_get(state, "counts"));
    replace(&w->last, state, "last");
    replace(&w->header, state, "header");
    replace(&w->scalars, state, "scalars");
    set_shapes(w, state);
    warnings_read(doc->warnings, json_get(state, "warnings"));
    w->n_warned = doc->warnings->n;
    cJSON_ArrayForEach(each, json_get(state, "gaps"))
    {
        cJSON_AddItemToArray(doc->gaps, cJSON_Duplicate(each, true));
    }
}

/* The owner of the rows: document, schema, model and settings that determine them. */
static const char *owner_of(const struct document_run *r)
{
    const struct settings *s = r->context->settings;
    const struct engine_facts *facts = engine_facts(r->context->engine);
    return arena_text(
        r->doc->arena,
        "fields-13 %s %zu %s %s %s %s %s %lld %lld %d %d %d %d %g %s %s "
        "%lld %d "
        "%s %s %s",
        PLATEN_VERSION, sizeof(struct coverage_shape), r->doc->sha256.hex,
        schema_hash(r->doc->schema)->hex, facts->name, facts->model,
        facts->model_hash, (long long)s->seed, (long long)r->target.max_pixels,
        s->max_tokens, s->dpi, s->deskew, s->skip_blank, s->temperature,
        s->pages, r->doc->prompt ? r->doc->prompt : "", (long long)facts->n_ctx,
        facts->n_flight > 1, s->ocr, s->ocr_languages, s->ground);
}

/* --- pages ------------------------------------------------------------------- */

static void ask_page(struct long_document *w, const struct drawn_page *d)
{
    bool fits;
    cJSON *header = cJSON_Duplicate(w->header, true);
    struct part part = {.image = &d->image,
                        .index = d->index,
                        .bottom = 1,
                        .scalars = page_scalars_wanted(w, d, &fits)};
    w->table = (struct page_table){.n_line = 0};
    w->quarters = 0;
    w->table_read = false;
    w->n_fit += fits;
    if (d->index && d->index % SPLIT_PAGES == 0 && w->split) w->split--;
    w->n_unchecked = 0;
    read_region(w, &part);
    page_lines_unchecked_end_page(w, d);
    w->n_shown++;
    w->header_unchanged = cJSON_Compare(header, w->header, true);
    cJSON_Delete(header);
}

static void read_page(struct long_document *w, const struct drawn_page *d)
{
    struct document_run *r = w->r;
    const struct page *page = &r->doc->page[d->index];
    r->page = page->number;
    if (r->doc->n_page > 1) r->n_cut_off = 0;
    w->no_text_layer = d->no_text_layer;
    evidence_pages_begin(&r->evidence);
    if (!page->blank) ask_page(w, d);
    if (err_failed(r->err)) {
        if (!r->err->page) r->err->page = page->number;
        return;
    }
    if (d->index == r->doc->n_page - 1) keep_rows_flush(w);
    keep_state(w, d->index);
}

/* Frees an answer's memory after its page. */
static void read_pages(struct long_document *w)
{
    struct document *doc = w->r->doc;
    doc->scratch = arena_new();
    prefetch_begin(w, w->from);
    for (struct drawn_page *d; (d = prefetch_next(w)); prefetch_done(w)) {
        read_page(w, d);
        document_drop_answer(doc);
        mem_trim();
        doc->field = NULL;
        doc->n_field = 0;
    }
    prefetch_end(w);
    arena_free(doc->scratch);
    doc->scratch = doc->arena;
}

static cJSON *nulls(int n)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < n; i++)
        cJSON_AddItemToArray(all, cJSON_CreateNull());
    return all;
}

static void begin(struct long_document *w)
{
    struct document_run *r = w->r;
    struct buf text = buf_limit(TEXT_MAX);
    prompt_window(r->doc->prompt, &text);
    w->real_prompt = r->doc->prompt;
    w->prompt = arena_copy(r->doc->arena, buf_span(&text));
    buf_free(&text);
    w->prompt_tokens = prompt_tokens(w->plan->first, w->prompt);
    w->last = nulls(w->plan->n_array);
    w->header = nulls(w->plan->n_array);
    w->scalars = cJSON_CreateObject();
    w->gaps = cJSON_CreateArray();
    cJSON_Delete(r->doc->gaps);
    cJSON_Delete(r->doc->conflicts);
    r->doc->gaps = cJSON_CreateArray();
    r->doc->conflicts = cJSON_CreateObject();
    const struct run_context *context = r->context;
    int fd = context->open_row_file
                 ? context->open_row_file(context->progress_arg)
                 : -1;
    w->rows = row_file_open(fd, owner_of(r), take_state, w, r->err);
    if (fd >= 0) close(fd);
}

static void end(struct long_document *w)
{
    row_file_close(w->rows);
    cJSON_Delete(w->last);
    cJSON_Delete(w->header);
    cJSON_Delete(w->scalars);
    cJSON_Delete(w->gaps);
    cJSON_Delete(w->given);
}

int long_document_run(struct document_run *r, const struct plan *plan,
                      enum long_document_after after)
{
    struct long_document w = {.r = r,
                              .plan = plan,
                              .split = after == LONG_DOCUMENT_TOO_LARGE,
                              .strict = !long_document_needed(r, plan)};
    if (err_failed(r->err)) return 0;
    if (after == LONG_DOCUMENT_LACKING) long_document_keep_given(&w);
    if (!w.given) r->asked_by_name = false; /* all values are asked for again */
    if (r->target.print_px)
        r->target.whole_pixels = PIECES_MAX * r->target.max_pixels;
    begin(&w);
    if (!err_failed(r->err) && w.from < r->doc->n_page) {
        r->doc->want_words = !w.no_text_layer;
        document_run_restart(r, w.from);
        read_pages(&w);
    }
    if (!w.n_answer && err_failed(&w.lost) && !err_failed(r->err)) {
        *r->err = w.lost; /* nothing was read */
        r->doc->stage = "extract";
    }
    assemble_value(&w);
    long_findings(w.scalars, r->doc, r->context->settings);
    end(&w);
    return w.n_shown;
}
