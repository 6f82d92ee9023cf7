/* metadata_keys.h - every key of the family, and what becomes of it.
 *
 * A key that other engines obey and this one does not would give other numbers
 * in silence. So each key of the architecture (and of the tokenizer) is in a
 * table here: it is read, or it may only have the value that changes nothing,
 * or it means nothing to anybody. One that is in no table is refused by name,
 * and so is a missing one that has no honest default. Keys elsewhere (general,
 * quantize, split, tokenizer.chat_template, a publisher's own) are left alone.
 * SOURCE  What llama.cpp writes and reads for qwen35, qwen35moe and clip.
 */
#ifndef VLM_MODEL_METADATA_KEYS_H
#define VLM_MODEL_METADATA_KEYS_H

#include <stdbool.h>

#include "vlm/base/err.h"

struct gguf;

/* Looks at all keys of a text model ("qwen35" or "qwen35moe", and the
 * tokenizer's), of a vision file ("clip"), or of the tokenizer alone
 * ("tokenizer.ggml"). FAIL: ERR_CONFIG listing every key that is unknown or
 * says what is not done here, and every missing one (at most 8 by name). */
void metadata_keys_check(const struct gguf *g, const char *prefix,
                         struct err *err);

/* Whether the table of this prefix has such a key: what is read has a row. */
bool metadata_keys_known(const char *prefix, const char *name);

#endif
