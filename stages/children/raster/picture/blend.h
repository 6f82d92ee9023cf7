/* blend.h - converts rows of pixels with alpha or CMYK to grey or RGB. */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_BLEND_H
#define STAGES_CHILDREN_RASTER_PICTURE_BLEND_H

#include <stdbool.h>
#include <stdint.h>

/* v / 255, rounded, for v up to 255 * 255. */
static inline uint8_t blend_div255(uint32_t v)
{
    v += 128;
    return (uint8_t)((v + (v >> 8)) >> 8);
}

/* Blends n pixels of n_channel colours and alpha with white; alpha is dropped.
 * `premultiplied`: the colours are already multiplied by alpha. */
static inline void blend_on_white(const uint8_t *in, int n, int n_channel,
                                  bool premultiplied, uint8_t *out)
{
    for (int x = 0; x < n; x++, in += n_channel + 1) {
        uint32_t alpha = in[n_channel];
        for (int c = 0; c < n_channel; c++) {
            uint32_t v =
                premultiplied
                    ? in[c] + (255 - alpha)
                    : blend_div255(in[c] * alpha + 255 * (255 - alpha));
            *out++ = (uint8_t)(v > 255 ? 255 : v);
        }
    }
}

/* Converts n pixels of C, M, Y, K (255 is full ink) to RGB. */
static inline void blend_cmyk(const uint8_t *in, int n, uint8_t *out)
{
    for (int x = 0; x < n; x++, in += 4) {
        uint32_t light = 255u - in[3];
        for (int c = 0; c < 3; c++)
            *out++ = (uint8_t)(light - blend_div255(in[c] * light));
    }
}

#endif
