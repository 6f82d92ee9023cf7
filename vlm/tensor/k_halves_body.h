/* k_halves_body.h - the text of every table of halves.h but for the products.
 *
 * A file that includes it has defined vf (sixteen floats) and
 *   max_vf(a, b), exp2_vf(x), most_of(v)      the largest lane
 *   pack_vf(low, high, out)   32 BF16, those of `low` first
 *   weave_vf(even, odd, out)  32 BF16, by turns
 *   from_f16(p)               sixteen halves
 *   turn_words(in, out)       [16][16] words, rows become columns
 *   begin, end, mul, HALVES_TABLE, HALVES_NAME and HALVES_TILES
 */
#include <math.h>
#include <string.h>

#include "vlm/tensor/k_halves.h"

enum { TILE_SIZE = HALVES_TILE * HALVES_K };

INLINE vf load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

/* The first n floats, zeros behind. */
INLINE vf load_part(const float *p, int n)
{
    float t[HALVES_LANES] = {0};
    if (n >= HALVES_LANES) return load(p);
    if (n > 0) memcpy(t, p, (size_t)n * sizeof *t);
    return load(t);
}

/* 32 of a row from k on. */
INLINE void pack_row(const float *x, int n_left, uint16_t *out)
{
    pack_vf(load_part(x, n_left),
            load_part(x + HALVES_LANES, n_left - HALVES_LANES), out);
}

static void pack_rows(const float *x, size_t stride, int n, int n_k,
                      uint16_t *out)
{
    for (int i = 0; i < n; i++) {
        const float *row = x + (size_t)i * stride;
        uint16_t *to = out + i * HALVES_K;
        int k = 0;
        for (; k + HALVES_K <= n_k; k += HALVES_K, to += TILE_SIZE)
            pack_vf(load(row + k), load(row + k + HALVES_LANES), to);
        if (k < n_k) pack_row(row + k, n_k - k, to);
    }
    if (n == HALVES_TILE) return;
    for (int k = 0; k < n_k; k += HALVES_K, out += TILE_SIZE)
        memset(out + n * HALVES_K, 0,
               (size_t)(HALVES_TILE - n) * HALVES_K * sizeof *out);
}

/* A pair of k of a row is one word of a column tile: what is packed as a row
 * tile is turned. */
static void pack_columns(const float *x, size_t stride, int n, int n_k,
                         uint16_t *out)
{
    _Alignas(64) uint16_t tile[TILE_SIZE];
    memset(tile, 0, sizeof tile);
    for (int k = 0; k < n_k; k += HALVES_K, out += TILE_SIZE) {
        for (int i = 0; i < n; i++)
            pack_row(x + (size_t)i * stride + k, n_k - k, tile + i * HALVES_K);
        turn_words(tile, out);
    }
}

/* 32 numbers of a row of a weight, from number k on. */
INLINE void unpack_row(enum quant_type type, const uint8_t *row, int k,
                       uint16_t *out)
{
    float v[HALVES_K];
    if (type == QUANT_BF16) {
        memcpy(out, row + 2 * k, HALVES_K * sizeof *out);
    } else if (type == QUANT_F16) {
        pack_vf(from_f16(row + 2 * k), from_f16(row + 2 * k + 32), out);
    } else {
        memcpy(v, row + 4 * k, sizeof v);
        pack_vf(load(v), load(v + HALVES_LANES), out);
    }
}

/* The last few, with zeros behind. */
static void unpack_end(enum quant_type type, const uint8_t *row, int k, int n,
                       uint16_t *out)
{
    float v[HALVES_K] = {0};
    quant_decode(type, row + quant_row_bytes(type, k), n, v);
    pack_row(v, n, out);
}

INLINE void unpack_as(enum quant_type type, const uint8_t *const *row, int n_k,
                      uint16_t *out)
{
    _Alignas(64) uint16_t tile[TILE_SIZE];
    for (int k = 0; k < n_k; k += HALVES_K, out += TILE_SIZE) {
        for (int i = 0; i < HALVES_TILE; i++)
            if (k + HALVES_K <= n_k)
                unpack_row(type, row[i], k, tile + i * HALVES_K);
            else
                unpack_end(type, row[i], k, n_k - k, tile + i * HALVES_K);
        turn_words(tile, out);
    }
}

static void unpack(enum quant_type type, const uint8_t *const *row, int n_k,
                   uint16_t *out)
{
    if (type == QUANT_F16)
        unpack_as(QUANT_F16, row, n_k, out);
    else if (type == QUANT_BF16)
        unpack_as(QUANT_BF16, row, n_k, out);
    else
        unpack_as(QUANT_F32, row, n_k, out);
}

static void pack_k(const float *x, size_t stride, int n_k, uint16_t *out)
{
    int k = 0;
    for (; k + 2 <= n_k; k += 2, out += 2 * HALVES_TILE)
        weave_vf(load(x + (size_t)k * stride),
                 load(x + (size_t)(k + 1) * stride), out);
    if (k < n_k) {
        weave_vf(load(x + (size_t)k * stride), (vf){0}, out);
        k += 2, out += 2 * HALVES_TILE;
    }
    memset(out, 0,
           (halves_columns(n_k) - (size_t)k) * HALVES_TILE * sizeof *out);
}

/* The maximum of a row, and what was summed before in its measure. */
INLINE float new_most(const struct halves_soften *s, int i, float most)
{
    float *sum = s->sum + i * HALVES_LANES;
    if (s->first) {
        store(sum, (vf){0});
    } else if (most > s->most[i]) {
        vf shrink = exp2_vf((vf){0} + (s->most[i] - most));
        float *out = s->out + (size_t)i * (size_t)s->n_out;
        store(sum, load(sum) * shrink);
        for (int k = 0; k < s->n_out; k += HALVES_LANES)
            store(out + k, load(out + k) * shrink);
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
    vf most = (vf){0} + new_most(s, i, most_of(top));
    vf sum0 = load(s->sum + i * HALVES_LANES), sum1 = {0};
    uint16_t *to = s->weight + i * HALVES_K;
    for (int k = 0; k < n_key; k += HALVES_K, to += TILE_SIZE) {
        vf low = exp2_vf(load(score + k) - most);
        vf high = exp2_vf(load(score + k + HALVES_LANES) - most);
        sum0 += low, sum1 += high;
        pack_vf(low, high, to);
    }
    store(s->sum + i * HALVES_LANES, sum0 + sum1);
}

static void soften(const struct halves_soften *s)
{
    for (int i = 0; i < s->n_row; i++)
        soften_row(s, i);
}

const struct halves HALVES_TABLE = {
    .name = HALVES_NAME,
    .tiles = HALVES_TILES,
    .begin = begin,
    .end = end,
    .mul = mul,
    .pack_rows = pack_rows,
    .pack_columns = pack_columns,
    .unpack = unpack,
    .pack_k = pack_k,
    .soften = soften,
};
