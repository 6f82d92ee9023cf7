/* worker_archive.h - what earlier documents say: finds examples for a document
 * that is read (pipeline/spool/spool_examples.h), and compares its record with them
 * before the commit (pipeline/spool/spool_archive.h).
 *
 * The record is parsed in sandboxed processes only: one reads its values, another
 * adds the warnings, and the checker (checker.h) accepts what comes of it. The index,
 * which has other documents' values, is open in a process of its own; so are the
 * examples, which go to the reader in a file without a name. The worker, from which
 * the next reader is forked, has nothing of them.
 */
#ifndef PIPELINE_WORKER_WORKER_ARCHIVE_H
#define PIPELINE_WORKER_WORKER_ARCHIVE_H

#include "pipeline/config/config.h"
#include "pipeline/worker/checker.h"
#include "pipeline/worker/worker_fleet.h"
#include "vlm/schema/schema.h"

/* Are examples wanted for documents of this schema (or NULL)? */
bool worker_archive_wants_examples(const struct config *config,
                                   const struct schema *schema);

struct worker_archive {
    struct folder *folder; /* of work/, locked */
    const char *name; /* of the checked record: record.json.tmp, which becomes
                       * record.json, or the record.json of an earlier process */
    const struct schema *schema, *record; /* of its data; of records */
    const struct config *config;
    struct worker_fleet *fleet; /* which the index is in; NULL: archive.db */
    bool (*stop)(void *arg);    /* polled while another worker compares */
    void *arg;
};

/* Keeps the words of the document, which its reader says, as SPOOL_WORDS if they are
 * all (`whole`); they are only written here. Returns a file with examples for it,
 * which the caller closes; -1: there are none, or they cannot be found, which is no
 * failure of the document. Needs no name and record. */
int worker_archive_find_examples(const struct worker_archive *w,
                                 struct span words, bool whole);

/* Compares it if its schema asks for that, writes warnings into it (then *checked
 * is that of the new text), and makes it record.json. FAIL: [duplicate] with
 * duplicates = fail; "disk"; ERR_CANCELLED; as checker_run and worker_fleet_door. The record is not
 * noted then. True: a process that parses the record failed. */
bool worker_archive_compare(const struct worker_archive *w,
                            struct checker_result *checked, struct err *err);

/* Is it the failure [duplicate]? */
bool worker_archive_refused(const struct err *err);

#endif
