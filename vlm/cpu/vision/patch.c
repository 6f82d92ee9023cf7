/* patch.c - see patch.h. */
#include "vlm/cpu/vision/patch.h"

struct patch_place patch_place(int i, int n_x, int merge_size)
{
    int area = merge_size * merge_size, in = i % area, block = i / area;
    int by = block / (n_x / merge_size), bx = block % (n_x / merge_size);
    return (struct patch_place){by * merge_size + in / merge_size,
                                bx * merge_size + in % merge_size};
}

void patch_fill(const struct vision_shape *s, const struct image *image,
                int first, int last, float *rows)
{
    int size = s->patch_size, n_x = image->width_px / size;
    float value[3][256];
    for (int c = 0; c < 3; c++)
        for (int v = 0; v < 256; v++)
            value[c][v] =
                ((float)v - 255.0f * s->mean[c]) / (255.0f * s->std[c]);
    for (int i = first; i < last; i++) {
        struct patch_place at = patch_place(i, n_x, s->merge_size);
        for (int c = 0; c < 3; c++) {
            int channel = image->n_channel == 3 ? c : 0;
            for (int y = 0; y < size; y++) {
                const uint8_t *p =
                    image_row(image, at.y * size + y) +
                    (size_t)(at.x * size) * (size_t)image->n_channel + channel;
                for (int x = 0; x < size; x++, p += image->n_channel)
                    *rows++ = value[c][*p];
            }
        }
    }
}

/* Entry i of n along a side of the table: the two neighbours and how far it
 * is from the first to the second. */
struct between {
    int low, high;
    float part;
};

static struct between between(int i, int n, int side)
{
    double s = n > 1 ? (double)i * (side - 1) / (n - 1) : 0;
    int low = (int)s;
    int high = low + 1 < side ? low + 1 : side - 1;
    return (struct between){low, high, (float)(s - low)};
}

void patch_add_position(const struct vision_shape *s, const float *table,
                        int n_x, int n_y, int first, int last, float *rows)
{
    size_t n = (size_t)s->n_embd, side = (size_t)s->position_side;
    for (int i = first; i < last; i++, rows += n) {
        struct patch_place at = patch_place(i, n_x, s->merge_size);
        struct between y = between(at.y, n_y, s->position_side);
        struct between x = between(at.x, n_x, s->position_side);
        const float *a = table + ((size_t)y.low * side + (size_t)x.low) * n;
        const float *b = table + ((size_t)y.low * side + (size_t)x.high) * n;
        const float *c = table + ((size_t)y.high * side + (size_t)x.low) * n;
        const float *d = table + ((size_t)y.high * side + (size_t)x.high) * n;
        float wa = (1 - y.part) * (1 - x.part), wb = (1 - y.part) * x.part;
        float wc = y.part * (1 - x.part), wd = y.part * x.part;
        for (size_t k = 0; k < n; k++)
            rows[k] += wa * a[k] + wb * b[k] + wc * c[k] + wd * d[k];
    }
}
