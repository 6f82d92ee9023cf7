/* watch.c - see watch.h. */
#define _GNU_SOURCE
#include "pipeline/supervisor/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* IN_CREATE is needed for link(2), which causes no other event. */
enum {
    EVENTS = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB |
             IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
};
/* After these the set of folders may have changed: the helper restarts. */
enum { AGAIN = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED };

/* Of watched folders; an open folder each while the watches are set. */
enum { DEPTH_MAX = 64 };

struct watch {
    const struct spool *spool;
    pid_t pid; /* 0: none */
    int fd;
    double started;
    bool denied; /* inotify is not available; was logged */
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

static _Noreturn void run_helper(const char *in, int depth, const char *ignore,
                                 int fd, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* copies of the parent's descriptors would hide their end of file */
    if (fd > 3) close_range(3, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0U, 0);
    if (getppid() != parent || !inotifytools_initialize() ||
        !watch_when_there(in, depth, ignore))
        _exit(1);
    /* the first byte: files may have been dropped before the watch was set */
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

static void start_helper(struct watch *w)
{
    int pipe_fd[2];
    char in[4100];
    snprintf(in, sizeof in, "%s/in", w->spool->path);
    w->started = clock_seconds();
    if (pipe2(pipe_fd, O_CLOEXEC | O_NONBLOCK) != 0) return;
    pid_t parent = getpid();
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0)
        run_helper(in, w->spool->flat ? 1 : DEPTH_MAX, w->spool->ignore,
                   pipe_fd[1], parent);
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
        start_helper(w);
    return w->fd;
}

static void reap_helper(struct watch *w)
{
    int status = 0;
    close(w->fd);
    w->fd = -1;
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    w->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        w->started = 0; /* folders changed: restart at once */
    } else if (WIFEXITED(status) && !w->denied) {
        w->denied = true;
        log_warn("inotify is not available; in/ is listed every few seconds "
                 "instead (rescan)");
    }
}

void watch_read(struct watch *w)
{
    char bytes[512];
    ssize_t n;
    if (w->fd < 0) return;
    while ((n = read(w->fd, bytes, sizeof bytes)) > 0)
        continue;
    if (n == 0) reap_helper(w);
}

void watch_free(struct watch *w)
{
    if (!w) return;
    if (w->pid) {
        kill(w->pid, SIGKILL);
        reap_helper(w);
    }
    mem_free(w);
}
