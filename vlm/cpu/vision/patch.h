/* patch.h - pixels to patch vectors, and where a patch lies.
 *
 * Patches come in merge-block order: block rows, block columns, then the rows
 * and columns inside a block, so that merge_size squared neighbours in memory
 * become one token. SOURCE  MODEL.md, "The eye".
 */
#ifndef VLM_CPU_VISION_PATCH_H
#define VLM_CPU_VISION_PATCH_H

#include "vlm/base/image.h"
#include "vlm/model/shape.h"

struct patch_place {
    int y, x; /* in patches */
};

/* Of patch number i in a picture of n_x patches a row. */
struct patch_place patch_place(int i, int n_x, int merge_size);

/* Patches first .. last - 1 as rows[last - first, 3 * size * size], order
 * (channel, y, x), values (level - 255 mean) / (255 std). The picture has
 * whole patches; grey counts as three equal channels. */
void patch_fill(const struct vision_shape *s, const struct image *image,
                int first, int last, float *rows);

/* Adds the learned position of patches first .. last - 1 to rows[.., n_embd]:
 * the table[side * side, n_embd] read bilinearly, corners on corners. */
void patch_add_position(const struct vision_shape *s, const float *table,
                        int n_x, int n_y, int first, int last, float *rows);

#endif
