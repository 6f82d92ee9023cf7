/* oracle.h - what a model answers, computed plainly in double.
 *
 * One loop after the other as vlm/MODEL.md has them: no chunks, no tiles, no
 * threads, no rounding of activations. Slow, and for small models or few rows.
 * It shares with the engine only the loader and the decoding of blocks.
 */
#ifndef TESTS_SUPPORT_ORACLE_H
#define TESTS_SUPPORT_ORACLE_H

#include "vlm/base/arena.h"
#include "vlm/base/image.h"
#include "vlm/model/weights.h"

/* Rows of the text model and where they stand. */
struct oracle_rows {
    double *x;       /* [n, n_embd] */
    int (*pos)[3];   /* [n] t, h, w */
    int n, room, at; /* at: the next position */
};

struct oracle_rows oracle_begin(const struct shape *s, int room,
                                struct arena *arena);
void oracle_tokens(struct oracle_rows *r, const struct shape *s,
                   const struct weights *w, const int32_t *token, int n);
/* A picture whose sides are multiples of 32, RGB. */
void oracle_picture(struct oracle_rows *r, const struct vision_shape *s,
                    const struct vision_weights *w, const struct image *image,
                    struct arena *arena);

/* The logits of the last n_last rows: [n_last, n_vocab]. Changes r->x. */
double *oracle_logits(struct oracle_rows *r, const struct shape *s,
                      const struct weights *w, int n_last, struct arena *arena);

/* y[n, n_row] = W x, decoded and scaled. */
void oracle_product(const struct weight *w, const double *x, int n, double *y);
double oracle_dot(const double *a, const double *b, int n);

#endif
