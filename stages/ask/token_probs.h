/* token_probs.h - how probable the values of an answer are, by the tokens that an endpoint
 * told it was made of (logprobs).
 *
 * The definition is that of vlm.h: the product over the tokens of a value, among
 * them the one that closes a text or ends a number; a token that comes from
 * before the value counts where it holds more of it than an opening quote.
 */
#ifndef STAGES_ASK_TOKEN_PROBS_H
#define STAGES_ASK_TOKEN_PROBS_H

#include "stages/document.h"

/* Makes doc->field of doc->told, for the leaves of `value`, which is what
 * `payload`, a part of doc->answer, says, in its order. Leaves doc->field empty
 * where nothing was told, or something else than the answer. In doc->scratch. */
void token_probs_fields(struct document *doc, struct span payload,
                        const cJSON *value);

#endif
