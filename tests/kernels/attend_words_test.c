/* attend_words_test.c - attention's products in words: near those of doubles, the
 * same on every unit, a row by itself as in company. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/base/arena.h"
#include "vlm/base/cpu.h"
#include "vlm/device/cpu/decode/attend_int16.h"

enum { ROWS = 37, PADDED = 48, DIM = 96, BLOCK = 32 };

struct made {
    float score[PADDED * LAYER_KEYS], out[PADDED * DIM];
};

static float q[ROWS * DIM], keys[DIM * LAYER_KEYS], values[LAYER_KEYS * DIM];
static float weight[ROWS * LAYER_KEYS];

static void fill(float *x, int n, float most, uint32_t *seed)
{
    for (int i = 0; i < n; i++) {
        *seed = *seed * 1664525 + 1013904223;
        x[i] = ((float)(*seed >> 8) / 8388608 - 1) * most;
    }
}

static void fill_all(void)
{
    uint32_t seed = 5;
    fill(q, ROWS * DIM, 0.2f, &seed);
    fill(keys, DIM * LAYER_KEYS, 4, &seed);
    fill(values, LAYER_KEYS * DIM, 3, &seed);
    fill(weight, ROWS * LAYER_KEYS, 0.5f, &seed);
    for (int i = 0; i < ROWS * LAYER_KEYS; i++)
        weight[i] += 0.5f;
}

/* Rows first .. first + n - 1. */
static void make(const struct gemm16 *words, int first, int n, struct made *m)
{
    size_t floats = attend_int16_scratch(words, n, DIM);
    float *scratch = mem_alloc(floats, sizeof *scratch);
    struct attend_int16 a = attend_int16_layout(words, n, DIM, scratch);
    memset(m, 0, sizeof *m);
    attend_int16_set_queries(&a, n, q + first * DIM);
    attend_int16_score(&a, n, keys, m->score);
    attend_int16_add_values(&a, n, weight + first * LAYER_KEYS, values, m->out);
    mem_free(scratch);
}

static void expect_near(const char *name, float got, double want, double sizes)
{
    if (!(fabs((double)got - want) <= 1e-4 * sizes))
        fail_msg("%s: %.9g instead of %.9g", name, (double)got, want);
}

static void expect_score(const char *name, const struct made *m, int r, int k)
{
    double want = 0, sizes = 0;
    for (int d = 0; d < DIM; d++) {
        float key = keys[k / BLOCK * BLOCK * DIM + d * BLOCK + k % BLOCK];
        double one = (double)q[r * DIM + d] * (double)key;
        want += one, sizes += fabs(one);
    }
    expect_near(name, m->score[r * LAYER_KEYS + k], want, sizes);
}

static void expect_out(const char *name, const struct made *m, int r, int d)
{
    double want = 0, sizes = 0;
    for (int k = 0; k < LAYER_KEYS; k++) {
        double one =
            (double)weight[r * LAYER_KEYS + k] * (double)values[k * DIM + d];
        want += one, sizes += fabs(one);
    }
    expect_near(name, m->out[r * DIM + d], want, sizes);
}

static void products_are_those_of_doubles_to_13_bits(void **state)
{
    (void)state;
    static struct made m;
    fill_all();
    make(gemm16_pick_int16(CPU_WORDS_MODEL), 0, ROWS, &m);
    for (int r = 0; r < ROWS; r++) {
        for (int k = 0; k < LAYER_KEYS; k++)
            expect_score("score", &m, r, k);
        for (int d = 0; d < DIM; d++)
            expect_out("out", &m, r, d);
    }
}

static void every_unit_gives_the_same_bits(void **state)
{
    (void)state;
    static struct made want, got;
    unsigned unit[] = {CPU_AVX2, CPU_AVX2 | CPU_AVXVNNI,
                       CPU_AVX512VNNI | CPU_AMX_BF16,
                       CPU_AVX2 | CPU_VNNI_MODEL};
    unsigned have = cpu_features();
    if (have & CPU_AVX2) have |= CPU_VNNI_MODEL;
    int n_run = 0;
    fill_all();
    make(gemm16_pick_int16(CPU_WORDS_MODEL), 0, ROWS, &want);
    for (int i = 0; i < 4; i++) {
        unsigned has = unit[i] & have;
        if (!gemm16_pick_int16(has)) continue;
        make(gemm16_pick_int16(has), 0, ROWS, &got);
        assert_memory_equal(&got, &want, sizeof got);
        n_run++;
    }
    if (!n_run) skip();
}

static void a_row_is_the_same_by_itself(void **state)
{
    (void)state;
    static struct made all, one;
    unsigned mine = cpu_features();
    if (!gemm16_pick_int16(mine)) mine = CPU_WORDS_MODEL;
    fill_all();
    make(gemm16_pick_int16(mine), 0, ROWS, &all);
    for (int r = 0; r < ROWS; r++) {
        make(gemm16_pick_int16(mine), r, 1, &one);
        assert_memory_equal(one.score, all.score + r * LAYER_KEYS,
                            LAYER_KEYS * sizeof(float));
        assert_memory_equal(one.out, all.out + r * DIM, DIM * sizeof(float));
    }
}

TEST_GROUP(attend_words,
           cmocka_unit_test(products_are_those_of_doubles_to_13_bits),
           cmocka_unit_test(every_unit_gives_the_same_bits),
           cmocka_unit_test(a_row_is_the_same_by_itself))
