/* bench_limits.h - the hardware's limits, for comparison with test results.
 *
 * A test's floor is the least time it can take: the time to read all its
 * weights, keys and values from memory, or to do all its multiplications on
 * the fastest 8-bit unit, whichever is longer.
 */
#ifndef PIPELINE_BENCH_BENCH_LIMITS_H
#define PIPELINE_BENCH_BENCH_LIMITS_H

#include <stdbool.h>

#include "vlm/base/err.h"

struct bench_limits {
    double read;     /* bytes per second; 0: not measured */
    double products; /* multiplications per second; 0: not measured */
};

/* Measures with 1 to n_thread threads (above 8 only powers of two and
 * n_thread) and prints a row or a JSON object for each. Returns the limits of
 * n_thread threads. FAIL: ERR_SYSTEM. */
struct bench_limits bench_limits_run(int n_thread, bool json, struct err *err);

/* Least seconds for reading `bytes` and doing `products` multiplications. */
double bench_limits_floor(const struct bench_limits *l, double bytes,
                          double products);

#endif
