/* worker_examples.h - keeps the words of a document, and finds examples for it
 * (pipeline/spool/spool_examples.h).
 *
 * The words are what its reader says, and are only written here; other documents
 * are read in a process of its own, platen-archive, and what it finds goes to the
 * reader in a file without a name: the worker, from which the next reader is
 * forked, has nothing of it.
 */
#ifndef PIPELINE_WORKER_WORKER_EXAMPLES_H
#define PIPELINE_WORKER_WORKER_EXAMPLES_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/schema/schema.h"

struct worker_examples {
    struct folder *folder; /* of work/, locked */
    const struct schema *schema;
    const struct config *config;
    bool (*stop)(void *arg); /* polled while another process reads the archive */
    void *arg;
};

/* Are examples wanted for documents of this schema? */
bool worker_examples_are_wanted(const struct config *config,
                                const struct schema *schema);

/* Keeps the words, if they are all (`whole`), as SPOOL_WORDS. Returns a file with
 * the examples, which the caller closes; -1: there are none, or they cannot be
 * found, which is no failure of the document. */
int worker_examples_find(const struct worker_examples *w, struct span words,
                         bool whole);

#endif
