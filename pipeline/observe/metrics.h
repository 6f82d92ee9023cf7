/* metrics.h - counters of this process and gauges of its spool, for Prometheus
 * (text format 0.0.4). */
#ifndef PIPELINE_OBSERVE_METRICS_H
#define PIPELINE_OBSERVE_METRICS_H

#include "pipeline/spool/event.h"
#include "pipeline/spool/spool_index.h"
#include "vlm/base/buf.h"

enum { METRICS_ROWS = 128, METRICS_LABEL = 64 };

/* A counter with a label, such as retries by reason. */
struct metrics_row {
    const char *name; /* static text */
    char label[METRICS_LABEL];
    double value;
};

struct metrics {
    double since; /* start of the process, UTC */
    struct metrics_row row[METRICS_ROWS];
    int n_row;
    double n_page, n_warning, n_document, document_s;
    char model[METRICS_LABEL]; /* the last model that was opened */
    bool model_loaded;

    bool no_spool;       /* a worker of a fleet, without a spool to report */
    struct cJSON *fleet; /* last platen.status() of fleet.sql, or NULL */

    /* gauges of the spool, at the last metrics_refresh */
    double n_in, n_work, n_deferred, n_undelivered, n_hook, n_review;
    double n_busy, oldest_s;
};

/* Sets all to zero, and the start time. */
void metrics_begin(struct metrics *m);

/* Counts an event. */
void metrics_count_event(struct metrics *m, const struct event *event);

/* Updates the gauges: waiting documents and their age from the folders,
 * documents to review from index.db. A gauge that cannot be read keeps its
 * value. */
void metrics_refresh(struct metrics *m, struct spool *s,
                     struct spool_index *ix);

/* Stores the status of a fleet's database (NULL: it is not available). */
void metrics_set_fleet(struct metrics *m, const char *status);

/* Prints all metrics, each with its help and type. */
void metrics_print(const struct metrics *m, struct buf *out);

/* Prints the metrics of a fleet only; `status` as above, or NULL. */
void metrics_print_fleet(const struct cJSON *status, struct buf *out);

#endif
