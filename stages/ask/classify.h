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

#include "stages/document/run_context.h"

struct classify_list;

/* The schema name that requests this (default_schema, --schema). */
#define CLASSIFY_AUTO "auto"

/* Checks the settings before any document is read. FAIL: [model-refused] for a
 * model that cannot answer the question; [unknown-schema] if the folder has no
 * schema. */
void classify_check(const struct settings *settings, struct err *err);

/* The schemas of the folder with their titles, to choose from; in the arena.
 * FAIL: as classify_check. */
struct classify_list *classify_list(const struct settings *settings,
                                    struct arena *arena, struct err *err);

/* Returns the document's schema; its name is in the list. The document is
 * unchanged, ready for classify_note and stages_run. The choice of an endpoint
 * without probabilities is accepted. FAIL, name NULL: [unclear-schema] with the
 * most likely names and their probabilities; as stages_run. */
struct document_kind classify_choose(struct document *doc,
                                     const struct run_context *context,
                                     struct classify_list *list,
                                     struct err *err);

/* Notes the choice in doc->kind, and warns if its probability is not known. */
void classify_note(struct document *doc, const struct document_kind *kind);

#endif
