/* report.h - reports a run to the user: lines while it runs, a summary at the
 * end. */
#ifndef PIPELINE_OBSERVE_REPORT_H
#define PIPELINE_OBSERVE_REPORT_H

#include "pipeline/spool/event.h"

struct report;

enum report_detail {
    REPORT_QUIET,   /* failures and retries only */
    REPORT_SUMMARY, /* also a summary */
    REPORT_EACH     /* also a line for each document */
};

/* Unless quiet, progress (progress.h) is drawn on stderr. */
struct report *report_new(const struct spool *s, enum report_detail detail);
void report_free(struct report *r); /* NULL: does nothing */

/* Reports an event on stderr, depending on the detail, and counts outcomes. */
void report_event(struct report *r, const struct event *event);

/* Updates the progress. Call it after events, and about once a second while
 * documents are read. n_left: documents that are not finished. */
void report_tick(struct report *r, size_t n_left);

/* Reports that a document is a duplicate of `twin`, which is done. */
void report_twin(struct report *r, const struct event *event, const char *twin);

/* Prints on stdout how many are done, need review and failed, and for which
 * reasons; before it, with REPORT_EACH, a table of the last 1,000 documents. */
void report_summary(struct report *r);

/* The number of documents that are done, and that failed. */
int report_done(const struct report *r);
int report_failed(const struct report *r);

#endif
