/* bpe.h - byte pair merges: which neighbours become one symbol, in which order.
 *
 * THREADS  Read-only once filled; bpe_merge uses the caller's scratch only.
 * SOURCE   MODEL.md, "Words".
 */
#ifndef VLM_TEXT_BPE_H
#define VLM_TEXT_BPE_H

#include <stdint.h>

#include "vlm/base/arena.h"

struct bpe;

/* A table for up to n_merge merges, in the arena; none is fine. */
struct bpe *bpe_new(struct arena *arena, int n_merge);

/* left right -> merged; smaller ranks go first. A pair added again keeps its
 * first rank. At most n_merge calls. */
void bpe_add(struct bpe *b, int32_t left, int32_t right, int32_t merged,
             int32_t rank);

/* Bytes of scratch for a piece of n symbols. */
size_t bpe_scratch_bytes(int n);

/* Merges in place, always the pair of lowest rank, leftmost first, until none
 * applies. Returns the number of symbols left. Time n log n. */
int bpe_merge(const struct bpe *b, int32_t *id, int n, void *scratch);

#endif
