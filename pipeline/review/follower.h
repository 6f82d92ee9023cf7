/* follower.h - follows what happens in a spool: keeps its index up to date, counts
 * documents, and reports changes as server-sent events.
 *
 * inotify names the documents whose folders move; what is read and what waits in
 * in/ is looked at every two seconds, while somebody listens. All functions
 * accept NULL and then do nothing. THREADS  One.
 */
#ifndef PIPELINE_REVIEW_FOLLOWER_H
#define PIPELINE_REVIEW_FOLLOWER_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

struct follower;

/* Spool and configuration are borrowed; `event` gets the text of each event. */
struct follower *follower_new(struct spool *s, const struct config *config,
                              void (*event)(void *arg, struct span text),
                              void *arg);
void follower_free(struct follower *f);

/* A document was changed in place: corrected, dismissed. */
void follower_changed(struct follower *f, const char *id);

/* Report events, beginning with the counts, or stop. */
void follower_follow(struct follower *f, bool follows);

/* Appends Counts of openapi.json. */
void follower_print_counts(struct follower *f, struct buf *out);

/* Does a bit of what is to be done; true if more can be done at once. Call it when
 * follower_fd is readable (-1: none), and after follower_wait_ms. */
bool follower_step(struct follower *f);
int follower_fd(const struct follower *f);
int follower_wait_ms(const struct follower *f);

#endif
