/* tokenizer.h - text to tokens and back: byte-level BPE with `qwen35` rules.
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

/* Borrows `g`, which must outlive it. FAIL: ERR_CONFIG, ERR_UNSUPPORTED, with
 * the key or entry; ERR_LIMIT. */
struct tokenizer *tokenizer_open(const struct gguf *g, struct err *err);
void tokenizer_close(struct tokenizer *t);

/* Number of rows, including padding. */
int tokenizer_size(const struct tokenizer *t);

/* The bytes of a token (added token: its literal text; padding row: empty). */
struct span tokenizer_bytes(const struct tokenizer *t, int32_t id);
enum token_type tokenizer_type(const struct tokenizer *t, int32_t id);

/* The id of an added token by its literal text, or -1. */
int32_t tokenizer_special(const struct tokenizer *t, const char *text);

/* Does the token end an answer? */
bool tokenizer_is_end(const struct tokenizer *t, int32_t id);

/* Encodes text: finds added tokens if `special` (never for untrusted text),
 * normalises to NFC, then applies pre-tokeniser and merges. The result is in
 * the arena. FAIL: ERR_INPUT for invalid UTF-8, ERR_LIMIT for too long a
 * text. */
struct tokens tokenizer_encode(const struct tokenizer *t, struct span text,
                               bool special, struct arena *arena,
                               struct err *err);

#endif
