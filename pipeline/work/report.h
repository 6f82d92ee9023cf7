/* report.h - what people see of a run: lines as it goes, a table at its end. */
#ifndef PIPELINE_WORK_REPORT_H
#define PIPELINE_WORK_REPORT_H

#include "pipeline/spool/event.h"

struct report;

/* quiet: failures only. How far it is (progress.h) is drawn on stderr. */
struct report *report_new(const struct spool *s, bool quiet);
void report_free(struct report *r); /* NULL is fine */

/* Says an event on stderr where people want it, and counts outcomes. */
void report_event(struct report *r, const struct event *event);

/* To be called about once a second while documents are at hand, and when events
 * were heard: so many documents have not ended yet. */
void report_tick(struct report *r, size_t n_left);

/* The table on stdout: name, schema, outcome, seconds, warnings; the places of
 * records and reasons. Keeps the last 1,000 rows, counts them all. */
void report_summary(struct report *r);

/* How many documents ended in done/ and in failed/. */
int report_done(const struct report *r);
int report_failed(const struct report *r);

#endif
