/* gpu_race.h - every access of a kernel, as gpu_race.c is told of it.
 *
 * The kernels' host build is compiled with -fsanitize=thread, whose calls (one
 * for each load and store) are answered here instead of by its library: so the
 * text of a kernel is looked at as it is, without a word for the checker in it.
 */
#ifndef TESTS_SUPPORT_GPU_RACE_H
#define TESTS_SUPPORT_GPU_RACE_H

#include <stdbool.h>

/* What gpu_host.c tells: a launch, a block of it begins; the threads of the
 * block, or of a warp, have met. */
void gpu_race_launch(void);
void gpu_race_block(void);
void gpu_race_barrier(void);
void gpu_race_warp(int warp);

/* The block came to a counter; from then on the `last` one sees what the others that
 * came there did before. */
void gpu_race_count(const void *count, bool last);

/* What it answers: may any thread have this, being its stack or arguments (or
 * no kernel runs)? And: this is wrong; the launch is over and the call does not return. */
bool gpu_race_own(const void *at);
void gpu_race_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
