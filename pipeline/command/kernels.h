/* kernels.h - the flag --kernels: which of the machine's units are not used. */
#ifndef PIPELINE_COMMAND_KERNELS_H
#define PIPELINE_COMMAND_KERNELS_H

#include "pipeline/command/command.h"

/* enum cpu_feature that are left out by the flag; 0: none. FAIL: ERR_ARGS. */
unsigned kernels_off(const struct command_line *line, struct err *err);

#endif
