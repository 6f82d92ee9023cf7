/* pretoken.c - see pretoken.h. PCRE2 matches the pattern; utf8proc decides
 * what is a letter, a mark or a number.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "vlm/text/pretoken.h"

#include <pcre2.h>
#include <string.h>
#include <utf8proc.h>

/* Not PCRE2's \s, which also has U+180E: not white space since Unicode 6.3. */
#define SPACES                                                            \
    "\\x09-\\x0d\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}" \
    "\\x{2029}\\x{202f}\\x{205f}\\x{3000}"

static const char pattern[] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
                              "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+"
                              "|\\p{N}"
                              "| ?[^" SPACES "\\p{L}\\p{M}\\p{N}]+[\\r\\n]*"
                              "|[" SPACES "]*[\\r\\n]+"
                              "|[" SPACES "]+(?![^" SPACES "])"
                              "|[" SPACES "]+";

enum { MARKS_MAX = 1000 }; /* ordering marks takes quadratic time */

struct pretoken {
    pcre2_code *code;
};

struct pretoken_walk {
    const struct pretoken *p;
    pcre2_match_data *match;
    struct span text;
    const char *seen; /* the text as PCRE2 sees it, of the same size */
    size_t at;
};

/* A letter, a mark and a number that every PCRE2 knows, of three and of four
 * bytes: U+4E00, U+20D0, U+2160; U+20000, U+101FD, U+1D7CE. */
static const char *const stand_in[2][3] = {
    {"\xe4\xb8\x80", "\xe2\x83\x90", "\xe2\x85\xa0"},
    {"\xf0\xa0\x80\x80", "\xf0\x90\x87\xbd", "\xf0\x9d\x9f\x8e"}};

/* 0 letter, 1 mark, 2 number, -1 anything else. utf8proc's tables have the same
 * Unicode version as its normalisation. */
static int character_class(utf8proc_int32_t c)
{
    utf8proc_category_t k = utf8proc_category(c);
    if (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) return 0;
    if (k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_ME) return 1;
    if (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO) return 2;
    return -1;
}

/* The text with every letter, mark and number from U+0800 on replaced by a
 * stand-in of the same class and size, so that assigned characters do not
 * depend on the version of PCRE2 (10.42 has Unicode 14). */
static const char *classified(struct span text, struct arena *arena)
{
    const utf8proc_uint8_t *in = (const utf8proc_uint8_t *)text.data;
    char *out = NULL;
    for (size_t at = 0; at < text.size;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n =
            in[at] < 0xe0
                ? 1
                : utf8proc_iterate(in + at, (utf8proc_ssize_t)(text.size - at),
                                   &c);
        int class = n < 3 ? -1 : character_class(c);
        if (class >= 0 && !out) {
            out = arena_alloc(arena, text.size);
            memcpy(out, text.data, text.size);
        }
        if (class >= 0) memcpy(out + at, stand_in[n - 3][class], (size_t)n);
        at += n < 1 ? 1 : (size_t)n;
    }
    return out ? out : text.data;
}

static void *heap_alloc(size_t size, void *unused)
{
    (void)unused;
    return mem_alloc(1, size);
}

static void heap_free(void *block, void *unused)
{
    (void)unused;
    mem_free(block);
}

static void *arena_alloc_for(size_t size, void *arena)
{
    return arena_alloc(arena, size);
}

static void arena_free_nothing(void *block, void *arena)
{
    (void)block;
    (void)arena;
}

static void free_code(void *code)
{
    pcre2_code_free(code);
}

struct pretoken *pretoken_open(struct arena *arena, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct pretoken *p = arena_alloc(arena, sizeof *p);
    pcre2_general_context *memory =
        pcre2_general_context_create(heap_alloc, heap_free, NULL);
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    int code = 0;
    PCRE2_SIZE at = 0;
    p->code = pcre2_compile((PCRE2_SPTR)pattern, sizeof pattern - 1,
                            PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED |
                                PCRE2_NO_UTF_CHECK,
                            &code, &at, context);
    pcre2_compile_context_free(context);
    pcre2_general_context_free(memory);
    if (!p->code) {
        err_set(err, ERR_SYSTEM,
                "PCRE2 rejects the tokenizer's pattern (code %d): install a "
                "PCRE2 with Unicode support",
                code);
        return NULL;
    }
    arena_defer(arena, free_code, p->code);
    /* without a just-in-time compiler the interpreter gives the same result */
    pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
    return p;
}

struct pretoken_walk *pretoken_begin(const struct pretoken *p, struct span text,
                                     struct arena *arena)
{
    struct pretoken_walk *w = arena_alloc(arena, sizeof *w);
    pcre2_general_context *memory = pcre2_general_context_create(
        arena_alloc_for, arena_free_nothing, arena);
    *w = (struct pretoken_walk){
        .p = p, .text = text, .seen = classified(text, arena)};
    w->match = pcre2_match_data_create(1, memory);
    return w;
}

bool pretoken_next(struct pretoken_walk *w, struct span *piece, struct err *err)
{
    if (err_failed(err) || w->at >= w->text.size) return false;
    int n = pcre2_match(w->p->code, (PCRE2_SPTR)w->seen, w->text.size, w->at,
                        PCRE2_NO_UTF_CHECK, w->match, NULL);
    const PCRE2_SIZE *bound = pcre2_get_ovector_pointer(w->match);
    if (n < 0 || bound[1] <= w->at) {
        return err_set(err, ERR_LIMIT,
                       "text cannot be tokenised at byte %zu (PCRE2 code %d): "
                       "shorten it",
                       w->at, n);
    }
    *piece = (struct span){w->text.data + w->at, bound[1] - w->at};
    w->at = bound[1];
    return true;
}

/* Checks UTF-8. *plain: all code points are below U+0300, so the text is
 * already in form C. False, with *plain unchanged, on failure. */
static bool check_utf8(struct span text, bool *plain, struct err *err)
{
    const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)text.data;
    bool low = true;
    int n_mark = 0;
    for (size_t at = 0; at < text.size;) {
        if (p[at] < 0x80) {
            at++;
            n_mark = 0;
            continue;
        }
        utf8proc_int32_t c;
        utf8proc_ssize_t n =
            utf8proc_iterate(p + at, (utf8proc_ssize_t)(text.size - at), &c);
        if (n < 1)
            return err_set(err, ERR_INPUT, "text is not UTF-8 at byte %zu", at);
        low = low && c < 0x300;
        bool mark = c >= 0x300 && utf8proc_get_property(c)->combining_class;
        n_mark = mark ? n_mark + 1 : 0;
        if (n_mark > MARKS_MAX)
            return err_set(err, ERR_INPUT,
                           "text has more than %d combining marks in a row at "
                           "byte %zu",
                           MARKS_MAX, at);
        at += (size_t)n;
    }
    *plain = low;
    return true;
}

struct span pretoken_normalise(struct span text, struct arena *arena,
                               struct err *err)
{
    bool plain = false;
    if (err_failed(err) || !check_utf8(text, &plain, err)) return text;
    if (plain) return text;
    const utf8proc_option_t form = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    const utf8proc_uint8_t *in = (const utf8proc_uint8_t *)text.data;
    utf8proc_ssize_t size = (utf8proc_ssize_t)text.size;
    utf8proc_ssize_t n = utf8proc_decompose(in, size, NULL, 0, form);
    utf8proc_int32_t *c = NULL;
    if (n >= 0) {
        /* one more than counted: utf8proc writes beyond its own count */
        c = arena_array(arena, (size_t)n + 1, sizeof *c);
        n = utf8proc_decompose(in, size, c, n, form);
    }
    if (n >= 0) n = utf8proc_normalize_utf32(c, n, form);
    if (n < 0) {
        err_set(err, ERR_INPUT, "text cannot be normalised: %s",
                utf8proc_errmsg(n));
        return text;
    }
    char *out = arena_alloc(arena, (size_t)n * 4 + 1);
    size_t at = 0;
    for (utf8proc_ssize_t i = 0; i < n; i++)
        at += (size_t)utf8proc_encode_char(c[i], (utf8proc_uint8_t *)out + at);
    return (struct span){out, at};
}
