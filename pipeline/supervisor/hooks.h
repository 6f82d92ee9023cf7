/* hooks.h - on_done, on_failed: a program of the operator's hears of outcomes.
 *
 * That one is due stands in the document's folder (SPOOL_HOOK_FILE, which its
 * commit or a correction brings) and goes once the program has ended with 0: so
 * it runs at least once, whatever is killed. It gets one argument, the path of
 * record.json (corrected.json, reason.json), no shell, hook_timeout seconds, and
 * runs beside the queue, one at a time. Where it fails the document stays what
 * it is, and the program is asked again, 10 s to 15 min later; others go first.
 */
#ifndef PIPELINE_SUPERVISOR_HOOKS_H
#define PIPELINE_SUPERVISOR_HOOKS_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

struct hooks;

/* From here on what this process commits is marked, where there is a hook. */
void hooks_arm(struct spool *s, const struct config *config);

/* Finds what an earlier process left due. */
struct hooks *hooks_new(struct spool *s, const struct config *config);

/* Kills a program that still runs; its hook stays due. NULL is fine. */
void hooks_free(struct hooks *h);
void hooks_configure(struct hooks *h, const struct config *config);

/* A document has come to its end: its hook may be due. NULL: any may. */
void hooks_due(struct hooks *h, const char *id);

/* Hears how the program at hand ended, or ends it when its time is over; starts
 * the next one that is due. Never waits. */
void hooks_turn(struct hooks *h);

/* Readable when the program at hand has ended; -1: none, or not to be had. */
int hooks_fd(const struct hooks *h);

/* Seconds until the next turn is worth it; -1: nothing is due. */
double hooks_wait(const struct hooks *h);

/* While platen ends: is the program still running? The first half of a turn. */
bool hooks_is_running(const struct hooks *h);
void hooks_reap(struct hooks *h);

/* Is there one that was not tried since hooks_new, or since its document was
 * heard of? How many are due, tried or not? */
bool hooks_has_untried(const struct hooks *h);
size_t hooks_left(const struct hooks *h);

#endif
