/* hooks.c - see hooks.h. */
#define _GNU_SOURCE
#include "pipeline/supervisor/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/spool/deferral.h"
#include "pipeline/spool/document_folder.h"
#include "stages/document/reason.h"
#include "stages/engine/endpoint_sender.h"
#include "stages/process/process.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

static const double elsewhere_s = 5, not_yet_s = 1, soon_s = 0.1;

enum { PATH_SIZE = 4096 + SPOOL_ID_SIZE + 32, NO_PROGRAM = 127 };

struct hook {
    char id[SPOOL_ID_SIZE];
    int times; /* number of failures */
    bool tried, gone;
    bool elsewhere; /* another platen runs it, and reports its end */
    bool ended;     /* the program exited with 0; the mark is to be removed */
    double not_before;
    struct stat mark; /* the mark when the program was started */
};

struct hooks {
    struct spool *s;
    const struct config *config;
    char root[4096]; /* absolute */
    struct hook *hook;
    size_t n;
    bool list; /* pending/ must be listed again */

    /* the running program */
    pid_t pid;           /* 0: none */
    int pid_fd, lock_fd; /* lock_fd: pending/ID.hook, locked against others */
    double since;
    bool killed;
    char running[SPOOL_ID_SIZE];
};

/* "": nothing is to be done for documents in `place`. */
static const char *hook_program(const struct hooks *h, enum spool_place place)
{
    if (*h->config->webhook) return h->config->webhook;
    return place == SPOOL_DONE ? h->config->on_done : h->config->on_failed;
}

static const char *hook_key(const struct hooks *h, enum spool_place place)
{
    return *h->config->webhook   ? "webhook"
           : place == SPOOL_DONE ? "on_done"
                                 : "on_failed";
}

void hooks_arm(struct spool *s, const struct config *config)
{
    s->hook[SPOOL_DONE] = *config->on_done || *config->webhook;
    s->hook[SPOOL_FAILED] = *config->on_failed || *config->webhook;
    s->notes = config->report_failures;
}

/* --- due hooks ---------------------------------------------------------- */

/* The stat of `place`/<id>/hook; false: it does not exist. */
static bool stat_mark(const struct spool *s, enum spool_place place,
                      const char *id, struct stat *mark)
{
    char path[SPOOL_ID_SIZE + 16];
    snprintf(path, sizeof path, "%.39s/%s", id, SPOOL_HOOK_FILE);
    return fstatat(s->place[place], path, mark, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool find_mark(const struct hooks *h, const char *id,
                      enum spool_place *place, struct stat *mark)
{
    *place = SPOOL_DONE;
    if (stat_mark(h->s, SPOOL_DONE, id, mark)) return true;
    *place = SPOOL_FAILED;
    return stat_mark(h->s, SPOOL_FAILED, id, mark);
}

/* Recreates the entries of pending/ from the marks, which are authoritative. */
static void recreate_pending(struct hooks *h, enum spool_place place)
{
    struct err err = {0};
    struct stat mark;
    if (!*hook_program(h, place)) return;
    struct arena *arena = arena_new();
    for (char **id = spool_list(h->s, place, arena, NULL, &err); *id; id++)
        if (stat_mark(h->s, place, *id, &mark))
            spool_pending_add(h->s, *id, SPOOL_HOOK, &err);
    arena_free(arena);
    if (err_failed(&err)) log_warn("hooks that are due: %s", err.text);
}

static struct hook *find_hook(struct hooks *h, const char *id)
{
    for (size_t i = 0; i < h->n; i++)
        if (!strcmp(h->hook[i].id, id)) return &h->hook[i];
    return NULL;
}

/* Lists pending/ again. Both lists are sorted by id; known hooks keep their
 * state. */
static void list_pending(struct hooks *h)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    char **id = spool_pending_list(h->s, SPOOL_HOOK, arena, &err);
    struct hook *old = h->hook;
    size_t n_old = h->n, at = 0;
    h->list = false;
    h->hook = NULL;
    h->n = 0;
    for (; *id; id++) {
        while (at < n_old && strcmp(old[at].id, *id) < 0)
            at++;
        bool known = at < n_old && !strcmp(old[at].id, *id);
        struct hook *to = MEM_ADD(h->hook, h->n);
        *to = known ? old[at] : (struct hook){.times = 0};
        snprintf(to->id, sizeof to->id, "%s", *id);
    }
    mem_free(old);
    arena_free(arena);
}

struct hooks *hooks_new(struct spool *s, const struct config *config)
{
    struct hooks *h = mem_alloc(1, sizeof *h);
    h->s = s;
    h->pid_fd = h->lock_fd = -1;
    h->config = config;
    if (!realpath(s->path, h->root))
        snprintf(h->root, sizeof h->root, "%s", s->path);
    hooks_configure(h, config);
    return h;
}

void hooks_configure(struct hooks *h, const struct config *config)
{
    h->config = config;
    hooks_arm(h->s, config);
    recreate_pending(h, SPOOL_DONE);
    recreate_pending(h, SPOOL_FAILED);
    h->list = true;
}

void hooks_due(struct hooks *h, const char *id)
{
    struct hook *known = id ? find_hook(h, id) : NULL;
    h->list = true;
    if (!known) return;
    known->tried = false;
    known->not_before = 0;
}

static bool has_program(const struct hooks *h)
{
    return *hook_program(h, SPOOL_DONE) || *hook_program(h, SPOOL_FAILED);
}

/* --- webhook ------------------------------------------------------------ */

struct webhook_job {
    const struct spool *spool;
    const struct config *config;
    enum spool_place place; /* SPOOL_DONE or SPOOL_FAILED */
    const char *id;
    long long outcome; /* a number for this outcome of the document */
};

static void add_escaped(struct buf *out, const char *key, const char *raw)
{
    struct buf text = buf_limit(8192);
    file_name_escape(raw, &text);
    json_print_member(out, key, buf_span(&text).data);
    buf_free(&text);
}

static void print_body(const struct webhook_job *job, struct buf *out)
{
    struct document_folder_state state = {0};
    bool done = job->place == SPOOL_DONE;
    int fd = spool_folder_fd(job->spool, job->place, job->id);
    cJSON *reason = NULL;
    if (fd >= 0) {
        document_folder_read_name(fd, job->id, &state);
        if (!done) reason = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
        close(fd);
    }
    buf_print(out,
              "{\"event\":\"%s-%llx\",\"type\":\"document.%s\",\"id\":\"%s\"",
              job->id, (unsigned long long)job->outcome,
              done ? "done" : "failed", job->id);
    add_escaped(out, "name", state.name);
    add_escaped(out, "folder", state.path);
    if (!done)
        json_print_member(out, "code", json_get_text_or_empty(reason, "code"));
    buf_add_text(out, "}");
    cJSON_Delete(reason);
}

/* True: it was acknowledged. */
static bool send_it(const struct webhook_job *job, struct buf *body)
{
    struct settings settings = job->config->stage;
    struct engine engine = {0};
    struct err err = {0};
    const char *url = "";
    settings.endpoint = job->config->webhook;
    settings.endpoint_key_fd = job->config->webhook_secret_fd;
    settings.endpoint_signs = true;
    settings.endpoint_timeout_s = job->config->hook_timeout_s;
    settings.endpoint_parallel = 1;
    settings.fetch_fd = 0;
    struct endpoint_sender *s =
        endpoint_sender_new(&settings, &engine, &url, &err);
    if (err_failed(&err)) {
        log_warn("webhook: %s", err.text);
        return false;
    }
    struct flight *f = endpoint_sender_start(s, body);
    endpoint_sender_await(s, f);
    const struct engine_endpoint_reply *r = &f->reply;
    bool taken =
        r->outcome == FETCH_ANSWERED && r->status >= 200 && r->status < 300;
    if (!taken && r->outcome == FETCH_ANSWERED)
        log_warn("webhook: the server answered with status %d", r->status);
    else if (!taken)
        log_warn("webhook: %s", r->text);
    endpoint_sender_end(s, f);
    endpoint_sender_free(s);
    return taken;
}

/* In its process: exits with 0 if it was acknowledged. */
static void run_webhook(void *arg, int fd)
{
    const struct webhook_job *job = arg;
    struct buf body = buf_limit(64 << 10);
    (void)fd;
    setpgid(0, 0); /* it is killed with its fetch process */
    print_body(job, &body);
    _exit(send_it(job, &body) ? EXIT_OK : EXIT_OTHER);
}

/* --- the program -------------------------------------------------------- */

struct hook_command {
    const char *program, *path;
};

/* The rest of the process: an exec closes its socket to us. */
static void exec_program(void *arg, int fd)
{
    const struct hook_command *c = arg;
    static const int reset[] = {SIGTERM, SIGINT, SIGHUP,
                                SIGPIPE, SIGIO,  SIGXFSZ};
    char *argv[] = {(char *)(uintptr_t)c->program, (char *)(uintptr_t)c->path,
                    NULL};
    sigset_t none;
    (void)fd;
    setpgid(0, 0);
    for (size_t i = 0; i < sizeof reset / sizeof reset[0]; i++)
        signal(reset[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(NO_PROGRAM);
    if (null > STDERR_FILENO) close(null);
    execv(c->program, argv);
    _exit(NO_PROGRAM);
}

static void start_program(struct hooks *h, struct hook *hook,
                          enum spool_place place)
{
    char path[PATH_SIZE], folder[SPOOL_ID_SIZE + 32];
    snprintf(folder, sizeof folder, "%.39s/corrected.json", hook->id);
    const char *file = place == SPOOL_FAILED ? "reason.json"
                       : spool_exists(h->s->place[place], folder)
                           ? "corrected.json"
                           : "record.json";
    snprintf(path, sizeof path, "%s/%s/%s/%s", h->root, spool_place_name(place),
             hook->id, file);
    struct hook_command command = {hook_program(h, place), path};
    struct webhook_job job = {h->s, h->config, place, hook->id,
                              (long long)hook->mark.st_mtim.tv_sec *
                                      1000000000 +
                                  hook->mark.st_mtim.tv_nsec};
    bool sends = *h->config->webhook;
    struct process process;
    struct err err = {0};
    process_start(&process,
                  &(struct process_options){
                      .name = "platen-hook",
                      .run = sends ? run_webhook : exec_program,
                      .arg = sends ? (void *)&job : (void *)&command,
                      .keeps_signals = true},
                  &err);
    if (err_failed(&err)) {
        log_warn("%s cannot be started: %s", hook_key(h, place), err.text);
        hook->not_before = clock_seconds() + elsewhere_s;
        return;
    }
    h->pid = process.pid;
    h->pid_fd = (int)syscall(SYS_pidfd_open, h->pid, 0);
    process_forget(&process);
    h->since = clock_seconds();
    h->killed = false;
    snprintf(h->running, sizeof h->running, "%s", hook->id);
}

/* Unlocks explicitly: a worker that was forked meanwhile has a copy of the
 * descriptor, and close() alone would leave the lock to it. */
static void unlock_hook(struct hooks *h)
{
    if (h->lock_fd >= 0) {
        flock(h->lock_fd, LOCK_UN);
        close(h->lock_fd);
    }
    h->lock_fd = -1;
}

/* Locks pending/ID.hook; false: another platen runs the hook. */
static bool lock_hook(struct hooks *h, const char *id)
{
    char name[SPOOL_ID_SIZE + 8];
    snprintf(name, sizeof name, "%.39s.hook", id);
    h->lock_fd = openat(h->s->pending, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (h->lock_fd >= 0 && flock(h->lock_fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    unlock_hook(h);
    return false;
}

static void forget_hook(struct hooks *h, struct hook *hook)
{
    spool_pending_remove(h->s, hook->id, SPOOL_HOOK);
    hook->gone = true;
}

/* After success: removes the mark, unless a correction made a new one. */
static void remove_mark(struct hooks *h, struct hook *hook)
{
    struct folder f;
    struct stat now;
    struct err err = {0};
    enum spool_place place;
    if (!find_mark(h, hook->id, &place, &now)) {
        forget_hook(h, hook);
        return;
    }
    bool locked = spool_lock(h->s, place, hook->id, &f, &err);
    hook->not_before = clock_seconds() + (locked ? not_yet_s : soon_s);
    if (!locked) return; /* in use by another process */
    bool same = stat_mark(h->s, place, hook->id, &now) &&
                now.st_ino == hook->mark.st_ino &&
                now.st_mtim.tv_sec == hook->mark.st_mtim.tv_sec &&
                now.st_mtim.tv_nsec == hook->mark.st_mtim.tv_nsec;
    if (same) spool_remove(&f, SPOOL_HOOK_FILE, &err);
    spool_unlock(&f);
    hook->ended = false;
    if (err_failed(&err))
        log_warn("%s: %s; its hook will run again", hook->id, err.text);
    else if (same)
        forget_hook(h, hook);
}

/* Unlocks the hook that has run, once its mark is removed: another platen would
 * run it again. */
static void finish_hook(struct hooks *h)
{
    struct hook *hook = find_hook(h, h->running);
    if (hook && hook->ended) {
        if (hook->not_before > clock_seconds()) return;
        remove_mark(h, hook);
    }
    if (!hook || !hook->ended || hook->gone) unlock_hook(h);
}

static void retry_later(struct hook *hook, const char *why)
{
    double wait = deferral_wait(++hook->times);
    hook->not_before = clock_seconds() + wait;
    log_warn("the hook of %s %s; the document keeps its state, and the hook is "
             "run again in %.0f s",
             hook->id, why, wait);
}

static void on_program_end(struct hooks *h, int status)
{
    char why[80];
    struct hook *hook = find_hook(h, h->running);
    if (h->pid_fd >= 0) close(h->pid_fd);
    h->pid_fd = -1;
    h->pid = 0;
    if (h->killed)
        snprintf(why, sizeof why, "did not exit within %d s (hook_timeout)",
                 h->config->hook_timeout_s);
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "was killed by signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof why, "exited with code %d%s", WEXITSTATUS(status),
                 WEXITSTATUS(status) == NO_PROGRAM ? " (is it a program?)"
                                                   : "");
    if (hook && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        hook->ended = true;
        hook->not_before = 0;
    } else if (hook) {
        retry_later(hook, why);
    }
    finish_hook(h);
}

static void kill_program(struct hooks *h)
{
    if (!h->pid || h->killed) return;
    h->killed = true;
    kill(-h->pid, SIGKILL);
    kill(h->pid, SIGKILL); /* in case it has not made its group yet */
}

static void reap(struct hooks *h, int how)
{
    int status = 0;
    pid_t got;
    if (!h->pid) return;
    while ((got = waitpid(h->pid, &status, how)) < 0 && errno == EINTR)
        continue;
    if (got == h->pid) on_program_end(h, status);
}

/* --- turns -------------------------------------------------------------- */

/* Starts a hook that is due, if its document is committed and not in use. */
static void try_hook(struct hooks *h, struct hook *hook)
{
    enum spool_place place;
    hook->tried = true;
    hook->not_before = clock_seconds() + not_yet_s;
    if (!find_mark(h, hook->id, &place, &hook->mark)) {
        /* not committed yet, or retried */
        if (!spool_exists(h->s->place[SPOOL_WORK], hook->id))
            forget_hook(h, hook);
        return;
    }
    if (place == SPOOL_DONE && !spool_is_delivered(h->s, hook->id)) return;
    hook->not_before = clock_seconds() + elsewhere_s;
    if (!*hook_program(h, place)) forget_hook(h, hook); /* the mark stays */
    hook->elsewhere = !hook->gone && !lock_hook(h, hook->id);
    if (hook->gone || hook->elsewhere) return;
    /* another platen may have run it before we had the lock */
    if (find_mark(h, hook->id, &place, &hook->mark))
        start_program(h, hook, place);
    if (!h->pid) unlock_hook(h);
}

void hooks_reap(struct hooks *h)
{
    if (h->pid && clock_seconds() - h->since > h->config->hook_timeout_s)
        kill_program(h);
    reap(h, WNOHANG);
}

void hooks_turn(struct hooks *h)
{
    hooks_reap(h);
    if (!h->pid && h->lock_fd >= 0) finish_hook(h);
    if (h->pid || h->lock_fd >= 0 || !has_program(h)) return;
    if (h->list) list_pending(h);
    double now = clock_seconds();
    for (size_t i = 0; i < h->n && !h->pid; i++)
        if (!h->hook[i].gone && h->hook[i].not_before <= now)
            try_hook(h, &h->hook[i]);
}

int hooks_fd(const struct hooks *h)
{
    return h->pid_fd;
}

double hooks_wait(const struct hooks *h)
{
    double now = clock_seconds(), wait = -1;
    if (!has_program(h) && !h->pid && h->lock_fd < 0) return -1;
    if (h->pid && h->pid_fd < 0) return soon_s;
    if (h->pid) wait = h->since + h->config->hook_timeout_s + soon_s - now;
    if (!h->pid && h->lock_fd < 0 && h->list) return 0;
    for (size_t i = 0; i < h->n && !h->pid; i++) {
        double left = h->hook[i].not_before - now;
        if (h->hook[i].gone || (h->lock_fd >= 0 && !h->hook[i].ended)) continue;
        if (wait < 0 || left < wait) wait = left > 0 ? left : 0;
    }
    return wait < 0 && h->pid ? 0 : wait;
}

bool hooks_is_running(const struct hooks *h)
{
    return h->pid != 0;
}

bool hooks_has_untried(const struct hooks *h)
{
    bool untried = h->pid || h->lock_fd >= 0 || (h->list && has_program(h));
    for (size_t i = 0; i < h->n; i++)
        untried |= !h->hook[i].tried && !h->hook[i].gone && has_program(h);
    return untried;
}

size_t hooks_left(const struct hooks *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        n += !h->hook[i].gone && !h->hook[i].elsewhere;
    return has_program(h) ? n : 0;
}

void hooks_free(struct hooks *h)
{
    if (!h) return;
    kill_program(h);
    if (h->pid) {
        process_kill(h->pid);
        if (h->pid_fd >= 0) close(h->pid_fd);
    }
    unlock_hook(h);
    mem_free(h->hook);
    mem_free(h);
}
