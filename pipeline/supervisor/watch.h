/* watch.h - a hint that something was dropped (libinotifytools).
 *
 * The hint lives in a process of its own, which says "look" by a byte: the
 * library's waits count in whole seconds and its state is static. When it
 * dies or is denied, platen only becomes as slow as the rescan.
 */
#ifndef PIPELINE_SUPERVISOR_WATCH_H
#define PIPELINE_SUPERVISOR_WATCH_H

#include "pipeline/spool/spool.h"

struct watch;

/* For a spool that outlives it. Starts no process yet: watch_fd does. */
struct watch *watch_new(const struct spool *s);
void watch_free(struct watch *w); /* NULL is fine */

/* Readable when it is worth looking; -1 while there is none. Starts the
 * helper where it is missing, at most once a second. */
int watch_fd(struct watch *w);

/* Empties the descriptor; a helper that has ended is started again. */
void watch_read(struct watch *w);

#endif
