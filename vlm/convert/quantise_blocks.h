/* quantise_blocks.h - quantisation of one block, for types with a search. */
#ifndef VLM_CONVERT_QUANTISE_BLOCKS_H
#define VLM_CONVERT_QUANTISE_BLOCKS_H

#include <stdint.h>

enum { K_BLOCK = 256 };

/* Quantises x[256] with weights w[256] to a block of Q4_K or Q5_K (n_bit 4 or
 * 5), or of Q6_K. */
void quantise_k_pairs(const float *x, const float *w, int n_bit, uint8_t *out);
void quantise_k_signed(const float *x, const float *w, uint8_t *out);

/* Quantises x[32] to a block of MXFP4, x[64] to a block of NVFP4. */
void quantise_mxfp4(const float *x, const float *w, uint8_t *out);
void quantise_nvfp4(const float *x, const float *w, uint8_t *out);

/* Rounds to the nearest whole number, ties to even; |v| below 2^22. */
static inline float quantise_near(float v)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: drops the fraction */
    return (v + magic) - magic;
}

/* v, limited to the range. */
static inline float quantise_clamp(float v, float least, float most)
{
    v = v > least ? v : least; /* each is one instruction */
    return v < most ? v : most;
}

#endif
