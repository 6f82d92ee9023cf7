/* script_guard.h - a warning for scripts that the model may not know. */
#ifndef STAGES_ASK_SCRIPT_GUARD_H
#define STAGES_ASK_SCRIPT_GUARD_H

#include "stages/document.h"
#include "stages/engine/engine.h"
#include "stages/print/script.h"

/* Warns if page `number` is written in a script that the model is not known to
 * read: its values may be invented. */
void script_guard_page(struct document *doc, const struct engine_facts *facts,
                       int number, const struct script *script);

#endif
