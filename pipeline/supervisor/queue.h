/* queue.h - chooses the next document: due ones from work/, complete files from
 * in/.
 *
 * Deferred documents (deferral.h) come after all others; but every fourth turn
 * belongs to a deferred document that is due, so that they do not wait for
 * ever. Nothing is kept across a restart: the folders contain everything. An
 * event or a tick only means that the folders are scanned again.
 */
#ifndef PIPELINE_SUPERVISOR_QUEUE_H
#define PIPELINE_SUPERVISOR_QUEUE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "pipeline/supervisor/worker_pool.h"

struct queue;

struct queue_left {
    size_t n_unstable;  /* in in/, still changing or changed too recently */
    size_t n_blocked;   /* in in/, cannot be taken (permissions) */
    size_t n_waiting;   /* in work/, not due yet, or to run alone */
    size_t n_deferred;  /* in work/, deferred: this run has tried them once */
    size_t n_elsewhere; /* in work/, locked by another platen */
    size_t
        n_failed; /* of those, and only there: their model or endpoint failed,
                         * and this run uses it no more */
    size_t n_unlisted; /* folders that cannot be listed */
    size_t n_nested;   /* files in folders that are not read */
    size_t n_ignored;  /* ignored names in in/ (*.part and the like) */
};

/* patient (watch): waits out deferrals, and back-offs after deaths of platen
 * itself. A run by cron or by hand does not wait: it tries deferred documents
 * last, and once. */
struct queue *queue_new(struct spool *s, const struct config *config,
                        bool patient);
void queue_free(struct queue *q); /* NULL: does nothing */
void queue_configure(struct queue *q, const struct config *config);

/* Scans in/ and work/. FAIL: "disk". */
void queue_scan(struct queue *q, struct err *err);

/* Claims the next document for a worker (job->id); false: none is ready.
 * job->alone: it must run alone, and nothing is in flight. Documents whose
 * schema a worker is loading for long are passed over, and so are those whose
 * model is not loaded, while model_order.h chooses others. FAIL: "disk", if a probe
 * confirms that not only one file is affected. */
bool queue_next(struct queue *q, struct worker_pool *pool,
                struct worker_job *job, struct err *err);

/* Records an outcome, so that the document is not given out too early. */
void queue_event(struct queue *q, const struct worker_pool *pool,
                 const struct event *event);

/* After EVENT_WAIT: if only the model or endpoint of some schemas has failed, their
 * documents wait, 5 s to 5 min or (not patient) until the next run, and others go on.
 * False: all have to wait. */
bool queue_hold(struct queue *q, const struct worker_pool *pool,
                const struct event *event);

/* The environment has recovered: documents deferred for `code` (NULL: for any
 * reason) are due now. */
void queue_undefer(struct queue *q, const char *code);

/* Seconds until a document that is not in flight becomes due; negative: none
 * will without an event. */
double queue_due(const struct queue *q, const struct worker_pool *pool);

/* Counts what is left when nothing is in flight, by the last scan and the
 * events since. */
struct queue_left queue_left(const struct queue *q,
                             const struct worker_pool *pool);

#endif
