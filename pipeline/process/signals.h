/* signals.h - stop, reload: flags that are looked at between steps. */
#ifndef PIPELINE_PROCESS_SIGNALS_H
#define PIPELINE_PROCESS_SIGNALS_H

#include <poll.h>
#include <stdbool.h>

/* SIGTERM, SIGINT: stop; SIGHUP: reload. They are held back but in
 * signals_poll, so that none is missed between a look and a wait. */
void signals_open(void);

/* In a worker: SIGTERM is delivered at any time, SIGINT and SIGHUP (which a
 * terminal sends to everybody) are left to the supervisor. */
void signals_open_worker(void);

/* From here to signals_polled, for a step that cannot look at flags and has
 * nothing to clean up: a stop ends the process at once (EXIT_INTERRUPTED), and
 * so do wall_s seconds, with `late` as its last words (static text) and
 * EXIT_CHILD. */
void signals_at_once(unsigned wall_s, const char *late);
void signals_polled(void);

bool signals_stopped(void); /* asked to stop */
bool signals_pending(void); /* the same, after letting held ones in */
bool signals_reload(void);  /* true once for each SIGHUP */

/* poll(2), during which signals may come. */
int signals_poll(struct pollfd *fds, nfds_t n, int timeout_ms);

#endif
