/* second_opinion.h - compares a model's answer with what the words of its pages say.
 *
 * A null that has print under its own label was overlooked, a value beside which the
 * words are sure of another one is doubtful, and one that both read alike is not:
 * they have found it independently. A row of the words is compared with the next one of
 * the answer that has most of its values.
 */
#ifndef STAGES_ASK_SECOND_OPINION_H
#define STAGES_ASK_SECOND_OPINION_H

#include "stages/alignment/evidence_pages.h"
#include "stages/words/words_reader.h"

/* Sets verdicts, doubts and the evidence of nulls in doc->field, which has verdicts
 * by print; adds fields of nulls that have none. Texts go to doc->scratch. `read`: what
 * the words of the answer's pages say. */
void second_opinion_compare(const struct words_answer *read,
                            struct document *doc, const cJSON *value);

#endif
