/* fsck.h - the checker of the spool's invariants; all fault tests use it.
 *
 * Reads, never repairs. Garbage of any kind in the folders is reported and
 * left alone.
 */
#ifndef PIPELINE_SPOOL_FSCK_H
#define PIPELINE_SPOOL_FSCK_H

#include "pipeline/spool/spool.h"

struct fsck_result {
    size_t n_in, n_work, n_done, n_failed;
    size_t n_fault;       /* invariants that do not hold */
    size_t n_foreign;     /* notes: what platen did not make, what waits */
    size_t n_nested;      /* files in folders of in/NAME/: never read */
    size_t n_undelivered; /* done, and the record not in out/ yet */
    size_t n_unread;      /* folders that could not be looked into: faults */
};

/* Says every finding on one line through `say`. `most`: largest record. May be
 * used while platen runs: a fault is reported only if a second look at the same
 * document, a moment later, finds it again. FAIL: "disk". */
struct fsck_result fsck_spool(const struct spool *s, size_t most,
                              void (*say)(void *arg, bool fault,
                                          const char *line),
                              void *arg, struct err *err);

#endif
