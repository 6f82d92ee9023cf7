/* gemm16_test.c - products of 16 bits: every unit against its model in C, bit for
 * bit, and against sums in double. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/cpu.h"
#include "vlm/tensor/gemm16.h"
#include "vlm/tensor/k_gemm16.h"

enum { ROWS = 32, COLUMNS = 48, K = 100, WIDE = 128, KEYS = 96 };

static uint32_t seed = 1;

static float noise(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1.0f;
}

/* The models and the units of this machine, each behind its model; what it
 * lacks is said. */
enum { UNITS = 13 };

static int units(const struct gemm16 *out[UNITS])
{
    static const struct {
        const char *name;
        unsigned needs;
        const struct gemm16 *model;
    } unit[] = {{"amx", CPU_AMX_BF16, &gemm16_model},
                {"words of avx512", CPU_AVX512VNNI, &gemm16_int16_model},
                {"words of avx2", CPU_AVX2, &gemm16_int16_model},
                {"words of avx2+vnni", CPU_AVXVNNI, &gemm16_int16_model},
                {"bytes of avx2+vnni", CPU_AVXVNNI, &gemm16_int8_model},
                {"bytes of avx512", CPU_AVX512VNNI, &gemm16_int8_model}};
    unsigned have = cpu_features();
    int n = 0;
    for (int i = 0; i < 6; i++) {
        unsigned with = have & (2 * unit[i].needs - 1);
        bool words = unit[i].model == &gemm16_int16_model;
        if (i != 2) out[n++] = unit[i].model;
        if (have & unit[i].needs)
            out[n++] = words ? gemm16_pick_int16(with) : gemm16_pick(with);
        else
            print_message("NOT TESTED: %s, which this machine lacks\n",
                          unit[i].name);
    }
    if (have & CPU_AVX2) {
        out[n++] = gemm16_pick_int16(CPU_AVX2 | CPU_VNNI_MODEL);
        out[n++] = gemm16_pick(CPU_AVX2 | CPU_VNNI_MODEL);
    }
    return n;
}

static const struct gemm16 *model_of(const struct gemm16 *h)
{
    return h->tile == GEMM16_INT16  ? &gemm16_int16_model
           : h->tile == GEMM16_INT8 ? &gemm16_int8_model
                                    : &gemm16_model;
}

/* What a unit makes of the same numbers. */
enum {
    STRIP = WIDE / GEMM16_K * GEMM16_INT16,
    KEY_STRIP = KEYS / GEMM16_K * GEMM16_INT16
};

struct made {
    _Alignas(64) uint16_t a[2][STRIP];
    uint16_t b[3][STRIP];
    uint16_t unpacked[3][STRIP], v[KEY_STRIP];
    float c[ROWS * COLUMNS], out[ROWS / 2 * GEMM16_TILE];
    float most[GEMM16_TILE], sum[GEMM16_TILE * GEMM16_LANES];
    uint16_t weight[KEY_STRIP];
};

/* Numbers of all sizes, subnormal ones and zeros among them. */
static void fill(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = i % 37 == 5 ? 1e-40f : i % 41 == 7 ? 0 : noise() * 4;
}

static void unpack_all(const struct gemm16 *h, struct made *m)
{
    static const enum quant_type type[] = {QUANT_F32, QUANT_F16, QUANT_BF16};
    static uint8_t raw[GEMM16_TILE][4 * K];
    uint32_t bits = 9;
    for (int t = 0; t < 3; t++) {
        const uint8_t *row[GEMM16_TILE];
        for (int i = 0; i < GEMM16_TILE; i++) {
            for (int k = 0; k < 4 * K; k += 2) {
                bits = bits * 1664525u + 1013904223u;
                uint16_t half = (uint16_t)((bits >> 16 & 0xbfff) | 0x2000);
                memcpy(raw[i] + k, &half, sizeof half);
            }
            row[i] = raw[i];
        }
        h->unpack(type[t], row, K, m->unpacked[t]);
    }
}

/* 80 keys of 96, then 16 more of which the last block is made. */
static void look(const struct gemm16 *h, struct made *m)
{
    static float score[GEMM16_TILE * KEYS];
    struct gemm16_softmax s = {.score = score,
                               .stride = KEYS,
                               .n_row = GEMM16_TILE,
                               .n_key = 80,
                               .weight = m->weight,
                               .most = m->most,
                               .sum = m->sum,
                               .out = m->out,
                               .n_out = GEMM16_TILE,
                               .first = true};
    struct gemm16_product p = {.n_row = 1,
                               .n_column = 1,
                               .n_k = 3,
                               .a = m->weight,
                               .b = m->v,
                               .c = m->out,
                               .c_stride = GEMM16_TILE};
    seed = 77;
    for (int i = 0; i < GEMM16_TILE * KEYS; i++)
        score[i] = noise() * 20;
    h->pack_k(score, GEMM16_TILE, 80, m->v);
    h->softmax(&s);
    h->mul(&p);
    for (int i = 0; i < GEMM16_TILE * KEYS; i++)
        score[i] = noise() * 40;
    s.n_key = 17, s.first = false;
    h->softmax(&s);
    p.n_k = 1, p.add = true;
    h->mul(&p);
}

static void make(const struct gemm16 *h, struct made *m, const float *x,
                 const float *y)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 2; i++)
        h->pack_rows(x + i * GEMM16_TILE * K, K, i ? 13 : 16, K, m->a[i]);
    for (int i = 0; i < 3; i++)
        h->pack_columns(y + i * GEMM16_TILE * K, K, GEMM16_TILE, K, m->b[i]);
    struct gemm16_product p = {.n_row = 2,
                               .n_column = 3,
                               .n_k = WIDE / GEMM16_K,
                               .a = m->a[0],
                               .b = m->b[0],
                               .a_step = STRIP,
                               .b_step = STRIP,
                               .c = m->c,
                               .c_stride = COLUMNS};
    h->begin();
    h->mul(&p);
    p.add = true;
    h->mul(&p);
    look(h, m);
    h->end();
    unpack_all(h, m);
}

static void expect_product(const struct gemm16 *h, const struct made *m,
                           const float *x, const float *y)
{
    for (int i = 0; i < GEMM16_TILE + 13; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double want = 0, size = 0;
            for (int k = 0; k < K; k++) {
                double v = 2.0 * (double)x[i * K + k] * (double)y[j * K + k];
                want += v, size += fabs(v);
            }
            double got = (double)m->c[i * COLUMNS + j];
            /* both factors off by half of the eighth bit, or of a step of
             * 1 / GEMM16_INT16_MAX or 1 / 127 of the largest */
            double most = h->tile == GEMM16_INT16  ? size / 1024
                          : h->tile == GEMM16_INT8 ? size / 50
                                                   : size / 128;
            if (!(fabs(got - want) <= most))
                fail_msg("%s: c[%d][%d] is %g, want %g", h->name, i, j, got,
                         want);
        }
    for (int i = (GEMM16_TILE + 13) * COLUMNS; i < ROWS * COLUMNS; i++)
        assert_true(m->c[i] == 0);
}

static void products_are_near_on_every_unit(void **state)
{
    (void)state;
    static float x[ROWS * K], y[COLUMNS * K];
    static struct made got;
    const struct gemm16 *unit[UNITS];
    fill(x, ROWS * K);
    fill(y, COLUMNS * K);
    int n = units(unit);
    for (int i = 0; i < n; i++) {
        make(unit[i], &got, x, y);
        expect_product(unit[i], &got, x, y);
    }
}

/* What is proven of a model holds for the units behind it. */
static void units_give_the_bits_of_their_model(void **state)
{
    (void)state;
    static float x[ROWS * K], y[COLUMNS * K];
    static struct made got, want;
    const struct gemm16 *unit[UNITS];
    fill(x, ROWS * K);
    fill(y, COLUMNS * K);
    int n = units(unit);
    for (int i = 0; i < n; i++) {
        make(model_of(unit[i]), &want, x, y);
        make(unit[i], &got, x, y);
        print_message("%s\n", unit[i]->name);
        assert_memory_equal(got.a, want.a, sizeof got.a);
        assert_memory_equal(got.b, want.b, sizeof got.b);
        assert_memory_equal(got.v, want.v, sizeof got.v);
        assert_memory_equal(got.unpacked, want.unpacked, sizeof got.unpacked);
        assert_memory_equal(got.weight, want.weight, sizeof got.weight);
        assert_memory_equal(got.sum, want.sum, sizeof got.sum);
        assert_memory_equal(got.most, want.most, sizeof got.most);
        assert_memory_equal(got.c, want.c, sizeof got.c);
        assert_memory_equal(got.out, want.out, sizeof got.out);
    }
}

/* What weighs values: 80 keys of 96, then 17 behind them, by the sums that
 * soften keeps. */
static void values_in_bytes_are_near(void **state)
{
    (void)state;
    static struct made m;
    double sum[GEMM16_TILE][2] = {{0}}, most[GEMM16_TILE];
    memset(&m, 0, sizeof m);
    look(&gemm16_int8_model, &m);
    seed = 77;
    static float score[2][GEMM16_TILE * KEYS];
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < GEMM16_TILE * KEYS; i++)
            score[b][i] = noise() * (b ? 40 : 20);
    for (int i = 0; i < GEMM16_TILE; i++) {
        most[i] = -1e9;
        for (int k = 0; k < 97; k++)
            most[i] = fmax(most[i], (double)score[k >= 80][i * KEYS + k % 80]);
        assert_float_equal(m.most[i], most[i], 1e-6);
        for (int k = 0; k < 97; k++) {
            double w =
                exp2((double)score[k >= 80][i * KEYS + k % 80] - most[i]);
            sum[i][0] += w;
            /* the second block meets the values of the first */
            sum[i][1] += w * (double)score[0][k % 80 * GEMM16_TILE];
        }
        double got = (double)m.out[i * GEMM16_TILE];
        if (!(fabs(got - sum[i][1]) <= sum[i][0] * 20 / 100))
            fail_msg("row %d is %g, want %g of %g", i, got, sum[i][1],
                     sum[i][0]);
    }
}

TEST_GROUP(halves, cmocka_unit_test(products_are_near_on_every_unit),
           cmocka_unit_test(units_give_the_bits_of_their_model),
           cmocka_unit_test(values_in_bytes_are_near))
