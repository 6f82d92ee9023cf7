/* label_studio_import.h - Label Studio's JSON export becomes corrections. */
#ifndef PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_IMPORT_H
#define PIPELINE_REVIEW_LABEL_STUDIO_LABEL_STUDIO_IMPORT_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/err.h"

struct studio_counts {
    int n_document; /* taken, or as they were */
    int n_change;   /* values that were said otherwise, moved or confirmed */
    int n_behind;   /* documents left as they are: corrected since, by others */
    int n_skipped;  /* tasks without an annotation */
};

/* Reads the file at `path` (tasks of label_studio_task.h with annotations) into the
 * review.jsonl of its documents, who being the annotator. Everything is checked
 * before anything is written: a task that is no such task, does not fit its record
 * or the schema changes nothing. What was corrected since the export is named in a
 * warning, and left. The same file twice is as once. FAIL: ERR_INPUT with task and
 * value; [disk]: some documents may have been taken. */
void label_studio_import_file(struct spool *s, const struct config *config,
                              const char *path, struct studio_counts *counts,
                              struct err *err);

#endif
