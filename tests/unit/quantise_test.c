/* quantise_test.c - how far rounded weights lie from the weights. */
#include <math.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/convert/quantise.h"

enum { ROWS = 16, COLS = 1024, VALUES = ROWS * COLS };

/* Whole numbers only, so that every machine makes the same floats: the sum of
 * four throws is nearly normal; now and then one is eight times as large. */
static void fill(float *x, float *importance)
{
    uint64_t s = 1;
    for (int i = 0; i < VALUES; i++) {
        int sum = 0;
        for (int k = 0; k < 4; k++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            sum += (int)(s >> 40 & 65535);
        }
        int v = sum - 131070;
        x[i] = (float)(v * ((s >> 20 & 63) ? 1 : 8)) / 4194304.0f;
    }
    for (int c = 0; c < COLS; c++)
        importance[c] = (float)(1 + c * 7919 % 64 * (c % 3));
}

static double error_of(enum quant_type type, const float *x,
                       const float *importance)
{
    static uint8_t blocks[COLS * 4];
    static float y[COLS];
    double sum = 0, weights = 0;
    for (int r = 0; r < ROWS; r++) {
        quantise_row(type, x + r * COLS, COLS, importance, blocks);
        quant_decode(type, blocks, COLS, y);
        for (int c = 0; c < COLS; c++) {
            double off = (double)y[c] - (double)x[r * COLS + c];
            double w = importance ? (double)importance[c] : 1;
            sum += w * off * off;
            weights += w;
        }
    }
    return sum / weights;
}

static void errors_are_at_most_those_of_llama_cpp(void **state)
{
    (void)state;
    static const struct {
        enum quant_type type;
        double plain, weighed; /* ggml_quantize_chunk on the same numbers */
    } peer[] = {
        {QUANT_Q8_0, 1.239673e-08, 1.219335e-08},
        {QUANT_Q4_K, 1.240611e-06, 1.050820e-06},
        {QUANT_Q5_K, 3.196533e-07, 2.853220e-07},
        {QUANT_Q6_K, 1.083905e-07, 9.541635e-08},
        {QUANT_MXFP4, 3.492145e-06, 3.367463e-06},
        {QUANT_NVFP4, 2.037508e-06, 2.036549e-06},
    };
    static float x[VALUES], importance[COLS];
    fill(x, importance);
    for (size_t i = 0; i < sizeof peer / sizeof *peer; i++) {
        double plain = error_of(peer[i].type, x, NULL);
        double weighed = error_of(peer[i].type, x, importance);
        assert_true(plain <= peer[i].plain * 1.000001);
        assert_true(weighed <= peer[i].weighed * 1.000001);
        assert_true(plain > peer[i].plain / 4); /* it is the same tensor */
    }
}

static void importance_moves_the_error_to_where_it_matters_less(void **state)
{
    (void)state;
    static const enum quant_type types[] = {QUANT_Q4_K, QUANT_Q5_K, QUANT_Q6_K,
                                            QUANT_MXFP4, QUANT_NVFP4};
    static float x[COLS], y[COLS], importance[COLS];
    static float all[VALUES];
    static uint8_t blocks[COLS * 4];
    fill(all, importance);
    memcpy(x, all, sizeof x);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        double error[2] = {0};
        for (int with = 0; with < 2; with++) {
            quantise_row(types[t], x, COLS, with ? importance : NULL, blocks);
            quant_decode(types[t], blocks, COLS, y);
            for (int c = 0; c < COLS; c++)
                error[with] += (double)importance[c] * (double)(y[c] - x[c]) *
                               (double)(y[c] - x[c]);
        }
        assert_true(error[1] < error[0]);
    }
}

/* Rows that tempt a search to divide by nothing: zeros, one value, equal ones,
 * very small and very large ones. */
static void odd_rows_stay_finite(void **state)
{
    (void)state;
    static const enum quant_type types[] = {QUANT_Q8_0,  QUANT_Q4_K,
                                            QUANT_Q5_K,  QUANT_Q6_K,
                                            QUANT_MXFP4, QUANT_NVFP4};
    static const float size[] = {0, 1, -1, 1e-30f, -1e-20f, 3e4f, 1e-6f, -250};
    float x[256], y[256];
    uint8_t blocks[1024];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < sizeof size / sizeof *size; s++)
            for (int kind = 0; kind < 3; kind++) {
                for (int i = 0; i < 256; i++)
                    x[i] = kind == 0 || i == 77 || (kind == 2 && i % 2)
                               ? size[s]
                               : 0;
                quantise_row(types[t], x, 256, NULL, blocks);
                quant_decode(types[t], blocks, 256, y);
                bool reach = types[t] != QUANT_NVFP4 || fabsf(size[s]) <= 2688;
                for (int i = 0; i < 256; i++) {
                    assert_true(isfinite(y[i]));
                    if (reach)
                        assert_true(fabsf(y[i] - x[i]) <=
                                    fabsf(size[s]) * 0.1f + 4e-3f);
                }
            }
}

static void codes_of_nvfp4_are_kept(void **state)
{
    (void)state;
    uint8_t code[64], scale[4] = {0x38, 0x40, 0x01, 0x7e}, block[36];
    float y[64];
    for (int i = 0; i < 64; i++)
        code[i] = (uint8_t)(i * 7 % 16);
    quantise_nvfp4_codes(code, scale, 64, block);
    quant_decode(QUANT_NVFP4, block, 64, y);
    static const float of[4] = {1, 2, 0.001953125f, 448};
    for (int i = 0; i < 64; i++)
        assert_true(y[i] ==
                    0.5f * (float)quant_fp4_value[code[i]] * of[i / 16]);
}

TEST_GROUP(
    quantise, cmocka_unit_test(errors_are_at_most_those_of_llama_cpp),
    cmocka_unit_test(importance_moves_the_error_to_where_it_matters_less),
    cmocka_unit_test(odd_rows_stay_finite),
    cmocka_unit_test(codes_of_nvfp4_are_kept))
