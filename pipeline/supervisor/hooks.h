/* hooks.h - on_done, on_failed: runs the operator's program for each outcome.
 *
 * A commit or a correction leaves the mark SPOOL_HOOK_FILE in the document's
 * folder; the mark is removed when the program has exited with 0. So it runs at
 * least once, whatever is killed. It gets one argument, the path of record.json
 * (corrected.json, reason.json), no shell, and hook_timeout seconds. Programs
 * run one at a time, in parallel to the queue. If one fails the document keeps
 * its state, and the program is run again 10 s to 15 min later, after others.
 *
 * webhook = URL is a program, too: a process of ours has the fetch process send
 *   POST URL
 *   Platen-Signature: t=SECONDS,v1=HMAC-SHA256 of "SECONDS.BODY"
 *   {event, type: document.done|document.failed, id, name, folder, code}
 * and exits with 0 if the answer is 2xx. `event` is the same each time an outcome is
 * sent, and another for the document's next outcome. No content of a document
 * leaves the machine with it.
 */
#ifndef PIPELINE_SUPERVISOR_HOOKS_H
#define PIPELINE_SUPERVISOR_HOOKS_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

struct hooks;

/* From now on, commits of this process leave the mark if a hook is
 * configured. */
void hooks_arm(struct spool *s, const struct config *config);

/* Finds hooks that an earlier process left due. */
struct hooks *hooks_new(struct spool *s, const struct config *config);

/* Kills a running program; its hook stays due. NULL: does nothing. */
void hooks_free(struct hooks *h);
void hooks_configure(struct hooks *h, const struct config *config);

/* A document has an outcome: its hook may be due. NULL: any hook may be. */
void hooks_due(struct hooks *h, const char *id);

/* Reaps the running program, or kills it after its time limit; starts the next
 * one that is due. Never blocks. */
void hooks_turn(struct hooks *h);

/* A descriptor that is readable when the program has ended; -1: none runs, or
 * the kernel has no pidfd. */
int hooks_fd(const struct hooks *h);

/* Seconds until hooks_turn should be called; -1: nothing is due. */
double hooks_wait(const struct hooks *h);

/* For shutdown: is the program still running? hooks_reap is the first half of
 * hooks_turn. */
bool hooks_is_running(const struct hooks *h);
void hooks_reap(struct hooks *h);

/* hooks_has_untried: is a hook due that was not tried since hooks_new or
 * since its document's last hooks_due? hooks_left: the number of hooks that
 * are due, but those that another platen runs. */
bool hooks_has_untried(const struct hooks *h);
size_t hooks_left(const struct hooks *h);

#endif
