/* required.h - values that must not be guessed.
 *
 * A schema marks a place with "x-platen-required-evidence": true; on an object
 * or an array the mark covers every value in it. A value there whose
 * confidence (confidence.h) is below `review_threshold` is a guess, and so is one that a
 * OCR does not find where it sees the page, however sure the model: it
 * becomes null where the schema has a null for it, and a warning tells what it
 * was.
 */
#ifndef STAGES_EVIDENCE_REQUIRED_H
#define STAGES_EVIDENCE_REQUIRED_H

#include "stages/confidence/confidence.h"

/* Looks through `value`, a valid answer of doc->schema, whose probabilities
 * and verdicts are doc->field (pointers into `value`); it stays valid. `page` (0: all of
 * them) is named in the warnings. A field whose value went gets `dropped`. A
 * guess that cannot be null stays, with a warning. Where doc->field cannot be
 * had (`measured` is false, and nobody looked), one warning says that nothing was
 * checked. FAIL: as schema_validate. */
void required_evidence(struct document *doc, cJSON *value, int page,
                       bool measured, const struct confidence *trust,
                       struct err *err);

/* Whether the schema asks for evidence of what `value` has at the pointer. */
bool required_is_asked(const struct schema *s, const cJSON *value,
                       const char *pointer);

#endif
