/* regex.c - parses a pattern into a tree and writes the tree as NFA states.
 *
 * WHAT IT IS  Thompson's construction: each piece of a pattern becomes a few
 * states that lead to the next piece. States are written from the end, since
 * each must know its successor. ^ab?$ (with anything before and after, since
 * patterns of JSON Schema are not anchored) gives, from last to first:
 *
 *     0  match            4  set {a} -> 3
 *     1  anything* -> 0   5  begin -> 4
 *     2  end -> 1         6  anything* -> 5      the start
 *     3  set {b} -> 2, or on to 2 at once
 *
 * (b? and anything* are a set and a split, one number here.) A text matches if
 * some path through the states reads all of it; `begin` and `end` are passable
 * only at the two ends of the text.
 *
 * WHY SO  A tree is needed because {n,m} writes its content several times:
 * [a-z]{3} is three states with one set. Recursion depth depends on
 * parentheses (DEPTH_MAX), not on the pattern's length, and nested {n} have a
 * budget (WRITE_MAX, REGEX_STATE_MAX).
 */
#include "vlm/grammar/regex.h"

#include "vlm/base/text.h"
#include "vlm/base/utf8.h"

enum { DEPTH_MAX = 100, REPEAT_MAX = 5000, NODE_MAX = 20000 };
enum { WRITE_MAX = 200000 }; /* trees written, counting those in {n} n times */

enum tree_kind {
    TREE_EMPTY,
    TREE_SET,
    TREE_THEN, /* left, right */
    TREE_OR,
    TREE_REPEAT,
    TREE_BEGIN,
    TREE_END
};

struct tree {
    enum tree_kind kind;
    int set;
    int least, most; /* for TREE_REPEAT; most -1: unlimited */
    struct tree *left, *right;
};

struct regex_parser {
    struct regex *regex;
    const char *at;
    int depth, n_node, n_write;
    const char *why; /* the error, or NULL */
};

static struct tree *read_choice(struct regex_parser *r);

struct regex *regex_new(struct arena *arena)
{
    struct regex *r = arena_alloc(arena, sizeof *r);
    r->arena = arena;
    return r;
}

static void set_error(struct regex_parser *r, const char *why)
{
    if (!r->why) r->why = why;
}

static struct tree *tree_new(struct regex_parser *r, enum tree_kind kind)
{
    if (++r->n_node > NODE_MAX) set_error(r, "too large");
    struct tree *t = arena_alloc(r->regex->arena, sizeof *t);
    t->kind = kind;
    return t;
}

static struct tree *tree_pair(struct regex_parser *r, enum tree_kind kind,
                              struct tree *left, struct tree *right)
{
    struct tree *t = tree_new(r, kind);
    t->left = left;
    t->right = right;
    return t;
}

static bool same_set(const struct cpset *a, const struct cpset *b)
{
    size_t size = (size_t)a->n * sizeof *a->range;
    return a->n == b->n && (a->n == 0 || !memcmp(a->range, b->range, size));
}

static struct tree *tree_set(struct regex_parser *r, struct cpset set)
{
    struct tree *t = tree_new(r, TREE_SET);
    struct regex *x = r->regex;
    cpset_normalise(&set);
    for (t->set = 0; t->set < x->n_set; t->set++)
        if (same_set(&x->set[t->set], &set)) return t;
    if (x->n_set == REGEX_SET_MAX)
        set_error(r, "too many character classes");
    else
        *ARENA_ADD(x->arena, x->set, x->n_set) = set;
    return t;
}

static bool accept(struct regex_parser *r, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0) return false;
    r->at += n;
    return true;
}

/* The next character of the pattern; the JSON parser has checked the UTF-8. */
static uint32_t read_utf8(struct regex_parser *r)
{
    uint32_t c = utf8_take(&r->at);
    if (c != UTF8_BAD) return c;
    set_error(r, "not UTF-8");
    return 0;
}

static uint32_t read_hex(struct regex_parser *r, int n_least, int n_most)
{
    uint32_t value = 0;
    int n = 0;
    for (; n < n_most; n++, r->at++) {
        int digit = text_hex_digit(*r->at);
        if (digit < 0) break;
        value = value * 16 + (uint32_t)digit;
    }
    if (n < n_least || value > CPSET_MAX)
        set_error(r, "bad hexadecimal escape");
    return value;
}

/* After "\u". */
static uint32_t read_unicode(struct regex_parser *r)
{
    if (accept(r, "{")) {
        uint32_t c = read_hex(r, 1, 6);
        if (!accept(r, "}")) set_error(r, "bad \\u{...}");
        return c;
    }
    uint32_t c = read_hex(r, 4, 4);
    if (c < 0xD800 || c > 0xDBFF || !accept(r, "\\u")) return c;
    uint32_t low = read_hex(r, 4, 4);
    if (low < 0xDC00 || low > 0xDFFF) set_error(r, "incomplete surrogate pair");
    return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
}

/* The character of an escape; the backslash has been read. */
static uint32_t read_single_escape(struct regex_parser *r)
{
    char c = *r->at;
    if (c == '\0') {
        set_error(r, "ends in a backslash");
        return 0;
    }
    r->at++;
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'f': return '\f';
    case 'v': return '\v';
    case 'x': return read_hex(r, 2, 2);
    case 'u': return read_unicode(r);
    case 'c': return (uint32_t)(*r->at ? *r->at++ & 31 : 0);
    case '0':
        if (text_is_digit(*r->at)) set_error(r, "octal escape");
        return 0;
    case 'b':
    case 'B': set_error(r, "word boundary"); return 0;
    case 'k': set_error(r, "backreference"); return 0;
    default: break;
    }
    if (c >= '1' && c <= '9') set_error(r, "backreference");
    if ((c | 32) >= 'a' && (c | 32) <= 'z') set_error(r, "unknown escape");
    r->at--;
    return read_utf8(r);
}

/* Adds \d \D \w \W \s \S \p{} or \P{} to `s`; false for any other escape. The
 * backslash has been read. */
static bool read_class_escape(struct regex_parser *r, struct cpset *s)
{
    char c = *r->at;
    if (!c || !strchr("dDwWsSpP", c)) return false;
    r->at++;
    struct cpset own = {0};
    if ((c | 32) == 'p') {
        const char *end = *r->at == '{' ? strchr(r->at, '}') : NULL;
        struct span name = {r->at + 1, end ? (size_t)(end - r->at - 1) : 0};
        if (!end ||
            !cpset_add_property(&own, r->regex->arena, name, r->regex->known))
            set_error(r, "unknown character property");
        r->at = end ? end + 1 : r->at;
    } else {
        cpset_add_escape(&own, r->regex->arena, (char)(c | 32));
    }
    if (c < 'a') cpset_negate(&own, r->regex->arena);
    cpset_add_set(s, r->regex->arena, &own);
    return true;
}

/* Reads a member of [...]; false for a class, which cannot be part of a
 * range. */
static bool read_member(struct regex_parser *r, struct cpset *s, uint32_t *c)
{
    if (!accept(r, "\\")) {
        *c = read_utf8(r);
        return true;
    }
    if (read_class_escape(r, s)) return false;
    if (*r->at == 'b') {
        r->at++;
        *c = '\b';
        return true;
    }
    *c = read_single_escape(r);
    return true;
}

static struct tree *read_brackets(struct regex_parser *r)
{
    struct cpset set = {0};
    bool negated = accept(r, "^");
    while (!r->why && !accept(r, "]")) {
        if (*r->at == '\0') {
            set_error(r, "[ without ]");
            break;
        }
        uint32_t first = 0, last;
        if (!read_member(r, &set, &first)) continue;
        last = first;
        if (r->at[0] == '-' && r->at[1] != ']' && r->at[1] != '\0') {
            r->at++;
            if (!read_member(r, &set, &last)) set_error(r, "bad range");
        }
        if (last < first) set_error(r, "range out of order");
        cpset_add(&set, r->regex->arena, first, last);
    }
    if (negated) cpset_negate(&set, r->regex->arena);
    return tree_set(r, set);
}

static struct tree *read_group(struct regex_parser *r)
{
    if (accept(r, "?:")) {
        /* as plain parentheses */
    } else if (accept(r, "?<") && *r->at != '=' && *r->at != '!') {
        const char *end = strchr(r->at, '>');
        if (!end) set_error(r, "bad group name");
        r->at = end ? end + 1 : r->at;
    } else if (r->at[-1] == '<' || *r->at == '?') {
        set_error(r, "look-around assertion");
    }
    struct tree *t = read_choice(r);
    if (!accept(r, ")")) set_error(r, "( without )");
    return t;
}

static struct tree *read_atom(struct regex_parser *r)
{
    struct cpset set = {0};
    struct arena *arena = r->regex->arena;
    if (accept(r, "(")) return read_group(r);
    if (accept(r, "[")) return read_brackets(r);
    if (accept(r, "^")) return tree_new(r, TREE_BEGIN);
    if (accept(r, "$")) return tree_new(r, TREE_END);
    if (accept(r, ".")) {
        cpset_add(&set, arena, '\n', '\n');
        cpset_add(&set, arena, '\r', '\r');
        cpset_add(&set, arena, 0x2028, 0x2029);
        cpset_negate(&set, arena);
        return tree_set(r, set);
    }
    if (strchr("*+?", *r->at)) set_error(r, "nothing to repeat");
    if (accept(r, "\\")) {
        if (read_class_escape(r, &set)) return tree_set(r, set);
        uint32_t c = read_single_escape(r);
        cpset_add(&set, arena, c, c);
        return tree_set(r, set);
    }
    uint32_t c = read_utf8(r);
    cpset_add(&set, arena, c, c);
    return tree_set(r, set);
}

static int read_count(struct regex_parser *r)
{
    int n = 0;
    for (; text_is_digit(*r->at); r->at++)
        if (n <= REPEAT_MAX) n = n * 10 + (*r->at - '0');
    if (n > REPEAT_MAX) set_error(r, "too many repetitions");
    return n;
}

/* Reads a quantifier if there is one. */
static bool read_repeat(struct regex_parser *r, int *least, int *most)
{
    *least = 0;
    *most = -1;
    if (accept(r, "+"))
        *least = 1;
    else if (accept(r, "?"))
        *most = 1;
    else if (*r->at == '{' && text_is_digit(r->at[1])) {
        r->at++;
        *least = read_count(r);
        *most = *least;
        if (accept(r, ",")) *most = *r->at == '}' ? -1 : read_count(r);
        if (!accept(r, "}")) set_error(r, "bad {n,m}");
        if (*most >= 0 && *most < *least) set_error(r, "{n,m} out of order");
    } else if (!accept(r, "*"))
        return false;
    accept(r, "?"); /* a lazy quantifier describes the same language */
    return true;
}

static struct tree *read_sequence(struct regex_parser *r)
{
    struct tree *all = NULL;
    while (!r->why && *r->at && *r->at != '|' && *r->at != ')') {
        struct tree *t = read_atom(r);
        int least, most;
        if (!r->why && read_repeat(r, &least, &most)) {
            t = tree_pair(r, TREE_REPEAT, t, NULL);
            t->least = least;
            t->most = most;
        }
        all = all ? tree_pair(r, TREE_THEN, all, t) : t;
    }
    return all ? all : tree_new(r, TREE_EMPTY);
}

static struct tree *read_choice(struct regex_parser *r)
{
    if (++r->depth > DEPTH_MAX) {
        set_error(r, "nested too deeply");
        return tree_new(r, TREE_EMPTY);
    }
    struct tree *t = read_sequence(r);
    while (!r->why && accept(r, "|"))
        t = tree_pair(r, TREE_OR, t, read_sequence(r));
    r->depth--;
    return t;
}

static int state_add(struct regex_parser *r, struct regex_state state)
{
    struct regex *x = r->regex;
    if (x->n_state == REGEX_STATE_MAX) {
        set_error(r, "too large");
        return 0;
    }
    state.part = x->n_part;
    *ARENA_ADD(x->arena, x->state, x->n_state) = state;
    return x->n_state - 1;
}

/* Writes the tree so that it leads to state `next`; returns its first state.
 * Long sequences and choices are left-deep and recursion is only to the right,
 * so its depth is that of the parentheses. */
static int write_tree(struct regex_parser *r, const struct tree *t, int next);

static int write_repeat(struct regex_parser *r, const struct tree *t, int next)
{
    int at = next;
    if (t->most < 0) {
        at = state_add(
            r, (struct regex_state){.kind = REGEX_SPLIT, .other = next});
        int inside = write_tree(r, t->left, at);
        r->regex->state[at].out = inside;
    }
    for (int i = t->least; i < t->most && !r->why; i++)
        at =
            state_add(r, (struct regex_state){.kind = REGEX_SPLIT,
                                              .out = write_tree(r, t->left, at),
                                              .other = next});
    for (int i = 0; i < t->least && !r->why; i++)
        at = write_tree(r, t->left, at);
    return at;
}

static int write_choice(struct regex_parser *r, const struct tree *t, int next)
{
    int at = -1; /* the alternatives written so far, from the last */
    for (; t->kind == TREE_OR && !r->why; t = t->left) {
        int right = write_tree(r, t->right, next);
        at = at < 0 ? right
                    : state_add(r, (struct regex_state){.kind = REGEX_SPLIT,
                                                        .out = right,
                                                        .other = at});
    }
    int first = write_tree(r, t, next);
    return state_add(r, (struct regex_state){
                            .kind = REGEX_SPLIT, .out = first, .other = at});
}

static int write_tree(struct regex_parser *r, const struct tree *t, int next)
{
    if (++r->n_write > WRITE_MAX) set_error(r, "too large");
    while (t->kind == TREE_THEN && !r->why) {
        next = write_tree(r, t->right, next);
        t = t->left;
    }
    if (r->why) return next;
    struct regex_state s = {.out = next, .other = -1};
    switch (t->kind) {
    case TREE_EMPTY:
    case TREE_THEN: return next;
    case TREE_REPEAT: return write_repeat(r, t, next);
    case TREE_OR: return write_choice(r, t, next);
    case TREE_SET:
        s.kind = REGEX_SET;
        s.set = t->set;
        break;
    case TREE_BEGIN: s.kind = REGEX_BEGIN; break;
    case TREE_END: s.kind = REGEX_END; break;
    }
    return state_add(r, s);
}

bool regex_add(struct regex *x, const char *pattern, const char **why)
{
    struct regex_parser r = {.regex = x, .at = pattern};
    int n_state = x->n_state, n_set = x->n_set;
    if (x->n_part == REGEX_PART_MAX) set_error(&r, "too many patterns at once");

    struct tree *t = read_choice(&r);
    if (*r.at == ')') set_error(&r, ") without (");
    struct cpset any = {0};
    cpset_add(&any, x->arena, 0, CPSET_MAX);
    struct tree *anything = tree_pair(&r, TREE_REPEAT, tree_set(&r, any), NULL);
    anything->most = -1;
    t = tree_pair(&r, TREE_THEN, anything, t);
    t = tree_pair(&r, TREE_THEN, t, anything);
    int match = state_add(
        &r, (struct regex_state){.kind = REGEX_MATCH, .out = -1, .other = -1});
    int start = r.why ? 0 : write_tree(&r, t, match);
    if (r.why) {
        x->n_state = n_state;
        x->n_set = n_set;
        *why = r.why;
        return false;
    }
    x->start[x->n_part++] = start;
    return true;
}

bool regex_exclude(struct regex *x, const char *pattern, const char **why)
{
    if (!regex_add(x, pattern, why)) return false;
    x->excluded |= 1u << (x->n_part - 1);
    return true;
}
