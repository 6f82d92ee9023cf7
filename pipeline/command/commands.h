/* commands.h - the commands, by the file that holds them. The list itself is
 * commands.def, in the order in which `platen help` shows it. */
#ifndef PIPELINE_COMMAND_COMMANDS_H
#define PIPELINE_COMMAND_COMMANDS_H

#include "pipeline/command/command.h"

#define ROW(name) extern const struct command name##_row;
#include "pipeline/command/commands.def"
#undef ROW

#endif
