/* tokenizer.h - bytes to tokens and back: byte-level BPE, `qwen35` rules.
 *
 * THREADS  Read-only once open; encoding uses the caller's arena only.
 * SOURCE   MODEL.md, "Words".
 */
#ifndef VLM_TEXT_TOKENIZER_H
#define VLM_TEXT_TOKENIZER_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct gguf;
struct tokenizer;

enum token_type {
    TOKEN_NORMAL = 1,
    TOKEN_CONTROL = 3,
    TOKEN_USER_DEFINED = 4,
    TOKEN_UNUSED = 5
};

struct tokens {
    int32_t *id;
    int n;
};

/* Borrows `g`, which must outlive it. FAIL: ERR_CONFIG, ERR_UNSUPPORTED naming
 * the key or entry. */
struct tokenizer *tokenizer_open(const struct gguf *g, struct err *err);
void tokenizer_close(struct tokenizer *t);

int tokenizer_size(const struct tokenizer *t); /* rows, padding included */

/* The bytes a token stands for (added tokens: their literal text; padding
 * rows: empty). */
struct span tokenizer_bytes(const struct tokenizer *t, int32_t id);
enum token_type tokenizer_type(const struct tokenizer *t, int32_t id);

/* The id of an added token by its literal text, or -1. */
int32_t tokenizer_special(const struct tokenizer *t, const char *text);
bool tokenizer_is_end(const struct tokenizer *t, int32_t id); /* both eos */

/* NFC, then added tokens matched only where `special` says so (never for
 * untrusted text), then pre-tokeniser and merges. The result is in the arena.
 * FAIL: ERR_INPUT for text that is not UTF-8. */
struct tokens tokenizer_encode(const struct tokenizer *t, struct span text,
                               bool special, struct arena *arena,
                               struct err *err);

#endif
