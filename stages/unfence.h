/* unfence.h - the JSON inside what a model said.
 *
 * Exactly these wrappers are taken off, each at most once and in this order
 * from outside in; the inside is never touched:
 *   1. a byte order mark (EF BB BF) at the very start,
 *   2. white space of JSON (space, tab, CR, LF) at both ends, here and between
 *      the others,
 *   3. a leading <think>...</think>, empty or not,
 *   4. a fence: a line of three or more backticks or tildes, with nothing or
 *      the word "json" (in any case) behind it, and as the last line at least
 *      as many of the same.
 * One JSON value must be left. Prose, a second block, a fence that is open or
 * on the same line as the value: all that is for the model to do again.
 */
#ifndef STAGES_UNFENCE_H
#define STAGES_UNFENCE_H

#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* The part of `answer` between the wrappers; borrowed from it. FAIL:
 * ERR_ANSWER [model-invalid-json] for anything else around the value. Whether
 * the value itself is JSON is for the parser to say. */
struct span unfence(struct span answer, struct err *err);

#endif
