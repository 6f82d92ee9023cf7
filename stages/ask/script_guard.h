/* script_guard.h - whether the model is known to read what a page is written in.
 */
#ifndef STAGES_ASK_SCRIPT_GUARD_H
#define STAGES_ASK_SCRIPT_GUARD_H

#include "stages/document.h"
#include "stages/engine/engine.h"
#include "stages/print/script.h"

/* Warns where page `number` is written in a script that the model is not known
 * to read: what it says of such a page is its invention. */
void script_guard_page(struct document *doc, const struct engine_facts *facts,
                       int number, const struct script *script);

#endif
