/* deferral.h - deferred documents of work/: why, and until when.
 *
 * A document is deferred if the environment failed while it was read, but a
 * probe found nothing wrong. Others then go first, and it is tried again after
 * a wait that grows each time. Stored in work/<id>/attempt.deferred, which
 * survives a restart. Attempts are not charged. A document never fails for its
 * number of deferrals, with two exceptions: the endpoint answers a probe, but
 * this document with something that is not a chat completion,
 * DEFERRAL_GARBLED_MAX times; the document cannot be read although the spool
 * can, DEFERRAL_UNREAD_MAX times.
 *   {times, garbled, unread, reason, stage, text, since, not_before}
 */
#ifndef PIPELINE_SPOOL_DEFERRAL_H
#define PIPELINE_SPOOL_DEFERRAL_H

#include "pipeline/spool/spool.h"

/* A single garbled answer may be a glitch of a proxy; with the waits between
 * them these span minutes (10 + 20 + 40 + 80 s). */
enum { DEFERRAL_GARBLED_MAX = 5, DEFERRAL_UNREAD_MAX = 5 };

struct deferral {
    int times;            /* 0: not deferred */
    int garbled;          /* of these, [endpoint-invalid] */
    int unread;           /* of these, [io-error] */
    long long since;      /* UTC seconds of the first in a row */
    long long not_before; /* UTC seconds */
    char code[24], stage[24], text[300];
};

/* Reads the file; bounded, never fails. times is 0 if it is missing or
 * damaged. */
void deferral_read(int folder_fd, struct deferral *d);

/* Counts one more deferral from now, sets not_before according to
 * deferral_wait, and writes it durably. The caller holds the folder's lock and
 * has filled in code, stage and text. FAIL: "disk". */
void deferral_add(struct folder *f, struct deferral *d, struct err *err);

/* Judges another failure after those that *d counts: the last allowed
 * [endpoint-invalid] becomes [endpoint-rejected], charged to the document. True
 * for the last allowed [io-error]: the document fails although the reason is
 * one to wait for. Other failures stay unchanged. */
bool deferral_judge(const struct deferral *d, struct err *err);

/* Removes the file, when the document has an outcome. FAIL: "disk". */
void deferral_clear(struct folder *f, struct err *err);

/* Seconds before the next attempt: 10, doubling to 900. */
double deferral_wait(int times);

#endif
