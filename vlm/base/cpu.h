/* cpu.h - what this processor offers. */
#ifndef VLM_BASE_CPU_H
#define VLM_BASE_CPU_H

enum cpu_feature {
    CPU_AVX2 = 1 << 0,       /* with FMA and F16C */
    CPU_AVXVNNI = 1 << 1,    /* with CPU_AVX2: VNNI in 256 bits */
    CPU_AVX512VNNI = 1 << 2, /* F, BW, VL, DQ and VNNI */
    CPU_NEON_DOTPROD = 1 << 3,
    CPU_NEON_I8MM = 1 << 4,
    CPU_AMX_BF16 = 1 << 5,   /* with CPU_AVX512VNNI and its BF16; the kernel has
                              * let us use its tiles */
    CPU_TILE_MODEL = 1 << 6, /* those tiles in C, words (gemm16.h) in C, and */
    CPU_WORDS_MODEL = 1 << 7,
    CPU_VNNI_MODEL = 1 << 8, /* CPU_AVXVNNI made of CPU_AVX2: for tests, never
                              * found */
    /* those that multiply bytes faster than words */
    CPU_BYTES = CPU_AVXVNNI | CPU_AVX512VNNI | CPU_VNNI_MODEL | CPU_NEON_DOTPROD
};

/* Set of enum cpu_feature. Asks the processor, and the kernel for its tiles. */
unsigned cpu_features(void);

/* Processors that this process may run on: 1 to CPU_COUNT_MAX, which is as
 * many threads as a pool takes. */
enum { CPU_COUNT_MAX = 1024 };
int cpu_count(void);

/* "scalar", "avx2", "avx2+vnni", "avx512", "neon", "neon+i8mm": the best set in features */
const char *cpu_name(unsigned features);

/* What pictures are read with where they may be read fast: "bf16 tiles (amx)",
 * "8 bits (avx512)", "8 bits (avx2+vnni)", "16 bits (avx2)", "8 bits (neon)",
 * "8 bits (neon+i8mm)", or "f32" */
const char *cpu_vision_name(unsigned features);

#endif
