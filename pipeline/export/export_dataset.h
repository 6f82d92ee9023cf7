/* export_dataset.h - exports documents and their pages to a folder for other
 * programs: training pairs for chat models, or tasks for Label Studio.
 *
 *   chat.jsonl  pictures/ID-PAGE.png  pages as the model sees them
 *   tasks.json  pictures/ID-PAGE.jpg  pages as people see them
 *   label-config.xml                  labelling interface
 */
#ifndef PIPELINE_EXPORT_EXPORT_DATASET_H
#define PIPELINE_EXPORT_EXPORT_DATASET_H

#include "pipeline/config/config.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"
#include <cjson/cJSON.h>

struct export_dataset;

enum export_form { EXPORT_CHAT, EXPORT_STUDIO };

struct export_document {
    const char *id;
    int folder_fd; /* its folder in done/ */
    const cJSON *record;
    int n_line; /* lines of its review.jsonl */
    const struct schema *schema;
    const char *prompt; /* the schema's instructions */
};

/* Creates the folder if it is missing. EXPORT_CHAT opens the configured engine,
 * which determines page size and prompt. `config` must outlive it. NULL on
 * failure. FAIL: ERR_SYSTEM; as engine_open. */
struct export_dataset *export_dataset_open(const char *folder,
                                           enum export_form form,
                                           const struct config *config,
                                           struct err *err);

/* Adds a document, completely or not at all. FAIL: as show_pages_raster;
 * ERR_INPUT: the document is not the record's; the record does not fit its
 * schema; for EXPORT_CHAT: it needs more than one question, or all pages are
 * blank. */
void export_dataset_add(struct export_dataset *s,
                        const struct export_document *one, struct err *err);

/* Completes the file of all documents, which replaces an earlier one. FAIL:
 * ERR_SYSTEM. */
void export_dataset_end(struct export_dataset *s, struct err *err);

/* Without export_dataset_end, an earlier file is unchanged. NULL is fine. */
void export_dataset_close(struct export_dataset *s);

#endif
