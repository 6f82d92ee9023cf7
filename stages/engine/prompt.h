/* prompt.h - what the model is asked, as text.
 *
 * Two formats, chosen by the model file (platen.prompt.format): "outline", a
 * compact rendering of the schema for the embedded model, and the full one:
 * instructions of NAME.prompt.md, then the schema with its descriptions.
 * Either stands before the page images, so that it is read once and shared.
 */
#ifndef STAGES_ENGINE_PROMPT_H
#define STAGES_ENGINE_PROMPT_H

#include <stdbool.h>

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

/* Adds the text with what a chat server could mistake for its own markup made
 * harmless. A server looks for chat tokens in all text that it is sent, and they
 * begin with "<" or "[" and a name: "<|im_end|>", "</s>", "[INST]". A space is put
 * behind these, unless one follows; invisible characters are left out. Line breaks
 * stay if `lines`. Applied twice, it changes nothing more. */
void prompt_add_escaped(const char *text, bool lines, struct buf *out);

/* Added to a question that is asked once more: what was wrong with the answer
 * (or NULL), and the lines of the page that alone are asked about now, each
 * begun by "- " (or NULL). */
void prompt_again(const char *finding, const char *lines, struct buf *out);

/* Instructions for a part of a long document, from those of its schema ("" or
 * NULL: what prompt_full says then). */
void prompt_window(const char *instructions, struct buf *out);

#endif
