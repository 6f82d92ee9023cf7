/* stages.h - a document from bytes to a valid record, in order.
 *
 *   identify -> rasterise -> prepare -> prompt -> extract -> unfence ->
 *   validate -> export
 *
 * A stage knows nothing of queues, retries across runs or the spool. Run again
 * on the same document after a crash, it gives the same result.
 */
#ifndef STAGES_STAGES_H
#define STAGES_STAGES_H

#include "stages/document/run_context.h"
#include "stages/engine/engine.h"

struct calibration;

/* The fit (confidence/calibration.h) for this model and schema in the cache, unless the settings want plain
 * confidence; id "" if there is none. */
struct calibration stages_calibration(const struct settings *settings,
                                      const struct engine *engine,
                                      const struct schema *schema);

/* Runs all stages up to validate. On success doc->data is valid against
 * doc->schema. On failure doc->stage names the stage and err the reason. */
void stages_run(struct document *doc, const struct run_context *context,
                struct err *err);

/* Loads the schema NAME (from context->settings->schemas) or FILE, and its
 * prompt; the caller caches them. Only settings and stop of the context are
 * used; stop is also polled whenever the schema's grammar is compiled later,
 * so stop_arg must outlive the schema. FAIL: [unknown-schema],
 * [schema-refused], [cancelled]. */
struct schema *stages_load_schema(const char *name,
                                  const struct run_context *context,
                                  struct arena *arena, const char **prompt,
                                  struct err *err);

#endif
