/* deferral.h - deferred documents of work/: why, and until when.
 *
 * A document is deferred if the environment failed while it was read, but a
 * probe found nothing wrong. Others then go first, and it is tried again after
 * a wait that grows each time. Stored in work/<id>/attempt.deferred, which
 * survives a restart. Attempts are not charged.
 *
 * What the reader of the document says of the environment, and its being killed,
 * is believed a few times: DEFERRAL_MOST with one code, while the probe works each
 * time, are the document's own doing; so are more than DEFERRAL_CODES codes. What platen's own processes find
 * never fails a document.
 *   {times, by_code: {CODE: N}, reason, stage, text, since, not_before}
 */
#ifndef PIPELINE_SPOOL_DEFERRAL_H
#define PIPELINE_SPOOL_DEFERRAL_H

#include "pipeline/spool/spool.h"

/* With the waits between them these span minutes (10 + 20 + 40 + 80 s). */
enum { DEFERRAL_MOST = 5, DEFERRAL_CODES = 8 };

struct deferral {
    int times; /* 0: not deferred */
    struct {
        char code[24];
        int n;
    } of[DEFERRAL_CODES]; /* of these, with each code */
    long long since;      /* UTC seconds of the first in a row */
    long long not_before; /* UTC seconds */
    char code[24], stage[24], text[300];
};

/* Reads the file; bounded, never fails. times is 0 if it is missing or
 * damaged. */
void deferral_read(int folder_fd, struct deferral *d);

/* Counts one more deferral from now, sets not_before according to
 * deferral_wait, and writes it durably, with the code; the caller holds the
 * folder's lock and has filled in stage and text. FAIL: "disk". */
void deferral_add(struct folder *f, struct deferral *d, const char *code,
                  struct err *err);

/* Judges another failure of a reader, after those that *d counts: true if it is
 * the last that is allowed. The document then fails, although the reason is one
 * to wait for; [endpoint-invalid] becomes [endpoint-rejected]. */
bool deferral_judge(const struct deferral *d, struct err *err);

/* Removes the file, when the document has an outcome. FAIL: "disk". */
void deferral_clear(struct folder *f, struct err *err);

/* Seconds before the next attempt: 10, doubling to 900. */
double deferral_wait(int times);

#endif
