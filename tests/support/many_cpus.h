/* many_cpus.h - a machine with as many processors as a test wants. */
#ifndef TESTS_SUPPORT_MANY_CPUS_H
#define TESTS_SUPPORT_MANY_CPUS_H

/* From now on this process may run on n processors, on a kernel that knows
 * n_kernel of them (and refuses smaller sets, as kernels do). 0: the truth. */
void many_cpus(int n, int n_kernel);

#endif
