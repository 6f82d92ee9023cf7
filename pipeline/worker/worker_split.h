/* worker_split.h - splitting a stack into documents, and reading a part of
 * one. */
#ifndef PIPELINE_WORKER_WORKER_SPLIT_H
#define PIPELINE_WORKER_WORKER_SPLIT_H

#include "pipeline/config/config.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_part.h"
#include "stages/input/split.h"

struct worker_split {
    struct settings settings; /* for reading; with the pages of a part */
    struct spool_part part;
    bool is_part;
    struct split split;
    bool is_stack; /* only its parts are read */
};

/* Finds out whether a locked folder of work/ is a part of a stack. Never
 * fails. */
void worker_split_begin(struct worker_split *w, const struct folder *f,
                        const struct config *config);

/* For a part: sets its place in the stack, archive number and pages. For
 * another document: searches separators, if configured. *w must outlive the
 * document. FAIL: as split_find; for a part [damaged] if its bytes are not
 * those of its stack, [unknown-schema] if its separator has an invalid schema
 * name. */
void worker_split_find(struct worker_split *w, struct document *doc,
                       const struct jail_stop *stop, struct err *err);

/* Makes the parts in the locked folder of a sealed stack, then its record (F5),
 * which lists them; the stack can then be committed. Parts are named STEM-N
 * with the extension of the stack, so that out/ shows where a record came from.
 * FAIL: "disk"; [too-large] above max_record_bytes. */
void worker_split_write(const struct worker_split *w, struct folder *f,
                        const struct document_folder_state *state,
                        const struct document *doc, struct err *err);

/* The number of parts of a stack's folder; 0: it is not a stack. */
int worker_split_count(const struct folder *f, const struct config *config);

#endif
