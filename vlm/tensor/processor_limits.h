/* limits.h - measured hardware limits: memory bandwidth and arithmetic.
 *
 * Memory is read in several streams at once; the units multiply data in the
 * first-level cache. Machines are shared, so the best of several rounds counts.
 */
#ifndef VLM_TENSOR_PROCESSOR_LIMITS_H
#define VLM_TENSOR_PROCESSOR_LIMITS_H

#include "vlm/base/err.h"

/* Rates per second, all threads together. 0: no such unit, or not measured
 * here. A multiplication with its addition counts as two. */
struct processor_limits {
    double read;               /* bytes read from memory */
    double f32, i8;            /* of the product kernels */
    double bf16;               /* pairs of BF16 summed in F32 (vdpbf16ps) */
    double tile_bf16, tile_i8; /* tiles (AMX) */
};

/* Measures with n_thread threads, in some tenths of a second per unit. FAIL:
 * ERR_SYSTEM, no memory or threads. */
struct processor_limits processor_limits_measure(int n_thread, struct err *err);

#endif
