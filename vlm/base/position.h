/* position.h - three-part positions of text and image tokens in a sequence.
 *
 * A running value p starts at 0. SOURCE  MODEL.md, "Positions".
 */
#ifndef VLM_BASE_POSITION_H
#define VLM_BASE_POSITION_H

#include <stdint.h>

struct position {
    int32_t t, h, w;
};

/* A text token at p; the next one is at p + 1. */
static inline struct position position_text(int32_t p)
{
    return (struct position){p, p, p};
}

/* The token in row y, column x of an image that starts at p. */
static inline struct position position_image(int32_t p, int y, int x)
{
    return (struct position){p, p + y, p + x};
}

/* The position after an image of n_y rows of n_x tokens that started at p. */
static inline int32_t position_after_image(int32_t p, int n_y, int n_x)
{
    return p + (n_y > n_x ? n_y : n_x);
}

#endif
