/* panels_test.c - panels of every set against the scalar one, on the golden
 * blocks: subnormal scales and the outermost exponents included. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/cpu.h"
#include "vlm/tensor/kernels.h"

static const struct {
    const char *file;
    enum quant_type type;
} golden[] = {
    {"q4_0", QUANT_Q4_0},       {"q4_1", QUANT_Q4_1},
    {"q5_0", QUANT_Q5_0},       {"q5_1", QUANT_Q5_1},
    {"q8_0", QUANT_Q8_0},       {"q2_K", QUANT_Q2_K},
    {"q3_K", QUANT_Q3_K},       {"q4_K", QUANT_Q4_K},
    {"q5_K", QUANT_Q5_K},       {"q6_K", QUANT_Q6_K},
    {"iq4_nl", QUANT_IQ4_NL},   {"mxfp4", QUANT_MXFP4},
    {"iq4_xs", QUANT_IQ4_XS},   {"nvfp4", QUANT_NVFP4},
    {"iq1_s", QUANT_IQ1_S},     {"iq1_m", QUANT_IQ1_M},
    {"iq2_xxs", QUANT_IQ2_XXS}, {"iq2_xs", QUANT_IQ2_XS},
    {"iq2_s", QUANT_IQ2_S},     {"iq3_xxs", QUANT_IQ3_XXS},
    {"iq3_s", QUANT_IQ3_S},     {"tq1_0", QUANT_TQ1_0},
    {"tq2_0", QUANT_TQ2_0},
};

/* This machine's, and a model. */
static unsigned units(void)
{
    unsigned have = cpu_features();
    return have & CPU_AVX2 ? have | CPU_VNNI_MODEL : have;
}

/* A unit with those below it. */
static unsigned up_to(unsigned have, unsigned bit)
{
    if (bit == CPU_VNNI_MODEL) return CPU_AVX2 | bit;
    return bit ? have & (2 * bit - 1) : 0;
}

static void compare(const char *name, const struct kernels *k,
                    const struct panel_i8 *got, const struct panel_i8 *want)
{
    int n_k = want->n_k, n_scale = n_k / want->form.sub * PANEL_ROWS;
    assert_int_equal(got->n_k, n_k);
    for (int i = 0; i < n_k * PANEL_ROWS; i++)
        if ((uint8_t)((got->q[i] ^ (k->flip ? 0x80 : 0)) - got->offset) !=
            want->q[i])
            fail_msg("%s, %s: byte %d is %d, want %d", k->name, name, i,
                     got->q[i], want->q[i]);
    for (int i = 0; i < n_scale; i++) {
        if (memcmp(&got->scale[i], &want->scale[i], sizeof(float)) != 0)
            fail_msg("%s, %s: scale %d is %g, want %g", k->name, name, i,
                     (double)got->scale[i], (double)want->scale[i]);
        if (want->form.has_min &&
            memcmp(&got->min[i], &want->min[i], sizeof(float)) != 0)
            fail_msg("%s, %s: minimum %d is %g, want %g", k->name, name, i,
                     (double)got->min[i], (double)want->min[i]);
    }
}

/* 64 blocks as 32 rows of two. */
static void panels_equal_the_scalar_ones(void **state)
{
    (void)state;
    static struct panel_i8 got, want;
    unsigned have = units();
    struct kernels scalar;
    kernels_pick(&scalar, 0);
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        char relative[128], path[4096];
        size_t size;
        snprintf(relative, sizeof relative, "tests/vectors/blocks/%s.bin",
                 golden[i].file);
        uint8_t *block = test_read(test_path(path, relative), &size);
        const struct quant_info *info = quant_info(golden[i].type);
        const uint8_t *row[PANEL_ROWS];
        assert_int_equal(size, (size_t)(2 * PANEL_ROWS * info->bytes));
        for (int r = 0; r < PANEL_ROWS; r++)
            row[r] = block + 2 * r * info->bytes;
        scalar.unpack_i8(golden[i].type, row, NULL, 2 * info->block, &want);
        for (unsigned bit = 1; bit <= have; bit <<= 1) {
            if (!(have & bit)) continue;
            struct kernels k;
            kernels_pick(&k, up_to(have, bit));
            k.unpack_i8(golden[i].type, row, row, 2 * info->block, &got);
            compare(golden[i].file, &k, &got, &want);
        }
        test_give(block);
    }
}

/* Floats of all sizes into bytes, in two pieces. */
static void rounded_panels_equal_the_scalar_ones(void **state)
{
    (void)state;
    enum { N = 96 };
    static float x[N * PANEL_ROWS];
    static struct panel_i8 got, want;
    unsigned have = units();
    for (int i = 0; i < N * PANEL_ROWS; i++)
        x[i] = sinf((float)i * (float)i) * (i % 7 ? 2.0f : 1e-4f);
    for (int k = 0; k < 32; k++) { /* too small; and not a number */
        x[k * PANEL_ROWS + 3] = 1e-40f;
        x[(32 + k) * PANEL_ROWS + 5] = k == 9 ? NAN : 1;
    }
    struct kernels k;
    kernels_pick(&k, 0);
    k.round_panel(x, N, 0, &want);
    assert_int_equal((int8_t)want.q[3 * 4], 0);
    assert_true(isnan(want.scale[PANEL_ROWS + 5]));
    for (unsigned bit = 1; bit <= have; bit <<= 1) {
        if (!(have & bit)) continue;
        kernels_pick(&k, up_to(have, bit));
        k.round_panel(x, 32, 0, &got);
        k.round_panel(x + 32 * PANEL_ROWS, N - 32, 32, &got);
        for (int r = 0; r < 3 * PANEL_ROWS; r++) /* which NaN is all one */
            if (isnan(want.scale[r]) && isnan(got.scale[r]))
                got.scale[r] = want.scale[r];
        compare("floats", &k, &got, &want);
    }
}

static void rounding_keeps_its_bounds(void **state)
{
    (void)state;
    enum { N = 320 };
    unsigned have = units();
    float x[N];
    for (int i = 0; i < N; i++)
        x[i] = sinf((float)(i * i)) * (i < 256 ? 3.0f : 1e-3f);
    for (int i = 64; i < 96; i++)
        x[i] = i == 70 ? 1e-40f : 0.0f; /* too small: counts as zero */
    for (unsigned bit = 0; !bit || bit <= have; bit = bit ? bit << 1 : 1) {
        struct kernels k;
        int8_t q[N];
        float d[N / 32];
        kernels_pick(&k, up_to(have, bit));
        for (int act = 32; act <= 256; act *= 8) {
            k.round_row(x, N, act, q, d);
            for (int i = 0; i < N; i++) {
                float error = fabsf(x[i] - (float)q[i] * d[i / act]);
                if (!(error <= d[i / act] * 0.50001f + 1e-39f))
                    fail_msg("%s: %g rounded to %d * %g", k.name, (double)x[i],
                             q[i], (double)d[i / act]);
            }
        }
    }
}

TEST_GROUP(panels, cmocka_unit_test(panels_equal_the_scalar_ones),
           cmocka_unit_test(rounded_panels_equal_the_scalar_ones),
           cmocka_unit_test(rounding_keeps_its_bounds))
