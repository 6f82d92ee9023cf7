/* fsck.h - checks the spool's invariants; used by all fault tests.
 *
 * Reads, never repairs. Foreign and damaged files are reported and left alone.
 */
#ifndef PIPELINE_SPOOL_FSCK_H
#define PIPELINE_SPOOL_FSCK_H

#include "pipeline/spool/spool.h"

struct fsck_result {
    size_t n_in, n_work, n_done, n_failed;
    size_t n_fault;       /* violated invariants */
    size_t n_foreign;     /* notes: foreign files, unfinished work */
    size_t n_nested;      /* files in folders that are not read */
    size_t n_undelivered; /* done documents whose record is not in out/ yet */
    size_t n_unread;      /* folders that could not be read: faults */
};

/* Reports each finding as a line through `say`. `most`: bytes of the largest
 * record. `quick`: everything but the bytes of the documents, whose SHA-256 is
 * then not compared with their records. Can be used while platen runs: a fault is reported only if a second
 * check of the document, a moment later, finds it again. FAIL: "disk". */
struct fsck_result fsck_spool(const struct spool *s, size_t most, bool quick,
                              void (*say)(void *arg, bool fault,
                                          const char *line),
                              void *arg, struct err *err);

#endif
