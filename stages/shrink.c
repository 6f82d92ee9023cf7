/* shrink.c - see shrink.h. */
#include "stages/shrink.h"

#include <math.h>
#include <string.h>

#include "vlm/base/arena.h"

struct shrink {
    int width, height, n_channel; /* of the source */
    struct image out;
    int y, to_y; /* next row of the source, present row of the result */
    float *row;  /* one source row made narrow: sums of grey * width */
    float *sum;  /* present result row: sums of grey * area */
    float area;  /* of a whole result pixel, in source pixels */
    int *first;  /* first source pixel under result column x (to_width + 1) */
    float *cut;  /* the part of that pixel that belongs to column x - 1 */
};

struct shrink *shrink_new(int width_px, int height_px, int n_channel,
                          int to_width_px, int to_height_px, struct err *err)
{
    struct image out = image_new(to_width_px, to_height_px, n_channel, err);
    if (err_failed(err)) return NULL;
    struct shrink *s = mem_take(1, sizeof *s);
    *s = (struct shrink){.width = width_px,
                         .height = height_px,
                         .n_channel = n_channel,
                         .out = out};
    size_t n = (size_t)to_width_px * (size_t)n_channel;
    s->row = mem_take(n, sizeof *s->row);
    s->sum = mem_take(n, sizeof *s->sum);
    s->first = mem_take((size_t)to_width_px + 1, sizeof *s->first);
    s->cut = mem_take((size_t)to_width_px + 1, sizeof *s->cut);
    for (int x = 0; x <= to_width_px; x++) {
        double at = (double)x * width_px / to_width_px;
        s->first[x] = (int)at;
        s->cut[x] = (float)(at - s->first[x]);
    }
    s->area =
        (float)((double)width_px / to_width_px * height_px / to_height_px);
    return s;
}

/* Sums of one source row over the columns of the result. */
static void narrow_row(struct shrink *s, const uint8_t *row)
{
    int ch = s->n_channel;
    for (int x = 0; x < s->out.width_px; x++) {
        int from = s->first[x], to = s->first[x + 1];
        for (int c = 0; c < ch; c++) {
            float sum = -s->cut[x] * row[from * ch + c];
            for (int i = from; i < to; i++)
                sum += row[i * ch + c];
            if (s->cut[x + 1] > 0) sum += s->cut[x + 1] * row[to * ch + c];
            s->row[x * ch + c] = sum;
        }
    }
}

static void emit_row(struct shrink *s)
{
    size_t n = (size_t)s->out.width_px * (size_t)s->n_channel;
    uint8_t *out = image_row(&s->out, s->to_y++);
    float scale = 1.0f / s->area;
    for (size_t i = 0; i < n; i++) {
        float v = s->sum[i] * scale + 0.5f;
        out[i] = (uint8_t)(v > 255 ? 255 : v < 0 ? 0 : v);
    }
    memset(s->sum, 0, n * sizeof *s->sum);
}

static void add_row(struct shrink *s, float share)
{
    size_t n = (size_t)s->out.width_px * (size_t)s->n_channel;
    for (size_t i = 0; i < n; i++)
        s->sum[i] += share * s->row[i];
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
    narrow_row(s, row);
    double bottom =
        (double)(s->to_y + 1) * s->height / s->out.height_px; /* of to_y */
    float above = (float)(bottom - y);
    if (above >= 1) {
        add_row(s, 1);
    } else {
        add_row(s, above);
        emit_row(s);
        if (s->to_y < s->out.height_px) add_row(s, 1 - above);
    }
    if (s->y == s->height && s->to_y < s->out.height_px) emit_row(s);
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
    mem_give(s->row);
    mem_give(s->sum);
    mem_give(s->first);
    mem_give(s->cut);
    mem_give(s);
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
