/* required.h - values that must not be guessed.
 *
 * A schema marks a place with "x-platen-required-evidence": true; on an object
 * or an array the mark covers every value in it. A value there that is less
 * probable than `review_below` is a guess: it becomes null where the schema
 * has a null for it, and a warning tells what it was.
 */
#ifndef STAGES_EVIDENCE_REQUIRED_H
#define STAGES_EVIDENCE_REQUIRED_H

#include "stages/document.h"

/* Looks through `value`, a valid answer of doc->schema, whose probabilities
 * are doc->field (pointers into `value`); it stays valid. `page` (0: all of
 * them) is named in the warnings. A field whose value went gets `dropped`. A
 * guess that cannot be null stays, with a warning. Where doc->field cannot be
 * had (`measured` is false: an endpoint), one warning says that nothing was
 * checked. FAIL: as schema_validate. */
void required_evidence(struct document *doc, cJSON *value, int page,
                       bool measured, double review_below, struct err *err);

#endif
