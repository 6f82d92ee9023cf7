/* gpu_choice.h - which instance computes which product: measured when a model
 * is first opened on a card, and kept in the cache.
 *
 * All instances of a product (gpu_matmul.h) leave the same bits, so a choice is
 * about time alone. For each shape of the text model's weights and each class
 * of numbers of activations every instance is timed with the weights of all
 * layers in turn, which no cache of the card holds. Before that its bits are
 * compared with the first instance's; one that differs is never used.
 *
 * The file, FOLDER/HASH.gpu, belongs to a card, a driver, a program (its kernels)
 * and a model's shapes: title, then lines "TYPE ROWS COLUMNS N NAME=MICROSECONDS
 * ..." with the times of all instances; `platen doctor` and tests/gpu/prove print
 * them.
 */
#ifndef VLM_DEVICE_GPU_GPU_CHOICE_H
#define VLM_DEVICE_GPU_GPU_CHOICE_H

#include "vlm/base/err.h"

struct arena;
struct gpu_device;

/* Chooses for the model of g. What is in the file of `folder` (NULL: none) is not
 * measured again; what is missing takes a second or so, of which a note is logged.
 * FAIL: ERR_SYSTEM, the device; a file that cannot be read or written is no
 * failure. */
void gpu_choice_make(struct gpu_device *g, const char *folder, struct err *err);

/* "Q4_K 9216 x 2560: 1: r4t1w4 11.2 us, 4: ..., 512: ...", a line for each
 * shape of the model; in its arena. */
const char *gpu_choice_text(const struct gpu_device *g);

#endif
