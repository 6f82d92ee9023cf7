/* eval_crops.c - see eval_crops.h. */
#include "pipeline/command/eval_crops.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/oneshot.h"
#include "pipeline/work/signals.h"
#include "stages/engine/picture.h"
#include "stages/identify.h"
#include "stages/rasterise.h"
#include "vlm/base/log.h"

enum { URL_BYTES_MOST = 1 << 26, MARGIN_PX = 24, PNG_PIXELS_MOST = 1 << 18 };

struct crops {
    const struct result *r;
    const int *value;
    int n;
    const struct settings *settings;
    char **picture;
};

static bool stop(void *arg)
{
    (void)arg;
    return signals_pending();
}

/* Within 0..most. */
static int within(double at, int most)
{
    if (!(at > 0)) return 0;
    return at < most ? (int)at : most;
}

/* The piece, with some of what stands around it. */
static struct image cut(const struct image *page, struct box box,
                        struct err *err)
{
    double w = page->width_px, h = page->height_px;
    int x = within(floor(box.x * w) - MARGIN_PX, page->width_px - 1);
    int y = within(floor(box.y * h) - MARGIN_PX, page->height_px - 1);
    int right = within(ceil((box.x + box.w) * w) + MARGIN_PX, page->width_px);
    int below = within(ceil((box.y + box.h) * h) + MARGIN_PX, page->height_px);
    struct image piece =
        image_new(right > x ? right - x : 1, below > y ? below - y : 1,
                  page->n_channel, err);
    for (int i = 0; !err_failed(err) && i < piece.height_px; i++)
        memcpy(image_row(&piece, i),
               image_row(page, y + i) + (size_t)x * (size_t)page->n_channel,
               piece.stride_bytes);
    return piece;
}

static char *data_url(const struct image *piece, struct err *err)
{
    struct buf url = buf_limit(URL_BYTES_MOST);
    int64_t pixels = (int64_t)piece->width_px * piece->height_px;
    if (err_failed(err)) return NULL;
    picture_data_url(piece, pixels > PNG_PIXELS_MOST, &url, err);
    if (!err_failed(err) && !url.full) return url.data;
    buf_free(&url);
    return NULL;
}

/* The values of a document that have a place. */
static bool is_wanted(const struct crops *c, int i, int document, int page)
{
    const struct result_value *v = &c->r->value[c->value[i]];
    return v->document == document && v->page > 0 && v->box.w > 0 &&
           (!page || v->page == page);
}

static void cut_page(const struct crops *c, int document, int page,
                     const struct image *image, struct err *err)
{
    for (int i = 0; i < c->n && !err_failed(err); i++) {
        if (!is_wanted(c, i, document, page)) continue;
        struct image piece = cut(image, c->r->value[c->value[i]].box, err);
        c->picture[i] = data_url(&piece, err);
        image_free(&piece);
    }
}

/* "2,5": each page once, in order. */
static void pages_of(const struct crops *c, int document, struct buf *out)
{
    for (int last = 0, next = 1; next; last = next) {
        next = 0;
        for (int i = 0; i < c->n; i++) {
            int page = c->r->value[c->value[i]].page;
            if (is_wanted(c, i, document, 0) && page > last &&
                (!next || page < next))
                next = page;
        }
        if (next) buf_print(out, "%s%d", out->size ? "," : "", next);
    }
}

static void draw_pages(const struct crops *c, int document,
                       struct document *doc, const char *pages, struct err *err)
{
    struct settings settings = *c->settings;
    struct prepare_target target = {.grid = 1,
                                    .min_pixels = 1,
                                    .max_pixels =
                                        settings_page_pixels(&settings)};
    struct jail_stop ask = {stop, NULL};
    struct image image = {0};
    settings.pages = pages;
    settings.lenient = true;
    struct raster *raster = rasterise_open(doc, &settings, &target, &ask, err);
    for (int i = 0; !err_failed(err); i++) {
        if (!rasterise_next(raster, &image, err)) break;
        cut_page(c, document, doc->page[i].number, &image, err);
        image_free(&image);
        rasterise_rested(raster);
    }
    rasterise_close(raster);
}

static void draw_document(const struct crops *c, int document, struct err *err)
{
    const struct result_document *d = &c->r->document[document];
    struct buf pages = buf_limit(4096);
    if (d->path) pages_of(c, document, &pages);
    if (!pages.size) return;
    int fd = oneshot_open_file(d->path, c->settings->document_bytes_max, err);
    struct document *doc = document_new("", d->name, fd);
    identify_document(doc, c->settings, err);
    if (!err_failed(err) && strcmp(doc->sha256.hex, d->sha256) != 0)
        err_set(err, ERR_INPUT, "it is not the document of its record");
    if (!err_failed(err))
        draw_pages(c, document, doc, buf_span(&pages).data, err);
    document_free(doc);
    if (fd >= 0) close(fd);
    buf_free(&pages);
}

void eval_crops_draw(const struct result *r, const int *value, int n,
                     const struct settings *settings, char **picture,
                     struct err *err)
{
    struct crops c = {r, value, n, settings, picture};
    if (err_failed(err)) return;
    for (int i = 0; i < n; i++)
        picture[i] = NULL;
    for (int i = 0; i < r->n_document && !err_failed(err); i++) {
        struct err own = {0};
        draw_document(&c, i, &own);
        if (own.kind == ERR_CANCELLED)
            *err = own;
        else if (err_failed(&own))
            log_warn("%s: no pictures in the report: %s", r->document[i].name,
                     own.text);
    }
}
