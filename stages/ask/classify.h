/* classify.h - which schema a document is of, asked of the model itself.
 *
 * One choice, held to the names of the schemas in the folder and "none of
 * these", about the first page that is not blank, with their titles and
 * descriptions beside it. What the model gives the name, before the choice is
 * narrowed to names at all, decides: a document that is read under the wrong
 * schema looks right and is not.
 */
#ifndef STAGES_ASK_CLASSIFY_H
#define STAGES_ASK_CLASSIFY_H

#include "stages/stage.h"

/* The name of a schema that asks for this (default_schema, --schema). */
#define CLASSIFY_AUTO "auto"

/* Before anything is read. FAIL: [model-refused] where the settings name a model
 * that answers no such question; [unknown-schema] where there is no schema. */
void classify_check(const struct settings *settings, struct err *err);

/* The name of the document's schema (in its arena), with doc->kind filled in;
 * the document is otherwise as before, for stage_run. An endpoint gives no
 * probabilities: its word is taken, and a warning says so. NULL on failure:
 * [unclear-schema] with the likeliest names and their probabilities; as
 * classify_check; as stage_run. */
const char *classify_choose(struct document *doc, const struct desk *desk,
                            struct err *err);

#endif
