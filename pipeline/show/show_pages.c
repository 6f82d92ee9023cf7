/* show_pages.c - see show_pages.h. */
#include "pipeline/show/show_pages.h"

#include <string.h>

#include "pipeline/show/show_values.h"
#include "pipeline/spool/spool.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/pixels/image_encode.h"
#include "vlm/base/buf.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

enum { PAGES_TEXT_MAX = 1 << 20, PNG_BYTES_MAX = 1 << 29 };

/* A drawing in its process. */
struct drawing {
    const struct show_pages *show;
    int wanted; /* page, or as in show_pages.h */
    const struct settings *settings;
    struct document_work_output *out;
    cJSON *record;
};

static cJSON *parse_record(struct span text, struct err *err)
{
    const struct json_rules rules = {.depth_max = JSON_DEPTH_MOST, .nul = true};
    return err_failed(err) ? NULL : json_parse_rules(text, rules, err);
}

static void check_document(const struct drawing *d, const struct document *doc,
                           struct err *err)
{
    const cJSON *source = json_get(d->record, "source");
    const char *wanted = json_get_text_or_empty(source, "sha256");
    if (err_failed(err)) return;
    if (document_is_xml_invoice(doc))
        err_reason(err, ERR_INPUT, "no-pages",
                   "an e-invoice in XML has no page to draw; its record has "
                   "the XPath of each value");
    else if (!show_values_page(d->record, 0) || !*wanted)
        err_set(err, ERR_ARGS, "not a record of platen");
    else if (strcmp(doc->sha256.hex, wanted) != 0)
        err_set(err, ERR_ARGS,
                "%s is not the document of this record: its SHA-256 is %s, "
                "the record has %s",
                doc->name, doc->sha256.hex, wanted);
}

static int n_marks(const struct drawing *d, int page)
{
    struct arena *arena = arena_new();
    struct show_values marks;
    show_values_of(d->record, page, d->settings->review_threshold, arena,
                   &marks);
    arena_free(arena);
    return marks.n;
}

/* Prints the pages to draw, in the form of page_range_parse. */
static void choose_pages(const struct drawing *d, struct buf *out,
                         struct err *err)
{
    bool there = false;
    const cJSON *pages = json_get(d->record, "pages");
    int first = show_values_page(d->record, 0), page = d->wanted;
    if (page == SHOW_PAGES_FIRST) page = first;
    for (int i = 0, n; (n = show_values_page(d->record, i)); i++) {
        there |= n == page;
        if (page > 0 ? n == page : n_marks(d, n) > 0)
            buf_print(out, "%s%d", out->size ? "," : "", n);
    }
    if (page > 0 && !there)
        err_reason(err, ERR_ARGS, "no-such-page",
                   "the record has no page %d; its pages are %d to %d", page,
                   first,
                   show_values_page(d->record, cJSON_GetArraySize(pages) - 1));
    else if (!out->size)
        buf_print(out, "%d", first);
}

static void draw_page(void *arg, struct page *page, struct image *image,
                      struct err *err)
{
    const struct drawing *d = arg;
    int number = page->number;
    struct show_values marks;
    struct buf png = buf_limit(PNG_BYTES_MAX);
    struct arena *arena = arena_new();
    show_values_of(d->record, number, d->settings->review_threshold, arena,
                   &marks);
    if (marks.n > ANNOTATE_MARKS_MAX)
        log_warn("page %d has %d values; the first %d are drawn", number,
                 marks.n, ANNOTATE_MARKS_MAX);
    struct image shown =
        annotate_draw(image, marks.mark, marks.n, d->settings, NULL, err);
    image_encode_png(&shown, &png, err);
    if (!err_failed(err)) document_work_put(d->out, number, buf_span(&png));
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
    struct image image = {0};
    chosen.pages = pages;
    chosen.lenient = true;
    struct raster *raster =
        rasterise_open(doc, &chosen, target ? target : &people, NULL, err);
    for (int i = 0; !err_failed(err); i++) {
        if (!rasterise_next(raster, &image, err)) break;
        take(arg, &doc->page[i], &image, err);
        image_free(&image);
        rasterise_rested(raster);
    }
    rasterise_close(raster);
}

static void draw_document(void *arg, struct document *doc,
                          const struct settings *settings,
                          struct document_work_output *out, struct err *err)
{
    struct drawing d = *(const struct drawing *)arg;
    struct buf pages = buf_limit(PAGES_TEXT_MAX);
    d.settings = settings;
    d.out = out;
    d.record = parse_record(d.show->record, err);
    if (!err_failed(err)) identify_document(doc, settings, err);
    if (document_is_xml_invoice(doc) && d.wanted == SHOW_PAGES_WITH_VALUES)
        return; /* an e-invoice: no page has values */
    check_document(&d, doc, err);
    if (!err_failed(err)) choose_pages(&d, &pages, err);
    show_pages_raster(doc, buf_span(&pages).data, settings, NULL, draw_page, &d,
                      err);
}

/* --- in the command ------------------------------------------------------- */

static void take_picture(void *arg, int page, struct span png, struct err *err)
{
    const struct show_pages *s = ((const struct drawing *)arg)->show;
    if (!err_failed(err)) s->take(s->arg, page, png, err);
}

void show_pages_draw(const struct show_pages *s, int page, struct err *err)
{
    struct drawing d = {.show = s, .wanted = page};
    document_work_run(&(struct document_work){.name = s->name,
                                              .fd = s->fd,
                                              .unlocked = s->unlocked,
                                              .settings = s->settings,
                                              .run = draw_document,
                                              .take = take_picture,
                                              .arg = &d},
                      err);
}

/* --- the source of a record ------------------------------------------------ */

enum { SOURCE_ID, SOURCE_NAME };

struct source_task {
    struct span record;
    struct arena *arena;
    struct show_pages_source found;
};

static void find_source(void *arg, struct document *doc,
                        const struct settings *settings,
                        struct document_work_output *out, struct err *err)
{
    const struct source_task *t = arg;
    (void)doc, (void)settings;
    cJSON *record = parse_record(t->record, err);
    if (err_failed(err)) return;
    const char *id = json_get_text_or_empty(record, "id");
    const char *name =
        json_get_text_or_empty(json_get(record, "source"), "name");
    document_work_put(out, SOURCE_ID, span_of(id));
    document_work_put(out, SOURCE_NAME, span_of(name));
}

static void take_source(void *arg, int what, struct span text, struct err *err)
{
    struct source_task *t = arg;
    const char *copy = arena_copy(t->arena, text);
    if (err_failed(err)) return;
    if (what == SOURCE_ID && spool_is_id(copy)) t->found.id = copy;
    if (what == SOURCE_NAME && !strchr(copy, '/')) t->found.name = copy;
}

struct show_pages_source show_pages_source(struct span record,
                                           const struct settings *settings,
                                           struct arena *arena, struct err *err)
{
    struct source_task t = {record, arena, {"", ""}};
    document_work_run(&(struct document_work){.name = "",
                                              .fd = -1,
                                              .settings = settings,
                                              .run = find_source,
                                              .take = take_source,
                                              .arg = &t},
                      err);
    return t.found;
}
