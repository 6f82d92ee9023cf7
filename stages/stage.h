/* stage.h - a document from bytes to a valid record, in order.
 *
 *   identify -> rasterise -> prepare -> prompt -> extract -> unfence ->
 *   validate -> export
 *
 * A stage knows nothing of queues, retries across runs or the spool. Run again
 * on the same document after a crash, it gives the same result.
 */
#ifndef STAGES_STAGE_H
#define STAGES_STAGE_H

#include "stages/document.h"
#include "stages/engine/engine.h"
#include "stages/settings.h"

struct calibration;

struct run_context { /* what a run of documents shares */
    const struct settings *settings;
    struct engine *engine;
    bool (*stop)(void *arg); /* polled between steps, or NULL */
    void *stop_arg;
    /* progress for a terminal, or NULL: stage, page (0: none) of n pages */
    void (*progress)(void *arg, const struct document *doc, int page);
    void *progress_arg;
    /* Opens the file for the rows of a long document (long/row_file.h): the
     * same file after a crash; the caller closes it. Called with progress_arg
     * once a document turns out to be long. NULL, or -1: rows are not kept. */
    int (*open_row_file)(void *arg);
    const struct calibration *calibration; /* stage_calibration, or NULL */
};

/* The fit (confidence/calibration.h) for this model and schema in the cache, unless the settings want plain
 * confidence; id "" if there is none. */
struct calibration stage_calibration(const struct settings *settings,
                                     const struct engine *engine,
                                     const struct schema *schema);

/* Runs all stages up to validate. On success doc->data is valid against
 * doc->schema. On failure doc->stage names the stage and err the reason. */
void stage_run(struct document *doc, const struct run_context *context,
               struct err *err);

/* Loads the schema NAME (from context->settings->schemas) or FILE, and its
 * prompt; the caller caches them. Only settings and stop of the context are
 * used; stop is also polled whenever the schema's grammar is compiled later,
 * so stop_arg must outlive the schema. FAIL: [unknown-schema],
 * [schema-refused], [cancelled]. */
struct schema *stage_load_schema(const char *name,
                                 const struct run_context *context,
                                 struct arena *arena, const char **prompt,
                                 struct err *err);

#endif
