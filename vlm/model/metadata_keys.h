/* metadata_keys.h - all metadata keys of the model family, and their treatment.
 *
 * A key that other engines obey and this one ignores would silently give other
 * numbers. So each key of the architecture (and of the tokenizer) is in a table
 * here: it is read, or must have the one value that changes nothing, or has no
 * effect on results. A key in no table is refused by name, and so is a missing
 * one without a safe default. Other keys (general, quantize, split,
 * tokenizer.chat_template, a publisher's own) are ignored.
 * SOURCE  What llama.cpp writes and reads for qwen35, qwen35moe and clip.
 */
#ifndef VLM_MODEL_METADATA_KEYS_H
#define VLM_MODEL_METADATA_KEYS_H

#include <stdbool.h>

#include "vlm/base/err.h"

struct gguf;

/* Checks all keys of a text model ("qwen35" or "qwen35moe", and the
 * tokenizer's), of a vision file ("clip"), or of the tokenizer alone
 * ("tokenizer.ggml"). FAIL: ERR_CONFIG listing every key that is unknown,
 * missing or has an unsupported value (at most 8 by name). */
void metadata_keys_check(const struct gguf *g, const char *prefix,
                         struct err *err);

/* Does the table of this prefix have this key? Every key that is read has a
 * row. */
bool metadata_keys_known(const char *prefix, const char *name);

#endif
