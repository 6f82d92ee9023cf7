/* report.h - what people see of a run: lines as it goes, a table at its end. */
#ifndef PIPELINE_OBSERVE_REPORT_H
#define PIPELINE_OBSERVE_REPORT_H

#include "pipeline/spool/event.h"

struct report;

enum report_detail {
    REPORT_QUIET,   /* failures and new tries alone */
    REPORT_SUMMARY, /* and a summary */
    REPORT_EACH     /* and a line for each document */
};

/* How far it is (progress.h) is drawn on stderr, unless quiet. */
struct report *report_new(const struct spool *s, enum report_detail detail);
void report_free(struct report *r); /* NULL is fine */

/* Says an event on stderr where people want it, and counts outcomes. */
void report_event(struct report *r, const struct event *event);

/* To be called about once a second while documents are at hand, and when events
 * were heard: so many documents have not ended yet. */
void report_tick(struct report *r, size_t n_left);

/* A document has the same bytes as `twin`, which is done. */
void report_twin(struct report *r, const struct event *event, const char *twin);

/* On stdout: how many are done, need review and failed, and for which reasons;
 * before it, with REPORT_EACH, a table of the last 1,000 documents. */
void report_summary(struct report *r);

/* How many documents ended in done/ and in failed/. */
int report_done(const struct report *r);
int report_failed(const struct report *r);

#endif
