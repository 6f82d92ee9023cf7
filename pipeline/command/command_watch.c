/* command_watch.c - platen watch: the hot folder. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/local/schema_file.h"
#include "pipeline/observe/metrics_export.h"
#include "pipeline/process/signals.h"
#include "pipeline/supervisor/supervisor.h"
#include "pipeline/supervisor/watch.h"
#include "stages/document/reason.h"
#include "vlm/base/log.h"

struct hot_folder {
    const struct config *first; /* its flags are applied again after SIGHUP */
    struct config *present, *previous;
    struct watch *watch;
};

static int event_fd(void *arg)
{
    return watch_fd(((struct hot_folder *)arg)->watch);
}

static void read_events(void *arg)
{
    watch_read(((struct hot_folder *)arg)->watch);
}

static const struct config *reload(void *arg)
{
    struct hot_folder *h = arg;
    struct err err = {0};
    struct config *config = config_reload(h->first, &err);
    if (err_failed(&err)) {
        log_warn("the configuration was not reloaded: %s", err.text);
        config_close(config);
        return NULL;
    }
    struct service service = service_read();
    log_as((struct log_form){!strcmp(config->log_format, "json"),
                             service.journal, service.wipes});
    log_note("the configuration was reloaded");
    /* the supervisor may still use the present one, but not the previous */
    config_close(h->previous);
    h->previous = h->present;
    h->present = config;
    return config;
}

static int metrics_fd(void *arg)
{
    return metrics_export_fd(arg);
}

static void poll_metrics(void *arg)
{
    metrics_export_poll(arg);
}

static int watch_spool(struct spool *spool, const struct command_line *line,
                       struct metrics_export *exporter, struct err *err)
{
    struct notify notify;
    struct service service = service_read();
    struct hot_folder h = {.first = line->config, .watch = watch_new(spool)};
    bool quiet = command_value(line, "quiet") != NULL;
    struct report *report =
        report_new(spool, quiet ? REPORT_QUIET : REPORT_EACH);
    struct supervisor_options o = {
        .spool = spool,
        .config = line->config,
        .report = report,
        .forever = true,
        .hint_fd = event_fd,
        .hint_read = read_events,
        .reload = reload,
        .arg = &h,
        .metrics = metrics_export_is_open(exporter) ? &exporter->metrics : NULL,
        .metrics_fd = metrics_fd,
        .metrics_poll = poll_metrics,
        .metrics_arg = exporter,
        .notify = &notify,
    };
    notify_open(&notify, &service);
    log_note("watching %s/in", spool->path);
    enum supervisor_end end = supervisor_run(&o, err);
    log_note("stopped: %d done, %d failed", report_done(report),
             report_failed(report));
    report_free(report);
    watch_free(h.watch);
    notify_close(&notify);
    config_close(h.previous);
    config_close(h.present);
    return end == SUPERVISOR_INTERRUPTED   ? EXIT_OK
           : end == SUPERVISOR_ENVIRONMENT ? EXIT_ENVIRONMENT
                                           : EXIT_OTHER;
}

static int watch_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    struct metrics_export exporter;
    signals_open();
    schema_file_check_default(line->config, err);
    metrics_export_open(&exporter, line->config, err);
    spool_open_existing(&spool, line->operand[0], err);
    int code = EXIT_OTHER;
    if (!err_failed(err)) code = watch_spool(&spool, line, &exporter, err);
    metrics_export_close(&exporter);
    spool_close(&spool);
    return code;
}

static const struct command_flag flags[] = {
    {"quiet", NULL, "failures only", 'q'},
    {0},
};

const struct command command_watch_row = {
    .name = "watch",
    .usage = "SPOOL [--quiet]",
    .summary = "watch a hot folder and process dropped files",
    .help = "Does what platen run does, and continues: a file dropped into "
            "SPOOL/in/NAME/, or a folder below it, is taken once it has not "
            "changed for `stable_for` seconds. SPOOL is made by platen init. "
            "File system events only speed this up: in/ is also listed every "
            "`rescan` seconds.\n"
            "\n"
            "SIGTERM ends it within 5 seconds; documents in progress are "
            "resumed by the next start, and no attempt is charged. SIGHUP "
            "reloads the configuration. It exits with 17 after a failed fsync: "
            "only a new process may continue.\n"
            "\n"
            "  platen watch /srv/scans --stable-for 2\n"
            "  platen watch /srv/scans --engine endpoint --endpoint "
            "http://127.0.0.1:8080/v1",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = watch_command,
};
