/* quantise_blocks.h - one block of each type that is searched for. */
#ifndef VLM_CONVERT_QUANTISE_BLOCKS_H
#define VLM_CONVERT_QUANTISE_BLOCKS_H

#include <stdint.h>

enum { K_BLOCK = 256 };

/* x[256] and its weights w[256] to a block of Q4_K or Q5_K (n_bit 4, 5), or of
 * Q6_K. */
void quantise_k_pairs(const float *x, const float *w, int n_bit, uint8_t *out);
void quantise_k_signed(const float *x, const float *w, uint8_t *out);

/* x[32] to MXFP4, x[64] to NVFP4. */
void quantise_mxfp4(const float *x, const float *w, uint8_t *out);
void quantise_nvfp4(const float *x, const float *w, uint8_t *out);

/* The nearest whole number, ties to even, as a float; |v| below 2^22. */
static inline float quantise_near(float v)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: the fraction falls off */
    return (v + magic) - magic;
}

/* v, or the nearer end of the range. */
static inline float quantise_clamp(float v, float least, float most)
{
    v = v > least ? v : least; /* each is one instruction */
    return v < most ? v : most;
}

#endif
