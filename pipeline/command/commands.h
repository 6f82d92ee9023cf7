/* commands.h - the row of each command. commands.def is the list, in the order
 * of `platen help`. */
#ifndef PIPELINE_COMMAND_COMMANDS_H
#define PIPELINE_COMMAND_COMMANDS_H

#include "pipeline/config/command.h"

#define ROW(name) extern const struct command name##_row;
#include "pipeline/command/commands.def"
#undef ROW

#endif
