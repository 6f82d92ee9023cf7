/* regex.c - reads a pattern into a tree, then writes the tree as states.
 *
 * WHAT IT IS  Thompson's construction: each piece of a pattern becomes a few
 * states that lead on to the piece behind it. It is written from its end, since
 * a state must know where it leads. ^ab?$ (with anything in front and behind,
 * as patterns of JSON Schema are searched for) gives, from the last to the first:
 *
 *     0  match            4  set {a} -> 3
 *     1  anything* -> 0   5  begin -> 4
 *     2  end -> 1         6  anything* -> 5      the start
 *     3  set {b} -> 2, or on to 2 at once
 *
 * (b? and anything* are a set and a split, one number here.) A text matches
 * when some way through the states reads all of it; `begin` and `end` let
 * through at the two ends of the text only.
 *
 * WHY SO  There is a tree in between because {n,m} writes its inside several
 * times: [a-z]{3} is three states with one set. Nothing here recurses by the
 * length of a pattern, only by its parentheses (DEPTH_MAX), and what {n} inside
 * {n} may write has a budget (WRITE_MAX, REGEX_STATE_MAX).
 */
#include "vlm/grammar/regex.h"

#include "vlm/base/utf8.h"

enum { DEPTH_MAX = 100, REPEAT_MAX = 5000, NODE_MAX = 20000 };
enum { ROOM_FIRST = 16 };
enum { WRITE_MAX = 200000 }; /* trees written, those in {n} n times */

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
    int least, most; /* of TREE_REPEAT; most -1: no limit */
    struct tree *left, *right;
};

struct pattern_reader {
    struct regex *regex;
    const char *at;
    int depth, n_node, n_write;
    const char *why; /* what is wrong, or NULL */
};

static struct tree *read_choice(struct pattern_reader *r);

struct regex *regex_new(struct arena *arena)
{
    struct regex *r = arena_alloc(arena, sizeof *r);
    r->arena = arena;
    return r;
}

/* Room for twice as many, and for some at first: a schema may have thousands of
 * patterns, most of them short. */
static void widen_states(struct regex *x)
{
    int room = x->state_room ? 2 * x->state_room : ROOM_FIRST;
    x->state = arena_widen(x->arena, x->state, (size_t)x->state_room,
                           (size_t)room, sizeof *x->state);
    x->state_room = room;
}

static void widen_sets(struct regex *x)
{
    int room = x->set_room ? 2 * x->set_room : ROOM_FIRST;
    x->set = arena_widen(x->arena, x->set, (size_t)x->set_room, (size_t)room,
                         sizeof *x->set);
    x->set_room = room;
}

static void refuse(struct pattern_reader *r, const char *why)
{
    if (!r->why) r->why = why;
}

static struct tree *tree_new(struct pattern_reader *r, enum tree_kind kind)
{
    if (++r->n_node > NODE_MAX) refuse(r, "too large");
    struct tree *t = arena_alloc(r->regex->arena, sizeof *t);
    t->kind = kind;
    return t;
}

static struct tree *tree_pair(struct pattern_reader *r, enum tree_kind kind,
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

static struct tree *tree_set(struct pattern_reader *r, struct cpset set)
{
    struct tree *t = tree_new(r, TREE_SET);
    struct regex *x = r->regex;
    cpset_tidy(&set);
    for (t->set = 0; t->set < x->n_set; t->set++)
        if (same_set(&x->set[t->set], &set)) return t;
    if (x->n_set == x->set_room) widen_sets(x);
    if (x->n_set == REGEX_SET_MAX)
        refuse(r, "too many character classes");
    else
        x->set[x->n_set++] = set;
    return t;
}

static bool eat(struct pattern_reader *r, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0) return false;
    r->at += n;
    return true;
}

/* The next character of the pattern, which the schema's reader found to be
 * UTF-8. */
static uint32_t read_utf8(struct pattern_reader *r)
{
    uint32_t c = utf8_take(&r->at);
    if (c != UTF8_BAD) return c;
    refuse(r, "not UTF-8");
    return 0;
}

static uint32_t read_hex(struct pattern_reader *r, int n_least, int n_most)
{
    uint32_t value = 0;
    int n = 0;
    for (; n < n_most; n++, r->at++) {
        char c = *r->at;
        if (c >= '0' && c <= '9')
            value = value * 16 + (uint32_t)(c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            value = value * 16 + (uint32_t)((c | 32) - 'a' + 10);
        else
            break;
    }
    if (n < n_least || value > CPSET_MAX) refuse(r, "bad hexadecimal escape");
    return value;
}

/* Behind "\u". */
static uint32_t read_unicode(struct pattern_reader *r)
{
    if (eat(r, "{")) {
        uint32_t c = read_hex(r, 1, 6);
        if (!eat(r, "}")) refuse(r, "bad \\u{...}");
        return c;
    }
    uint32_t c = read_hex(r, 4, 4);
    if (c < 0xD800 || c > 0xDBFF || !eat(r, "\\u")) return c;
    uint32_t low = read_hex(r, 4, 4);
    if (low < 0xDC00 || low > 0xDFFF) refuse(r, "half a surrogate pair");
    return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
}

/* An escape that stands for one character, behind the backslash. */
static uint32_t read_single_escape(struct pattern_reader *r)
{
    char c = *r->at;
    if (c == '\0') {
        refuse(r, "ends in a backslash");
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
        if (*r->at >= '0' && *r->at <= '9') refuse(r, "octal escape");
        return 0;
    case 'b':
    case 'B': refuse(r, "word boundary"); return 0;
    case 'k': refuse(r, "back reference"); return 0;
    default: break;
    }
    if (c >= '1' && c <= '9') refuse(r, "back reference");
    if ((c | 32) >= 'a' && (c | 32) <= 'z') refuse(r, "unknown escape");
    r->at--;
    return read_utf8(r);
}

/* \d \D \w \W \s \S \p{} \P{} into `s`; false when it is another escape. The
 * reader stands behind the backslash. */
static bool read_class_escape(struct pattern_reader *r, struct cpset *s)
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
            refuse(r, "unknown property of characters");
        r->at = end ? end + 1 : r->at;
    } else {
        cpset_add_escape(&own, r->regex->arena, (char)(c | 32));
    }
    if (c < 'a') cpset_negate(&own, r->regex->arena);
    cpset_add_set(s, r->regex->arena, &own);
    return true;
}

/* A member of [...]: false when it was a class, which is no end of a range. */
static bool read_member(struct pattern_reader *r, struct cpset *s, uint32_t *c)
{
    if (!eat(r, "\\")) {
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

static struct tree *read_brackets(struct pattern_reader *r)
{
    struct cpset set = {0};
    bool negated = eat(r, "^");
    while (!r->why && !eat(r, "]")) {
        if (*r->at == '\0') {
            refuse(r, "a [ without ]");
            break;
        }
        uint32_t first = 0, last;
        if (!read_member(r, &set, &first)) continue;
        last = first;
        if (r->at[0] == '-' && r->at[1] != ']' && r->at[1] != '\0') {
            r->at++;
            if (!read_member(r, &set, &last)) refuse(r, "bad range");
        }
        if (last < first) refuse(r, "range out of order");
        cpset_add(&set, r->regex->arena, first, last);
    }
    if (negated) cpset_negate(&set, r->regex->arena);
    return tree_set(r, set);
}

static struct tree *read_group(struct pattern_reader *r)
{
    if (eat(r, "?:")) {
        /* as plain parentheses */
    } else if (eat(r, "?<") && *r->at != '=' && *r->at != '!') {
        const char *end = strchr(r->at, '>');
        if (!end) refuse(r, "bad name of a group");
        r->at = end ? end + 1 : r->at;
    } else if (r->at[-1] == '<' || *r->at == '?') {
        refuse(r, "looks ahead or behind");
    }
    struct tree *t = read_choice(r);
    if (!eat(r, ")")) refuse(r, "a ( without )");
    return t;
}

static struct tree *read_atom(struct pattern_reader *r)
{
    struct cpset set = {0};
    struct arena *arena = r->regex->arena;
    if (eat(r, "(")) return read_group(r);
    if (eat(r, "[")) return read_brackets(r);
    if (eat(r, "^")) return tree_new(r, TREE_BEGIN);
    if (eat(r, "$")) return tree_new(r, TREE_END);
    if (eat(r, ".")) {
        cpset_add(&set, arena, '\n', '\n');
        cpset_add(&set, arena, '\r', '\r');
        cpset_add(&set, arena, 0x2028, 0x2029);
        cpset_negate(&set, arena);
        return tree_set(r, set);
    }
    if (strchr("*+?", *r->at)) refuse(r, "nothing to repeat");
    if (eat(r, "\\")) {
        if (read_class_escape(r, &set)) return tree_set(r, set);
        uint32_t c = read_single_escape(r);
        cpset_add(&set, arena, c, c);
        return tree_set(r, set);
    }
    uint32_t c = read_utf8(r);
    cpset_add(&set, arena, c, c);
    return tree_set(r, set);
}

static int read_count(struct pattern_reader *r)
{
    int n = 0;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++)
        if (n <= REPEAT_MAX) n = n * 10 + (*r->at - '0');
    if (n > REPEAT_MAX) refuse(r, "repeats too often");
    return n;
}

/* Reads a quantifier if there is one. */
static bool read_repeat(struct pattern_reader *r, int *least, int *most)
{
    *least = 0;
    *most = -1;
    if (eat(r, "+"))
        *least = 1;
    else if (eat(r, "?"))
        *most = 1;
    else if (*r->at == '{' && r->at[1] >= '0' && r->at[1] <= '9') {
        r->at++;
        *least = read_count(r);
        *most = *least;
        if (eat(r, ",")) *most = *r->at == '}' ? -1 : read_count(r);
        if (!eat(r, "}")) refuse(r, "bad {n,m}");
        if (*most >= 0 && *most < *least) refuse(r, "{n,m} out of order");
    } else if (!eat(r, "*"))
        return false;
    eat(r, "?"); /* lazy or not is one to a language */
    return true;
}

static struct tree *read_sequence(struct pattern_reader *r)
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

static struct tree *read_choice(struct pattern_reader *r)
{
    if (++r->depth > DEPTH_MAX) {
        refuse(r, "nested too deeply");
        return tree_new(r, TREE_EMPTY);
    }
    struct tree *t = read_sequence(r);
    while (!r->why && eat(r, "|"))
        t = tree_pair(r, TREE_OR, t, read_sequence(r));
    r->depth--;
    return t;
}

static int state_add(struct pattern_reader *r, struct regex_state state)
{
    struct regex *x = r->regex;
    if (x->n_state == REGEX_STATE_MAX) {
        refuse(r, "too large");
        return 0;
    }
    if (x->n_state == x->state_room) widen_states(x);
    state.part = x->n_part;
    x->state[x->n_state] = state;
    return x->n_state++;
}

/* Writes the tree in front of state `next`; returns where it begins. Long
 * sequences and long choices lean to the left, and the recursion is on the
 * short side: its depth is that of the parentheses. */
static int write_tree(struct pattern_reader *r, const struct tree *t, int next);

static int write_repeat(struct pattern_reader *r, const struct tree *t,
                        int next)
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

static int write_choice(struct pattern_reader *r, const struct tree *t,
                        int next)
{
    int at = -1; /* the alternatives that are written, last one first */
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

static int write_tree(struct pattern_reader *r, const struct tree *t, int next)
{
    if (++r->n_write > WRITE_MAX) refuse(r, "too large");
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
    struct pattern_reader r = {.regex = x, .at = pattern};
    int n_state = x->n_state, n_set = x->n_set;
    if (x->n_part == REGEX_PART_MAX) refuse(&r, "too many patterns at once");

    struct tree *t = read_choice(&r);
    if (*r.at == ')') refuse(&r, "a ) without (");
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

bool regex_bar(struct regex *x, const char *pattern, const char **why)
{
    if (!regex_add(x, pattern, why)) return false;
    x->barred |= 1u << (x->n_part - 1);
    return true;
}
