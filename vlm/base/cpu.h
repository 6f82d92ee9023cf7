/* cpu.h - what this processor offers. */
#ifndef VLM_BASE_CPU_H
#define VLM_BASE_CPU_H

enum cpu_feature {
    CPU_AVX2 = 1 << 0,       /* with FMA and F16C */
    CPU_AVX512VNNI = 1 << 1, /* F, BW, VL, DQ and VNNI */
    CPU_NEON_DOTPROD = 1 << 2,
    CPU_NEON_I8MM = 1 << 3
};

unsigned cpu_features(void); /* set of enum cpu_feature; asks the processor */

/* Processors that this process may run on: 1 to CPU_COUNT_MAX, which is as
 * many threads as a pool takes. */
enum { CPU_COUNT_MAX = 1024 };
int cpu_count(void);

/* "scalar", "avx2", "avx512", "neon", "neon+i8mm": the best set in features */
const char *cpu_name(unsigned features);

#endif
