/* document_run.c - see document_run.h. */
#include "stages/ask/document_run.h"

#include <string.h>

#include "stages/document/document.h"
#include "stages/engine/engine.h"
#include "stages/pixels/rotate90.h"
#include "stages/print/kept_words.h"
#include "stages/print/script.h"
#include "vlm/base/clock.h"

/* --- script guard ---------------------------------------------------------- */

/* A warning for scripts that the model may not know. */

/* Does the model's name contain "qwen", in any case? */
static bool is_qwen(const char *name)
{
    for (; *name; name++)
        if ((*name | 32) == 'q' && (name[1] | 32) == 'w' &&
            (name[2] | 32) == 'e' && (name[3] | 32) == 'n')
            return true;
    return false;
}

/* The scripts that the model reads (print/script.h); NULL: unknown, an endpoint
 * with a model of another name. */
static const char *script_guard_known(const struct engine_facts *facts)
{
    if (facts->prompt_is_keys)
        return "Latin"; /* the only script it was trained on */
    bool is_own = !strcmp(facts->name, "native");
    return is_own || is_qwen(facts->model) ? script_qwen : NULL;
}

/* Warns if page `number` is written in a script that the model is not known to
 * read: its values may be invented. */
static void script_guard_page(struct document *doc,
                              const struct engine_facts *facts, int number,
                              const struct script *script)
{
    if (script_is_read(script, script_guard_known(facts))) return;
    document_warn(doc,
                  &(struct warning){.code = WARN_SCRIPT_UNREAD, .page = number},
                  "page %d: review all values: it is written in %s, which the "
                  "model is not known to read",
                  number, script->name);
}

/* --- document run ---------------------------------------------------------- */

static const double coarse_dpi = 100; /* below it OCR cannot read 9 points */

enum { FINER_PIXELS = 2500000 }; /* A4 at 160 dpi */

void document_run_restart(struct document_run *r, int from)
{
    struct child_process_stop stop = {r->context->stop, r->context->stop_arg};
    if (err_failed(r->err)) return;
    rasterise_close(r->raster);
    r->raster = rasterise_again(r->doc, r->context->settings, &r->target, from,
                                &stop, r->err);
}

void document_run_swap_sides(struct document_run *r, int index)
{
    struct page *page = &r->doc->page[index];
    int width_px = page->width_px;
    if (r->quarter_turns % 2 == 0) return;
    page->width_px = page->height_px;
    page->height_px = width_px;
}

static bool turn_page(struct document_run *r, int index, struct image *image,
                      struct err *err)
{
    rotate90_turn(image, r->quarter_turns, err);
    document_run_swap_sides(r, index);
    return !err_failed(err);
}

static void drop_text_layer(struct document_run *r, int index,
                            const struct err *err)
{
    int page = r->doc->page[index].number;
    document_warn(
        r->doc, &(struct warning){.code = WARN_TEXT_LAYER_LOST, .page = page},
        "page %d: unreadable text layer; text layers are ignored from "
        "here on: %s",
        page, err->text);
    r->doc->want_words = false;
}

bool document_run_draw(struct document_run *r, int index, struct image *image,
                       struct err *err)
{
    struct document *doc = r->doc;
    if (err_failed(err)) return false;
    if (rasterise_next(r->raster, image, err))
        return turn_page(r, index, image, err);
    bool again =
        rasterise_was_killed(r->raster) && r->n_redrawn < RASTERISE_AGAIN_MAX;
    if (err->kind != ERR_CHILD || (!again && !doc->want_words) ||
        index >= doc->n_page)
        return false;
    if (again)
        r->n_redrawn++;
    else
        drop_text_layer(r, index, err);
    *err = (struct err){0};
    document_run_restart(r, index);
    return !err_failed(r->err) && document_run_draw(r, index, image, err);
}

/* Was the picture reduced for a model with small input? The rasteriser delivers
 * up to four times the area of that input. */
static bool is_reduced(const struct document_run *r, int index)
{
    const struct page *page = &r->doc->page[index];
    int64_t area = (int64_t)page->width_px * page->height_px;
    return r->doc->type != FILE_PDF && area > 3 * r->target.max_pixels &&
           area < FINER_PIXELS;
}

static bool is_coarse(const struct document_run *r, int index)
{
    const struct settings *settings = r->context->settings;
    double dpi = r->doc->page[index].dpi;
    if (is_reduced(r, index)) return true;
    return r->doc->type == FILE_PDF && dpi > 0 && dpi < coarse_dpi &&
           r->target.max_pixels < FINER_PIXELS &&
           (!settings->dpi || dpi + 1 < settings->dpi);
}

/* Draws doc->page[index] again in a new child, as finely as its print needs.
 * *page describes the drawing; doc->page is unchanged. False: not possible;
 * this is not reported. */
static bool draw_again(struct document_run *r, int index, struct image *out,
                       struct page *page)
{
    struct document *doc = r->doc;
    struct err err = {0};
    struct prepare_target target = {.grid = 1, .max_pixels = FINER_PIXELS};
    struct child_process_stop stop = {r->context->stop, r->context->stop_arg};
    struct page kept = doc->page[index];
    bool want_words = doc->want_words;
    if (err_failed(r->err)) return false;
    doc->want_words = false;
    bool is_drawn = false, again = true;
    for (int n = 0; again && n <= RASTERISE_AGAIN_MAX; n++) {
        err = (struct err){0};
        struct raster *raster = rasterise_again(doc, r->context->settings,
                                                &target, index, &stop, &err);
        is_drawn = rasterise_next(raster, out, &err);
        again = rasterise_was_killed(raster);
        rasterise_close(raster);
    }
    if (is_drawn) is_drawn = turn_page(r, index, out, &err);
    *page = doc->page[index];
    doc->page[index] = kept;
    doc->want_words = want_words;
    return is_drawn;
}

bool document_run_draw_finer(void *run, int index, struct image *out,
                             double *dpi)
{
    struct document_run *r = run;
    struct page page;
    if (!is_coarse(r, index) || !draw_again(r, index, out, &page)) return false;
    *dpi = page.dpi;
    return true;
}

void document_run_find_words(struct document_run *r, int index,
                             const struct page_view *view)
{
    static const struct words none = {.n_word = 0};
    document_run_enter(r, "prepare");
    if (err_failed(r->err) || !r->words) return;
    struct kept_words *kept = kept_words_of(r->doc, index);
    if (kept) kept->quarter_turns = r->quarter_turns;
    page_words_add(r->words, index,
                   r->quarter_turns ? &none : rasterise_words(r->raster), view);
    if (!page_words_are_ocr(r->words, index)) return;
    double now = clock_seconds();
    document_add_time(r->doc, "ocr", now - r->since);
    r->since = now;
}

void document_run_load_words(struct document_run *r, int from, int to)
{
    const char *stage = r->doc->stage;
    if (!r->words) return;
    for (int i = from; i < to && !err_failed(r->err); i++) {
        int number = r->doc->page[i].number;
        if (r->doc->page[i].blank || evidence_pages_has(&r->evidence, number))
            continue;
        if (page_words_are_ocr(r->words, i)) document_run_enter(r, "ocr");
        const struct page_seen *seen = page_words_get(r->words, i);
        document_run_enter(r, stage);
        evidence_pages_add(&r->evidence, number, &seen->tight);
        script_guard_page(r->doc, engine_facts(r->context->engine), number,
                          &seen->script);
    }
}

bool document_run_should_stop(void *run)
{
    struct document_run *r = run;
    if (r->words) page_words_feed_ocr(r->words);
    return r->context->stop && r->context->stop(r->context->stop_arg);
}

void document_run_enter(struct document_run *r, const char *stage)
{
    if (err_failed(r->err)) return;
    const struct run_context *context = r->context;
    double now = clock_seconds();
    document_add_time(r->doc, r->doc->stage, now - r->since);
    r->since = now;
    r->doc->stage = stage;
    if (context->progress)
        context->progress(context->progress_arg, r->doc, r->page);
    if (context->stop && context->stop(context->stop_arg))
        err_reason(r->err, ERR_CANCELLED, "cancelled", "asked to stop");
}
