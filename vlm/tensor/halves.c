/* halves.c - see halves.h: the choice of a table. */
#include "vlm/tensor/halves.h"

#include "vlm/base/cpu.h"
#include "vlm/tensor/k_halves.h"

const struct halves *halves_pick(unsigned features)
{
    if (features & CPU_TILE_MODEL) return &halves_model;
    if (features & CPU_WORDS_MODEL) return &halves_words_model;
#if defined(__x86_64__)
    if (features & CPU_AMX_BF16) return &halves_amx;
    if (features & CPU_AVX512VNNI) return &halves_bytes_avx512;
    if (features & CPU_AVXVNNI) return &halves_bytes_avxvnni;
    if (features & CPU_VNNI_MODEL) return &halves_bytes_avxvnni_model;
#endif
    return halves_pick_words(features);
}

const struct halves *halves_pick_words(unsigned features)
{
    if (features & CPU_WORDS_MODEL) return &halves_words_model;
#if defined(__x86_64__)
    if (features & CPU_AVX512VNNI) return &halves_words_avx512;
    if (features & CPU_AVXVNNI) return &halves_words_avxvnni;
    if (features & CPU_VNNI_MODEL) return &halves_words_avxvnni_model;
    if (features & CPU_AVX2) return &halves_words_avx2;
#endif
    return NULL;
}
