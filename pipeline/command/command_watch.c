/* command_watch.c - platen watch: the hot folder. */
#include <dirent.h>
#include <errno.h>
#include <inotifytools/inotify.h>
#include <inotifytools/inotifytools.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/local/schema_file.h"
#include "pipeline/process/signals.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "pipeline/supervisor/supervisor.h"
#include "stages/document/reason.h"
#include "stages/process/process.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* File system events of in/ (libinotifytools), and folders that are moved into
 * work/: uploads, retries, parts of a batch.
 *
 * A helper process writes a byte for each event, since the library waits in
 * whole seconds and has static state. If the helper dies or inotify is not
 * available, platen only becomes as slow as the rescan.
 */

/* IN_CREATE is needed for link(2), which causes no other event. */
enum {
    EVENTS = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB |
             IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
};
/* After these the names of watched folders are no longer true, or events were
 * lost: the helper restarts and sets all watches anew. */
enum { AGAIN = IN_MOVE_SELF | IN_UNMOUNT | IN_Q_OVERFLOW };

enum {
    DEPTH_MAX = 64, /* of watched folders; an open folder each meanwhile */
    GONE_MAX = 1000 /* removed folders that libinotifytools remembers */
};

struct hot_folder {
    const struct config *first; /* its flags are applied again after SIGHUP */
    struct config *present, *previous;
    const struct spool *spool;
    struct process helper;
    double started; /* the helper */
    bool denied;    /* inotify is not available; was logged */
};

/* --- in the helper ------------------------------------------------------ */

/* Watches a folder, then lists it: a folder made in between causes an event.
 * `depth`: of the folders below it that are watched, too. What is too deep or
 * exceeds the user's limit of watches is found by the rescan. */
static bool watch_folders(const char *folder, int depth, const char *ignore)
{
    char path[PATH_MAX];
    struct stat st;
    if (!inotifytools_watch_file(folder, EVENTS)) return false;
    DIR *d = depth > 0 ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (file_name_ignored(e->d_name, ignore)) continue;
        int n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (n < (int)sizeof path && lstat(path, &st) == 0 &&
            S_ISDIR(st.st_mode))
            watch_folders(path, depth - 1, ignore);
    }
    if (d) closedir(d);
    return true;
}

/* Waits for in/ if it is missing for a moment (renamed and created again);
 * otherwise the helper would be restarted only by the next rescan. */
static bool watch_when_there(const char *in, int depth, const char *ignore)
{
    while (!watch_folders(in, depth, ignore)) {
        if (inotifytools_error() != ENOENT) return false;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return true;
}

struct watched {
    int in, work; /* watch descriptors of in/ and work/ */
    size_t n_in;
    int depth, n_gone;
    const char *ignore;
};

/* A new folder in a watched one. */
static void watch_new_folder(const struct watched *w, const char *parent,
                             const char *name)
{
    char path[PATH_MAX];
    int depth = w->depth;
    for (const char *c = parent + w->n_in; *c; c++)
        depth -= *c == '/'; /* each folder ends with one */
    int n = snprintf(path, sizeof path, "%s%s", parent, name);
    if (depth >= 0 && n < (int)sizeof path &&
        !file_name_ignored(name, w->ignore))
        watch_folders(path, depth, w->ignore);
}

/* Watches new folders. False: all watches must be set anew. */
static bool follow_folders(struct watched *w, const struct inotify_event *e)
{
    if (e->mask & AGAIN) return false;
    if (e->wd == w->work) return true;
    if (e->mask & (IN_DELETE_SELF | IN_IGNORED))
        return e->wd != w->in && ++w->n_gone < GONE_MAX;
    if (!(e->mask & IN_ISDIR) || !(e->mask & (IN_CREATE | IN_MOVED_TO)))
        return true;
    const char *parent = inotifytools_filename_from_wd(e->wd);
    if (parent && e->len) watch_new_folder(w, parent, e->name);
    return parent != NULL;
}

/* Its descriptor; -1: work/ is missing, which the rescan finds. */
static int watch_work(const struct spool *spool)
{
    char work[sizeof spool->path + 8];
    snprintf(work, sizeof work, "%s/work/", spool->path);
    return inotifytools_watch_file(work, IN_MOVED_TO | IN_ONLYDIR)
               ? inotifytools_wd_from_filename(work)
               : -1;
}

static void run_helper(void *arg, int fd)
{
    const struct spool *spool = ((struct hot_folder *)arg)->spool;
    char in[4100], folder[PATH_MAX + 16];
    int depth = spool->flat ? 1 : DEPTH_MAX;
    snprintf(in, sizeof in, "%s/in", spool->path);
    if (!inotifytools_initialize() ||
        !watch_when_there(in, depth, spool->ignore))
        _exit(1);
    snprintf(folder, sizeof folder, "%s/", in); /* libinotifytools' name */
    struct watched tree = {.in = inotifytools_wd_from_filename(folder),
                           .work = watch_work(spool),
                           .n_in = strlen(in),
                           .depth = depth,
                           .ignore = spool->ignore};
    /* the first byte: files may have been dropped before the watch was set */
    for (bool again = false; !again;) {
        if (send(fd, "!", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
            errno != EAGAIN)
            return;
        struct inotify_event *e = inotifytools_next_event(-1);
        if (!e) _exit(1);
        again = !follow_folders(&tree, e);
    }
}

/* --- in the supervisor -------------------------------------------------- */

static void start_helper(struct hot_folder *h)
{
    struct err later = {0};
    h->started = clock_seconds();
    process_start(&h->helper,
                  &(struct process_options){.name = "platen-watch",
                                            .run = run_helper,
                                            .arg = h,
                                            .closes = true},
                  &later);
}

/* A descriptor that is readable when in/ should be scanned; -1 without a
 * helper. Starts the helper if none runs, at most once a second. */
static int watch_fd(void *arg)
{
    struct hot_folder *h = arg;
    if (!h->helper.pid &&
        (h->started <= 0 || clock_seconds() - h->started >= 1))
        start_helper(h);
    return h->helper.fd;
}

static void reap_helper(struct hot_folder *h)
{
    int status = process_end(&h->helper);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        h->started = 0; /* folders changed: restart at once */
    } else if (WIFEXITED(status) && !h->denied) {
        h->denied = true;
        log_warn("inotify is not available; in/ is listed every few seconds "
                 "instead (rescan)");
    }
}

/* Empties the descriptor; the next watch_fd restarts a helper that has
 * ended. */
static void watch_read(void *arg)
{
    struct hot_folder *h = arg;
    char byte;
    ssize_t n;
    if (h->helper.fd < 0) return;
    while ((n = recv(h->helper.fd, &byte, 1, MSG_DONTWAIT)) > 0)
        continue;
    if (n == 0) reap_helper(h);
}

static const struct config *reload(void *arg)
{
    struct hot_folder *h = arg;
    struct err err = {0};
    struct config *config = config_reload(h->first, &err);
    config_check_schemas(config, &err);
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

static int watch_spool(struct spool *spool, const struct command_line *line,
                       struct metrics_export *exporter, struct err *err)
{
    struct notify notify;
    struct service service = service_read();
    struct hot_folder h = {
        .first = line->config, .spool = spool, .helper = PROCESS_NONE};
    bool quiet = command_value(line, "quiet") != NULL;
    struct report *report =
        report_new(spool, quiet ? REPORT_QUIET : REPORT_EACH);
    struct supervisor_options o = {
        .spool = spool,
        .config = line->config,
        .report = report,
        .forever = true,
        .hint_fd = watch_fd,
        .hint_read = watch_read,
        .reload = reload,
        .arg = &h,
        .exporter = exporter,
        .notify = &notify,
    };
    notify_open(&notify, &service);
    log_note("watching %s/in", spool->path);
    enum supervisor_end end = supervisor_run(&o, err);
    log_note("stopped: %d done, %d failed", report_done(report),
             report_failed(report));
    report_free(report);
    process_end(&h.helper);
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
    config_check_schemas(line->config, err);
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
