/* k_soften.h - scores to weights, for every table of halves.h.
 *
 * A file that includes it has defined the vectors of k_halves_body.h, TILE_SIZE,
 * TILE_ROW (words of a row in a tile) and pack_weights, like pack_vf.
 */
#include <math.h>

#include "vlm/tensor/k_halves.h"

/* Row or column i's scale in a tile of words or bytes. */
INLINE float *scale_in(uint16_t *tile, int i)
{
    return (float *)(void *)(tile + TILE_ROW * HALVES_TILE) + i;
}

/* The maximum of a row, and what was summed before in its measure. */
INLINE float new_most(const struct halves_soften *s, int i, float most)
{
    float *sum = s->sum + i * HALVES_LANES;
    if (s->first) {
        store(sum, all_vf(0));
    } else if (most > s->most[i]) {
        vf shrink = exp2_vf(all_vf(s->most[i] - most));
        float *out = s->out + (size_t)i * (size_t)s->n_out;
        store(sum, mul_vf(load(sum), shrink));
        for (int k = 0; k < s->n_out; k += HALVES_LANES)
            store(out + k, mul_vf(load(out + k), shrink));
    } else {
        return s->most[i];
    }
    return s->most[i] = most;
}

INLINE void soften_row(const struct halves_soften *s, int i)
{
    float *score = s->score + (size_t)i * s->stride;
    int n_key = (int)halves_columns(s->n_key);
    for (int k = s->n_key; k < n_key; k++)
        score[k] = -INFINITY;
    vf top = max_vf(load(score), load(score + HALVES_LANES));
    for (int k = HALVES_K; k < n_key; k += HALVES_K)
        top = max_vf(top,
                     max_vf(load(score + k), load(score + k + HALVES_LANES)));
    vf most = all_vf(new_most(s, i, most_of(top)));
    vf sum0 = load(s->sum + i * HALVES_LANES), sum1 = all_vf(0);
    uint16_t *to = s->weight;
    for (int k = 0; k < n_key; k += HALVES_K, to += TILE_SIZE) {
        vf low = exp2_vf(sub_vf(load(score + k), most));
        vf high = exp2_vf(sub_vf(load(score + k + HALVES_LANES), most));
        sum0 = add_vf(sum0, low), sum1 = add_vf(sum1, high);
        pack_weights(low, high, to + i * TILE_ROW, scale_in(to, i));
    }
    store(s->sum + i * HALVES_LANES, add_vf(sum0, sum1));
}

static void soften(const struct halves_soften *s)
{
    for (int i = 0; i < s->n_row; i++)
        soften_row(s, i);
}
