/* quant_test.c - block decoders against golden/blocks, bit for bit. */
#include "tests/support/test.h"
#include "vlm/tensor/formats/quant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *file;
    enum quant_type type;
} golden[] = {
    {"f16", QUANT_F16},         {"bf16", QUANT_BF16},
    {"q4_0", QUANT_Q4_0},       {"q4_1", QUANT_Q4_1},
    {"q5_0", QUANT_Q5_0},       {"q5_1", QUANT_Q5_1},
    {"q8_0", QUANT_Q8_0},       {"q2_K", QUANT_Q2_K},
    {"q3_K", QUANT_Q3_K},       {"q4_K", QUANT_Q4_K},
    {"q5_K", QUANT_Q5_K},       {"q6_K", QUANT_Q6_K},
    {"iq4_nl", QUANT_IQ4_NL},   {"iq4_xs", QUANT_IQ4_XS},
    {"mxfp4", QUANT_MXFP4},     {"nvfp4", QUANT_NVFP4},
    {"iq1_s", QUANT_IQ1_S},     {"iq1_m", QUANT_IQ1_M},
    {"iq2_xxs", QUANT_IQ2_XXS}, {"iq2_xs", QUANT_IQ2_XS},
    {"iq2_s", QUANT_IQ2_S},     {"iq3_xxs", QUANT_IQ3_XXS},
    {"iq3_s", QUANT_IQ3_S},     {"tq1_0", QUANT_TQ1_0},
    {"tq2_0", QUANT_TQ2_0},
};

static void *read_block(const char *name, const char *ending, size_t *size)
{
    char relative[128], path[4096];
    snprintf(relative, sizeof relative, "tests/vectors/blocks/%s.%s", name,
             ending);
    return test_read(test_path(path, relative), size);
}

static void decoders_equal_the_golden_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        size_t n_byte, n_want;
        void *block = read_block(golden[i].file, "bin", &n_byte);
        float *want = read_block(golden[i].file, "f32", &n_want);
        const struct quant_info *info = quant_info(golden[i].type);
        int64_t n = (int64_t)(n_want / sizeof(float));
        static float got[65536];
        assert_true(info->supported);
        assert_true((size_t)n <= sizeof got / sizeof got[0]);
        assert_int_equal(quant_row_bytes(golden[i].type, n), n_byte);
        quant_decode(golden[i].type, block, n, got);
        for (int64_t k = 0; k < n; k++)
            if (memcmp(&got[k], &want[k], sizeof got[k]) != 0)
                fail_msg("%s[%d]: %.9g, want %.9g", golden[i].file, (int)k,
                         (double)got[k], (double)want[k]);
        test_give(block);
        test_give(want);
    }
}

/* A block of bytes 37 i + 11 with its half fields set. */
static float sum_of_pattern(enum quant_type type, float *first, float *last)
{
    const struct quant_info *info = quant_info(type);
    uint8_t b[256];
    for (int i = 0; i < info->bytes; i++)
        b[i] = (uint8_t)(37 * i + 11);
    int at = type == QUANT_Q6_K   ? 208
             : type == QUANT_Q3_K ? 108
             : type == QUANT_Q2_K ? 80
                                  : 0;
    if (type == QUANT_MXFP4) {
        b[0] = 127;
    } else if (type == QUANT_NVFP4) {
        memcpy(b, "\x38\x39\x3a\x3b", 4);
    } else {
        b[at] = 0, b[at + 1] = 0x2c;
        if (quant_form(type).has_min) b[at + 2] = 0, b[at + 3] = 0x28;
    }
    float y[256], sum = 0;
    quant_decode(type, b, info->block, y);
    for (int i = 0; i < info->block; i++)
        sum += y[i];
    *first = y[0], *last = y[info->block - 1];
    return sum;
}

static void pattern_blocks_have_the_published_sums(void **state)
{
    (void)state;
    static const struct {
        enum quant_type type;
        float sum, first, last;
    } want[] = {
        {QUANT_Q4_0, -1.3125f, -0.1875f, 0},
        {QUANT_Q5_0, 0.9375f, 0.5625f, 0.0625f},
        {QUANT_Q8_0, -11, 5.3125f, -3},
        {QUANT_Q2_K, 128.6875f, 2.0625f, 0.28125f},
        {QUANT_Q3_K, 59.875f, 5.0625f, 2.625f},
        {QUANT_Q4_K, 3402.5f, 19.71875f, 3.03125f},
        {QUANT_Q5_K, 7263.5f, 50.71875f, 6.78125f},
        {QUANT_Q6_K, 288.25f, -89.4375f, -3.75f},
        {QUANT_IQ4_NL, -16.0625f, -2.1875f, 0.0625f},
        {QUANT_IQ4_XS, -687.8125f, 4.0625f, -1},
        {QUANT_MXFP4, 12.5f, 0, 3},
        {QUANT_NVFP4, -14.0625f, -6, 0.6875f},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        float first, last, sum = sum_of_pattern(want[i].type, &first, &last);
        if (sum != want[i].sum || first != want[i].first ||
            last != want[i].last)
            fail_msg("%s: %g %g %g", quant_info(want[i].type)->name,
                     (double)sum, (double)first, (double)last);
    }
}

static void types_are_named_even_when_refused(void **state)
{
    (void)state;
    assert_string_equal(quant_info(15)->name, "Q8_K");
    assert_false(quant_info(15)->supported);
    assert_string_equal(quant_info(29)->name, "IQ1_M");
    assert_null(quant_info(43)->name);
    assert_null(quant_info(UINT32_MAX)->name);
    for (uint32_t type = 0; type < 64; type++) {
        const struct quant_info *info = quant_info(type);
        if (!info->supported) continue;
        assert_in_range(info->block, 1, QUANT_BLOCK_MAX);
        struct quant_form form = quant_form((enum quant_type)type);
        if (form.sub == 0) continue;
        assert_true(info->block / form.sub <= QUANT_SUB_MAX);
        assert_int_equal(form.act % form.sub, 0);
    }
}

static void gemm16_survive_the_round_trip(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        float f = quant_f16_to_f32((uint16_t)h);
        if (isnan(f)) {
            assert_true(isnan(quant_f16_to_f32(quant_f32_to_f16(f))));
            continue;
        }
        assert_int_equal(quant_f32_to_f16(f), h);
    }
}

static void gemm16_are_rounded_to_nearest_even(void **state)
{
    (void)state;
    static const struct {
        float f;
        uint16_t h;
    } want[] = {
        {1.0f + 0x1p-11f, 0x3c00},
        {1.0f + 0x3p-11f, 0x3c02},
        {1.0f + 0x1.1p-11f, 0x3c01},
        {65504.0f, 0x7bff},
        {65519.99f, 0x7bff},
        {65520.0f, 0x7c00},
        {-1e30f, 0xfc00},
        {0x1p-24f, 1},
        {0x1p-25f, 0},
        {0x1.8p-25f, 1},
        {-0x1p-26f, 0x8000},
        {0x1.ff8p-15f, 0x03ff},
        {0x1.ffcp-15f, 0x0400},
        {0x1p-14f, 0x0400},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        assert_int_equal(quant_f32_to_f16(want[i].f), want[i].h);
}

TEST_GROUP(quant, cmocka_unit_test(decoders_equal_the_golden_blocks),
           cmocka_unit_test(pattern_blocks_have_the_published_sums),
           cmocka_unit_test(types_are_named_even_when_refused),
           cmocka_unit_test(gemm16_survive_the_round_trip),
           cmocka_unit_test(gemm16_are_rounded_to_nearest_even))
