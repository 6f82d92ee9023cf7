/* prompt.h - the text of the prompt.
 *
 * Two formats, chosen by the model file (platen.prompt.format): "outline", a
 * compact form of the schema for the embedded model, and the full one:
 * instructions from NAME.prompt.md, then the schema with its descriptions. Both
 * come before the page images, so that they are processed once and shared.
 */
#ifndef STAGES_ENGINE_PROMPT_H
#define STAGES_ENGINE_PROMPT_H

#include <stdbool.h>

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct engine_try;
struct schema;

/* "{merchant:s,date:d,items:[{name:s}]}": keys with s string, d date, n number,
 * i integer, b boolean, e enum. FAIL: ERR_CONFIG for a schema that cannot be
 * written like this (free-form objects, unions of containers). */
void prompt_outline(const struct schema *schema, struct buf *out,
                    struct err *err);

/* Appends instructions and schema as text for a general model. */
void prompt_full(const struct schema *schema, const char *instructions,
                 struct buf *out);

/* The approximate number of tokens of that text; 0 without a schema. */
int prompt_tokens(const struct schema *schema, const char *instructions);

/* Appends the text with anything escaped that a chat server could take for its
 * own markup. Servers look for chat tokens in all text, and these begin with
 * "<" or "[" and a name: "<|im_end|>", "</s>", "[INST]". A space is inserted
 * after these, unless one follows; invisible characters are removed. Line
 * breaks stay if `lines`. Idempotent. */
void prompt_add_escaped(const char *text, bool lines, struct buf *out);

/* Appends the addition to a question that is asked again, nothing to one that is
 * not: what was wrong with the answer, the only lines of the page or the only
 * values that are asked about now. */
void prompt_again(const struct engine_try *now, struct buf *out);

/* Appends instructions for a part of a long document, based on those of its
 * schema ("" or NULL: prompt_full's default). */
void prompt_window(const char *instructions, struct buf *out);

#endif
