/* long_findings.h - what a person has to look at behind the last page. */
#ifndef STAGES_LONG_LONG_FINDINGS_H
#define STAGES_LONG_LONG_FINDINGS_H

#include "stages/document.h"
#include "stages/settings.h"

/* Warns of values about which pages differ, by what each of them says, and of
 * the document's gaps, by their pages; files the former in doc->conflicts. */
void long_findings(const cJSON *scalars, struct document *doc,
                   const struct settings *settings);

/* Warns of the document's gaps alone. */
void long_findings_gaps(struct document *doc, const struct settings *settings);

#endif
