/* deferral.h - why a document in work/ is set back, and until when.
 *
 * The environment failed while this document was read, and a probe found
 * nothing wrong with it: then the next ones go first, and this one comes again
 * after a wait that grows with each time. Kept in work/<id>/attempt.deferred,
 * so that a restart forgets neither the count nor the moment; attempts are not
 * charged for it, and no number of deferrals condemns a document, but two: an
 * endpoint that answers a probe well and this document with no chat completion,
 * DEFERRAL_GARBLED_MAX times, and a document that cannot be read, though the spool
 * can, DEFERRAL_UNREAD_MAX times.
 *   {times, garbled, unread, reason, stage, text, since, not_before}
 */
#ifndef PIPELINE_SPOOL_DEFERRAL_H
#define PIPELINE_SPOOL_DEFERRAL_H

#include "pipeline/spool/spool.h"

/* One garbled answer is a proxy's bad moment; with the waits between them this
 * many span minutes (10 + 20 + 40 + 80 s). */
enum { DEFERRAL_GARBLED_MAX = 5, DEFERRAL_UNREAD_MAX = 5 };

struct deferral {
    int times;            /* 0: not deferred */
    int garbled;          /* of them [endpoint-invalid] */
    int unread;           /* of them [io-error] */
    long long since;      /* UTC seconds, of the first time in a row */
    long long not_before; /* UTC seconds */
    char code[24], stage[24], text[300];
};

/* What a folder says of it; bounded, never fails. times is 0 where the file
 * is missing or noise. */
void deferral_read(int folder_fd, struct deferral *d);

/* Once more, from now: counts it, sets not_before by deferral_wait and makes
 * it durable. The caller holds the folder's lock and has filled in code, stage
 * and text. FAIL: "disk". */
void deferral_add(struct folder *f, struct deferral *d, struct err *err);

/* Another failure, after what *d counts: [endpoint-invalid] for the last time
 * becomes the document's, [endpoint-rejected]; any other stays what it is. True
 * for [io-error] for the last time: it fails although its reason is one to wait
 * for. */
bool deferral_judge(const struct deferral *d, struct err *err);

/* It got through, to whatever outcome. FAIL: "disk". */
void deferral_clear(struct folder *f, struct err *err);

/* Seconds before the next attempt: 10, doubling to 900. */
double deferral_wait(int times);

#endif
