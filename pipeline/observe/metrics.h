/* metrics.h - counters of this process and gauges of its spool, as Prometheus
 * reads them (the text format 0.0.4). */
#ifndef PIPELINE_OBSERVE_METRICS_H
#define PIPELINE_OBSERVE_METRICS_H

#include "pipeline/spool/event.h"
#include "pipeline/spool/spool_index.h"
#include "vlm/base/buf.h"

enum { METRICS_ROWS = 128, METRICS_LABEL = 64 };

/* One row of a counter that has a label: "retries" by reason. */
struct metrics_row {
    const char *name; /* static text */
    char label[METRICS_LABEL];
    double value;
};

struct metrics {
    double since; /* UTC, the process began */
    struct metrics_row row[METRICS_ROWS];
    int n_row;
    double n_page, n_warning, n_document, document_s;
    char model[METRICS_LABEL]; /* the last that was opened */
    bool model_loaded;

    bool no_spool; /* it works for a fleet, and has none to speak of */
    struct cJSON
        *fleet; /* what platen.status() of fleet.sql said last, or NULL */

    /* of the spool, at the last look */
    double n_in, n_work, n_deferred, n_undelivered, n_hook, n_review;
    double n_busy, oldest_s;
};

/* Nothing is counted yet. */
void metrics_begin(struct metrics *m);

/* Counts what an event says. NULL is fine. */
void metrics_count_event(struct metrics *m, const struct event *event);

/* Looks how many wait, and for how long; doubts that nobody looked at by
 * index.db. What cannot be read stays as it was. */
void metrics_refresh(struct metrics *m, struct spool *s,
                     struct spool_index *ix);

/* Keeps what a fleet's database said (NULL: nothing, it is away). */
void metrics_set_fleet(struct metrics *m, const char *status);

/* All of them, each with its help and type. */
void metrics_print(const struct metrics *m, struct buf *out);

/* The fleet alone; `status` as above, or NULL. */
void metrics_print_fleet(const struct cJSON *status, struct buf *out);

#endif
