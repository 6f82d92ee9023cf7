/* command_dismiss.c - platen dismiss: takes failed documents off the list. */
#include "pipeline/command/commands.h"
#include "pipeline/command/failed_documents.h"
#include "pipeline/config/config.h"
#include "stages/document/reason.h"
#include "vlm/base/log.h"

static int dismiss_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    struct err wrong = {0};
    bool undo = command_value(line, "undo") != NULL;
    size_t n = 0;
    failed_documents_check(line, err);
    if (err_failed(err)) return EXIT_ARGS;
    spool_open(&spool, line->operand[0], false, err);
    spool.notes = line->config->report_failures;
    struct arena *arena = arena_new();
    if (!err_failed(err)) {
        char **id = failed_documents_choose(&spool, line, arena, &wrong);
        for (; *id && !err_failed(err); id++) {
            spool_dismiss(&spool, *id, !undo, err);
            n += !err_failed(err);
        }
        if (!err_failed(err)) *err = wrong;
    }
    if (!err_failed(err) || n)
        log_note("%zu document%s %s", n, n == 1 ? "" : "s",
                 undo ? "no longer dismissed" : "dismissed");
    arena_free(arena);
    spool_close(&spool);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"all", NULL, "all documents in failed/", 0},
    {"reason", "CODE", "documents that failed with this code", 0},
    {"undo", NULL, "list dismissed documents again", 0},
    {0},
};

const struct command command_dismiss_row = {
    .name = "dismiss",
    .usage = "SPOOL ID|NAME... | --all | --reason CODE [--undo]",
    .summary = "take failed documents off the list",
    .help =
        "Marks documents in failed/ as dismissed. They keep their files, but "
        "platen status counts them separately, platen review does not list "
        "them, and platen retry --all skips them. platen retry SPOOL ID still "
        "reads one again. Documents are named as for platen retry.\n"
        "\n"
        "  platen dismiss spool --reason encrypted\n"
        "  platen dismiss spool 20261121T021400Z-5e0c8f4d3b2a1907 --undo",
    .flag = flags,
    .least = 1,
    .most = -1,
    .run = dismiss_command,
};
