/* kernels_measure.h - which set of kernels is the fastest on this machine.
 *
 * A newer instruction set is usually faster, but not always: a compiler or a
 * processor can make it slower. All sets give the same bits (kernels.h), so the
 * choice is free, and a few milliseconds of measuring make it.
 */
#ifndef VLM_TENSOR_KERNELS_MEASURE_H
#define VLM_TENSOR_KERNELS_MEASURE_H

enum { KERNELS_SETS_MAX = 4 };

/* A set and its rates with one thread, on Q8_0 weights in the caches. */
struct kernels_rate {
    unsigned features; /* for kernels_pick */
    const char *name;
    double prompt; /* operations per second for many tokens, unpacking included;
                    * a multiplication with its addition counts as two */
    double token;  /* the same for one token */
};

/* Measures every vector set of `features` (enum cpu_feature), the widest first;
 * without one, the scalar set. Takes about a millisecond per set. Returns how
 * many. */
int kernels_measure(unsigned features,
                    struct kernels_rate rate[KERNELS_SETS_MAX]);

/* Index of the fastest of n > 0 sets for a page of 512 tokens of prompt and 128
 * of answer. A later set replaces the first only if it is clearly faster. */
int kernels_fastest(const struct kernels_rate *rate, int n);

/* The features of the fastest set of `features`. */
unsigned kernels_fastest_features(unsigned features);

#endif
