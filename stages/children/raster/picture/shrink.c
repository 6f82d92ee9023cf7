/* shrink.c - see shrink.h. */
#include "stages/children/raster/picture/shrink.h"

#include <math.h>
#include <string.h>

#include "stages/children/raster/picture/huge_pages.h"
#include "vlm/base/arena.h"

/* Rows are summed first, as integers with 8 fractional bits: one short
 * multiplication per byte, which compilers vectorise. Columns are summed when a
 * row of the result is complete, with 6 bits. */
enum { ROW_ONE = 256, COLUMN_ONE = 64, RATIO_MAX = 1000 };

struct shrink {
    int width, height, n_channel; /* of the source */
    struct image out;
    int y, to_y;     /* next row of the source; current row of the result */
    uint32_t *sum;   /* current result row: grey * weight */
    uint16_t *mean;  /* the same, divided: grey * 256 */
    uint32_t weight; /* total weight of the summed rows */
    int *first;      /* first source pixel under column x (to_width + 1) */
    uint32_t *cut;   /* the share of that pixel that column x - 1 has */
};

struct shrink *shrink_new(int width_px, int height_px, int n_channel,
                          int to_width_px, int to_height_px, struct err *err)
{
    struct image out = image_new(to_width_px, to_height_px, n_channel, err);
    if (err_failed(err)) return NULL;
    huge_pages_advise(out.data, out.stride_bytes * (size_t)to_height_px);
    if (width_px / to_width_px > RATIO_MAX ||
        height_px / to_height_px > RATIO_MAX) {
        image_free(&out);
        err_reason(err, ERR_LIMIT, "too-large",
                   "cannot shrink an image of %d x %d px to %d x %d px",
                   width_px, height_px, to_width_px, to_height_px);
        return NULL;
    }
    struct shrink *s = mem_alloc(1, sizeof *s);
    *s = (struct shrink){.width = width_px,
                         .height = height_px,
                         .n_channel = n_channel,
                         .out = out};
    /* one pixel more, because the last column can read it */
    size_t n = ((size_t)width_px + 1) * (size_t)n_channel;
    s->sum = mem_alloc(n, sizeof *s->sum);
    s->mean = mem_alloc(n, sizeof *s->mean);
    s->first = mem_alloc((size_t)to_width_px + 1, sizeof *s->first);
    s->cut = mem_alloc((size_t)to_width_px + 1, sizeof *s->cut);
    for (int x = 0; x <= to_width_px; x++) {
        int64_t at = (int64_t)x * width_px * COLUMN_ONE / to_width_px;
        s->first[x] = (int)(at / COLUMN_ONE);
        s->cut[x] = (uint32_t)(at % COLUMN_ONE);
    }
    return s;
}

/* Averages the columns of a row; ch becomes a constant when inlined. */
static inline void narrow_row(const struct shrink *s, int ch, uint8_t *out)
{
    for (int x = 0; x < s->out.width_px; x++) {
        int from = s->first[x], to = s->first[x + 1];
        uint32_t lead = s->cut[x], tail = s->cut[x + 1];
        uint32_t width = (uint32_t)(to - from) * COLUMN_ONE + tail - lead;
        float scale = 1.0f / (float)(width * 256);
        const uint16_t *first = s->mean + (size_t)from * (size_t)ch;
        const uint16_t *last = s->mean + (size_t)to * (size_t)ch;
        for (int c = 0; c < ch; c++) {
            uint32_t v = 0;
            for (const uint16_t *at = first + c; at < last; at += ch)
                v += *at;
            v = v * COLUMN_ONE - lead * first[c] + tail * last[c];
            out[c] = (uint8_t)((float)v * scale + 0.5f);
        }
        out += ch;
    }
}

/* The same for four channels at once, which is cairo's layout. */
#define LANES(type) __attribute__((vector_size(4 * sizeof(type)))) type

static inline LANES(float) four_at(const uint16_t *at)
{
    LANES(uint16_t) v;
    memcpy(&v, at, sizeof v);
    return __builtin_convertvector(__builtin_convertvector(v, LANES(int)),
                                   LANES(float));
}

static void narrow_four(const struct shrink *s, uint8_t *out)
{
    for (int x = 0; x < s->out.width_px; x++, out += 4) {
        const uint16_t *first = s->mean + 4 * (size_t)s->first[x];
        const uint16_t *last = s->mean + 4 * (size_t)s->first[x + 1];
        float lead = (float)s->cut[x] / COLUMN_ONE;
        float tail = (float)s->cut[x + 1] / COLUMN_ONE;
        float width = (float)(last - first) / 4 - lead + tail;
        LANES(float) v = four_at(last) * tail - four_at(first) * lead;
        for (const uint16_t *at = first; at < last; at += 4)
            v += four_at(at);
        v = v * (1 / (256 * width)) + 0.5f;
        LANES(int) whole = __builtin_convertvector(v, LANES(int));
        LANES(uint8_t) bytes = __builtin_convertvector(whole, LANES(uint8_t));
        memcpy(out, &bytes, 4);
    }
}

/* Writes a row of the result from the sums of its rows. */
static void emit_row(struct shrink *s)
{
    size_t n = (size_t)s->width * (size_t)s->n_channel;
    float scale = 256.0f / (float)s->weight;
    for (size_t i = 0; i < n; i++)
        s->mean[i] = (uint16_t)(int)((float)(int)s->sum[i] * scale + 0.5f);
    uint8_t *out = image_row(&s->out, s->to_y++);
    switch (s->n_channel) {
    case 1: narrow_row(s, 1, out); break;
    case 3: narrow_row(s, 3, out); break;
    case 4: narrow_four(s, out); break;
    default: narrow_row(s, s->n_channel, out);
    }
    memset(s->sum, 0, n * sizeof *s->sum);
    s->weight = 0;
}

static void add_row(struct shrink *s, const uint8_t *row, int weight)
{
    size_t n = (size_t)s->width * (size_t)s->n_channel;
    uint32_t *restrict sum = s->sum;
    if (weight == ROW_ONE)
        for (size_t i = 0; i < n; i++)
            sum[i] += (uint32_t)(uint16_t)(row[i] << 8);
    else
        for (size_t i = 0; i < n; i++)
            sum[i] += (uint32_t)(uint16_t)((uint16_t)weight * row[i]);
    s->weight += (uint32_t)weight;
}

void shrink_row(struct shrink *s, const uint8_t *row)
{
    if (s->y >= s->height) return;
    int y = s->y++;
    if (s->width == s->out.width_px && s->height == s->out.height_px) {
        memcpy(image_row(&s->out, y), row, s->out.stride_bytes);
        s->to_y = y + 1;
        return;
    }
    int64_t bottom = /* of the current result row */
        (int64_t)(s->to_y + 1) * s->height * ROW_ONE / s->out.height_px;
    int64_t above = bottom - (int64_t)y * ROW_ONE;
    if (above > ROW_ONE) {
        add_row(s, row, ROW_ONE);
        return;
    }
    if (above > 0) add_row(s, row, (int)above);
    emit_row(s);
    if (above < ROW_ONE && s->to_y < s->out.height_px)
        add_row(s, row, (int)(ROW_ONE - above));
}

struct image shrink_finish(struct shrink *s)
{
    struct image out = s->out;
    for (int y = s->to_y; y < out.height_px; y++)
        memset(image_row(&out, y), 255, out.stride_bytes);
    s->out = (struct image){0};
    shrink_free(s);
    return out;
}

void shrink_free(struct shrink *s)
{
    if (!s) return;
    image_free(&s->out);
    mem_free(s->sum);
    mem_free(s->mean);
    mem_free(s->first);
    mem_free(s->cut);
    mem_free(s);
}

void shrink_fit(int width_px, int height_px, int64_t max_pixels, double scale,
                int *to_width_px, int *to_height_px)
{
    double area = (double)width_px * height_px;
    if (scale > 1) scale = 1;
    if (area * scale * scale > (double)max_pixels)
        scale = sqrt((double)max_pixels / area);
    int w = (int)(width_px * scale + 1e-9), h = (int)(height_px * scale + 1e-9);
    *to_width_px = w < 1 ? 1 : w;
    *to_height_px = h < 1 ? 1 : h;
}
