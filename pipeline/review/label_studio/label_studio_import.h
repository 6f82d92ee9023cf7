/* label_studio_import.h - imports a JSON export of Label Studio as
 * corrections. */
#ifndef PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_IMPORT_H
#define PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_IMPORT_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/err.h"

struct studio_counts {
    int n_document; /* documents imported, including unchanged ones */
    int n_change;   /* values changed, moved or confirmed */
    int n_behind;   /* documents skipped: corrected after the export */
    int n_skipped;  /* tasks without an annotation */
};

/* Adds the annotations of the file at `path` (tasks of label_studio_task.h) to
 * the review.jsonl of their documents, with the annotator as `who`. Everything
 * is checked before anything is written: if one task is not such a task, or
 * does not fit its record or schema, nothing changes. Documents that were
 * corrected after the export are named in a warning and skipped. Importing a
 * file again changes nothing. FAIL: ERR_INPUT with task and value; [disk]: some
 * documents may have been imported. */
void label_studio_import_file(struct spool *s, const struct config *config,
                              const char *path, struct studio_counts *counts,
                              struct err *err);

#endif
