/* limits.h - what this machine could do at most: memory and arithmetic.
 *
 * Measured, not looked up: how fast memory is read by several streams at once,
 * and how fast the units multiply what lies in the nearest cache. Machines are
 * shared, so that the best of several rounds is taken.
 */
#ifndef VLM_TENSOR_LIMITS_H
#define VLM_TENSOR_LIMITS_H

#include "vlm/base/err.h"

/* A second, all threads together. 0: there is no such unit, or none that is
 * known here. A multiplication with its sum counts two. */
struct limits {
    double read;               /* bytes of memory */
    double f32, i8;            /* by the kernels of products */
    double bf16;               /* pairs of BF16 summed in F32 (vdpbf16ps) */
    double tile_bf16, tile_i8; /* tiles (AMX) */
};

/* With n_thread threads, in some tenths of a second a unit. FAIL: ERR_SYSTEM where
 * memory or threads cannot be had. */
struct limits limits_measure(int n_thread, struct err *err);

#endif
