/* command_run.c - platen run: processes everything waiting, then exits. */
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/local/schema_file.h"
#include "pipeline/process/signals.h"
#include "pipeline/supervisor/supervisor.h"
#include "stages/document/reason.h"
#include "vlm/base/log.h"

/* A failed environment always gives EXIT_ENVIRONMENT, whatever its cause. */
static int exit_code(enum supervisor_end end, const struct report *report,
                     struct err *err)
{
    switch (end) {
    case SUPERVISOR_INTERRUPTED: return EXIT_INTERRUPTED;
    case SUPERVISOR_ENVIRONMENT:
        reason_log(err);
        *err = (struct err){0};
        log_note("No document failed. The queue is on hold; fix the cause and "
                 "run platen again");
        return EXIT_ENVIRONMENT;
    case SUPERVISOR_DEFERRED:
        log_note("some documents are deferred: the environment failed them, "
                 "although a probe found nothing wrong; platen status shows "
                 "why, and the next run tries them last");
        return EXIT_ENVIRONMENT;
    case SUPERVISOR_SPOOL_LOST: return EXIT_ACCESS; /* and err says why */
    case SUPERVISOR_KILLED:
        log_note("a worker was killed by another process; nothing is lost, "
                 "run platen again");
        return EXIT_OTHER;
    case SUPERVISOR_UNDELIVERED:
        log_note("every record is in done/; the next run delivers the rest, "
                 "once out/ can be written");
        return EXIT_ENVIRONMENT;
    case SUPERVISOR_HOOK_FAILED:
        log_note("every document is done or failed; some hooks failed, and the "
                 "next run starts them again");
        return EXIT_ENVIRONMENT;
    case SUPERVISOR_DENIED:
        log_note("some files were not read: see the warnings");
        return EXIT_ACCESS;
    case SUPERVISOR_LEFT:
        log_note(
            "some documents are waiting: still being written or empty, "
            "locked by another platen, or not readable; see platen status");
        break;
    case SUPERVISOR_IDLE: break;
    }
    return report_failed(report) ? EXIT_SOME_FAILED : EXIT_OK;
}

/* A JSON log is read by programs, which need a line per document. */
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
    struct metrics_export exporter;
    signals_open();
    schema_file_check_default(line->config, err);
    config_check_schemas(line->config, err);
    metrics_export_open_file(&exporter, line->config, err);
    spool_open_existing(&spool, line->operand[0], err);
    int code = EXIT_OTHER;
    if (!err_failed(err)) {
        struct report *report = report_new(&spool, detail_of(line));
        struct supervisor_options o = {
            .spool = &spool,
            .config = line->config,
            .report = report,
            .in_process = command_value(line, "in-process") != NULL,
            .exporter = &exporter,
        };
        enum supervisor_end end = supervisor_run(&o, err);
        report_summary(report);
        code = exit_code(end, report, err);
        report_free(report);
    }
    metrics_export_close(&exporter);
    spool_close(&spool);
    return code;
}

static const struct command_flag flags[] = {
    {"quiet", NULL, "failures only, no summary", 'q'},
    {"verbose", NULL, "also a line per document, and a table", 'v'},
    {"in-process", NULL, "no worker processes (debugging, fault tests)", 0},
    {0},
};

const struct command command_run_row = {
    .name = "run",
    .usage = "SPOOL [--quiet|--verbose]",
    .summary = "process everything waiting in a spool, then exit",
    .help = "SPOOL is a folder with in/ work/ done/ failed/ out/, made by "
            "platen init. Files in in/NAME/ and the folders below it are read "
            "with the schema NAME, files directly in in/ with default_schema "
            "(auto: the model chooses the schema). Each document ends in done/ "
            "(with record.json) or in failed/ (with reason.json); records are "
            "linked into the same folder of out/. Failures are reported as "
            "they happen; at the end it prints how many documents are done, "
            "need review and failed, and for which reasons.\n"
            "\n"
            "Waits until a file has stopped changing (stable_for); an empty "
            "one that is younger than empty_after is left to the next run. "
            "Several processes may share a spool. If killed at any moment, the "
            "next run continues where this one was.\n"
            "\n"
            "  */10 * * * * platen run /srv/scans        a line for cron\n"
            "  platen run spool --jobs 2 --format json,xml\n"
            "  platen run spool --engine null            a dry run\n"
            "\n"
            "Exits with 0; with 16 if documents failed; with 17 if the queue "
            "is on hold (disk, model, out/): nothing failed, and the next run "
            "continues; with 5 if a folder cannot be listed, a file in in/ "
            "cannot be taken, or files are in a folder that is not read "
            "(recursive = no, or a path that is too long).",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = run_command,
};
