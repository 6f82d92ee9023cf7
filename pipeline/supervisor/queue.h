/* queue.h - what is next: from work/ what is due, from in/ what has settled.
 *
 * What was deferred (deferral.h) comes after what was not, so that nothing is
 * tried first for ever; but every fourth turn is one of theirs once they are
 * due, so that they do not wait for ever either.
 * Nothing here is kept across a restart, and nothing needs to be: the folders
 * say it all again. An event or a tick means look again, nothing else.
 */
#ifndef PIPELINE_SUPERVISOR_QUEUE_H
#define PIPELINE_SUPERVISOR_QUEUE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "pipeline/supervisor/worker_pool.h"

struct queue;

struct queue_left {
    size_t n_unsettled; /* in in/, still changing or too fresh */
    size_t n_blocked;   /* in in/, cannot be taken (permissions) */
    size_t n_waiting;   /* in work/, not due yet, or to run alone */
    size_t n_deferred;  /* in work/, set back: a run has tried them once */
    size_t n_elsewhere; /* in work/, locked by another platen */
    size_t n_unlisted;  /* folders that cannot be looked into */
    size_t n_nested;    /* files in folders of in/NAME/, which are not read */
    size_t n_ignored;   /* names in in/ that mean "not yet" */
};

/* patient: back-offs after deaths of platen itself and deferrals are kept
 * (watch). A run by cron or by hand is its own back-off: it tries what is
 * deferred last, and once. */
struct queue *queue_new(struct spool *s, const struct config *config,
                        bool patient);
void queue_free(struct queue *q); /* NULL is fine */
void queue_configure(struct queue *q, const struct config *config);

/* Looks into in/ and work/. FAIL: "disk". */
void queue_scan(struct queue *q, struct err *err);

/* The next document, claimed and ready for a worker (order->id), or false.
 * order->alone: it must be the only one in flight, and none is. Not given out
 * are documents whose schema loads too long already. FAIL: "disk", after a
 * probe found that it is not about one file. */
bool queue_next(struct queue *q, const struct worker_pool *crew,
                struct order *order, struct err *err);

/* An outcome, so that the document is not given out again too early. */
void queue_heard(struct queue *q, const struct event *event);

/* The environment is well again: what was deferred for `code` (NULL: for
 * anything) is due now. */
void queue_forgive(struct queue *q, const char *code);

/* Seconds until something that is not in flight becomes due, or a negative
 * number: nothing will by itself. */
double queue_due(const struct queue *q, const struct worker_pool *crew);

/* Counts what is left when nothing is in flight, as far as the last look and
 * what was heard since tell. */
struct queue_left queue_left(const struct queue *q);

#endif
