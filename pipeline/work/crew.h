/* crew.h - worker processes: each takes one document at a time.
 *
 * A worker that dies takes nothing with it but its attempt. Deaths by a
 * signal of its own making are filed as crashes of the document; SIGKILL from
 * outside (an operator, the out-of-memory killer) is not (docs/spool.md, "Who is to
 * blame"). With n = 0 the work is done in this very process (tests, debugging).
 */
#ifndef PIPELINE_WORK_CREW_H
#define PIPELINE_WORK_CREW_H

#include "pipeline/work/worker.h"

enum { CREW_MAX = 64 };

struct crew;

/* Nothing is started before it is needed. */
struct crew *crew_new(struct spool *s, const struct config *config, int n);

/* Waits for nobody: kills what is left and takes its attempts back. */
void crew_free(struct crew *c);

/* Is there a place for one more? A worker that has been loading a schema for
 * more than a second takes no place: others pass it. */
bool crew_has_idle(const struct crew *c);
int crew_busy(const struct crew *c); /* documents in flight */
bool crew_holds(const struct crew *c, const char *id);

/* Is that schema being loaded for so long? Its documents wait for the one that
 * does it. */
bool crew_loads(const struct crew *c, const char *schema);

/* Hands a document to an idle worker. FAIL: ERR_SYSTEM (fork). */
void crew_give(struct crew *c, const struct order *order, struct err *err);

/* Waits up to timeout_ms (-1: for ever) for an event, for one of CREW_OTHERS
 * other descriptors to be readable (-1: none; NULL: none at all), or for a
 * signal. True when `event` was filled. */
enum { CREW_OTHERS = 3 };
bool crew_next(struct crew *c, int timeout_ms, const int *other,
               struct event *event);

/* New settings: workers that are idle end, the others after their document. */
void crew_renew(struct crew *c, const struct config *config);

/* Asks all workers to give up what they do. */
void crew_stop(struct crew *c);

/* Workers that were killed from outside so far. */
int crew_killed(const struct crew *c);

#endif
