/* spool_prune.h - deletes documents that were delivered long ago.
 *
 *   done/<id>/           ──one rename──▶ pending/<id>.prune/ ──▶ deleted
 *   keep_records: the mark `pruned`, then only doc is deleted
 *
 * The rename, or the mark, is durable before the first file is deleted: after a
 * kill a document is complete in done/ or being deleted, and the next prune
 * continues. Only documents that were delivered, have no due hook and no
 * foreign file are deleted. Their age counts from the delivery, so a correction
 * makes it start again. A stack is deleted with all of its parts or not at all;
 * its mark `pruning` tells that missing parts were deleted on purpose. What earlier
 * documents say (spool_archive.h) is kept.
 */
#ifndef PIPELINE_SPOOL_SPOOL_PRUNE_H
#define PIPELINE_SPOOL_SPOOL_PRUNE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

/* Marks: doc was deleted on purpose; parts of a stack may be missing on
 * purpose. */
#define SPOOL_PRUNED  "pruned"
#define SPOOL_PRUNING "pruning"

struct spool_prune {
    long long before;  /* UTC seconds: prune documents delivered earlier */
    bool keep_records; /* delete only doc */
    bool dry_run;      /* change nothing, but call tell */
    size_t most;       /* largest record of a stack, in bytes */
    const struct config
        *config; /* for spool_archive.h; NULL: nothing is kept */
    /* Called for each deleted document (what: "document" or "bytes"), and for
     * each that is old enough but kept, with the reason in `why`. */
    void (*tell)(void *arg, const char *id, const char *what, const char *why);
    void *arg;
};

/* Returns how many were (or would be) deleted. Documents in use, or with
 * foreign files, are kept. FAIL: "disk"; those before stay deleted. */
size_t spool_prune(struct spool *s, const struct spool_prune *how,
                   struct err *err);

/* Deletes a document at once, by the same steps, wherever it is; its failure note
 * goes, too. MISSING: there is none. BUSY: another process has it. PART: it is a
 * stack or a part of one. FAIL: "disk". */
enum spool_prune_end {
    SPOOL_PRUNE_MISSING,
    SPOOL_PRUNE_BUSY,
    SPOOL_PRUNE_PART,
    SPOOL_PRUNE_DELETED
};
enum spool_prune_end spool_prune_delete(struct spool *s, const char *id,
                                        struct err *err);

#endif
