/* queue.h - what is next: from work/ what is due, from in/ what has settled.
 *
 * Nothing here is kept across a restart, and nothing needs to be: the folders
 * say it all again. An event or a tick means look again, nothing else.
 */
#ifndef PIPELINE_WORK_QUEUE_H
#define PIPELINE_WORK_QUEUE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "pipeline/work/crew.h"

struct queue;

struct queue_left {
    size_t n_unsettled; /* in in/, still changing or too fresh */
    size_t n_blocked;   /* in in/, cannot be taken (permissions) */
    size_t n_waiting;   /* in work/, not due yet, or to run alone */
    size_t n_elsewhere; /* in work/, locked by another platen */
    size_t n_unlisted;  /* folders that cannot be looked into */
    size_t n_ignored;   /* names in in/ that mean "not yet" */
};

/* patient: back-offs after deaths of platen itself are kept (watch); a run by
 * cron or by hand is its own back-off. */
struct queue *queue_new(struct spool *s, const struct config *config,
                        bool patient);
void queue_free(struct queue *q); /* NULL is fine */
void queue_configure(struct queue *q, const struct config *config);

/* Looks into in/ and work/. FAIL: "disk". */
void queue_look(struct queue *q, struct err *err);

/* The next document, claimed and ready for a worker, or false. `alone`: it
 * must be the only one in flight, and none is. FAIL: "disk". */
bool queue_next(struct queue *q, const struct crew *crew,
                char id[static SPOOL_ID_SIZE], bool *alone, struct err *err);

/* An outcome, so that the document is not given out again too early. */
void queue_heard(struct queue *q, const struct event *event);

/* Seconds until something that is not in flight becomes due, or a negative
 * number: nothing will by itself. */
double queue_due(const struct queue *q, const struct crew *crew);

struct queue_left queue_left(const struct queue *q);

#endif
