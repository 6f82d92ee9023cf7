/* command_run.c - platen run: work off what waits, then exit. */
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/metrics_door.h"
#include "pipeline/command/schema_file.h"
#include "pipeline/work/foreman.h"
#include "pipeline/work/signals.h"
#include "stages/reason.h"
#include "vlm/base/log.h"

/* The environment's exit code, whatever single code the cause would have. */
static int end_code(enum foreman_end end, const struct report *report,
                    struct err *err)
{
    switch (end) {
    case FOREMAN_INTERRUPTED: return EXIT_INTERRUPTED;
    case FOREMAN_WEATHER:
        reason_log(err);
        *err = (struct err){0};
        log_note("nothing has failed by it: the queue waits; run platen again "
                 "after the repair");
        return EXIT_WEATHER;
    case FOREMAN_DEFERRED:
        log_note("some documents are set back: the environment failed them, "
                 "though a probe finds it well; platen status says why, and "
                 "the next run tries them last");
        return EXIT_WEATHER;
    case FOREMAN_GONE: return EXIT_ACCESS; /* and err says why */
    case FOREMAN_KILLED:
        log_note("a worker was killed from outside; nothing is lost, run "
                 "platen again");
        return EXIT_OTHER;
    case FOREMAN_UNDELIVERED:
        log_note("every record is in done/; the next run delivers the rest, "
                 "once out/ takes it");
        return EXIT_WEATHER;
    case FOREMAN_UNHOOKED:
        log_note("every document has its outcome; hooks failed, and the next "
                 "run tries them again");
        return EXIT_WEATHER;
    case FOREMAN_DENIED:
        log_note("some files were not read: see the warnings");
        return EXIT_ACCESS;
    case FOREMAN_LEFT:
        log_note("some documents wait: still being written, locked by another "
                 "platen, or without permission; see platen status");
        break;
    case FOREMAN_IDLE: break;
    }
    return report_failed(report) ? EXIT_SOME_FAILED : EXIT_OK;
}

static void told(void *arg)
{
    metrics_door_turn(arg);
}

/* A program that reads the log (--log-format json) wants each document. */
static enum report_detail detail_of(const struct command_line *line)
{
    bool json = !strcmp(line->config->log_format, "json");
    if (command_value(line, "quiet")) return REPORT_QUIET;
    return json || command_value(line, "verbose") ? REPORT_EACH
                                                  : REPORT_SUMMARY;
}

static int run_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    struct metrics_door door;
    signals_open();
    schema_file_check_default(line->config, err);
    metrics_door_open_file(&door, line->config, err);
    spool_open(&spool, line->operand[0], true, err);
    int code = EXIT_OTHER;
    if (!err_failed(err)) {
        struct report *report = report_new(&spool, detail_of(line));
        struct foreman_options o = {
            .spool = &spool,
            .config = line->config,
            .report = report,
            .in_process = command_value(line, "in-process") != NULL,
            .metrics = metrics_door_is_open(&door) ? &door.metrics : NULL,
            .told = told,
            .told_arg = &door,
        };
        enum foreman_end end = foreman_run(&o, err);
        report_summary(report);
        code = end_code(end, report, err);
        report_free(report);
    }
    metrics_door_close(&door);
    spool_close(&spool);
    return code;
}

static const struct command_flag flags[] = {
    {"quiet", NULL, "failures only, no summary", 'q'},
    {"verbose", NULL, "also a line for each document, and a table", 'v'},
    {"in-process", NULL, "no worker processes (debugging, fault tests)", 0},
    {0},
};

const struct command command_run_row = {
    .name = "run",
    .usage = "SPOOL [--quiet|--verbose]",
    .summary = "process everything waiting in a spool, then exit",
    .help =
        "SPOOL is a folder with in/ work/ done/ failed/ out/, made where it is "
        "missing.\nWhat lies in in/NAME/ is read by the schema NAME; files "
        "directly in in/ by\ndefault_schema (auto: the model chooses the "
        "schema). Each document ends in done/ (with "
        "record.json) or in failed/\n(with reason.json); records are linked "
        "into out/NAME/.\n"
        "Failures are reported as they happen, and at the end how many are "
        "done, need review\nand failed, and for which reasons.\n\n"
        "Files that still change are waited for (settle). Several platen may "
        "work on one\nspool. Killed at any moment, the next run goes on where "
        "this one was.\n\n"
        "  */10 * * * * platen run /srv/scans        a line for cron\n"
        "  platen run spool --jobs 2 --format json,xml\n"
        "  platen run spool --engine null            a dry run\n\n"
        "Ends with 0, 16 when documents failed, 17 when the environment (disk, "
        "model, out/)\nmust be repaired first: then nothing has failed, and "
        "what waits goes on with the\nnext run; 5 when a folder cannot be "
        "listed, a file of in/ cannot be taken, or files\nare in a nested "
        "folder (in/NAME/FOLDER/), which is not read.",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = run_command,
};
