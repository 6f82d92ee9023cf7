/* kernel_flag.h - the flag --kernels: which of the machine's units are not used. */
#ifndef PIPELINE_BENCH_KERNEL_FLAG_H
#define PIPELINE_BENCH_KERNEL_FLAG_H

#include "pipeline/command/command.h"

/* enum cpu_feature that are left out by the flag; 0: none. FAIL: ERR_ARGS. */
unsigned kernel_flag_off(const struct command_line *line, struct err *err);

#endif
