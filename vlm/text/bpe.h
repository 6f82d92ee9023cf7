/* bpe.h - byte-pair merges.
 *
 * THREADS  Read-only once filled; bpe_merge uses the caller's scratch only.
 * SOURCE   MODEL.md, "Words".
 */
#ifndef VLM_TEXT_BPE_H
#define VLM_TEXT_BPE_H

#include <stdint.h>

#include "vlm/base/arena.h"

struct bpe;

/* A table for up to n_merge merges (0 is fine), in the arena. */
struct bpe *bpe_new(struct arena *arena, int n_merge);

/* Adds the merge left right -> merged; lower ranks are applied first. A pair
 * added again keeps its first rank. At most n_merge calls. */
void bpe_add(struct bpe *b, int32_t left, int32_t right, int32_t merged,
             int32_t rank);

/* Bytes of scratch memory for a piece of n symbols. */
size_t bpe_scratch_bytes(int n);

/* Merges in place, always the pair of lowest rank, leftmost first, until none
 * applies. Returns the number of symbols left. Takes time n log n. */
int bpe_merge(const struct bpe *b, int32_t *id, int n, void *scratch);

#endif
