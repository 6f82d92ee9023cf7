/* crop.c - see crop.h. */
#include "stages/page/crop.h"

#include <math.h>
#include <string.h>

#include "stages/pixels/thumbnail.h"

/* Of a full page only margins are removed, if they are a tenth of it. */
static const double margins_most = 0.9;

enum { BAND_PX = 32, BANDS_MOST = 32 }; /* of the thumbnail */

/* --- blank bands ---------------------------------------------------------- */

struct kept_bands {
    int n;
    bool keep[BANDS_MOST];
};

static int edge_of(int side, int n, int i)
{
    return (int)((int64_t)side * i / n);
}

/* Copies a piece of the thumbnail. */
static struct image copy_piece(const struct image *thumbnail, int x, int y,
                               int width, int height, struct err *err)
{
    struct image out = image_new(width, height, 1, err);
    for (int row = 0; row < height && !err_failed(err); row++)
        memcpy(image_row(&out, row), image_row(thumbnail, y + row) + x,
               (size_t)width);
    return out;
}

/* Whether band i of n across (or along) the thumbnail is only paper. */
static bool is_paper(const struct image *thumbnail, bool along, int n, int i,
                     struct err *err)
{
    int width = thumbnail->width_px, height = thumbnail->height_px;
    int side = along ? width : height;
    int from = edge_of(side, n, i), to = edge_of(side, n, i + 1);
    struct image piece =
        along ? copy_piece(thumbnail, from, 0, to - from, height, err)
              : copy_piece(thumbnail, 0, from, width, to - from, err);
    bool paper = !err_failed(err) && thumbnail_unmarked(&piece);
    image_free(&piece);
    return paper;
}

/* The bands across (or along) the thumbnail; a band is kept unless it and both
 * neighbours are paper. Along, only margins are checked. */
static struct kept_bands cut_of(const struct image *thumbnail, bool along,
                                struct err *err)
{
    int side = along ? thumbnail->width_px : thumbnail->height_px;
    struct kept_bands cut = {.n = side / BAND_PX};
    bool paper[BANDS_MOST + 2] = {false};
    if (cut.n > BANDS_MOST) cut.n = BANDS_MOST;
    bool margin = true;
    for (int i = 0; i < cut.n && margin; i++) {
        paper[i + 1] = is_paper(thumbnail, along, cut.n, i, err);
        margin = !along || paper[i + 1];
    }
    for (int i = cut.n - 1; i >= 0 && along && !paper[i + 1]; i--) {
        paper[i + 1] = is_paper(thumbnail, along, cut.n, i, err);
        if (!paper[i + 1]) break;
    }
    paper[0] = paper[cut.n + 1] = true;
    for (int i = 0; i < cut.n && !err_failed(err); i++)
        cut.keep[i] = !paper[i] || !paper[i + 1] || !paper[i + 2];
    return cut;
}

/* Keeps everything between the first and the last kept band. */
static void fill(struct kept_bands *cut)
{
    int first = 0, last = cut->n - 1;
    while (first < cut->n && !cut->keep[first])
        first++;
    while (last > first && !cut->keep[last])
        last--;
    for (int i = first; i <= last; i++)
        cut->keep[i] = true;
}

static int runs_of(const struct kept_bands *cut)
{
    int n = 0;
    for (int i = 0; i < cut->n; i++)
        n += cut->keep[i] && (i == 0 || !cut->keep[i - 1]);
    return n;
}

static double share_of(const struct kept_bands *cut)
{
    int n = 0;
    for (int i = 0; i < cut->n; i++)
        n += cut->keep[i];
    return cut->n ? (double)n / cut->n : 1;
}

/* Keeps the narrowest gap between two runs. */
static void close_gap(struct kept_bands *cut)
{
    int best = -1, least = BANDS_MOST;
    for (int i = 1; i < cut->n; i++) {
        int n = 0;
        if (cut->keep[i] || !cut->keep[i - 1]) continue;
        while (i + n < cut->n && !cut->keep[i + n])
            n++;
        if (i + n < cut->n && n < least) best = i, least = n;
    }
    for (int i = 0; i < least && best >= 0; i++)
        cut->keep[best + i] = true;
}

/* Converts the kept rows to bands of the page. */
static void set_bands(const struct kept_bands *rows, struct page_shown *shown)
{
    double n = rows->n;
    for (int i = 0; i < rows->n; i++) {
        if (!rows->keep[i]) continue;
        if (i == 0 || !rows->keep[i - 1])
            shown->band[shown->n_band++] = (struct shown_band){.from = i / n};
        shown->band[shown->n_band - 1].to = (i + 1) / n;
    }
    shown->scale = share_of(rows);
}

struct page_shown crop_find(const struct image *thumbnail, double kept_most,
                            bool margins, struct err *err)
{
    struct page_shown shown = {.n_band = 0};
    if (err_failed(err)) return shown;
    struct kept_bands rows = cut_of(thumbnail, false, err);
    struct kept_bands columns = cut_of(thumbnail, true, err);
    fill(&columns);
    while (runs_of(&rows) > PAGE_BANDS)
        close_gap(&rows);
    if (err_failed(err) || !runs_of(&rows) || !runs_of(&columns)) return shown;
    bool gaps = share_of(&rows) * share_of(&columns) <= kept_most;
    if (!gaps) fill(&rows);
    if (!gaps &&
        (!margins || share_of(&rows) * share_of(&columns) > margins_most))
        return shown;
    int first = 0;
    while (!columns.keep[first])
        first++;
    shown.x = (double)first / columns.n;
    shown.w = share_of(&columns);
    set_bands(&rows, &shown);
    return shown;
}

/* --- the image ------------------------------------------------------------ */

static int pixel_of(double share, int side)
{
    return (int)rint(share * side);
}

void crop_cut(struct image *image, const struct page_shown *shown,
              struct err *err)
{
    if (err_failed(err) || !shown->n_band) return;
    int left = pixel_of(shown->x, image->width_px), height = 0, at = 0;
    int width = pixel_of(shown->x + shown->w, image->width_px) - left;
    for (int i = 0; i < shown->n_band; i++)
        height += pixel_of(shown->band[i].to, image->height_px) -
                  pixel_of(shown->band[i].from, image->height_px);
    struct image out = image_new(width, height, image->n_channel, err);
    if (err_failed(err)) return;
    size_t bytes = (size_t)width * (size_t)image->n_channel;
    for (int i = 0; i < shown->n_band; i++) {
        int from = pixel_of(shown->band[i].from, image->height_px);
        int to = pixel_of(shown->band[i].to, image->height_px);
        for (int y = from; y < to; y++)
            memcpy(image_row(&out, at++),
                   image_row(image, y) + left * image->n_channel, bytes);
    }
    image_free(image);
    *image = out;
}

void crop_widen(struct image *image, int width_px, int height_px,
                struct page_shown *shown, struct err *err)
{
    if (err_failed(err)) return;
    struct image out = image_new(width_px, height_px, image->n_channel, err);
    if (err_failed(err)) return;
    memset(out.data, 255, out.stride_bytes * (size_t)height_px);
    for (int y = 0; y < image->height_px; y++)
        memcpy(image_row(&out, y), image_row(image, y),
               (size_t)image->width_px * (size_t)image->n_channel);
    double down = (double)height_px / image->height_px;
    if (!shown->n_band) {
        *shown = (struct page_shown){.w = 1, .scale = 1, .n_band = 1};
        shown->band[0].to = 1;
    }
    shown->w *= (double)width_px / image->width_px;
    shown->scale *= down;
    image_free(image);
    *image = out;
}

/* --- boxes ---------------------------------------------------------------- */

/* The end, in the image, of a band that begins there at `at`. */
static double end_of(const struct page_shown *s, int i, double at)
{
    return at + (s->band[i].to - s->band[i].from) / s->scale;
}

/* Maps a height of the image to the page; `end`: the end of something. */
static double down_the_page(const struct page_shown *s, double y, bool end)
{
    int i = 0;
    double at = 0;
    for (; i + 1 < s->n_band; i++) {
        double next = end_of(s, i, at);
        if (end ? next >= y : next > y) break;
        at = next;
    }
    double on = s->band[i].from + (y - at) * s->scale;
    return fmin(on, s->band[i].to);
}

/* Maps a height of the page to the image; a removed one maps to its gap. */
static double down_the_picture(const struct page_shown *s, double y)
{
    int i = 0;
    double at = 0;
    for (; i + 1 < s->n_band && s->band[i + 1].from <= y; i++)
        at = end_of(s, i, at);
    double within = fmin(fmax(y, s->band[i].from), s->band[i].to);
    return at + (within - s->band[i].from) / s->scale;
}

struct box crop_to_page(const struct page_shown *s, struct box box)
{
    if (!s->n_band) return box;
    double right = fmin(s->x + (box.x + box.w) * s->w, 1);
    double top = down_the_page(s, box.y, false);
    double foot = fmax(down_the_page(s, box.y + box.h, true), top);
    double left = fmin(s->x + box.x * s->w, right);
    return (struct box){left, top, right - left, foot - top};
}

struct box crop_from_page(const struct page_shown *s, struct box box)
{
    if (!s->n_band) return box;
    double left = fmin(fmax((box.x - s->x) / s->w, 0), 1);
    double right = fmin(fmax((box.x + box.w - s->x) / s->w, 0), 1);
    double top = down_the_picture(s, box.y);
    double foot = down_the_picture(s, box.y + box.h);
    return (struct box){left, top, right - left, foot - top};
}
