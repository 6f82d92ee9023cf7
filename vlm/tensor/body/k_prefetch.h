/* k_prefetch.h - prefetching of weights for one token. An including file defines
 * VW, the rows that it reads side by side.
 *
 * Weights are read once per token, VW rows at a time, a few bytes of each in
 * turn. Prefetching in that order jumps from row to row, and a page is left and
 * entered again for each line; so as many bytes of the rows to come are
 * requested in the order of memory (measured in SPEED.md).
 */
#include <stddef.h>
#include <stdint.h>

#include "vlm/tensor/body/k_inline.h"

/* The VW rows at `row`, if there are any and each follows the one before; else
 * NULL. */
INLINE const uint8_t *rows_ahead(const uint8_t *const *row, size_t row_bytes)
{
    bool adjacent = row && row[VW - 1] == row[0] + (VW - 1) * row_bytes;
    return adjacent ? row[0] : NULL;
}

/* While VW rows are read from `at` to at + bytes: as much of those `ahead` (or
 * NULL), to the second-level cache. */
INLINE void prefetch_rows(const uint8_t *ahead, size_t at, size_t bytes)
{
    if (!ahead) return;
    for (size_t i = 0; i < VW * bytes; i += 64)
        __builtin_prefetch(ahead + VW * at + i, 0, 2);
}
