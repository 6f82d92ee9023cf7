/* tokenizer.c - see tokenizer.h: loading a vocabulary, and encoding. */
#include "vlm/text/tokenizer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "vlm/base/fnv.h"
#include "vlm/model/gguf.h"
#include "vlm/model/metadata_keys.h"
#include "vlm/text/bpe.h"
#include "vlm/text/pretoken.h"

enum { VOCAB_MAX = 1 << 22, TEXT_BYTES_MAX = 1 << 28, ENDS_MAX = 8 };

struct tokenizer {
    struct arena *arena; /* owns everything here */
    const struct gguf *g;
    int n;
    struct span *bytes;   /* [n] see tokenizer_bytes */
    uint8_t *type;        /* [n] enum token_type */
    int32_t byte_id[256]; /* the symbol of each byte */
    struct bpe *bpe;
    struct pretoken *pretoken;

    /* added tokens by first byte c, longest first: from first_added[c] to
     * before first_added[c + 1] */
    int32_t *added;
    int n_added;
    int first_added[257];
    int32_t end[ENDS_MAX]; /* tokens that end an answer */
    int n_end;
};

/* Hash table of entries by their text in the file, used only while opening. */
struct token_index {
    const struct span *text;
    int32_t *slot; /* -1: free */
    uint32_t mask;
};

static uint64_t hash_text(struct span s)
{
    return fnv_bytes(FNV_START, s.data, s.size);
}

static int32_t *index_slot(const struct token_index *x, struct span s)
{
    uint32_t i = (uint32_t)hash_text(s) & x->mask;
    while (x->slot[i] >= 0 && !span_equal(x->text[x->slot[i]], s))
        i = (i + 1) & x->mask;
    return &x->slot[i];
}

static bool is_added(const struct tokenizer *t, int32_t id)
{
    return t->type[id] == TOKEN_CONTROL || t->type[id] == TOKEN_USER_DEFINED;
}

/* ---- opening ---------------------------------------------------------- */

/* The code point that represents each byte: itself if printable, else U+0100
 * and up, in order. */
static void byte_alphabet(int32_t code[256])
{
    int32_t extra = 0x100;
    for (int b = 0; b < 256; b++) {
        bool prints = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) ||
                      (b >= 174 && b <= 255);
        code[b] = prints ? b : extra++;
    }
}

/* The bytes of a normal token. Text outside the alphabet is unchanged:
 * encoding never makes such a token. */
static struct span decode_token(struct span text, const int16_t byte_of[512],
                                struct arena *arena)
{
    char *out = arena_alloc(arena, text.size + 1);
    size_t n = 0;
    for (size_t at = 0; at < text.size;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t step =
            utf8proc_iterate((const utf8proc_uint8_t *)text.data + at,
                             (utf8proc_ssize_t)(text.size - at), &c);
        if (step < 1 || c >= 512 || byte_of[c] < 0) return text;
        out[n++] = (char)(unsigned char)byte_of[c];
        at += (size_t)step;
    }
    return (struct span){out, n};
}

static void read_types(struct tokenizer *t, struct err *err)
{
    const char *key = "tokenizer.ggml.token_type";
    t->type = arena_array(t->arena, (size_t)t->n, sizeof *t->type);
    if (gguf_array_size(t->g, key, err) != t->n)
        err_set(err, ERR_CONFIG,
                "%s: key %s must have one entry per token (%d)",
                gguf_path(t->g), key, t->n);
    for (int i = 0; i < t->n && !err_failed(err); i++) {
        int64_t v = gguf_array_int(t->g, key, i, err);
        bool known =
            v == TOKEN_NORMAL || v == TOKEN_CONTROL || v == TOKEN_USER_DEFINED;
        t->type[i] = (uint8_t)(known ? v : TOKEN_UNUSED);
    }
}

static void read_bytes(struct tokenizer *t, const struct span *text,
                       const int32_t code[256], struct err *err)
{
    if (err_failed(err)) return;
    int16_t byte_of[512];
    for (int i = 0; i < 512; i++)
        byte_of[i] = -1;
    for (int b = 0; b < 256; b++)
        byte_of[code[b]] = (int16_t)b;
    t->bytes = arena_array(t->arena, (size_t)t->n, sizeof *t->bytes);
    for (int i = 0; i < t->n; i++) {
        t->bytes[i] = text[i];
        if (t->type[i] == TOKEN_UNUSED)
            t->bytes[i] = (struct span){"", 0};
        else if (t->type[i] == TOKEN_NORMAL)
            t->bytes[i] = decode_token(text[i], byte_of, t->arena);
    }
}

static struct token_index index_vocabulary(const struct tokenizer *t,
                                           const struct span *text,
                                           struct arena *scratch)
{
    struct token_index x = {.text = text};
    uint32_t size = 16;
    while (size < (uint32_t)t->n * 2)
        size *= 2;
    x.mask = size - 1;
    x.slot = arena_array(scratch, size, sizeof *x.slot);
    memset(x.slot, 0xff, size * sizeof *x.slot);
    for (int32_t i = 0; i < t->n; i++) {
        if (t->type[i] != TOKEN_NORMAL) continue;
        int32_t *slot = index_slot(&x, text[i]);
        if (*slot < 0) *slot = i;
    }
    return x;
}

static void read_byte_ids(struct tokenizer *t, const struct token_index *x,
                          const int32_t code[256], struct err *err)
{
    for (int b = 0; b < 256 && !err_failed(err); b++) {
        char text[4];
        size_t n =
            (size_t)utf8proc_encode_char(code[b], (utf8proc_uint8_t *)text);
        t->byte_id[b] = *index_slot(x, (struct span){text, n});
        if (t->byte_id[b] < 0)
            err_set(err, ERR_CONFIG,
                    "%s: no token for byte 0x%02x: not a byte-level "
                    "vocabulary",
                    gguf_path(t->g), b);
    }
}

static void read_merges(struct tokenizer *t, const struct token_index *x,
                        struct arena *scratch, struct err *err)
{
    const char *key = "tokenizer.ggml.merges";
    int64_t n = gguf_array_size(t->g, key, err);
    if (!err_failed(err) && n > VOCAB_MAX)
        err_set(err, ERR_LIMIT, "%s: key %s has %lld entries, at most %d",
                gguf_path(t->g), key, (long long)n, VOCAB_MAX);
    struct span *merge =
        n ? gguf_array_strings(t->g, key, n, scratch, err) : NULL;
    if (err_failed(err)) return;
    t->bpe = bpe_new(t->arena, (int)n);
    char *both = arena_alloc(scratch, TEXT_BYTES_MAX >> 12);
    for (int64_t i = 0; i < n && !err_failed(err); i++) {
        struct span m = merge[i];
        const char *gap = m.size ? memchr(m.data, ' ', m.size) : NULL;
        int32_t left = -1, right = -1, whole = -1;
        if (gap && m.size < TEXT_BYTES_MAX >> 12) {
            size_t a = (size_t)(gap - m.data), b = m.size - a - 1;
            left = *index_slot(x, (struct span){m.data, a});
            right = *index_slot(x, (struct span){gap + 1, b});
            memcpy(both, m.data, a);
            memcpy(both + a, gap + 1, b);
            whole = *index_slot(x, (struct span){both, a + b});
        }
        char show[GGUF_SHOW_MAX];
        if (left < 0 || right < 0 || whole < 0)
            err_set(err, ERR_CONFIG,
                    "%s: merge %lld (%s) refers to a missing token: convert "
                    "the model again",
                    gguf_path(t->g), (long long)i, gguf_show(m, show));
        else
            bpe_add(t->bpe, left, right, whole, (int32_t)i);
    }
}

/* Sorted by first byte, then longest first, so that the first match is the
 * longest; then by id. */
struct added_key {
    struct span text;
    int32_t id;
};

static int order_added(const void *a, const void *b)
{
    const struct added_key *x = a, *y = b;
    int c = (unsigned char)x->text.data[0], d = (unsigned char)y->text.data[0];
    if (c != d) return c - d;
    if (x->text.size != y->text.size)
        return x->text.size > y->text.size ? -1 : 1;
    return x->id - y->id;
}

static void read_added(struct tokenizer *t, struct arena *scratch)
{
    struct added_key *key = arena_array(scratch, (size_t)t->n, sizeof *key);
    int n = 0;
    for (int32_t i = 0; i < t->n; i++)
        if (is_added(t, i) && t->bytes[i].size)
            key[n++] = (struct added_key){t->bytes[i], i};
    if (n) qsort(key, (size_t)n, sizeof *key, order_added);
    t->n_added = n;
    t->added = arena_array(t->arena, (size_t)n, sizeof *t->added);
    for (int i = 0; i < n; i++) {
        t->added[i] = key[i].id;
        t->first_added[(unsigned char)key[i].text.data[0] + 1]++;
    }
    for (int c = 0; c < 256; c++)
        t->first_added[c + 1] += t->first_added[c];
}

static void add_end(struct tokenizer *t, int64_t id, const char *key,
                    struct err *err)
{
    if (err_failed(err)) return;
    for (int i = 0; i < t->n_end; i++)
        if (id == t->end[i]) return;
    if (id < 0 || id >= t->n)
        err_set(err, ERR_CONFIG, "%s: key %s is %lld, but there are %d tokens",
                gguf_path(t->g), key, (long long)id, t->n);
    else if (t->n_end == ENDS_MAX)
        err_set(err, ERR_LIMIT, "%s: more than %d tokens end an answer",
                gguf_path(t->g), ENDS_MAX);
    else
        t->end[t->n_end++] = (int32_t)id;
}

/* Every token that the file declares an end of sequence, turn or message, and
 * the family's own two. */
static void read_ends(struct tokenizer *t, struct err *err)
{
    static const char *const keys[] = {
        "tokenizer.ggml.eos_token_id", "tokenizer.ggml.eos_token_ids",
        "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"};
    static const char *const own[] = {"<|im_end|>", "<|endoftext|>"};
    for (int i = 0; i < 4; i++) {
        int64_t n = gguf_array_size(t->g, keys[i], err);
        for (int64_t k = 0; k < n && !err_failed(err); k++)
            add_end(t, gguf_array_int(t->g, keys[i], k, err), keys[i], err);
    }
    for (int i = 0; i < 2; i++) {
        int32_t id = tokenizer_special(t, own[i]);
        if (id >= 0) add_end(t, id, own[i], err);
    }
    if (!err_failed(err) && t->n_end == 0)
        err_set(err, ERR_CONFIG,
                "%s: no end-of-answer token (key %s): convert the model again",
                gguf_path(t->g), keys[0]);
}

static void check_kind(const struct gguf *g, const char *key,
                       const char *wanted, struct err *err)
{
    struct span is = gguf_string(g, key, err);
    char show[GGUF_SHOW_MAX];
    if (!span_equal(is, span_of(wanted)))
        err_set(err, ERR_UNSUPPORTED,
                "%s: key %s is \"%s\", not \"%s\": use a Qwen3.5 model made by "
                "a current converter",
                gguf_path(g), key, gguf_show(is, show), wanted);
}

static void read_vocabulary(struct tokenizer *t, struct arena *scratch,
                            struct err *err)
{
    const char *key = "tokenizer.ggml.tokens";
    int64_t n = gguf_array_size(t->g, key, err);
    if (!err_failed(err) && (n < 256 || n > VOCAB_MAX))
        err_set(err, ERR_CONFIG, "%s: key %s has %lld entries, not 256 to %d",
                gguf_path(t->g), key, (long long)n, VOCAB_MAX);
    if (err_failed(err)) return;
    t->n = (int)n;
    struct span *text = gguf_array_strings(t->g, key, n, scratch, err);
    int32_t code[256];
    byte_alphabet(code);
    read_types(t, err);
    read_bytes(t, text, code, err);
    if (err_failed(err)) return;
    struct token_index x = index_vocabulary(t, text, scratch);
    read_byte_ids(t, &x, code, err);
    read_merges(t, &x, scratch, err);
    read_added(t, scratch);
    read_ends(t, err);
}

struct tokenizer *tokenizer_open(const struct gguf *g, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct arena *arena = arena_new(), *scratch = arena_new();
    struct tokenizer *t = arena_alloc(arena, sizeof *t);
    t->arena = arena;
    t->g = g;
    check_kind(g, "tokenizer.ggml.model", "gpt2", err);
    check_kind(g, "tokenizer.ggml.pre", "qwen35", err);
    metadata_keys_check(g, "tokenizer.ggml", err);
    t->pretoken = pretoken_open(arena, err);
    read_vocabulary(t, scratch, err);
    arena_free(scratch);
    if (err_failed(err)) {
        tokenizer_close(t);
        return NULL;
    }
    return t;
}

void tokenizer_close(struct tokenizer *t)
{
    if (t) arena_free(t->arena);
}

/* ---- access ----------------------------------------------------------- */

int tokenizer_size(const struct tokenizer *t)
{
    return t->n;
}

struct span tokenizer_bytes(const struct tokenizer *t, int32_t id)
{
    if (id < 0 || id >= t->n) return (struct span){"", 0};
    return t->bytes[id];
}

enum token_type tokenizer_type(const struct tokenizer *t, int32_t id)
{
    if (id < 0 || id >= t->n) return TOKEN_UNUSED;
    return (enum token_type)t->type[id];
}

/* The longest added token that `text` begins with, or -1. */
static int32_t added_at(const struct tokenizer *t, struct span text)
{
    int c = (unsigned char)text.data[0];
    for (int i = t->first_added[c]; i < t->first_added[c + 1]; i++) {
        struct span s = t->bytes[t->added[i]];
        if (s.size <= text.size && !memcmp(s.data, text.data, s.size))
            return t->added[i];
    }
    return -1;
}

int32_t tokenizer_special(const struct tokenizer *t, const char *text)
{
    struct span s = span_of(text);
    int32_t id = s.size ? added_at(t, s) : -1;
    return id >= 0 && t->bytes[id].size == s.size ? id : -1;
}

bool tokenizer_is_end(const struct tokenizer *t, int32_t id)
{
    for (int i = 0; i < t->n_end; i++)
        if (id == t->end[i]) return true;
    return false;
}

/* ---- encoding --------------------------------------------------------- */

/* Text between added tokens, and the added token after it (or -1). */
struct segment {
    struct span text;
    int32_t added;
    struct segment *next;
};

/* Splits the text at added tokens and normalises the parts in between. */
static struct segment *split(const struct tokenizer *t, struct span text,
                             bool special, struct arena *arena, size_t *n_most,
                             struct err *err)
{
    struct segment *first = NULL, **last = &first;
    size_t from = 0;
    for (size_t at = 0; at <= text.size && !err_failed(err); at++) {
        int32_t id = -1;
        if (special && at < text.size)
            id = added_at(t, (struct span){text.data + at, text.size - at});
        if (id < 0 && at < text.size) continue;
        struct span between = {text.data + from, at - from};
        struct segment *s = arena_alloc(arena, sizeof *s);
        s->text = pretoken_normalise(between, arena, err);
        s->added = id;
        *n_most += s->text.size + 1;
        *last = s;
        last = &s->next;
        if (id >= 0) at += t->bytes[id].size - 1;
        from = at + 1;
    }
    return first;
}

struct scratch {
    void *block;
    int n; /* symbols that it suffices for */
};

static void encode_plain(const struct tokenizer *t, struct span text,
                         struct tokens *out, struct scratch *scratch,
                         struct arena *arena, struct err *err)
{
    if (text.size == 0) return;
    struct pretoken_walk *w = pretoken_begin(t->pretoken, text, arena);
    struct span piece;
    while (pretoken_next(w, &piece, err)) {
        int32_t *id = out->id + out->n;
        int n = (int)piece.size;
        for (int i = 0; i < n; i++)
            id[i] = t->byte_id[(unsigned char)piece.data[i]];
        if (n > scratch->n) {
            scratch->n = 2 * n > 256 ? 2 * n : 256;
            scratch->block = arena_alloc(arena, bpe_scratch_bytes(scratch->n));
        }
        out->n += bpe_merge(t->bpe, id, n, scratch->block);
    }
}

struct tokens tokenizer_encode(const struct tokenizer *t, struct span text,
                               bool special, struct arena *arena,
                               struct err *err)
{
    struct tokens out = {0};
    if (err_failed(err)) return out;
    if (text.size > TEXT_BYTES_MAX) {
        err_set(err, ERR_LIMIT, "text of %zu bytes, at most %d", text.size,
                TEXT_BYTES_MAX);
        return out;
    }
    size_t n_most = 0;
    struct segment *s = split(t, text, special, arena, &n_most, err);
    if (err_failed(err)) return out;
    out.id = arena_array(arena, n_most, sizeof *out.id);
    struct scratch scratch = {0};
    for (; s && !err_failed(err); s = s->next) {
        encode_plain(t, s->text, &out, &scratch, arena, err);
        if (s->added >= 0) out.id[out.n++] = s->added;
    }
    if (err_failed(err)) out.n = 0;
    return out;
}
