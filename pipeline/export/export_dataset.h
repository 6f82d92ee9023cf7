/* export_dataset.h - documents with their pages, as a folder that other programs
 * read: training pairs for chat models, or tasks of Label Studio.
 *
 *   FOLDER/chat.jsonl   FOLDER/pictures/ID-PAGE.png    pages as the model sees them
 *   FOLDER/tasks.json   FOLDER/pictures/ID-PAGE.jpg    pages as people see them,
 *   FOLDER/label-config.xml                            and how Label Studio shows them
 */
#ifndef PIPELINE_EXPORT_EXPORT_DATASET_H
#define PIPELINE_EXPORT_EXPORT_DATASET_H

#include <cjson/cJSON.h>

#include "pipeline/config/config.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

struct export_dataset;

enum export_form { EXPORT_CHAT, EXPORT_STUDIO };

struct export_document {
    const char *id;
    int folder_fd; /* in done/ */
    const cJSON *record;
    int n_line; /* of its review.jsonl */
    const struct schema *schema;
    const char *prompt; /* of the schema */
};

/* Makes the folder where it is missing; for EXPORT_CHAT the configured engine is
 * opened, which says how large a page is shown and how it is asked. `config` must
 * outlive it. FAIL: ERR_SYSTEM; as engine_open. NULL then. */
struct export_dataset *export_dataset_open(const char *folder,
                                           enum export_form form,
                                           const struct config *config,
                                           struct err *err);

/* Adds a document, whole or not at all. FAIL: as show_pages_raster; ERR_INPUT: the
 * document is not that of the record, the record does not fit its schema, and for
 * EXPORT_CHAT: it is not asked about in one question, all pages are blank. */
void export_dataset_add(struct export_dataset *s,
                        const struct export_document *one, struct err *err);

/* The file of all documents takes the place of an earlier one. FAIL: ERR_SYSTEM. */
void export_dataset_end(struct export_dataset *s, struct err *err);

/* What was not ended leaves the file as it was. NULL is fine. */
void export_dataset_close(struct export_dataset *s);

#endif
