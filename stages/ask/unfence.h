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
 * One JSON value must be left.
 *
 * Where something else is left (words before or behind, a fence on the value's
 * line, </think> without its beginning), unfence_values finds the arrays and
 * objects in it; the caller takes one if it alone fits the schema. So
 *   Here you are: {"total": 1} Enjoy!    is {"total": 1}, and
 *   {"total": 1} or rather {"total": 2}  is for the model to do again.
 */
#ifndef STAGES_ASK_UNFENCE_H
#define STAGES_ASK_UNFENCE_H

#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* The part of `answer` between the wrappers; borrowed from it. FAIL:
 * ERR_ANSWER [model-invalid-json] for anything else around the value. Whether
 * the value itself is JSON is for the parser to say. */
struct span unfence(struct span answer, struct err *err);

enum { UNFENCE_MAX = 16 };

/* The outermost arrays and objects of `answer`, borrowed from it, thinking set
 * aside; how many. Whether they are JSON is for the parser to say: "[1]" in a
 * sentence is one as well. None is looked for inside another, so that nothing
 * is ever a part of what was meant. FAIL: ERR_ANSWER [model-invalid-json] for
 * brackets that do not match (a value that is cut short), thinking that does
 * not end, or too many. */
int unfence_values(struct span answer, struct span value[static UNFENCE_MAX],
                   struct err *err);

#endif
