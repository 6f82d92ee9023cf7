/* signals.c - see signals.h. */
#define _GNU_SOURCE
#include "pipeline/work/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

/* The only state that a handler may touch. */
static volatile sig_atomic_t stopped, reload;

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

void signals_open_worker(void)
{
    sigset_t none;
    stopped = reload = 0;
    handle(SIGINT, SIG_IGN);
    handle(SIGHUP, SIG_IGN);
    handle(SIGTERM, on_stop);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
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

bool signals_pending(void)
{
    signals_poll(NULL, 0, 0);
    return signals_stopped();
}
