/* required.h - drops values without evidence where the schema requires it.
 *
 * A schema requires it with "x-platen-required-evidence": true; on an object or
 * array this covers every value inside. Such a value is a guess if its
 * confidence (confidence.h) is below `review_threshold`, or if OCR reads the
 * page and does not find it, however confident the model. A guess becomes null
 * if the schema allows null there, and a warning tells the old value.
 */
#ifndef STAGES_ASK_REQUIRED_EVIDENCE_H
#define STAGES_ASK_REQUIRED_EVIDENCE_H

#include "stages/confidence/confidence.h"

/* Checks `value`, a valid answer of doc->schema, with probabilities and
 * verdicts in doc->field (pointers into `value`); it stays valid. Warnings name
 * `page` (0: the whole document). The field of a dropped value gets `dropped`.
 * A guess that cannot be null stays, with a warning. If there are no
 * probabilities (`measured` is false) and no OCR, one warning says that nothing
 * was checked. FAIL: as schema_validate. */
void required_evidence(struct document *doc, cJSON *value, int page,
                       bool measured, const struct confidence *trust,
                       struct err *err);

#endif
