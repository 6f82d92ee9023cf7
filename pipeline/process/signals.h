/* signals.h - stop and reload: flags that are polled between steps. */
#ifndef PIPELINE_PROCESS_SIGNALS_H
#define PIPELINE_PROCESS_SIGNALS_H

#include <poll.h>
#include <stdbool.h>

/* SIGTERM and SIGINT stop, SIGHUP reloads. They are blocked except in
 * signals_poll, so that none is missed between a check and a wait. */
void signals_open(void);

/* In a worker: SIGTERM is delivered at any time; SIGINT and SIGHUP, which a
 * terminal sends to all processes, are ignored. */
void signals_open_worker(void);

/* In a process that its parent ends (process.h): all three are ignored, and no
 * stop of the parent is remembered. */
void signals_open_server(void);

/* Until signals_polled, for a step that cannot poll flags and has nothing to
 * clean up: a stop ends the process at once (EXIT_INTERRUPTED), and so does a
 * timeout of wall_s seconds, with the message `late` (static text) and
 * EXIT_CHILD. */
void signals_at_once(unsigned wall_s, const char *late);
void signals_polled(void);

bool signals_stopped(void);   /* asked to stop */
bool signals_pending(void *); /* the same, after delivering blocked signals;
                               * the argument of a callback is not used */
bool signals_reload(void);    /* true once for each SIGHUP */

/* poll(2) with signals unblocked. */
int signals_poll(struct pollfd *fds, nfds_t n, int timeout_ms);

#endif
