/* spool_prune.h - what is done and delivered goes, once it is old enough.
 *
 *   done/<id>/           ──one rename──▶ pending/<id>.prune/ ──▶ nothing
 *   with the bytes alone: the mark `pruned`, then doc goes; the record stays
 *
 * The rename is durable before the first file goes, and so is the mark: killed
 * anywhere, a document is whole in done/ or on its way out, and the next prune
 * goes on. Only what was delivered, owes no hook and holds nothing that is not
 * of platen is touched; its age is that of its delivery, so that a correction
 * makes it young. A stack goes together with all of its parts or not at all: its
 * mark `pruning` says that those that are gone were taken away on purpose.
 */
#ifndef PIPELINE_SPOOL_SPOOL_PRUNE_H
#define PIPELINE_SPOOL_SPOOL_PRUNE_H

#include "pipeline/spool/spool.h"

/* doc is gone on purpose; of a stack: so may parts be. */
#define SPOOL_PRUNED  "pruned"
#define SPOOL_PRUNING "pruning"

struct spool_prune {
    long long before;  /* UTC seconds: what was delivered earlier */
    bool keep_records; /* the bytes go, the record stays */
    bool dry_run;      /* change nothing, tell all the same */
    size_t most;       /* bytes of a stack's record that is read */
    /* Hears of each that went (what: "document" or "bytes"), and of each that
     * is old enough and has to stay: then `why` is set. */
    void (*tell)(void *arg, const char *id, const char *what, const char *why);
    void *arg;
};

/* Returns how many went (or would). One that is in use stays for the next time,
 * as does one of which a file is not platen's. FAIL: "disk"; what went before is
 * gone for good. */
size_t spool_prune(struct spool *s, const struct spool_prune *how,
                   struct err *err);

#endif
