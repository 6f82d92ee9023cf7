/* prompt_nuextract.h - the prompt in NuExtract 3's format.
 *
 * These models were trained on one format only: a template, which is JSON with
 * names of types as leaves, then instructions, then the document. Asked in
 * another way they copy the question.
 *
 *     【task】structured
 *     【template_start】{"total": "number"}【template_end】
 *     【instructions_start】...【instructions_end】
 *     【document_start】
 *     images, each on its line
 *     【document_end】
 */
#ifndef STAGES_ENGINE_PROMPT_NUEXTRACT_H
#define STAGES_ENGINE_PROMPT_NUEXTRACT_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct schema;

/* Appends everything up to the images: the schema as a template, `instructions`
 * ("" or NULL: none) and the descriptions of the schema's values as
 * instructions. FAIL: ERR_CONFIG [schema-refused] for a schema that is nested
 * without end. */
void prompt_nuextract(const struct schema *schema, const char *instructions,
                      struct buf *out, struct err *err);

/* Comes after each image, and after the last one's. */
#define PROMPT_NUEXTRACT_PAGE "\n"
#define PROMPT_NUEXTRACT_END \
    "\xe3\x80\x90"           \
    "document_end"           \
    "\xe3\x80\x91"

#endif
