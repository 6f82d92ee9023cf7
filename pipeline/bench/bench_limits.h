/* bench_limits.h - what this machine could do, and how much of it a test takes.
 *
 * A test's floor is the time that it needs at least: that in which memory gives
 * all weights, keys and values that it must read, or in which the fastest unit
 * for 8 bits does all its multiplications, whichever is longer.
 */
#ifndef PIPELINE_BENCH_BENCH_LIMITS_H
#define PIPELINE_BENCH_BENCH_LIMITS_H

#include <stdbool.h>

#include "vlm/base/err.h"

struct bench_limits {
    double read, products; /* a second, with the threads of the tests; 0: not
                            * measured */
};

/* Measures with 1 .. n_thread threads (above 8 by powers of two) and prints a row
 * or a JSON object for each; what `n_thread` have is returned. FAIL: ERR_SYSTEM. */
struct bench_limits bench_limits_run(int n_thread, bool json, struct err *err);

/* Seconds at least for so many bytes read and multiplications done. */
double bench_limits_floor(const struct bench_limits *l, double bytes,
                          double products);

#endif
