/* identify.h - what a file is, by its bytes and never by its name. */
#ifndef STAGES_INPUT_IDENTIFY_H
#define STAGES_INPUT_IDENTIFY_H

#include "stages/document.h"
#include "stages/settings.h"

/* Fills type, size_bytes and sha256 of the document from its descriptor.
 * FAIL: [empty], [unknown-type], [too-large]. */
void identify_document(struct document *doc, const struct settings *settings,
                       struct err *err);

const char *identify_name(enum file_type type); /* "PDF" */

#endif
