/* classify.h - asks the model which schema fits a document.
 *
 * One question about the first page that is not blank: the answer is limited to
 * the names of the schemas in the folder and "none of these"; the prompt lists
 * their titles and descriptions. The probability that decides is the name's
 * before the answer is limited: a document read with the wrong schema looks
 * right and is not.
 */
#ifndef STAGES_ASK_CLASSIFY_H
#define STAGES_ASK_CLASSIFY_H

#include "stages/stage.h"

/* The schema name that requests this (default_schema, --schema). */
#define CLASSIFY_AUTO "auto"

/* Checks the settings before any document is read. FAIL: [model-refused] for a
 * model that cannot answer the question; [unknown-schema] if the folder has no
 * schema. */
void classify_check(const struct settings *settings, struct err *err);

/* Returns the name of the document's schema (in its arena) and fills in
 * doc->kind; the document is otherwise unchanged, ready for stage_run. The
 * choice of an endpoint without probabilities is accepted, with a warning. NULL
 * on failure: [unclear-schema] with the most likely names and their
 * probabilities; as classify_check; as stage_run. */
const char *classify_choose(struct document *doc,
                            const struct run_context *context, struct err *err);

#endif
