/* counted.c - the kernels' tests, with the bytes that each launch touches beside the
 * formulas of work.c: reads of the same byte count once, and so do writes. A kernel
 * whose formula is more than 4 % and 1 KB away fails.
 *
 * Operations are not seen here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gpu/work.h"
#include "tests/support/gpu_host.h"

static struct {
    int launches[GPU_WORK_KERNELS];
    double worst[GPU_WORK_KERNELS]; /* formula / touched - 1, beyond the 1 KB */
    struct gpu_sizes sizes;         /* before the launch: it may change them */
    bool known;
    char text[256];
} counted;

static bool copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return true;
}

static const char *compare(const struct gpu_host_kernel *k, const void *args,
                           const int *grid, bool after)
{
    size_t n;
    int kernel = (int)(k - gpu_host_list(&n));
    const unsigned blocks[] = {(unsigned)grid[0], (unsigned)grid[1],
                               (unsigned)grid[2]};
    if (!after) {
        counted.sizes = gpu_work_sizes(kernel, args, blocks, copy);
        return NULL;
    }
    double touched = (double)gpu_host_touched();
    double formula = gpu_work_of(kernel, &counted.sizes).bytes;
    double apart = fmax(fabs(formula - touched) - 1024, 0) / touched;
    if (!(touched > 0)) return NULL; /* races off: nobody looks */
    counted.launches[kernel]++;
    counted.worst[kernel] = fmax(counted.worst[kernel], apart);
    if (apart <= 0.04) return NULL;
    snprintf(counted.text, sizeof counted.text,
             "the formula says %.0f bytes, the launch touches %.0f", formula,
             touched);
    return counted.text;
}

__attribute__((constructor)) static void begin(void)
{
    gpu_host_watch(compare);
}

__attribute__((destructor)) static void end(void)
{
    int n = 0, launches = 0;
    for (int k = 0; k < GPU_WORK_KERNELS; k++) {
        n += counted.launches[k] > 0;
        launches += counted.launches[k];
        if (!counted.launches[k])
            printf("never launched: %s\n", gpu_work_text(k).name);
        else
            printf("{\"kernel\":\"%s\",\"launches\":%d,\"apart\":%.4f}\n",
                   gpu_work_text(k).name, counted.launches[k],
                   counted.worst[k]);
    }
    printf("bytes counted in %d launches of %d of %d kernels\n", launches, n,
           GPU_WORK_KERNELS);
}
