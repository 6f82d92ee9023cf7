/* kernel_flag.h - the flag --kernels, which disables CPU features. */
#ifndef PIPELINE_BENCH_KERNEL_FLAG_H
#define PIPELINE_BENCH_KERNEL_FLAG_H

#include "pipeline/config/command.h"

/* Bits of enum cpu_feature that the flag disables; 0: none. FAIL: ERR_ARGS. */
unsigned kernel_flag_off(const struct command_line *line, struct err *err);

#endif
