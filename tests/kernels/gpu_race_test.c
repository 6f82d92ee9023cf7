/* gpu_race_test.c - the judge of kernels is judged: faults that it must see, each
 * beside the same kernel without it. Compiled as kernels are. */
#include "tests/support/test.h"

#include <string.h>

#include "tests/support/gpu_host.h"
#include "vlm/device/gpu/kernels/gpu_lang.h"

struct fault_args {
    int *x;
    int fault;
};

static void neighbours(struct fault_args a)
{
    SHARED int s[GPU_THREADS];
    s[THREAD] = THREAD;
    if (!a.fault) BARRIER();
    a.x[THREAD] = s[THREAD ^ 64];
}

static void warps(struct fault_args a)
{
    SHARED int s[GPU_THREADS];
    s[THREAD] = THREAD;
    WARP_BARRIER();
    a.x[THREAD] = s[THREAD ^ (a.fault ? 32 : 1)];
}

static void overwrites(struct fault_args a)
{
    SHARED int s[GPU_THREADS];
    s[THREAD] = THREAD;
    BARRIER();
    a.x[THREAD] = s[THREAD ^ 3];
    if (!a.fault) BARRIER();
    s[THREAD] = 0;
}

static void unwritten(struct fault_args a)
{
    SHARED int s[GPU_THREADS + 1];
    s[THREAD] = THREAD;
    BARRIER();
    a.x[THREAD] = s[THREAD + a.fault];
}

static void beyond(struct fault_args a)
{
    a.x[THREAD + (a.fault ? GPU_THREADS : 0)] = 1;
}

static void blocks(struct fault_args a)
{
    if (THREAD < 64) a.x[a.fault ? THREAD : THREAD + 64 * BLOCK_X] = BLOCK_X;
}

static void divided(struct fault_args a)
{
    if (!a.fault || THREAD < 5) BARRIER();
    a.x[THREAD] = 0;
}

static void half_a_warp(struct fault_args a)
{
    if (!a.fault || LANE < 16) WARP_BARRIER();
    a.x[THREAD] = 0;
}

static void different_lines(struct fault_args a)
{
    if (a.fault && LANE == 3)
        WARP_BARRIER();
    else
        WARP_BARRIER();
    a.x[THREAD] = 0;
}

static void last_of_two(struct fault_args a)
{
    uint32_t *count = (uint32_t *)(void *)(a.x + GPU_THREADS - 1);
    if (THREAD < 32) a.x[THREAD + 32 * BLOCK_X] = 1;
    if ((a.fault ? BLOCK_X : gpu_is_last(count, 2)) && THREAD < 32)
        a.x[THREAD] += a.x[THREAD + 32];
}

static void (*const kernels[])(struct fault_args) = {
    neighbours, warps,   overwrites,  unwritten,       beyond,
    blocks,     divided, half_a_warp, different_lines, last_of_two};

struct planted {
    struct fault_args a;
    void (*kernel)(struct fault_args a);
};

static void run(const void *args)
{
    struct planted p;
    memcpy(&p, args, sizeof p);
    p.kernel(p.a);
}

static void planted_faults_are_seen(void **state)
{
    (void)state;
    const struct gpu_host_kernel k = {"planted", run, sizeof(struct planted)};
#if defined(__SANITIZE_THREAD__) && !defined(GPU_RACE_TEST)
    print_message("skip: fibers, which tsan does not know\n");
    skip();
#elif !defined(GPU_RACE_TEST)
    print_message("skip: accesses are told in release and debug alone\n");
    skip();
#endif
    for (uint32_t seed = 1; seed < 6; seed++)
        for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
            for (int fault = 0; fault < 2; fault++) {
                int *x = gpu_host_take(GPU_THREADS * sizeof *x);
                struct planted p = {{x, fault}, kernels[i]};
                gpu_host_order(seed * 1000003u);
                bool two = kernels[i] == blocks || kernels[i] == last_of_two;
                x[GPU_THREADS - 1] = 0;
                gpu_host_launch(&k, &p, two ? 2 : 1, 1, 1);
                const char *said = gpu_host_error();
                if (fault && !said) fail_msg("fault %zu is not seen", i);
                if (!fault && said) fail_msg("sound kernel %zu: %s", i, said);
                gpu_host_give(x);
            }
    assert_int_equal(gpu_host_taken(), 0);
}

TEST_GROUP(gpu_race, cmocka_unit_test(planted_faults_are_seen))
