/* unfence.h - the JSON inside what a model said.
 *
 * Removes exactly the documented wrappers (see unfence.c and the table in the
 * tests) and never touches the inside.
 */
#ifndef STAGES_UNFENCE_H
#define STAGES_UNFENCE_H

#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* The part of `answer` between the wrappers; borrowed from it. FAIL:
 * ERR_ANSWER [model-invalid-json] for anything else around the value. */
struct span unfence(struct span answer, struct err *err);

#endif
