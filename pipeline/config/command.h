/* command.h - a command of platen: one row of main.c's table.
 *
 * main.c parses the command line: it applies configuration flags (config.h),
 * checks the command's own flags against its row, and passes the remaining
 * arguments as operands. A command writes data to stdout, messages to stderr
 * (log.h), and returns an exit code of stages/document/reason.h.
 */
#ifndef PIPELINE_CONFIG_COMMAND_H
#define PIPELINE_CONFIG_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct config;

enum { COMMAND_FLAG_MAX = 64 };

/* A flag of one command: "--out DIR". value_name NULL: a switch. */
struct command_flag {
    const char *name;       /* without the dashes */
    const char *value_name; /* "DIR", or NULL for a switch */
    const char *help;       /* one line */
    char letter;            /* short form, or 0 */
};

struct command_line {
    const struct config *config; /* flags, environment and file applied */
    const struct command *command;
    char **operand;
    int n_operand;
    const char *value[COMMAND_FLAG_MAX]; /* indexed like command->flag */
};

struct command {
    const char *name;
    const char *usage;   /* "FILE... --schema NAME [--out DIR]" */
    const char *summary; /* one line for `platen help` */
    const char *help;    /* for `platen NAME --help` (command_wrap) */
    const struct command_flag *flag; /* ends with a nameless row; or NULL */
    const char *alias, *key; /* this flag of it sets this key; or NULL */
    int least, most;         /* operands; most < 0: any number */
    /* Returns the exit code. If it sets err, main prints the error, and the
     * error's exit code replaces the returned one. */
    int (*run)(const struct command_line *line, struct err *err);
    bool raw; /* every argument is an operand; the command parses its own flags
               * and has no configuration flags */
};

/* The value of a flag, "" for a switch that is on, or NULL. */
const char *command_value(const struct command_line *line, const char *flag);

/* The whole number from 1 to `most` of a flag; `otherwise` without the flag.
 * FAIL: ERR_ARGS. */
int command_number(const struct command_line *line, const char *flag, int most,
                   int otherwise, struct err *err);

/* Writes all of it to the file (atomic_file_write), or to stdout if path is
 * NULL. FAIL: ERR_SYSTEM. */
void command_write(const char *path, struct span bytes, struct err *err);

/* Appends the text and a line end. Lines of more than `width` bytes are broken
 * between words, except those that begin with a space (examples). What follows
 * a tab stands in the ninth column and after it. */
void command_wrap(const char *text, size_t width, struct buf *out);

/* Prints what `platen NAME --help` prints. */
void command_help(const struct command *command);

#endif
