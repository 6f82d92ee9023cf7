/* windows_say.h - what a person has to look at behind the last page. */
#ifndef STAGES_WINDOW_WINDOWS_SAY_H
#define STAGES_WINDOW_WINDOWS_SAY_H

#include "stages/document.h"
#include "stages/settings.h"

/* Warns of values about which pages differ, by what each of them says, and of
 * the document's gaps, by their pages; files the former in doc->conflicts. */
void windows_say(const cJSON *scalars, struct document *doc,
                 const struct settings *settings);

/* Warns of the document's gaps alone. */
void windows_say_gaps(struct document *doc, const struct settings *settings);

#endif
