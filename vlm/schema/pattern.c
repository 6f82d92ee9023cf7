/* pattern.c - see pattern.h. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "vlm/schema/pattern.h"

#include <assert.h>
#include <math.h>
#include <pcre2.h>

enum {
    TRANSLATED_MOST = 1 << 20,
    HEAP_MAX_KIB = 20000,
    TRY_LENGTH = 48,
    WAYS_MAX = 1 << 16
};

struct pattern {
    pcre2_code *code;
    pcre2_match_context *limits;
};

static void free_code(void *code)
{
    pcre2_code_free(code);
}

static void free_limits(void *limits)
{
    pcre2_match_context_free(limits);
}

/* pcre2_compile's code for lack of memory; it has no name in pcre2.h */
enum { HEAP_FAILED = 121 };

static struct pattern *compile(struct span text, struct arena *arena,
                               struct err *err)
{
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_UNSET_BACKREF |
                       PCRE2_ALLOW_EMPTY_CLASS | PCRE2_DOLLAR_ENDONLY |
                       PCRE2_NEVER_BACKSLASH_C;
    int code = 0;
    PCRE2_SIZE at = 0;
    struct pattern *p = arena_alloc(arena, sizeof *p);
    p->code = pcre2_compile((PCRE2_SPTR)text.data, text.size, options, &code,
                            &at, NULL);
    if (code == HEAP_FAILED) mem_exhausted(0);
    if (!p->code) {
        PCRE2_UCHAR why[160];
        pcre2_get_error_message(code, why, sizeof why);
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "PCRE2 rejects the pattern: %s", (char *)why);
        return NULL;
    }
    arena_defer(arena, free_code, p->code);
    p->limits = pcre2_match_context_create(NULL);
    if (!p->limits) mem_exhausted(0);
    arena_defer(arena, free_limits, p->limits);
    pcre2_set_match_limit(p->limits, PATTERN_MATCH_MAX);
    pcre2_set_depth_limit(p->limits, PATTERN_DEPTH_MAX);
    pcre2_set_heap_limit(p->limits, HEAP_MAX_KIB);
    return p;
}

static enum pattern_verdict to_verdict(int n)
{
    if (n == PCRE2_ERROR_NOMEMORY) mem_exhausted(0);
    if (n >= 0) return PATTERN_YES;
    return n == PCRE2_ERROR_NOMATCH ? PATTERN_NO : PATTERN_LIMIT;
}

/* The largest workspace for a text of this length. The cost of a character is
 * the square of the open paths, since PCRE2 compares each with all others. The
 * limit is the total cost for a text of TRY_LENGTH, some tenths of a second. */
static size_t workspace_most(size_t length)
{
    const double steps = (double)WAYS_MAX * WAYS_MAX * (TRY_LENGTH + 1);
    double most = sqrt(steps / (double)(length + 1));
    return most < WAYS_MAX ? (size_t)most : WAYS_MAX;
}

/* DFA matching follows all paths in parallel: slower for most patterns, but the
 * only way to finish those that backtrack exponentially. It does not support
 * backreferences. */
static enum pattern_verdict match_with_dfa(const struct pattern *p,
                                           struct span text,
                                           pcre2_match_data *found)
{
    int n = PCRE2_ERROR_DFA_WSSIZE;
    size_t most = workspace_most(text.size);
    for (size_t size = 1 << 10; n == PCRE2_ERROR_DFA_WSSIZE && size <= most;
         size *= 2) {
        int *workspace = mem_alloc(size, sizeof *workspace);
        n = pcre2_dfa_match(p->code, (PCRE2_SPTR)text.data, text.size, 0,
                            PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, found,
                            p->limits, workspace, size);
        mem_free(workspace);
    }
    return to_verdict(n);
}

static enum pattern_verdict match(const struct pattern *p, struct span text)
{
    pcre2_match_data *found =
        pcre2_match_data_create_from_pattern(p->code, NULL);
    if (!found) mem_exhausted(0);
    int n = pcre2_match(p->code, (PCRE2_SPTR)text.data, text.size, 0,
                        PCRE2_NO_UTF_CHECK, found, p->limits);
    enum pattern_verdict verdict = to_verdict(n);
    if (verdict == PATTERN_LIMIT) verdict = match_with_dfa(p, text, found);
    pcre2_match_data_free(found);
    return verdict;
}

enum pattern_verdict pattern_match(const struct pattern *p, struct span text)
{
    if (!memchr(text.data, 0xc0, text.size)) return match(p, text);
    char *copy = mem_alloc(text.size + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++) {
        bool nul = (unsigned char)text.data[i] == 0xc0;
        copy[n++] = nul ? '\0' : text.data[i];
        i += nul;
    }
    enum pattern_verdict verdict = match(p, (struct span){copy, n});
    mem_free(copy);
    return verdict;
}

/* Tries repetitions of each character and of each pair of neighbours in the
 * pattern, with a different end: these make nested quantifiers explode. */
static bool is_too_slow(const struct pattern *p, const char *text)
{
    char run[TRY_LENGTH + 1];
    char seen[256] = {0};
    const char *more = "a0A -";
    for (const char *c = text; *c || *more; c = *c ? c + 1 : c) {
        char one = *c ? *c : *more++;
        char two = *c && c[1] ? c[1] : one;
        if (!strchr(" -_.@:/", one) && !(one >= '0' && one <= '9') &&
            !(one >= 'a' && one <= 'z') && !(one >= 'A' && one <= 'Z'))
            continue;
        if ((unsigned char)two >= 0x80) two = one;
        for (int pair = 0; pair < 2; pair++) {
            if (pair == 0 && seen[(unsigned char)one]++) continue;
            for (int i = 0; i < TRY_LENGTH; i++)
                run[i] = pair && i % 2 ? two : one;
            run[TRY_LENGTH] = '\x01';
            struct span with_end = {run, TRY_LENGTH + 1};
            if (match(p, with_end) == PATTERN_LIMIT) return true;
        }
    }
    return false;
}

const struct pattern *pattern_new(const char *text, struct arena *arena,
                                  struct err *err)
{
    if (err_failed(err)) return NULL;
    struct buf translated = buf_limit(TRANSLATED_MOST);
    const char *why = NULL;
    struct pattern *p = NULL;
    if (!pattern_translate(text, &translated, &why))
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "not an ECMA-262 pattern: %s", why);
    else
        p = compile(buf_span(&translated), arena, err);
    buf_free(&translated);
    if (p && is_too_slow(p, text)) {
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "the pattern is too slow: more than %d steps on a text of "
                   "%d characters",
                   PATTERN_MATCH_MAX, TRY_LENGTH + 1);
        return NULL;
    }
    return p;
}

const struct pattern *pattern_new_plain(const char *text, struct arena *arena)
{
    struct err err = {0};
    struct pattern *p = compile(span_of(text), arena, &err);
    assert(p); /* fails if one of our own patterns is invalid */
    return p;
}
