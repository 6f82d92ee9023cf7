/* layout.h - models that say the same in another layout, and their answers. */
#ifndef TESTS_SUPPORT_LAYOUT_H
#define TESTS_SUPPORT_LAYOUT_H

#include "tests/support/golden.h"
#include "tests/support/remake.h"

/* Logits of a fixed prompt; with a vision file (or NULL), behind a picture. */
struct golden_rows layout_answer(const char *model, const char *mmproj);
struct golden_rows layout_answer_of(const struct remake *r);

/* Fails unless both are the same bits, and drops b. */
void layout_assert_same(struct golden_rows *a, struct golden_rows *b,
                        const char *how);

/* The same answer, bit for bit, as of the plain file. */
void layout_expect_same(struct golden_rows *plain, const struct remake *odd,
                        const char *how);

/* "blk.LAYER.LEAF", good for the next three calls. */
const char *layout_name(int layer, const char *leaf);

/* Fuses gate and up experts of all layers. */
void layout_fuse(struct remake *r);

/* Halves what a tensor of F32 or Q8_0 holds, rows first .. last - 1, so many
 * times; exact. */
void layout_halve(struct remake *r, struct remake_tensor *t, int64_t first,
                  int64_t last, int times);

/* What a tensor is: norms, biases, tables; the patch kernels; all others. */
bool layout_is_vector(const struct remake_tensor *t);
bool layout_is_kernel(const struct remake_tensor *t);
bool layout_is_matrix(const struct remake_tensor *t);

#endif
