/* prompt_nuextract.h - the question in NuExtract 3's own words.
 *
 * A model of the family's shape that was taught one form alone: a template, JSON
 * whose leaves are names of types, then what to mind, then the document. Asked
 * in another way it copies the question.
 *
 *     【task】structured
 *     【template_start】{"total": "number"}【template_end】
 *     【instructions_start】...【instructions_end】
 *     【document_start】
 *     pictures, each on its line
 *     【document_end】
 */
#ifndef STAGES_ENGINE_PROMPT_NUEXTRACT_H
#define STAGES_ENGINE_PROMPT_NUEXTRACT_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct schema;

/* All up to where the pictures stand: the schema as a template, `instructions`
 * ("" or NULL: none) and the descriptions of the schema's values as what to
 * mind. FAIL: ERR_CONFIG [schema-refused] for a schema that is nested without
 * end. */
void prompt_nuextract(const struct schema *schema, const char *instructions,
                      struct buf *out, struct err *err);

/* Behind each picture, and behind the last one's. */
#define PROMPT_NUEXTRACT_PAGE "\n"
#define PROMPT_NUEXTRACT_END \
    "\xe3\x80\x90"           \
    "document_end"           \
    "\xe3\x80\x91"

#endif
