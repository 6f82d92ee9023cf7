/* show_pages.c - see show_pages.h. */
#include "pipeline/show/show_pages.h"

#include <string.h>

#include "pipeline/process/signals.h"
#include "pipeline/show/show_values.h"
#include "stages/engine/image_encode.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "vlm/base/buf.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

enum { PAGES_TEXT_MAX = 1 << 20, PNG_BYTES_MAX = 1 << 29 };

static bool is_interrupted(void *arg)
{
    (void)arg;
    return signals_pending();
}

static void check_document(const struct show_pages *s,
                           const struct document *doc, struct err *err)
{
    const cJSON *source = json_get(s->record, "source");
    const char *wanted = json_get_text_or_empty(source, "sha256");
    if (err_failed(err)) return;
    if (!show_values_page(s->record, 0) || !*wanted)
        err_set(err, ERR_ARGS, "not a record of platen");
    else if (strcmp(doc->sha256.hex, wanted) != 0)
        err_set(err, ERR_ARGS,
                "%s is not the document of this record: its SHA-256 is %s, "
                "the record has %s",
                s->name, doc->sha256.hex, wanted);
}

static int n_marks(const struct show_pages *s, int page)
{
    struct arena *arena = arena_new();
    struct show_values marks;
    show_values_of(s->record, page, s->settings->review_threshold, arena,
                   &marks);
    arena_free(arena);
    return marks.n;
}

/* Prints the pages to draw, in the form of page_range_parse. */
static void choose_pages(const struct show_pages *s, int page, struct buf *out,
                         struct err *err)
{
    bool there = false;
    for (int i = 0, n; (n = show_values_page(s->record, i)); i++) {
        there |= n == page;
        if (page ? n == page : n_marks(s, n) > 0)
            buf_print(out, "%s%d", out->size ? "," : "", n);
    }
    if (page && !there)
        err_reason(err, ERR_ARGS, "no-such-page",
                   "the record has no page %d; its pages are %d to %d", page,
                   show_values_page(s->record, 0),
                   show_values_page(
                       s->record,
                       cJSON_GetArraySize(json_get(s->record, "pages")) - 1));
    else if (!out->size)
        buf_print(out, "%d", show_values_page(s->record, 0));
}

static void draw_page(void *arg, struct page *page, struct image *image,
                      struct err *err)
{
    const struct show_pages *s = arg;
    int number = page->number;
    struct show_values marks;
    struct jail_stop ask = {is_interrupted, NULL};
    struct buf png = buf_limit(PNG_BYTES_MAX);
    struct arena *arena = arena_new();
    show_values_of(s->record, number, s->settings->review_threshold, arena,
                   &marks);
    if (marks.n > ANNOTATE_MARKS_MAX)
        log_warn("page %d has %d values; the first %d are drawn", number,
                 marks.n, ANNOTATE_MARKS_MAX);
    struct image shown =
        annotate_draw(image, marks.mark, marks.n, s->settings, &ask, err);
    image_encode_png(&shown, &png, err);
    if (!err_failed(err)) s->take(s->arg, number, buf_span(&png), err);
    image_free(&shown);
    buf_free(&png);
    arena_free(arena);
}

void show_pages_raster(struct document *doc, const char *pages,
                       const struct settings *settings,
                       const struct prepare_target *target,
                       show_page_take *take, void *arg, struct err *err)
{
    if (err_failed(err)) return;
    struct settings chosen = *settings;
    struct prepare_target people = {.grid = 1,
                                    .min_pixels = 1,
                                    .max_pixels =
                                        settings_page_pixels(&chosen)};
    struct jail_stop ask = {is_interrupted, NULL};
    struct image image = {0};
    chosen.pages = pages;
    chosen.lenient = true;
    struct raster *raster =
        rasterise_open(doc, &chosen, target ? target : &people, &ask, err);
    for (int i = 0; !err_failed(err); i++) {
        if (!rasterise_next(raster, &image, err)) break;
        take(arg, &doc->page[i], &image, err);
        image_free(&image);
        rasterise_rested(raster);
    }
    rasterise_close(raster);
}

void show_pages_draw(const struct show_pages *s, int page, struct err *err)
{
    if (err_failed(err)) return;
    struct buf pages = buf_limit(PAGES_TEXT_MAX);
    struct document *doc = document_new("", s->name, s->fd);
    identify_document(doc, s->settings, err);
    check_document(s, doc, err);
    if (!err_failed(err)) choose_pages(s, page, &pages, err);
    show_pages_raster(doc, buf_span(&pages).data, s->settings, NULL, draw_page,
                      (void *)s, err);
    document_free(doc);
    buf_free(&pages);
}
