/* cpu.c - see cpu.h. */
#define _GNU_SOURCE
#include "vlm/base/cpu.h"

#include <sched.h>
#include <stdbool.h>
#if defined(__aarch64__)
#    include <asm/hwcap.h>
#    include <sys/auxv.h>
#elif defined(__x86_64__)
#    include <cpuid.h>
#    include <sys/syscall.h>
#    include <unistd.h>

/* clang's __builtin_cpu_supports does not know F16C. */
static bool has_f16c(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

/* Bits of the processor's leaf 7, part 1. */
enum { AVX_VNNI = 1 << 4, AVX512_BF16 = 1 << 5 };

static bool has_more(unsigned bit)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & bit);
}

/* The kernel saves the state of tiles only for processes that request it. */
static bool has_tiles(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_TILE_DATA = 18 };
    const unsigned tile = 1u << 24, bf16 = 1u << 22;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    if ((d & (tile | bf16)) != (tile | bf16)) return false;
    return !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_TILE_DATA);
}
#endif

unsigned cpu_features(void)
{
    unsigned f = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        has_f16c())
        f |= CPU_AVX2;
    if ((f & CPU_AVX2) && has_more(AVX_VNNI)) f |= CPU_AVXVNNI;
    if ((f & CPU_AVX2) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vnni"))
        f |= CPU_AVX512VNNI;
    if ((f & CPU_AVX512VNNI) && has_more(AVX512_BF16) && has_tiles())
        f |= CPU_AMX_BF16;
#elif defined(__aarch64__)
    if (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) f |= CPU_NEON_DOTPROD;
    if (getauxval(AT_HWCAP2) & HWCAP2_I8MM) f |= CPU_NEON_I8MM;
#endif
    return f;
}

/* The kernel refuses a set smaller than its own; this one is larger than any
 * kernel's maximum (8,192 CPUs), on 8 KiB of stack. */
enum { SET_BITS = 65536 };

int cpu_count(void)
{
    unsigned long bits[SET_BITS / (8 * sizeof(unsigned long))] = {0};
    cpu_set_t *set = (cpu_set_t *)bits;
    if (sched_getaffinity(0, sizeof bits, set)) return 1;
    int n = CPU_COUNT_S(sizeof bits, set);
    if (n > CPU_COUNT_MAX) return CPU_COUNT_MAX;
    return n < 1 ? 1 : n;
}

const char *cpu_name(unsigned features)
{
    if (features & CPU_AVX512VNNI) return "avx512";
    if (features & CPU_AVXVNNI) return "avx2+vnni";
    if (features & CPU_AVX2) return "avx2";
    if (features & CPU_NEON_I8MM) return "neon+i8mm";
    if (features & CPU_NEON_DOTPROD) return "neon";
    return "scalar";
}

const char *cpu_vision_name(unsigned features)
{
    if (features & CPU_AVX512VNNI) {
        if (features & CPU_AMX_BF16) return "bf16 tiles (amx)";
        return "8 bits (avx512)";
    }
    if (features & CPU_AVXVNNI) return "8 bits (avx2+vnni)";
    if (features & CPU_AVX2) return "16 bits (avx2)";
    if (features & CPU_NEON_I8MM) return "8 bits (neon+i8mm)";
    if (features & CPU_NEON_DOTPROD) return "8 bits (neon)";
    return "f32";
}
