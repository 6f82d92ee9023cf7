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
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/spool/deferral.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

static const double elsewhere_s = 5, not_yet_s = 1, blind_poll_s = 0.1;

enum { PATH_SIZE = 4096 + SPOOL_ID_SIZE + 32, NO_PROGRAM = 127 };

struct hook {
    char id[SPOOL_ID_SIZE];
    int times; /* how often it failed */
    bool tried, gone;
    bool ended; /* well, and the mark is still to be taken away */
    double not_before;
    struct stat mark; /* as it was when the program was started */
};

struct hooks {
    struct spool *s;
    const struct config *config;
    char root[4096]; /* absolute */
    struct hook *hook;
    size_t n, most;
    bool look;

    /* the program at hand */
    pid_t pid;        /* 0: none */
    int pid_fd, hint; /* the hint is locked: other platen leave it alone */
    double since;
    bool killed;
    char running[SPOOL_ID_SIZE];
};

static const char *program_of(const struct hooks *h, enum spool_place place)
{
    return place == SPOOL_DONE ? h->config->on_done : h->config->on_failed;
}

static const char *key_of(enum spool_place place)
{
    return place == SPOOL_DONE ? "on_done" : "on_failed";
}

void hooks_arm(struct spool *s, const struct config *config)
{
    s->hook[SPOOL_DONE] = *config->on_done != '\0';
    s->hook[SPOOL_FAILED] = *config->on_failed != '\0';
}

/* --- what is due -------------------------------------------------------- */

/* `place`/<id>/hook, as it is now. */
static bool mark_of(const struct spool *s, enum spool_place place,
                    const char *id, struct stat *mark)
{
    char path[SPOOL_ID_SIZE + 16];
    snprintf(path, sizeof path, "%.39s/%s", id, SPOOL_HOOK_FILE);
    return fstatat(s->place[place], path, mark, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool place_of(const struct hooks *h, const char *id,
                     enum spool_place *place, struct stat *mark)
{
    *place = SPOOL_DONE;
    if (mark_of(h->s, SPOOL_DONE, id, mark)) return true;
    *place = SPOOL_FAILED;
    return mark_of(h->s, SPOOL_FAILED, id, mark);
}

/* The marks are the truth; the hints are made again from them. */
static void find_left(struct hooks *h, enum spool_place place)
{
    struct err err = {0};
    struct stat mark;
    if (!*program_of(h, place)) return;
    struct arena *arena = arena_new();
    for (char **id = spool_list(h->s, place, arena, NULL, &err); *id; id++)
        if (mark_of(h->s, place, *id, &mark))
            spool_pending_add(h->s, *id, SPOOL_HOOK, &err);
    arena_free(arena);
    if (err_failed(&err)) log_warn("hooks that are due: %s", err.text);
}

static struct hook *find(struct hooks *h, const char *id)
{
    for (size_t i = 0; i < h->n; i++)
        if (!strcmp(h->hook[i].id, id)) return &h->hook[i];
    return NULL;
}

/* Both are in order of ids: what was known keeps its count, what is no longer
 * listed goes. */
static void list_anew(struct hooks *h)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    char **id = spool_pending_list(h->s, SPOOL_HOOK, arena, &err);
    struct hook *old = h->hook;
    size_t n_old = h->n, at = 0;
    h->look = false;
    h->hook = NULL;
    h->n = h->most = 0;
    for (; *id; id++) {
        while (at < n_old && strcmp(old[at].id, *id) < 0)
            at++;
        bool known = at < n_old && !strcmp(old[at].id, *id);
        if (h->n == h->most) {
            h->most = 2 * h->most + 16;
            h->hook = mem_grow(h->hook, h->most, sizeof *h->hook);
        }
        struct hook *to = &h->hook[h->n++];
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
    h->pid_fd = h->hint = -1;
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
    find_left(h, SPOOL_DONE);
    find_left(h, SPOOL_FAILED);
    h->look = true;
}

void hooks_due(struct hooks *h, const char *id)
{
    struct hook *known = id ? find(h, id) : NULL;
    h->look = true;
    if (!known) return;
    known->tried = false;
    known->not_before = 0;
}

static bool is_wanted(const struct hooks *h)
{
    return *h->config->on_done || *h->config->on_failed;
}

/* --- the program -------------------------------------------------------- */

static _Noreturn void become(const char *program, const char *path,
                             pid_t parent)
{
    static const int reset[] = {SIGTERM, SIGINT, SIGHUP,
                                SIGPIPE, SIGIO,  SIGXFSZ};
    char *argv[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)path, NULL};
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(NO_PROGRAM);
    for (size_t i = 0; i < sizeof reset / sizeof reset[0]; i++)
        signal(reset[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(NO_PROGRAM);
    if (null > STDERR_FILENO) close(null);
    execv(program, argv);
    _exit(NO_PROGRAM);
}

static void start(struct hooks *h, struct hook *hook, enum spool_place place)
{
    char path[PATH_SIZE], folder[SPOOL_ID_SIZE + 32];
    snprintf(folder, sizeof folder, "%.39s/corrected.json", hook->id);
    const char *file = place == SPOOL_FAILED ? "reason.json"
                       : spool_exists(h->s->place[place], folder)
                           ? "corrected.json"
                           : "record.json";
    snprintf(path, sizeof path, "%s/%s/%s/%s", h->root, spool_place_name(place),
             hook->id, file);
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become(program_of(h, place), path, parent);
    if (pid < 0) {
        log_warn("%s cannot be started: %s", key_of(place), strerror(errno));
        hook->not_before = clock_seconds() + elsewhere_s;
        return;
    }
    h->pid = pid;
    h->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    h->since = clock_seconds();
    h->killed = false;
    snprintf(h->running, sizeof h->running, "%s", hook->id);
}

/* Unlocked explicitly: a worker that was forked meanwhile has a copy of the
 * descriptor, and close() alone would leave the lock with it. */
static void let_hint_go(struct hooks *h)
{
    if (h->hint >= 0) {
        flock(h->hint, LOCK_UN);
        close(h->hint);
    }
    h->hint = -1;
}

/* Another platen that has it runs it. */
static bool hold_hint(struct hooks *h, const char *id)
{
    char name[SPOOL_ID_SIZE + 8];
    snprintf(name, sizeof name, "%.39s.hook", id);
    h->hint = openat(h->s->pending, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (h->hint >= 0 && flock(h->hint, LOCK_EX | LOCK_NB) == 0) return true;
    let_hint_go(h);
    return false;
}

static void forget(struct hooks *h, struct hook *hook)
{
    spool_pending_remove(h->s, hook->id, SPOOL_HOOK);
    hook->gone = true;
}

/* It ended well: the mark goes, unless a correction brought a new one. */
static void settle(struct hooks *h, struct hook *hook)
{
    struct folder f;
    struct stat now;
    struct err err = {0};
    enum spool_place place;
    if (!place_of(h, hook->id, &place, &now)) {
        forget(h, hook);
        return;
    }
    bool locked = place == SPOOL_DONE
                      ? spool_lock_done(h->s, hook->id, &f, &err)
                      : spool_lock_failed(h->s, hook->id, &f, &err);
    hook->not_before = clock_seconds() + not_yet_s;
    if (!locked) return; /* somebody looks at it: once more, soon */
    bool same = mark_of(h->s, place, hook->id, &now) &&
                now.st_ino == hook->mark.st_ino &&
                now.st_mtim.tv_sec == hook->mark.st_mtim.tv_sec &&
                now.st_mtim.tv_nsec == hook->mark.st_mtim.tv_nsec;
    if (same) spool_remove(&f, SPOOL_HOOK_FILE, &err);
    spool_unlock(&f);
    hook->ended = false;
    if (err_failed(&err))
        log_warn("%s: %s; its hook will run once more", hook->id, err.text);
    else if (same)
        forget(h, hook);
}

static void set_back(struct hook *hook, const char *why)
{
    double wait = deferral_wait(++hook->times);
    hook->not_before = clock_seconds() + wait;
    log_warn("the hook of %s %s; the document stays as it is, and the hook is "
             "tried again in %.0f s",
             hook->id, why, wait);
}

static void bury(struct hooks *h, int status)
{
    char why[80];
    struct hook *hook = find(h, h->running);
    if (h->pid_fd >= 0) close(h->pid_fd);
    h->pid_fd = -1;
    h->pid = 0;
    if (h->killed)
        snprintf(why, sizeof why, "did not end within %d s (hook_timeout)",
                 h->config->hook_timeout_s);
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof why, "ended with code %d%s", WEXITSTATUS(status),
                 WEXITSTATUS(status) == NO_PROGRAM ? " (is it a program?)"
                                                   : "");
    if (hook && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        hook->ended = true;
        settle(h, hook);
    } else if (hook) {
        set_back(hook, why);
    }
    let_hint_go(h);
}

static void kill_program(struct hooks *h)
{
    if (!h->pid || h->killed) return;
    h->killed = true;
    kill(-h->pid, SIGKILL);
    kill(h->pid, SIGKILL); /* it may not have made its group yet */
}

static void reap(struct hooks *h, int how)
{
    int status = 0;
    pid_t got;
    if (!h->pid) return;
    while ((got = waitpid(h->pid, &status, how)) < 0 && errno == EINTR)
        continue;
    if (got == h->pid) bury(h, status);
}

/* --- turns -------------------------------------------------------------- */

/* Due, and its time has come: is it run now? */
static void take_up(struct hooks *h, struct hook *hook)
{
    enum spool_place place;
    if (hook->ended) {
        settle(h, hook);
        return;
    }
    hook->tried = true;
    hook->not_before = clock_seconds() + not_yet_s;
    if (!place_of(h, hook->id, &place, &hook->mark)) {
        /* not committed yet, or taken back */
        if (!spool_exists(h->s->place[SPOOL_WORK], hook->id)) forget(h, hook);
        return;
    }
    if (place == SPOOL_DONE && !spool_is_delivered(h->s, hook->id)) return;
    hook->not_before = clock_seconds() + elsewhere_s;
    if (!*program_of(h, place)) forget(h, hook); /* the mark stays */
    if (hook->gone || !hold_hint(h, hook->id)) return;
    /* who had it before may have ended it */
    if (place_of(h, hook->id, &place, &hook->mark)) start(h, hook, place);
    if (!h->pid) let_hint_go(h);
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
    if (h->pid || !is_wanted(h)) return;
    if (h->look) list_anew(h);
    double now = clock_seconds();
    for (size_t i = 0; i < h->n && !h->pid; i++)
        if (!h->hook[i].gone && h->hook[i].not_before <= now)
            take_up(h, &h->hook[i]);
}

int hooks_fd(const struct hooks *h)
{
    return h->pid_fd;
}

double hooks_wait(const struct hooks *h)
{
    double now = clock_seconds(), wait = -1;
    if (!is_wanted(h) && !h->pid) return -1;
    if (h->pid && h->pid_fd < 0) return blind_poll_s;
    if (h->pid)
        wait = h->since + h->config->hook_timeout_s + blind_poll_s - now;
    if (!h->pid && h->look) return 0;
    for (size_t i = 0; i < h->n && !h->pid; i++) {
        double left = h->hook[i].not_before - now;
        if (h->hook[i].gone) continue;
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
    bool untried = h->pid || (h->look && is_wanted(h));
    for (size_t i = 0; i < h->n; i++)
        untried |= !h->hook[i].tried && !h->hook[i].gone && is_wanted(h);
    return untried;
}

size_t hooks_left(const struct hooks *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        n += !h->hook[i].gone;
    return is_wanted(h) ? n : 0;
}

void hooks_free(struct hooks *h)
{
    if (!h) return;
    kill_program(h);
    if (h->pid) {
        while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        if (h->pid_fd >= 0) close(h->pid_fd);
    }
    let_hint_go(h);
    mem_free(h->hook);
    mem_free(h);
}
