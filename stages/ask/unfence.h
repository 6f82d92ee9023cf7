/* unfence.h - the JSON inside a model's answer.
 *
 * Exactly these wrappers are removed, each at most once and in this order from
 * outside in; the inside is never changed:
 *   1. a byte order mark (EF BB BF) at the very start,
 *   2. JSON white space (space, tab, CR, LF) at both ends, here and between the
 *      others,
 *   3. a leading <think>...</think>, empty or not,
 *   4. a fence: a line of three or more backticks or tildes, with nothing or
 *      the word "json" (in any case) after it, and a last line of at least as
 *      many of the same.
 * One JSON value must remain.
 *
 * If anything else remains (text before or after, a fence on the value's line,
 * </think> without <think>), unfence_values finds the arrays and objects in it;
 * the caller uses one if it is the only one that fits the schema. So
 *   Here you are: {"total": 1} Enjoy!    is {"total": 1}, and
 *   {"total": 1} or rather {"total": 2}  is asked again.
 */
#ifndef STAGES_ASK_UNFENCE_H
#define STAGES_ASK_UNFENCE_H

#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* The part of `answer` inside the wrappers; borrowed from it. The value itself
 * is not parsed. FAIL: ERR_ANSWER [model-invalid-json] for anything else around
 * the value. */
struct span unfence(struct span answer, struct err *err);

enum { UNFENCE_MAX = 16 };

/* Finds the outermost arrays and objects of `answer` after its thinking,
 * borrowed from it; returns their number. They are not parsed: "[1]" in a
 * sentence counts too. Inner ones are not returned, since they would be only
 * part of a value. FAIL: ERR_ANSWER [model-invalid-json] for brackets that do
 * not match (a value that is cut short), thinking that does not end, or too
 * many values. */
int unfence_values(struct span answer, struct span value[static UNFENCE_MAX],
                   struct err *err);

#endif
