/* cpu.h - features of this CPU. */
#ifndef VLM_BASE_CPU_H
#define VLM_BASE_CPU_H

enum cpu_feature {
    CPU_AVX2 = 1 << 0,       /* with FMA and F16C */
    CPU_AVXVNNI = 1 << 1,    /* with CPU_AVX2: VNNI in 256 bits */
    CPU_AVX512VNNI = 1 << 2, /* F, BW, VL, DQ and VNNI */
    CPU_NEON_DOTPROD = 1 << 3,
    CPU_NEON_I8MM = 1 << 4,
    CPU_AMX_BF16 = 1 << 5,    /* with CPU_AVX512VNNI and its BF16; the kernel
                              * permits tiles */
    CPU_TILE_MODEL = 1 << 6,  /* those tiles emulated in C, for tests */
    CPU_WORDS_MODEL = 1 << 7, /* int16 of gemm16.h in C, for tests */
    CPU_VNNI_MODEL = 1 << 8,  /* CPU_AVXVNNI emulated with CPU_AVX2, for tests;
                              * never detected */
    /* features that multiply int8 faster than int16 */
    CPU_BYTES = CPU_AVXVNNI | CPU_AVX512VNNI | CPU_VNNI_MODEL | CPU_NEON_DOTPROD
};

/* Detects the set of enum cpu_feature; requests tiles from the kernel. */
unsigned cpu_features(void);

/* CPUs available to this process: 1 to CPU_COUNT_MAX, the maximum number of
 * threads in a pool. */
enum { CPU_COUNT_MAX = 1024 };
int cpu_count(void);

/* Name of the best set in features: "scalar", "avx2", "avx2+vnni", "avx512",
 * "neon", "neon+i8mm". */
const char *cpu_name(unsigned features);

/* Arithmetic of the fast image encoder: "bf16 tiles (amx)", "8 bits (avx512)",
 * "8 bits (avx2+vnni)", "16 bits (avx2)", "8 bits (neon)", "8 bits
 * (neon+i8mm)", or "f32". */
const char *cpu_vision_name(unsigned features);

#endif
