/* gpu_lang.h - the language of the kernels.
 *
 * A kernel (k_gpu_*.h) is compiled in two ways: by clang as CUDA, for the
 * device, and by any C compiler, for a host on which tests run it
 * (tests/support/gpu_host.c) with one fiber per thread. All differences are
 * defined here, so a kernel can use only C and the following:
 *
 *     KERNEL(name, args)  void name(struct args a), one argument by value; with
 *                         KERNEL_OF registers for that many blocks at a time
 *     SHARED              a static array that the threads of a block share, at a
 *                         multiple of 16 bytes; uninitialised when a block starts
 *     gpu_words4 ..       words that are read or written at once
 *     THREAD, BLOCK_X ..  position of this thread; GPU_THREADS threads per block
 *     UNROLL, UNROLL_8    unrolls the next loop completely or by 8, so that its
 *                         loads are in flight together
 *     BARRIER             all threads of the block; WARP_BARRIER: the 32 of a
 *                         warp. Every thread must reach each.
 *     gpu_is_last         whether a block is the last of some. Nothing else than
 *                         these orders one thread's writes before another's
 *                         reads; no block waits for another.
 *
 * ROUNDING  Nothing is contracted or reassociated. +, -, *, /, gpu_fma and
 *           gpu_sqrt round to nearest even on both, gpu_exp is made of them: so
 *           the host computes the device's bits.
 */
#ifndef VLM_DEVICE_GPU_KERNELS_GPU_LANG_H
#define VLM_DEVICE_GPU_KERNELS_GPU_LANG_H

#include <stdint.h>

#include "vlm/device/gpu/kernels/gpu_args.h"

/* At multiples of their size. */
typedef uint32_t gpu_words2 __attribute__((vector_size(8), may_alias));
typedef uint32_t gpu_words4 __attribute__((vector_size(16), may_alias));
typedef float gpu_floats2 __attribute__((vector_size(8), may_alias));

#ifdef __CUDA__
#    define KERNEL(name, args) KERNEL_OF(name, args, 1)
#    define KERNEL_OF(name, args, blocks)                                    \
        extern "C"                                                           \
            __attribute__((global, launch_bounds(GPU_THREADS, blocks))) void \
            name(struct args a)
#    define INSIDE   static inline __attribute__((device, always_inline))
#    define SHARED   static __attribute__((shared, aligned(16)))
#    define UNROLL   _Pragma("unroll")
#    define UNROLL_8 _Pragma("unroll 8")
#    define THREAD   ((int)__nvvm_read_ptx_sreg_tid_x())
#    define BLOCK_X  ((int)__nvvm_read_ptx_sreg_ctaid_x())
#    define BLOCK_Y  ((int)__nvvm_read_ptx_sreg_ctaid_y())
#    define BLOCK_Z  ((int)__nvvm_read_ptx_sreg_ctaid_z())
/* Not __syncthreads(): LLVM takes it for one that writes no variable of this file,
 * and reads what another thread writes to a SHARED one before the barrier. */
#    define BARRIER() asm volatile("bar.sync 0;" ::: "memory")
#    define WARP_BARRIER() \
        asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")

INSIDE float gpu_fma(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}

INSIDE float gpu_sqrt(float x)
{
    return __builtin_sqrtf(x);
}

INSIDE float gpu_from_half(uint16_t h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

INSIDE uint16_t gpu_to_half(float f)
{
    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

/* sum + the four signed bytes of x times those of y. */
INSIDE int gpu_dot4(uint32_t x, uint32_t y, int sum)
{
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(x), "r"(y));
    return sum;
}

/* The bytes of {low, high} selected by the nibbles of `pick` (0..7). */
INSIDE uint32_t gpu_bytes(uint32_t low, uint32_t high, uint32_t pick)
{
    uint32_t out;
    asm("prmt.b32 %0, %1, %2, %3;"
        : "=r"(out)
        : "r"(low), "r"(high), "r"(pick));
    return out;
}

/* x of the lane whose number differs by the bits of `mask`. */
INSIDE uint32_t gpu_swap(uint32_t x, int mask)
{
    uint32_t out;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=r"(out)
                 : "r"(x), "r"(mask));
    return out;
}

/* Counts a block that comes to `count`, by one thread: how many of n came before,
 * whose writes are seen from now on. After the last it is 0 again. */
INSIDE int gpu_count(uint32_t *count, int n)
{
    uint32_t before;
    asm volatile("fence.acq_rel.gpu;\n\t"
                 "atom.inc.u32 %0, [%1], %2;\n\t"
                 "fence.acq_rel.gpu;"
                 : "=r"(before)
                 : "l"(count), "r"(n - 1)
                 : "memory");
    return (int)before;
}

/* c[16, 8] += a[16, 32] b[8, 32]' of signed bytes, by the warp. Lane 4 g + t
 * has words (rows of 4 bytes per word): a g:t, (g + 8):t, g:(t + 4), (g + 8):(t
 * + 4); b g:t, g:(t + 4); c numbers g:2t, g:2t+1, (g + 8):2t, (g + 8):2t+1. */
INSIDE void gpu_mma32(int *c, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
                   "r"(b[1]));
}

/* The same with 16 bytes per row: a g:t, (g + 8):t; b g:t. */
INSIDE void gpu_mma16(int *c, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
                 "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

/* As gpu_mma32, a word being two numbers in F16, c in F32. The order of
 * addition depends on the device: only these sums can be rounded differently by
 * another device. */
INSIDE void gpu_mma_half(float *c, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
                   "r"(b[1]));
}

#else
#    include "vlm/device/gpu/kernels/gpu_host_lang.h"
#endif

#define LANE (THREAD % GPU_WARP)
#define WARP (THREAD / GPU_WARP)

/* x, which the compiler forgets: what is made of it is computed again, not kept in
 * registers. */
INSIDE int gpu_again(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

INSIDE uint32_t gpu_bits(float f)
{
    union {
        float f;
        uint32_t u;
    } x;
    x.f = f;
    return x.u;
}

INSIDE float gpu_float(uint32_t u)
{
    union {
        uint32_t u;
        float f;
    } x;
    x.u = u;
    return x.f;
}

INSIDE float gpu_swap_float(float x, int mask)
{
    return gpu_float(gpu_swap(gpu_bits(x), mask));
}

/* Sum of the warp's 32 values, in one tree; every lane gets it. */
INSIDE float gpu_warp_sum(float x)
{
    for (int w = GPU_WARP / 2; w; w /= 2)
        x += gpu_swap_float(x, w);
    return x;
}

INSIDE float gpu_warp_max(float x)
{
    for (int w = GPU_WARP / 2; w; w /= 2) {
        float y = gpu_swap_float(x, w);
        x = y > x ? y : x;
    }
    return x;
}

/* Sum of the block's values; every thread gets it. */
INSIDE float gpu_block_sum(float x)
{
    SHARED float part[GPU_WARPS];
    x = gpu_warp_sum(x);
    BARRIER();
    if (LANE == 0) part[WARP] = x;
    BARRIER();
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* Is this block the last of n that come to `count`, which is 0 before the first and
 * after the last? Its threads then see what the others wrote. */
INSIDE int gpu_is_last(uint32_t *count, int n)
{
    SHARED int before;
    BARRIER();
    if (THREAD == 0) before = gpu_count(count, n);
    BARRIER();
    return before == n - 1;
}

/* e^x, to 2 ulp, as in the host's loops (tensor/body/k_vector_ops_body.h): 0
 * below -87, e^88 above 88. */
INSIDE float gpu_exp(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: rounds to an integer */
    if (x < -87.0f) return 0.0f;
    if (x > 88.0f) x = 88.0f;
    float n = gpu_fma(x, 1.44269504088896341f, magic);
    uint32_t bits = gpu_bits(n) << 23;
    n -= magic;
    float r = gpu_fma(n, -0.693359375f, x);
    r = gpu_fma(n, 2.12194440e-4f, r);
    float p = 1.0f / 720;
    p = gpu_fma(p, r, 1.0f / 120);
    p = gpu_fma(p, r, 1.0f / 24);
    p = gpu_fma(p, r, 1.0f / 6);
    p = gpu_fma(p, r, 0.5f);
    p = gpu_fma(p, r, 1.0f);
    p = gpu_fma(p, r, 1.0f);
    return gpu_float(gpu_bits(p) + bits);
}

INSIDE float gpu_sigmoid(float x)
{
    return 1.0f / (1.0f + gpu_exp(-x));
}

/* ln(1 + e^x): the series of 2 atanh(y / (2 + y)), y = e^-|x| <= 1. */
INSIDE float gpu_softplus(float x)
{
    float y = gpu_exp(x > 0 ? -x : x), s = y / (2.0f + y), s2 = s * s;
    float p = 1.0f / 17;
    for (int k = 15; k > 0; k -= 2)
        p = gpu_fma(p, s2, 1.0f / (float)k);
    return (x > 0 ? x : 0.0f) + 2.0f * s * p;
}

#endif
