/* k_gemm16_emulated.c - gemm16.h with AMX tiles emulated in C.
 *
 * It gives the bits of k_gemm16_amx.c on any machine, slowly: results of tests
 * apply to both. SOURCE Intel's manual, TDPBF16PS: even and odd products are
 * summed separately, rounded at every step, subnormal factors and sums count as
 * 0.
 */
#include "vlm/tensor/plain/k_gemm16_plain.h"

INLINE uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE float flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

INLINE uint16_t half_of(float x)
{
    uint32_t bits = bits_of(flush(x));
    if (x != x) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

INLINE void pack_vf(vf low, vf high, uint16_t *out, float *scale)
{
    (void)scale;
    for (int i = 0; i < GEMM16_LANES; i++) {
        out[i] = half_of(low[i]);
        out[GEMM16_LANES + i] = half_of(high[i]);
    }
}

INLINE vf measure_vf(const float *x, size_t stride, int n, float *scale)
{
    (void)x, (void)stride, (void)n, (void)scale;
    return (vf){0};
}

INLINE void weave_vf(vf even, vf odd, vf measure, uint16_t *out)
{
    (void)measure;
    for (int i = 0; i < GEMM16_LANES; i++) {
        out[2 * i] = half_of(even[i]);
        out[2 * i + 1] = half_of(odd[i]);
    }
}

/* ---- the registers ---------------------------------------------------- */

struct tile_file {
    union {
        uint16_t half[GEMM16_TILE][GEMM16_K];
        float sum[GEMM16_TILE][GEMM16_TILE];
    } tile[8];
};

static void load_in(struct tile_file *f, int t, const void *from, size_t stride)
{
    for (int r = 0; r < GEMM16_TILE; r++)
        memcpy(f->tile[t].half[r], (const char *)from + (size_t)r * stride,
               sizeof f->tile[t].half[r]);
}

static void store_in(const struct tile_file *f, int t, void *to, size_t stride)
{
    for (int r = 0; r < GEMM16_TILE; r++)
        memcpy((char *)to + (size_t)r * stride, f->tile[t].half[r],
               sizeof f->tile[t].half[r]);
}

/* Every second of n products, in order. */
static float dot_in(const uint16_t *a, const struct tile_file *f, int b, int n,
                    int odd)
{
    float sum = 0;
    for (int k = 0; k < GEMM16_K / 2; k++)
        sum = flush(fmaf(
            flush(float_of((uint32_t)a[2 * k + odd] << 16)),
            flush(float_of((uint32_t)f->tile[b].half[k][2 * n + odd] << 16)),
            sum));
    return sum;
}

static void tile_dot_in(struct tile_file *f, int c, int a, int b)
{
    for (int m = 0; m < GEMM16_TILE; m++)
        for (int n = 0; n < GEMM16_TILE; n++) {
            const uint16_t *row = f->tile[a].half[m];
            float even = dot_in(row, f, b, n, 0), odd = dot_in(row, f, b, n, 1);
            f->tile[c].sum[m][n] =
                flush(f->tile[c].sum[m][n] + flush(even + odd));
        }
}

#define TILE_FILE      struct tile_file registers, *file = &registers;
#define TILE_FILE_ARG  struct tile_file *file,
#define TILE_FILE_GIVE file,

#define tile_zero(t)               memset(&file->tile[t], 0, sizeof file->tile[t])
#define tile_load(t, from, stride) load_in(file, t, from, stride)
#define tile_store(t, to, stride)  store_in(file, t, to, stride)
#define tile_dot(c, a, b)          tile_dot_in(file, c, a, b)

#include "vlm/tensor/body/k_tile.h"

static void begin(void)
{
}

static void end(void)
{
}

#define GEMM16_TABLE   gemm16_model
#define GEMM16_NAME    "tile model"
#define GEMM16_WEIGHTS true
#define TILE_ROW       GEMM16_K
#define TILE_SIZE      GEMM16_NUMBERS
#define WEIGHT_MOST    0
#define pack_weights(low, high, x, out) \
    ((void)(x), pack_vf(low, high, out, NULL))
#include "vlm/tensor/body/k_gemm16_body.h"
