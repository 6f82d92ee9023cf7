/* k_limits.c - programs that measure a processor's limits (vlm/tensor/k_limits.h). */
#define _GNU_SOURCE
#include "vlm/tensor/k_limits.h"

#if defined(__x86_64__)
#    include <cpuid.h>
#    include <immintrin.h>
#    include <stdbool.h>
#    include <stdint.h>
#    include <string.h>
#    include <sys/syscall.h>
#    include <unistd.h>

#    include "vlm/base/cpu.h"

enum {
    SUMS = 16,   /* chains of sums, more than an instruction's latency in
                  * cycles */
    REPEAT = 16, /* repetitions of all chains per index */
    TILE_ROWS = 16,
    TILE_BYTES = 64, /* of a row */
    TILE_SUMS = 4,
    XTILEDATA = 18,
    ARCH_REQ_XCOMP_PERM_ = 0x1023
};

__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) static void
spin_bf16(void *arg, int first, int last, int thread)
{
    (void)arg, (void)thread;
    __m512 sum[SUMS];
    __m512bh a = (__m512bh)_mm512_setzero_si512();
    for (int j = 0; j < SUMS; j++)
        sum[j] = _mm512_setzero_ps();
    for (int i = first; i < last; i++)
        for (int r = 0; r < REPEAT; r++) {
#    pragma GCC unroll 16
            for (int j = 0; j < SUMS; j++)
                sum[j] = _mm512_dpbf16_ps(sum[j], a, a);
            __asm__ volatile("" : "+v"(a)); /* value unknown to the compiler */
        }
    for (int j = 1; j < SUMS; j++)
        sum[0] = _mm512_add_ps(sum[0], sum[j]);
    volatile float sink = _mm512_cvtss_f32(sum[0]);
    (void)sink;
}

/* Format of the instruction: 8 tiles of 16 rows by 64 bytes. */
struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

__attribute__((target("amx-tile"))) static void tiles_begin(void)
{
    struct tile_config c;
    memset(&c, 0, sizeof c);
    c.palette = 1;
    for (int i = 0; i < 8; i++) {
        c.row_bytes[i] = TILE_BYTES;
        c.rows[i] = TILE_ROWS;
    }
    _tile_loadconfig(&c);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    _tile_zero(6);
    _tile_zero(7);
}

__attribute__((target("amx-tile,amx-int8"))) static void spin_tile_i8(
    void *arg, int first, int last, int thread)
{
    (void)arg, (void)thread;
    tiles_begin();
    for (int i = first; i < last; i++)
        for (int r = 0; r < REPEAT; r++) {
            _tile_dpbssd(0, 4, 6);
            _tile_dpbssd(1, 4, 7);
            _tile_dpbssd(2, 5, 6);
            _tile_dpbssd(3, 5, 7);
        }
    _tile_release();
}

__attribute__((target("amx-tile,amx-bf16"))) static void spin_tile_bf16(
    void *arg, int first, int last, int thread)
{
    (void)arg, (void)thread;
    tiles_begin();
    for (int i = first; i < last; i++)
        for (int r = 0; r < REPEAT; r++) {
            _tile_dpbf16ps(0, 4, 6);
            _tile_dpbf16ps(1, 4, 7);
            _tile_dpbf16ps(2, 5, 6);
            _tile_dpbf16ps(3, 5, 7);
        }
    _tile_release();
}

/* A bit of a register of CPUID leaf 7. */
static bool leaf_7(unsigned sub, unsigned reg, int bit)
{
    unsigned r[4] = {0};
    if (!__get_cpuid_count(7, sub, &r[0], &r[1], &r[2], &r[3])) return false;
    return r[reg] >> bit & 1;
}

struct k_limits_units k_limits_units(void)
{
    enum { EAX, EDX = 3 };
    struct k_limits_units u = {.bf16 = {0}};
    bool wide = cpu_features() & CPU_AVX512VNNI;
    double tile = 2.0 * REPEAT * TILE_SUMS * TILE_ROWS * TILE_ROWS;
    if (wide && leaf_7(1, EAX, 5))
        u.bf16 = (struct limits_unit){spin_bf16, 2.0 * REPEAT * SUMS * 32};
    bool tiles = wide && leaf_7(0, EDX, 24) &&
                 !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM_, XTILEDATA);
    if (tiles && leaf_7(0, EDX, 22))
        u.tile_bf16 =
            (struct limits_unit){spin_tile_bf16, tile * TILE_BYTES / 2};
    if (tiles && leaf_7(0, EDX, 25))
        u.tile_i8 = (struct limits_unit){spin_tile_i8, tile * TILE_BYTES};
    return u;
}
#else
struct k_limits_units k_limits_units(void)
{
    struct k_limits_units none = {.bf16 = {0}};
    return none;
}
#endif
