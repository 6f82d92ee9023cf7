/* long_findings.h - warnings about the whole document, after its last page. */
#ifndef STAGES_LONG_LONG_FINDINGS_H
#define STAGES_LONG_LONG_FINDINGS_H

#include "stages/document/document.h"
#include "stages/document/settings.h"

/* Adds values on which pages differ to doc->conflicts, and warns of them, with the
 * value of each page, and of the document's gaps, with their pages. */
void long_findings(const cJSON *scalars, struct document *doc,
                   const struct settings *settings);

/* Warns of the document's gaps alone. */
void long_findings_gaps(struct document *doc, const struct settings *settings);

#endif
