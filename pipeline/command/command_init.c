/* command_init.c - platen init: a new spool with a folder for each schema. */
#include <stdio.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/drop_folders.h"
#include "stages/reason.h"

static int init_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    struct buf out = buf_limit(1 << 20);
    spool_open(&spool, line->operand[0], true, err);
    drop_folders_make(&spool, line->config, &out, err);
    if (!err_failed(err))
        printf("%sTo process them as they arrive: platen watch %s\n",
               buf_span(&out).data, spool.path);
    buf_free(&out);
    spool_close(&spool);
    return EXIT_OK;
}

const struct command command_init_row = {
    .name = "init",
    .usage = "SPOOL",
    .summary = "create a spool with a folder for each schema",
    .help = "Creates SPOOL with in/ work/ done/ failed/ out/, and in/NAME/ for "
            "each schema NAME of\n"
            "the schemas folder, and prints which files belong where. Existing "
            "folders are kept,\n"
            "so it can be repeated after adding a schema.\n"
            "\n"
            "  platen init /srv/scans\n"
            "  platen init /srv/scans --schemas /etc/platen/schemas",
    .least = 1,
    .most = 1,
    .run = init_command,
};
