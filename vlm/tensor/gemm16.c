/* gemm16.c - the choice of a table (gemm16.h). */
#include "vlm/tensor/gemm16.h"

#include "vlm/base/cpu.h"
#include "vlm/tensor/k_gemm16.h"

const struct gemm16 *gemm16_pick_tiles(unsigned features)
{
    if (features & CPU_TILE_MODEL) return &gemm16_model;
#if defined(__x86_64__)
    if (features & CPU_AMX_BF16) return &gemm16_amx;
#endif
    return NULL;
}

const struct gemm16 *gemm16_pick(unsigned features)
{
    const struct gemm16 *tiles = gemm16_pick_tiles(features);
    if (tiles) return tiles;
    if (features & CPU_WORDS_MODEL) return &gemm16_int16_model;
#if defined(__x86_64__)
    if (features & CPU_AVX512VNNI) return &gemm16_int8_avx512;
    if (features & CPU_AVXVNNI) return &gemm16_int8_avxvnni;
    if (features & CPU_VNNI_MODEL) return &gemm16_int8_avxvnni_model;
#endif
    return gemm16_pick_int16(features);
}

const struct gemm16 *gemm16_pick_int16(unsigned features)
{
    if (features & CPU_WORDS_MODEL) return &gemm16_int16_model;
#if defined(__x86_64__)
    if (features & CPU_AVX512VNNI) return &gemm16_int16_avx512;
    if (features & CPU_AVXVNNI) return &gemm16_int16_avxvnni;
    if (features & CPU_VNNI_MODEL) return &gemm16_int16_avxvnni_model;
    if (features & CPU_AVX2) return &gemm16_int16_avx2;
#endif
    return NULL;
}
