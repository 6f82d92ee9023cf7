/* watch.c - see watch.h; the only user of inotify. */
#define _GNU_SOURCE
#include "pipeline/supervisor/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <inotifytools/inotify.h>
#include <inotifytools/inotifytools.h>

#include "pipeline/spool/file_name.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* CREATE wakes up for link(2), which gives nothing else. */
enum {
    EVENTS = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB |
             IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
};
/* After these the set of folders may be another one: watch it anew. */
enum { AGAIN = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED };

struct watch {
    const struct spool *spool;
    pid_t pid; /* 0: none */
    int fd;
    double started;
    bool denied; /* said so once */
};

/* --- in the helper ------------------------------------------------------ */

static bool watch_folders(const char in[static 4100])
{
    char path[4100 + FILE_NAME_BYTES_MAX + 2];
    struct stat st;
    if (!inotifytools_watch_file(in, EVENTS)) return false;
    DIR *d = opendir(in);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (file_name_ignored(e->d_name)) continue;
        snprintf(path, sizeof path, "%.4099s/%.255s", in, e->d_name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
            inotifytools_watch_file(path, EVENTS);
    }
    if (d) closedir(d);
    return true;
}

/* in/ may be away for a moment (renamed, to be made again): waits for it, as
 * nobody else would start a helper before the next rescan. */
static bool watch_when_there(const char in[static 4100])
{
    while (!watch_folders(in)) {
        if (inotifytools_error() != ENOENT) return false;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return true;
}

static _Noreturn void help(const char in[static 4100], int fd, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* who waits for the end of a door would wait for us, too */
    if (fd > 3) close_range(3, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0U, 0);
    if (getppid() != parent || !inotifytools_initialize() ||
        !watch_when_there(in))
        _exit(1);
    /* what was dropped before the watch was set is found by a look now */
    for (bool again = false; !again;) {
        if (write(fd, "!", 1) < 0 && errno != EAGAIN) _exit(0);
        struct inotify_event *e = inotifytools_next_event(-1);
        if (!e) _exit(1);
        again = (e->mask & AGAIN) ||
                ((e->mask & IN_ISDIR) && (e->mask & (IN_CREATE | IN_MOVED_TO)));
    }
    _exit(0);
}

/* --- in the supervisor -------------------------------------------------- */

struct watch *watch_new(const struct spool *s)
{
    struct watch *w = mem_alloc(1, sizeof *w);
    w->spool = s;
    w->fd = -1;
    return w;
}

static void start(struct watch *w)
{
    int pipe_fd[2];
    char in[4100];
    snprintf(in, sizeof in, "%s/in", w->spool->path);
    w->started = clock_seconds();
    if (pipe2(pipe_fd, O_CLOEXEC | O_NONBLOCK) != 0) return;
    pid_t parent = getpid();
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) help(in, pipe_fd[1], parent);
    close(pipe_fd[1]);
    w->fd = pipe_fd[0];
    if (w->pid > 0) return;
    close(w->fd);
    w->fd = -1;
    w->pid = 0;
}

int watch_fd(struct watch *w)
{
    if (!w->pid && (w->started <= 0 || clock_seconds() - w->started >= 1))
        start(w);
    return w->fd;
}

static void bury(struct watch *w)
{
    int status = 0;
    close(w->fd);
    w->fd = -1;
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    w->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        w->started = 0; /* folders came or went: at once */
    } else if (WIFEXITED(status) && !w->denied) {
        w->denied = true;
        log_warn("inotify is not to be had: platen looks into in/ every few "
                 "seconds instead (rescan)");
    }
}

void watch_read(struct watch *w)
{
    char bytes[512];
    ssize_t n;
    if (w->fd < 0) return;
    while ((n = read(w->fd, bytes, sizeof bytes)) > 0)
        continue;
    if (n == 0) bury(w);
}

void watch_free(struct watch *w)
{
    if (!w) return;
    if (w->pid) {
        kill(w->pid, SIGKILL);
        bury(w);
    }
    mem_free(w);
}
