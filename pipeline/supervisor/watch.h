/* watch.h - file system events of in/ (libinotifytools).
 *
 * A helper process writes a byte for each event, since the library waits in
 * whole seconds and has static state. If the helper dies or inotify is not
 * available, platen only becomes as slow as the rescan.
 */
#ifndef PIPELINE_SUPERVISOR_WATCH_H
#define PIPELINE_SUPERVISOR_WATCH_H

#include "pipeline/spool/spool.h"

struct watch;

/* The spool must outlive it. Starts no process yet: watch_fd does. */
struct watch *watch_new(const struct spool *s);
void watch_free(struct watch *w); /* NULL: does nothing */

/* A descriptor that is readable when in/ should be scanned; -1 without a
 * helper. Starts the helper if none runs, at most once a second. */
int watch_fd(struct watch *w);

/* Empties the descriptor; the next watch_fd restarts a helper that has
 * ended. */
void watch_read(struct watch *w);

#endif
