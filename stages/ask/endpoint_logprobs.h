/* endpoint_logprobs.h - probabilities of the values of an answer, from the logprobs
 * of an endpoint.
 *
 * As defined in vlm.h: the product over the tokens of a value, including the
 * one that closes a text or ends a number. A token that starts before the value
 * counts if it holds more of it than the opening quote.
 */
#ifndef STAGES_ASK_ENDPOINT_LOGPROBS_H
#define STAGES_ASK_ENDPOINT_LOGPROBS_H

#include "stages/document/document.h"

/* Fills doc->field from doc->token_probs for the leaves of `value`, which was
 * parsed from `payload`, a part of doc->answer, and is in its order. Leaves
 * doc->field empty if there are no token probabilities or if they do not match
 * the answer. In doc->scratch. */
void endpoint_logprobs_fields(struct document *doc, struct span payload,
                              const cJSON *value);

#endif
