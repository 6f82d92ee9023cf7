/* quant.h - block formats of weights: sizes and reference decoders.
 *
 * SOURCE  MODEL.md, "Blocks of weights"; bit-exact with tests/vectors/blocks.
 */
#ifndef VLM_TENSOR_FORMATS_QUANT_H
#define VLM_TENSOR_FORMATS_QUANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quant_type { /* numbers as in GGUF */
                  QUANT_F32 = 0,
                  QUANT_F16 = 1,
                  QUANT_Q4_0 = 2,
                  QUANT_Q4_1 = 3,
                  QUANT_Q5_0 = 6,
                  QUANT_Q5_1 = 7,
                  QUANT_Q8_0 = 8,
                  QUANT_Q2_K = 10,
                  QUANT_Q3_K = 11,
                  QUANT_Q4_K = 12,
                  QUANT_Q5_K = 13,
                  QUANT_Q6_K = 14,
                  QUANT_IQ2_XXS = 16,
                  QUANT_IQ2_XS = 17,
                  QUANT_IQ3_XXS = 18,
                  QUANT_IQ1_S = 19,
                  QUANT_IQ4_NL = 20,
                  QUANT_IQ3_S = 21,
                  QUANT_IQ2_S = 22,
                  QUANT_IQ4_XS = 23,
                  QUANT_IQ1_M = 29,
                  QUANT_BF16 = 30,
                  QUANT_TQ1_0 = 34,
                  QUANT_TQ2_0 = 35,
                  QUANT_MXFP4 = 39,
                  QUANT_NVFP4 = 40
};

struct quant_info {
    const char *name; /* "Q4_K"; NULL for an unknown number */
    int block;        /* elements per block */
    int bytes;        /* bytes per block */
    bool supported;   /* false: known by name only (Q8_K ...), refused */
};

/* Properties of any type number from a file; never NULL. */
const struct quant_info *quant_info(uint32_t type);

/* Bytes of a row of n elements (n a multiple of the block). */
size_t quant_row_bytes(enum quant_type type, int64_t n);

/* Decodes n elements (whole blocks) to F32: the specification that every
 * faster path must match. For NVFP4 without the tensor's `.scale`. */
void quant_decode(enum quant_type type, const void *blocks, int64_t n,
                  float *out);

/* How a quantised type is decoded for integer products: value e of a block is
 * scale[e / sub] * q[e] + min[e / sub] with q in -128..127. */
struct quant_form {
    int sub;      /* values that share a scale, 16 or 32; 0: a float type */
    int act;      /* activations that share a scale in products: 32 or 256 */
    bool has_min; /* else min is 0 and quant_split does not write it */
};

enum { QUANT_BLOCK_MAX = 256, QUANT_SUB_MAX = 16 };

/* The form of a type; sub 0 and act 0 for a float type. */
struct quant_form quant_form(enum quant_type type);

/* Decodes one block of a quantised type to q[block], scale[block / sub],
 * min[block / sub]. */
void quant_split(enum quant_type type, const void *block, int8_t *q,
                 float *scale, float *min);

extern const int8_t quant_iq4_value[16]; /* for IQ4_NL and IQ4_XS */

extern const int8_t quant_fp4_value[16]; /* E2M1 times two */

/* Converts between IEEE binary16 and F32: exactly, and to nearest even
 * (infinity beyond the range; NaN stays NaN). */
float quant_f16_to_f32(uint16_t h);
uint16_t quant_f32_to_f16(float f);

#endif
