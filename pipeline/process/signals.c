/* signals.c - see signals.h. */
#define _GNU_SOURCE
#include "pipeline/process/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stages/document/reason.h"

/* The state that signal handlers change. */
static volatile sig_atomic_t stopped, reload;
static const char *volatile last_words;

static void on_stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static void on_reload(int signal)
{
    (void)signal;
    reload = 1;
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction a = {.sa_handler = handler};
    sigemptyset(&a.sa_mask);
    sigaction(signal, &a, NULL);
}

void signals_open(void)
{
    sigset_t held;
    handle(SIGTERM, on_stop);
    handle(SIGINT, on_stop);
    handle(SIGHUP, on_reload);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN); /* the write returns EFBIG instead */
    handle(SIGIO, SIG_IGN);   /* a broken lease; its default kills */
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, NULL);
}

static void open_with(void (*on_term)(int))
{
    sigset_t none;
    stopped = reload = 0;
    handle(SIGINT, SIG_IGN);
    handle(SIGHUP, SIG_IGN);
    handle(SIGTERM, on_term);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void signals_open_worker(void)
{
    open_with(on_stop);
}

void signals_open_server(void)
{
    open_with(SIG_IGN);
}

static void end_stopped(int signal)
{
    (void)signal;
    _exit(EXIT_INTERRUPTED);
}

static void end_late(int signal)
{
    (void)signal;
    const char *words = last_words;
    ssize_t put = write(STDERR_FILENO, words, strlen(words));
    _exit(put < 0 ? EXIT_OTHER : EXIT_CHILD);
}

static void let_stops(int how)
{
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    sigprocmask(how, &stops, NULL);
}

void signals_at_once(unsigned wall_s, const char *late)
{
    last_words = late;
    handle(SIGTERM, end_stopped);
    handle(SIGINT, end_stopped);
    handle(SIGALRM, end_late);
    alarm(wall_s);
    let_stops(SIG_UNBLOCK);
}

void signals_polled(void)
{
    let_stops(SIG_BLOCK);
    alarm(0);
    handle(SIGTERM, on_stop);
    handle(SIGINT, on_stop);
}

bool signals_stopped(void)
{
    return stopped != 0;
}

bool signals_reload(void)
{
    bool asked = reload != 0;
    reload = 0;
    return asked;
}

int signals_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    sigset_t none;
    struct timespec t = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    sigemptyset(&none);
    int ready = ppoll(fds, n, timeout_ms < 0 ? NULL : &t, &none);
    if (ready < 0 && errno == EINTR) return 0;
    return ready;
}

bool signals_pending(void *arg)
{
    (void)arg;
    signals_poll(NULL, 0, 0);
    return signals_stopped();
}
