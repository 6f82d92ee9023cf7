/* gpu_desk.c - see gpu_desk.h. */
#include "tests/support/gpu_desk.h"

#include <math.h>
#include <string.h>

#include "tests/support/gpu_host.h"
#include "tests/support/test.h"

enum { TAKEN_MAX = 64 };

static void *taken[TAKEN_MAX];
static int n_taken;
static uint32_t seed;

float gpu_desk_noise(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1.0f;
}

void *gpu_desk_block(size_t size)
{
    assert_true(n_taken < TAKEN_MAX);
    return taken[n_taken++] = gpu_host_take(size);
}

float *gpu_desk_take(size_t n)
{
    float *x = gpu_desk_block(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = gpu_desk_noise();
    return x;
}

int gpu_desk_begin(void **state)
{
    (void)state;
    n_taken = 0;
    seed = 1;
#ifdef __SANITIZE_THREAD__
    print_message("skip: fibers, which tsan does not know\n");
    skip();
#endif
    return 0;
}

int gpu_desk_end(void **state)
{
    (void)state;
    while (n_taken > 0)
        gpu_host_give(taken[--n_taken]);
    return gpu_host_taken() != 0;
}

void gpu_desk_launch(const char *name, const void *args, int x, int y, int z)
{
    gpu_host_launch(gpu_host_find(name), args, x, y, z);
    const char *said = gpu_host_error();
    if (said) fail_msg("%s", said);
}

void gpu_desk_near(const char *what, double got, double want, double most)
{
    if (!(fabs(got - want) <= most))
        fail_msg("%s: got %.9g, want %.9g within %.3g", what, got, want, most);
}

struct gpu_desk_pass gpu_desk_pass(const int (*run)[2], int n_run, size_t state)
{
    struct gpu_desk_pass p = {.n_run = n_run};
    p.run = gpu_desk_block((size_t)n_run * sizeof *p.run);
    for (int r = 0; r < n_run; r++) {
        p.run[r] = (struct gpu_run){gpu_desk_block(state), p.n, run[r][1],
                                    run[r][0], p.n_chunk};
        memset(p.run[r].state, 0, state);
        p.n += run[r][1];
        p.n_chunk += (run[r][1] + GPU_CHUNK - 1) / GPU_CHUNK;
        if (run[r][1] > p.longest) p.longest = run[r][1];
    }
    p.run_of = gpu_desk_block((size_t)p.n * sizeof *p.run_of);
    for (int r = 0; r < n_run; r++)
        for (int i = 0; i < p.run[r].n; i++)
            p.run_of[p.run[r].first + i] = r;
    return p;
}
