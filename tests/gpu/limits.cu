/* limits.cu - what a device reaches at best (tests/gpu/limits.c): memory that is read,
 * products of bytes and of halves by mma.sync on registers. */
#include "tests/gpu/limits.h"
#include "vlm/device/gpu/kernels/gpu_lang.h"

struct words {
    uint32_t w[4];
} __attribute__((aligned(16)));

KERNEL(limit_read, limit_args)
{
    const struct words *from = (const struct words *)a.memory;
    long long step = (long long)a.blocks * GPU_THREADS;
    uint32_t sum = 0;
    for (long long i = (long long)BLOCK_X * GPU_THREADS + THREAD; i < a.n;
         i += 8 * step) {
        struct words x[8];
        UNROLL for (int k = 0; k < 8; k++) x[k] = from[i + k * step];
        UNROLL for (int k = 0; k < 8; k++) sum +=
            x[k].w[0] ^ x[k].w[1] ^ x[k].w[2] ^ x[k].w[3];
    }
    if (sum == 0x12345678u) a.out[0] = sum;
}

KERNEL(limit_bytes, limit_args)
{
    int c[8][4];
    uint32_t x[4] = {(uint32_t)THREAD, 1, 2, 3}, y[2] = {4, 5};
    UNROLL for (int i = 0; i < 32; i++) c[i / 4][i % 4] = 0;
    for (long long i = 0; i < a.n; i++)
        UNROLL for (int k = 0; k < 8; k++) gpu_mma32(c[k], x, y);
    int sum = 0;
    UNROLL for (int i = 0; i < 32; i++) sum += c[i / 4][i % 4];
    if (sum == 0x12345678) a.out[0] = (uint32_t)sum;
}

KERNEL(limit_halves, limit_args)
{
    float c[8][4];
    uint32_t x[4] = {0x3c003c00, 1, 2, 3}, y[2] = {4, 5};
    UNROLL for (int i = 0; i < 32; i++) c[i / 4][i % 4] = 0;
    for (long long i = 0; i < a.n; i++)
        UNROLL for (int k = 0; k < 8; k++) gpu_mma_half(c[k], x, y);
    float sum = 0;
    UNROLL for (int i = 0; i < 32; i++) sum += c[i / 4][i % 4];
    if (sum == 1.5f) a.out[0] = (uint32_t)sum;
}
