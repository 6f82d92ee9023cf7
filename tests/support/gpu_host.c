/* gpu_host.c - see gpu_host.h: fibers, what they wait for, and the words of
 * gpu_lang.h. */
#include "tests/support/gpu_host.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/support/gpu_race.h"
#include "vlm/device/gpu/kernels/gpu_lang.h"
#include "vlm/tensor/formats/quant.h"

enum { STACK = 128 << 10 };

enum fiber_state { RUNS, AT_BARRIER, IN_WARP, ENDED };

struct fiber {
    void *sp;
    enum fiber_state state;
    int line; /* where it waits */
};

struct warp_round { /* what the lanes of a warp have brought to one place */
    int n, line;
    struct {
        uint32_t value;
        void *c;
        const uint32_t *a, *b;
    } lane[GPU_WARP];
};

static struct {
    struct fiber fiber[GPU_THREADS];
    struct warp_round round[GPU_WARPS][2]; /* by turns */
    int turn[GPU_WARPS];
    void *main_sp;
    char *stack;
    const struct gpu_host_kernel *kernel;
    const void *args;
    uint32_t seed;
    char error[512];
    bool failed, inside; /* a fiber runs */
    gpu_host_watcher *watcher;
} host = {.seed = 1};

struct gpu_host_place gpu_host_here;

/* ---- fibers --------------------------------------------------------------- */

/* Keeps where the present stack is, and goes on with another. */
void gpu_host_switch(void **from, void *to);
void gpu_host_begin(void);

#if defined(__x86_64__)
__asm__(".text\n.globl gpu_host_switch\n.type gpu_host_switch, @function\n"
        "gpu_host_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
        ".size gpu_host_switch, .-gpu_host_switch\n");
enum { SAVED = 6 };
#elif defined(__aarch64__)
__asm__(".text\n.globl gpu_host_switch\n.type gpu_host_switch, %function\n"
        "gpu_host_switch:\n"
        "stp x29, x30, [sp, #-160]!\nstp x19, x20, [sp, #16]\n"
        "stp x21, x22, [sp, #32]\nstp x23, x24, [sp, #48]\n"
        "stp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\n"
        "stp d12, d13, [sp, #128]\nstp d14, d15, [sp, #144]\n"
        "mov x9, sp\nstr x9, [x0]\nmov sp, x1\n"
        "ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\n"
        "ldp x23, x24, [sp, #48]\nldp x25, x26, [sp, #64]\n"
        "ldp x27, x28, [sp, #80]\nldp d8, d9, [sp, #96]\n"
        "ldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\n"
        "ldp d14, d15, [sp, #144]\nldp x29, x30, [sp], #160\nret\n"
        ".size gpu_host_switch, .-gpu_host_switch\n");
enum { SAVED = 20 };
#endif

static void leave(void)
{
    gpu_host_switch(&host.fiber[gpu_host_here.thread].sp, host.main_sp);
}

/* Says what is wrong and leaves the launch for good. */
void gpu_race_fail(const char *fmt, ...)
{
    va_list list;
    if (!host.failed) {
        int n = snprintf(host.error, sizeof host.error,
                         "%s, block %d %d %d, thread %d: ",
                         host.kernel ? host.kernel->name : "no kernel",
                         gpu_host_here.block_x, gpu_host_here.block_y,
                         gpu_host_here.block_z, gpu_host_here.thread);
        va_start(list, fmt);
        vsnprintf(host.error + n, sizeof host.error - (size_t)n, fmt, list);
        va_end(list);
    }
    host.failed = true;
    leave();
}

void gpu_host_begin(void)
{
    host.kernel->run(host.args);
    host.fiber[gpu_host_here.thread].state = ENDED;
    leave();
}

static void wind(int i)
{
    char *top = host.stack + (size_t)(i + 1) * STACK - 64;
    uintptr_t *at = (uintptr_t *)(void *)top;
#if defined(__x86_64__)
    at[0] = (uintptr_t)gpu_host_begin;
    at[1] = 0;
    at -= SAVED;
#else
    at -= SAVED;
    at[1] = (uintptr_t)gpu_host_begin;
    at[0] = 0;
#endif
    host.fiber[i] = (struct fiber){.sp = at, .state = RUNS};
}

static bool within(const char *p, const void *from, size_t size)
{
    const char *first = from;
    return p >= first && p < first + size;
}

bool gpu_race_own(const void *at)
{
    return !host.inside ||
           within(at, host.stack, (size_t)GPU_THREADS * STACK) ||
           within(at, &gpu_host_here, sizeof gpu_host_here) ||
           within(at, host.args, host.kernel->size);
}

/* ---- a block -------------------------------------------------------------- */

static uint32_t random_number(void)
{
    host.seed ^= host.seed << 13;
    host.seed ^= host.seed >> 17;
    host.seed ^= host.seed << 5;
    return host.seed;
}

static int waiting(enum fiber_state state)
{
    int n = 0;
    for (int i = 0; i < GPU_THREADS; i++)
        n += host.fiber[i].state == state;
    return n;
}

/* All are at the barrier, the same one: they go on. */
static void release(void)
{
    for (int i = 0; i < GPU_THREADS; i++)
        if (host.fiber[i].state != AT_BARRIER ||
            host.fiber[i].line != host.fiber[0].line) {
            gpu_host_here.thread = i;
            snprintf(host.error, sizeof host.error,
                     "%s: thread %d is not at the barrier of line %d",
                     host.kernel->name, i, host.fiber[0].line);
            host.failed = true;
            return;
        }
    for (int i = 0; i < GPU_THREADS; i++)
        host.fiber[i].state = RUNS;
    gpu_race_barrier();
}

/* Lets every fiber that may run go on once, in an order of its own. */
static bool step_all(void)
{
    uint32_t r = random_number();
    bool any = false;
    for (uint32_t i = 0; i < GPU_THREADS && !host.failed; i++) {
        int k = (int)((i * (r | 1) + (r >> 8)) % GPU_THREADS);
        if (host.fiber[k].state != RUNS) continue;
        any = true;
        gpu_host_here.thread = k;
        host.inside = true;
        gpu_host_switch(&host.main_sp, host.fiber[k].sp);
        host.inside = false;
    }
    return any;
}

static void run_block(void)
{
    gpu_race_block();
    memset(host.round, 0, sizeof host.round);
    memset(host.turn, 0, sizeof host.turn);
    for (int i = 0; i < GPU_THREADS; i++)
        wind(i);
    while (!host.failed && waiting(ENDED) < GPU_THREADS)
        if (!step_all()) release();
}

static void run_grid(int x, int y, int z)
{
    gpu_race_launch();
    for (int i = 0; i < x * y * z && !host.failed; i++) {
        gpu_host_here.block_x = i % x;
        gpu_host_here.block_y = i / x % y;
        gpu_host_here.block_z = i / x / y;
        run_block();
    }
}

void gpu_host_launch(const struct gpu_host_kernel *k, const void *args, int x,
                     int y, int z)
{
    const int grid[3] = {x, y, z};
    if (!host.stack) {
        host.stack =
            mmap(NULL, (size_t)GPU_THREADS * STACK, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (host.stack == MAP_FAILED) abort();
    }
    host.kernel = k;
    host.args = args;
    if (host.watcher) host.watcher(k, args, grid, false);
    run_grid(x, y, z);
    const char *wrong = host.watcher ? host.watcher(k, args, grid, true) : NULL;
    if (!wrong || host.failed) return;
    snprintf(host.error, sizeof host.error, "%s: %s", k->name, wrong);
    host.failed = true;
}

void gpu_host_watch(gpu_host_watcher *fn)
{
    host.watcher = fn;
}

const char *gpu_host_error(void)
{
    static char text[sizeof host.error];
    if (!host.failed) return NULL;
    memcpy(text, host.error, sizeof text);
    host.failed = false;
    return text;
}

void gpu_host_order(uint32_t seed)
{
    host.seed = seed ? seed : 1;
}

/* ---- what kernels wait for -------------------------------------------------- */

static void wait_as(enum fiber_state state, int line)
{
    struct fiber *f = &host.fiber[gpu_host_here.thread];
    f->state = state;
    f->line = line;
    leave();
}

void gpu_host_barrier(int line)
{
    wait_as(AT_BARRIER, line);
}

/* Brings this lane to its warp's next round; on return all lanes are there. */
static struct warp_round *meet(int line, uint32_t value, void *c,
                               const uint32_t *a, const uint32_t *b)
{
    int warp = WARP, lane = LANE;
    struct warp_round *r = &host.round[warp][host.turn[warp]];
    if (r->n == 0) r->line = line;
    if (r->line != line)
        gpu_race_fail("is at %d where its warp is at %d", line, r->line);
    r->lane[lane].value = value;
    r->lane[lane].c = c;
    r->lane[lane].a = a;
    r->lane[lane].b = b;
    if (++r->n < GPU_WARP) {
        wait_as(IN_WARP, line);
        return r;
    }
    host.turn[warp] ^= 1;
    host.round[warp][host.turn[warp]].n = 0;
    for (int i = 0; i < GPU_WARP; i++)
        host.fiber[warp * GPU_WARP + i].state = RUNS;
    if (line > 0) gpu_race_warp(warp); /* what is swapped orders no memory */
    return r;
}

void gpu_host_warp_barrier(int line)
{
    meet(line, 0, NULL, NULL, NULL);
}

uint32_t gpu_swap(uint32_t x, int mask)
{
    int other = LANE ^ mask;
    return meet(-1, x, NULL, NULL, NULL)->lane[other].value;
}

int gpu_count(uint32_t *count, int n)
{
    uint32_t before = *count;
    *count = before + 1 == (uint32_t)n ? 0 : before + 1;
    gpu_race_count(count, *count == 0);
    return (int)before;
}

/* ---- words ------------------------------------------------------------------ */

float gpu_fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}

float gpu_sqrt(float x)
{
    return sqrtf(x);
}

float gpu_from_half(uint16_t h)
{
    return quant_f16_to_f32(h);
}

uint16_t gpu_to_half(float f)
{
    return quant_f32_to_f16(f);
}

static int byte_of(uint32_t x, int i)
{
    return (int8_t)(x >> 8 * i);
}

int gpu_dot4(uint32_t x, uint32_t y, int sum)
{
    for (int i = 0; i < 4; i++)
        sum += byte_of(x, i) * byte_of(y, i);
    return sum;
}

uint32_t gpu_bytes(uint32_t low, uint32_t high, uint32_t pick)
{
    uint64_t both = (uint64_t)high << 32 | low;
    uint32_t out = 0;
    for (int i = 0; i < 4; i++)
        out |= (uint32_t)(both >> 8 * (pick >> 4 * i & 7) & 255) << 8 * i;
    return out;
}

enum mma { MMA16 = 4, MMA32 = 8, MMA_HALF = 16 };

/* The whole warp's product: lane 4 g + t holds what gpu_lang.h says. Rows of words
 * are put together first; a word is four bytes, or two halves, whose sums are rounded
 * once. */
struct mma_rows {
    uint32_t a[16][8], b[8][8];
};

static void gather(const struct warp_round *r, int n_word, struct mma_rows *m)
{
    memset(m, 0, sizeof *m);
    for (int k = 0; k < n_word; k++) {
        for (int i = 0; i < 16; i++)
            m->a[i][k] = r->lane[i % 8 * 4 + k % 4].a[k / 4 * 2 + i / 8];
        for (int j = 0; j < 8; j++)
            m->b[j][k] = r->lane[j * 4 + k % 4].b[k / 4];
    }
}

static int multiply_bytes(const uint32_t *a, const uint32_t *b)
{
    int8_t x[32], y[32];
    int sum = 0;
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (int k = 0; k < 32; k++)
        sum += x[k] * y[k];
    return sum;
}

static double multiply_halves(const uint32_t *a, const uint32_t *b)
{
    double sum = 0;
    for (int k = 0; k < 16; k++)
        sum += (double)gpu_from_half((uint16_t)(a[k / 2] >> k % 2 * 16)) *
               (double)gpu_from_half((uint16_t)(b[k / 2] >> k % 2 * 16));
    return sum;
}

static void multiply(const struct warp_round *r, enum mma kind)
{
    struct mma_rows m;
    gather(r, kind == MMA16 ? 4 : 8, &m);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            void *c = r->lane[i % 8 * 4 + j / 2].c;
            int at = i / 8 * 2 + j % 2;
            if (kind != MMA_HALF)
                ((int *)c)[at] += multiply_bytes(m.a[i], m.b[j]);
            else
                ((float *)c)[at] = (float)((double)((float *)c)[at] +
                                           multiply_halves(m.a[i], m.b[j]));
        }
}

/* The last lane computes for all. */
static void multiply_by_warp(void *c, const uint32_t *a, const uint32_t *b,
                             enum mma kind)
{
    int left = GPU_WARP - host.round[WARP][host.turn[WARP]].n;
    struct warp_round *r = meet(-(int)kind, 0, c, a, b);
    if (left == 1) multiply(r, kind);
}

void gpu_mma32(int *c, const uint32_t *a, const uint32_t *b)
{
    multiply_by_warp(c, a, b, MMA32);
}

void gpu_mma16(int *c, const uint32_t *a, const uint32_t *b)
{
    multiply_by_warp(c, a, b, MMA16);
}

void gpu_mma_half(float *c, const uint32_t *a, const uint32_t *b)
{
    multiply_by_warp(c, a, b, MMA_HALF);
}
