/* stage.h - a document from bytes to a valid record, in order.
 *
 *   identify -> rasterise -> prepare -> prompt -> extract -> unfence ->
 *   validate -> export
 *
 * A stage knows nothing of queues, retries across runs or the spool. It may
 * run again on the same document after a crash and then gives the same result.
 */
#ifndef STAGES_STAGE_H
#define STAGES_STAGE_H

#include "stages/document.h"
#include "stages/engine/engine.h"
#include "stages/settings.h"

struct desk { /* what the stages find on their desk */
    const struct settings *settings;
    struct engine *engine;
    bool (*stop)(void *arg); /* polled between steps, or NULL */
    void *stop_arg;
    /* progress for a terminal, or NULL: stage, page (0: none) of n pages */
    void (*progress)(void *arg, const struct document *doc, int page);
    void *progress_arg;
    /* A file for the rows of a long document (window/row_file.h), the same one
     * after a crash, the caller's to close; NULL, or -1: none is kept. Asked
     * when a document turns out to be long, with progress_arg. */
    int (*rows_file)(void *arg);
};

/* Runs all stages up to validate. On success doc->data is valid against
 * doc->schema. On failure doc->stage says where and err why. */
void stage_run(struct document *doc, const struct desk *desk, struct err *err);

/* The schema NAME (resolved in desk->settings->schemas) or FILE with its
 * prompt; cached by the caller. Of the desk only settings and stop are looked
 * at; stop is polled while it loads and whenever its grammar is compiled later,
 * so stop_arg must outlive the schema. FAIL: [unknown-schema],
 * [schema-refused], [cancelled]. */
struct schema *stage_load_schema(const char *name, const struct desk *desk,
                                 struct arena *arena, const char **prompt,
                                 struct err *err);

#endif
