/* eval_crops.c - see eval_crops.h. */
#include "pipeline/eval/eval_crops.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/local/extract_files.h"
#include "pipeline/process/document_work.h"
#include "pipeline/show/show_pages.h"
#include "stages/input/identify.h"
#include "stages/pixels/image_encode.h"
#include "vlm/base/log.h"

enum { URL_BYTES_MOST = 1 << 26, MARGIN_PX = 24, PNG_PIXELS_MOST = 1 << 18 };

struct crops {
    const struct result *r;
    const int *value;
    int n;
    const struct settings *settings;
    char **picture;
    int document;                     /* current index in r->document */
    struct document_work_output *out; /* in the process that draws */
};

/* Limits a coordinate to 0..most. */
static int clamp(double at, int most)
{
    if (!(at > 0)) return 0;
    return at < most ? (int)at : most;
}

/* Cuts out the box with a margin. */
static struct image crop(const struct image *page, struct box box,
                         struct err *err)
{
    double w = page->width_px, h = page->height_px;
    int x = clamp(floor(box.x * w) - MARGIN_PX, page->width_px - 1);
    int y = clamp(floor(box.y * h) - MARGIN_PX, page->height_px - 1);
    int right = clamp(ceil((box.x + box.w) * w) + MARGIN_PX, page->width_px);
    int below = clamp(ceil((box.y + box.h) * h) + MARGIN_PX, page->height_px);
    struct image piece =
        image_new(right > x ? right - x : 1, below > y ? below - y : 1,
                  page->n_channel, err);
    for (int i = 0; !err_failed(err) && i < piece.height_px; i++)
        memcpy(image_row(&piece, i),
               image_row(page, y + i) + (size_t)x * (size_t)page->n_channel,
               piece.stride_bytes);
    return piece;
}

static void put_url(const struct crops *c, int i, const struct image *piece,
                    struct err *err)
{
    struct buf url = buf_limit(URL_BYTES_MOST);
    int64_t pixels = (int64_t)piece->width_px * piece->height_px;
    if (err_failed(err)) return;
    image_encode_data_url(piece, pixels > PNG_PIXELS_MOST, &url, err);
    if (!err_failed(err) && !url.full)
        document_work_put(c->out, i, buf_span(&url));
    buf_free(&url);
}

/* Is the value in the current document, with a place (on this page, if not
 * 0)? */
static bool is_on_page(const struct crops *c, int i, int page)
{
    const struct result_value *v = &c->r->value[c->value[i]];
    return v->document == c->document && v->page > 0 && v->box.w > 0 &&
           (!page || v->page == page);
}

static void cut_page(void *arg, struct page *about, struct image *page,
                     struct err *err)
{
    const struct crops *c = arg;
    for (int i = 0; i < c->n && !err_failed(err); i++) {
        if (!is_on_page(c, i, about->number)) continue;
        struct image piece = crop(page, c->r->value[c->value[i]].box, err);
        put_url(c, i, &piece, err);
        image_free(&piece);
    }
}

/* "2,5": each page once, in order. */
static void print_pages(const struct crops *c, struct buf *out)
{
    for (int last = 0, next = 1; next; last = next) {
        next = 0;
        for (int i = 0; i < c->n; i++) {
            int page = c->r->value[c->value[i]].page;
            if (is_on_page(c, i, 0) && page > last && (!next || page < next))
                next = page;
        }
        if (next) buf_print(out, "%s%d", out->size ? "," : "", next);
    }
}

static void cut_document(void *arg, struct document *doc,
                         const struct settings *settings,
                         struct document_work_output *out, struct err *err)
{
    struct crops *c = arg;
    const struct result_document *d = &c->r->document[c->document];
    struct buf pages = buf_limit(4096);
    c->out = out;
    print_pages(c, &pages);
    identify_document(doc, settings, err);
    if (!err_failed(err) && strcmp(doc->sha256.hex, d->sha256) != 0)
        err_set(err, ERR_INPUT, "it is not the document of its record");
    show_pages_raster(doc, buf_span(&pages).data, settings, NULL, cut_page, c,
                      err);
    buf_free(&pages);
}

/* Is it a data URL of a picture? It becomes a part of the report. */
static bool is_data_url(struct span url)
{
    static const char *const begin[] = {"data:image/png;base64,",
                                        "data:image/jpeg;base64,"};
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/=";
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        size_t n = strlen(begin[i]);
        if (url.size > n && !strncmp(url.data, begin[i], n) &&
            n + strspn(url.data + n, base64) == url.size)
            return true;
    }
    return false;
}

static void take_url(void *arg, int i, struct span url, struct err *err)
{
    const struct crops *c = arg;
    if (err_failed(err) || i < 0 || i >= c->n || c->picture[i] ||
        !is_data_url(url))
        return;
    struct buf copy = buf_limit(URL_BYTES_MOST);
    buf_add(&copy, url.data, url.size);
    c->picture[i] = copy.data;
}

static void draw_document(struct crops *c, struct err *err)
{
    const struct result_document *d = &c->r->document[c->document];
    struct buf pages = buf_limit(4096);
    if (d->path) print_pages(c, &pages);
    bool none = !pages.size;
    buf_free(&pages);
    if (none) return;
    int fd =
        extract_files_open_file(d->path, c->settings->max_document_bytes, err);
    document_work_run(&(struct document_work){.name = d->name,
                                              .fd = fd,
                                              .settings = c->settings,
                                              .run = cut_document,
                                              .take = take_url,
                                              .arg = c},
                      err);
    if (fd >= 0) close(fd);
}

void eval_crops_draw(const struct result *r, const int *value, int n,
                     const struct settings *settings, char **picture,
                     struct err *err)
{
    struct crops c = {r, value, n, settings, picture, 0, NULL};
    if (err_failed(err)) return;
    for (int i = 0; i < n; i++)
        picture[i] = NULL;
    for (; c.document < r->n_document && !err_failed(err); c.document++) {
        struct err own = {0};
        draw_document(&c, &own);
        if (own.kind == ERR_CANCELLED)
            *err = own;
        else if (err_failed(&own))
            log_warn("%s: no pictures in the report: %s",
                     r->document[c.document].name, own.text);
    }
}
