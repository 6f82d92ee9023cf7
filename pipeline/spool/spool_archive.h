/* spool_archive.h - what earlier documents say, for the checks of new ones
 * (stages/confidence/earlier.h).
 *
 *   archive.db     SQLite, derived from the records in done/ and archive.jsonl; it
 *                  can be deleted at any time
 *   archive.jsonl  what the folders cannot say: values of pruned documents, and
 *                  senders that are forgotten; a line each, durable
 *
 * A spool that feeds a fleet has both in the fleet's database, with all other spools
 * that feed it (archive_db.h), and there the values of pruned documents are nowhere
 * else. What archive.jsonl has from before is read once. archive.id is the spool's
 * name there.
 *
 * It has the confirmed values of schemas that ask for it, and whose examples the
 * reviewed documents are that have SPOOL_WORDS, and nothing else. A
 * document is compared and noted in one transaction, which lasts until its
 * record.json is durable: of two that arrive at once the second sees the first,
 * and after a crash the index may lack a document (the next step compares it
 * again), but has none that has no record.
 */
#ifndef PIPELINE_SPOOL_SPOOL_ARCHIVE_H
#define PIPELINE_SPOOL_SPOOL_ARCHIVE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "stages/confidence/earlier.h"

struct spool_archive;

/* archive.db is opened, or made, when it is needed; a damaged one is replaced. Another
 * process that writes is waited for: as long as it takes (`waits`), or for 5 s. FAIL of
 * all below: "disk"; with a fleet as fleet_db.h, too. */
struct spool_archive *spool_archive_new(struct spool *s,
                                        const struct config *config,
                                        bool waits);
/* For a process without the password of the fleet: archive_db_use. */
void spool_archive_use(struct spool_archive *a, int socket);
/* What was not committed is undone. NULL: does nothing. */
void spool_archive_free(struct spool_archive *a);

/* Compares the values of a document with those of earlier ones, and notes them,
 * all but those that differ. The first time for a schema, or after its questions
 * changed, all of its records in done/ are read. Sets *n_finding; the findings
 * are in the arena. */
struct earlier_finding *spool_archive_compare(
    struct spool_archive *a, const char *id, const struct schema *schema,
    const struct earlier_questions *q, struct earlier_values *values,
    struct arena *arena, int *n_finding, struct err *err);
/* Ends the transaction of spool_archive_compare; what a failure leaves is undone. */
void spool_archive_commit(struct spool_archive *a, struct err *err);

/* A corrected record of done/. */
struct spool_archive_corrected {
    const cJSON *record, *read; /* corrected, and as it was read */
    const cJSON *line;          /* of corrections.h */
    bool reviewed;
};

/* Notes the corrected record of a locked folder of done/, if there is an
 * archive.db, and compares with other documents what was not compared before: what
 * a person gave or confirmed. Values that are found are not noted until they are
 * confirmed again; returns the lines of corrections.h that say so, or NULL, which the
 * caller adds and frees. */
cJSON *spool_archive_learn(struct folder *f,
                           const struct spool_archive_corrected *c,
                           const struct config *config, struct err *err);

/* Makes it ready to be asked about a schema: spool_archive_compare reads the same
 * records. */
void spool_archive_fill(struct spool_archive *a, const struct schema *schema,
                        const struct earlier_questions *q, struct err *err);
/* The latest `most` documents, at most, that are examples of this sender (folded);
 * after spool_archive_fill. Some may be gone. Returns their number. */
int spool_archive_examples(struct spool_archive *a,
                           const struct earlier_question *q, const char *sender,
                           char (*id)[SPOOL_ID_SIZE], int most,
                           struct err *err);

/* Writes the values of a document that is about to be pruned to archive.jsonl,
 * durably. */
void spool_archive_keep(struct spool_archive *a, const struct folder *f,
                        struct err *err);

/* Forgets a sender: its values go, also from archive.jsonl, and those of documents
 * of before are not noted again. Returns the number of documents. */
int spool_archive_forget(struct spool_archive *a, const char *name,
                         struct err *err);

/* A value of a sender, and the documents that have it; text "": of a "unique". */
struct spool_archive_row {
    const char *name, *key, *text;
    long long n;
    const char *first, *last; /* their ids */
};
/* Calls `row` for the values of the sender, or with NULL for each sender (key and
 * text ""), in order. */
void spool_archive_list(struct spool_archive *a, const char *name,
                        void (*row)(void *arg,
                                    const struct spool_archive_row *row),
                        void *arg, struct err *err);

/* Makes all of it anew from the records in done/ and archive.jsonl; of a fleet, what
 * this spool has. */
void spool_archive_rebuild(struct spool_archive *a, struct err *err);

#endif
