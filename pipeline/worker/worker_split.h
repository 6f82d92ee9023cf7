/* worker_split.h - a stack cut into documents, and a part read as one. */
#ifndef PIPELINE_WORKER_WORKER_SPLIT_H
#define PIPELINE_WORKER_WORKER_SPLIT_H

#include "pipeline/config/config.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_part.h"
#include "stages/input/split.h"

/* What the document at hand has to do with stacks. */
struct worker_split {
    struct settings settings; /* for reading it: of a part its own pages */
    struct spool_part part;
    bool is_part;
    struct split split;
    bool is_stack; /* it is not read, its parts will be */
};

/* A locked folder of work/ is looked at: is it a part? Never fails. */
void worker_split_begin(struct worker_split *w, const struct folder *f,
                        const struct config *config);

/* A part is told its place in the stack, its archive number and its pages; in
 * another document separators are looked for, where the configuration says so.
 * *w must outlive the document. FAIL: as split_find; of a part [damaged] when
 * its bytes are not those of its stack, [unknown-schema] when its separator
 * asked for what cannot be the name of one. */
void worker_split_find(struct worker_split *w, struct document *doc,
                       const struct jail_stop *stop, struct err *err);

/* Makes the parts in the locked folder of a stack whose doc is sealed, then its
 * record (F5), which lists them: the stack can be committed. They are called
 * STEM-N and the extension, so that out/ shows where a record came from.
 * FAIL: "disk"; [too-large] past max_record_bytes. */
void worker_split_write(const struct worker_split *w, struct folder *f,
                        const struct document_folder_state *state,
                        const struct document *doc, struct err *err);

/* Of a folder whose record lists parts: how many; else 0. */
int worker_split_count(const struct folder *f, const struct config *config);

#endif
