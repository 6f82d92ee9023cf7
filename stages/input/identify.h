/* identify.h - the type of a file, from its content, never from its name. */
#ifndef STAGES_INPUT_IDENTIFY_H
#define STAGES_INPUT_IDENTIFY_H

#include "stages/document/document.h"
#include "stages/document/settings.h"

/* Reads the document's descriptor; fills in its type, size_bytes and sha256, and
 * goes on with doc->unlocked, if there is one.
 * FAIL: [empty], [unknown-type], [too-large]. */
void identify_document(struct document *doc, const struct settings *settings,
                       struct err *err);

#endif
