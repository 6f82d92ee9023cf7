/* prompt.h - what the model is asked, as text.
 *
 * Two formats, chosen by the model file (platen.prompt.format): "outline", a
 * compact rendering of the schema for the embedded model, and the full one:
 * instructions of NAME.prompt.md, then the schema with its descriptions.
 * Either stands before the page images, so that it is read once and shared.
 */
#ifndef STAGES_ENGINE_PROMPT_H
#define STAGES_ENGINE_PROMPT_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct schema;

/* "{merchant:s,date:d,items:[{name:s}]}": keys with s string, d date, n number,
 * i integer, b boolean, e enum. FAIL: ERR_CONFIG for a schema without such an
 * outline (free-form objects, unions of containers). */
void prompt_outline(const struct schema *schema, struct buf *out,
                    struct err *err);

/* Instructions and schema as text for a general model. */
void prompt_full(const struct schema *schema, const char *instructions,
                 struct buf *out);

/* Tokens of that text, about; 0 without a schema. */
int prompt_tokens(const struct schema *schema, const char *instructions);

/* Added to a question that is asked once more: what was wrong with the answer
 * (or NULL), and the lines of the page that alone are asked about now, each
 * begun by "- " (or NULL). */
void prompt_again(const char *finding, const char *lines, struct buf *out);

/* Instructions for a part of a long document, from those of its schema ("" or
 * NULL: what prompt_full says then). */
void prompt_window(const char *instructions, struct buf *out);

#endif
