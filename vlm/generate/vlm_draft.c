/* vlm_draft.c - see vlm_draft.h. */
#include "vlm/generate/vlm_draft.h"

#include <string.h>

#include "vlm/base/fnv.h"
#include "vlm/sample/constraint.h"
#include "vlm/session/vlm_inside.h"
#include "vlm/text/tokenizer.h"

/* --- vlm forced ------------------------------------------------------------ */

/* Forced bytes of a grammar, as tokens. */

/* Could a token longer than `tail` occur here? All legal tokens start with the
 * remaining bytes or end inside them; `tail` ends with them. */
static bool longer_fits(const struct vlm *v, struct constraint *c, size_t tail)
{
    int n_legal = 0;
    const uint32_t *mask = constraint_mask(c, &n_legal);
    int n_word = (v->shape->n_vocab + 31) / 32;
    for (int i = 0; i < n_word; i++)
        for (uint32_t bits = mask[i]; bits; bits &= bits - 1) {
            int32_t token = i * 32 + __builtin_ctz(bits);
            if (tokenizer_bytes(v->tokenizer, token).size > tail) return true;
        }
    return false;
}

struct vlm_forced vlm_forced(const struct vlm *v, struct constraint *c,
                             int room, struct arena *arena)
{
    struct span bytes = constraint_forced(c);
    struct vlm_forced f = {.cut = false};
    struct err err = {0};
    if (!bytes.size) return f;
    f.tokens = tokenizer_encode(v->tokenizer, bytes, false, arena, &err);
    if (err_failed(&err)) return (struct vlm_forced){.cut = false};
    f.cut = f.tokens.n > room;
    if (f.cut) f.tokens.n = room;
    int n = 0;
    constraint_hold(c);
    for (; n < f.tokens.n; n++) {
        size_t size = tokenizer_bytes(v->tokenizer, f.tokens.id[n]).size;
        if (n + 1 == f.tokens.n && !f.cut && longer_fits(v, c, size)) break;
        if (!constraint_accept(c, f.tokens.id[n])) break;
    }
    constraint_back(c);
    f.tokens.n = n;
    return f;
}

/* --- vlm draft ------------------------------------------------------------- */

enum {
    MOST_FIRST = 4,
    WAIT_SHIFT_MAX = 6,
    TAIL_MOST = 48, /* bytes to search for */
    TAIL_LEAST = 6, /* the same, minimum in free text */
    TEXT_MOST = 96, /* bytes drafted at a time */
    KEY_MOST = 64,  /* bytes before a value to look for its key */
    LINES_AHEAD = 3 /* lines without such a cell before the next row */
};

/* A short text; drafts allocate nothing. */
struct short_text {
    char text[TAIL_MOST + TEXT_MOST];
    size_t size;
    bool full;
};

static void append_bytes(struct short_text *p, const char *text, size_t size)
{
    if (size > sizeof p->text - p->size) p->full = true;
    if (p->full) return;
    memcpy(p->text + p->size, text, size);
    p->size += size;
}

static struct span span_of_short_text(const struct short_text *p)
{
    return (struct span){p->text, p->size};
}

void vlm_draft_begin(struct vlm_draft *d, struct span source,
                     struct span expected)
{
    static const int most[DRAFT_KINDS] = {[DRAFT_EXPECTED] = 2 * MOST_FIRST,
                                          [DRAFT_BEGIN] = MOST_FIRST,
                                          [DRAFT_COLUMN] = 2 * MOST_FIRST,
                                          [DRAFT_GO_ON] = MOST_FIRST,
                                          [DRAFT_OWN] = 1};
    *d = (struct vlm_draft){.source = source, .between = -1};
    for (int i = 0; i < DRAFT_KINDS; i++)
        d->trust[i].most = most[i];
    expected_begin(&d->expected, expected);
}

/* ---- the source ------------------------------------------------------- */

static bool begins_word(struct span s, size_t at)
{
    return at == 0 || strchr(" \t\n", s.data[at - 1]) != NULL;
}

/* The last words of a longer text. */
static struct span tail_of(struct span text)
{
    size_t from = text.size > TAIL_MOST ? text.size - TAIL_MOST : 0;
    while (from && from < text.size && !begins_word(text, from))
        from++;
    return (struct span){text.data + from, text.size - from};
}

static size_t cell_end(struct span s, size_t at)
{
    while (at < s.size && s.data[at] != '\t' && s.data[at] != '\n')
        at++;
    return at;
}

static size_t next_cell(struct span s, size_t at)
{
    while (at < s.size && strchr(" \t\n", s.data[at]))
        at++;
    return at;
}

static bool find_in(struct span s, size_t from, size_t to, struct span what,
                    size_t *behind)
{
    for (size_t at = from; at + what.size <= s.size && at < to; at++) {
        if (s.data[at] != *what.data || !begins_word(s, at)) continue;
        if (memcmp(s.data + at, what.data, what.size) != 0) continue;
        *behind = at + what.size;
        return true;
    }
    return false;
}

/* Finds the next occurrence of `what`, from the end of the last copy, then from
 * the start. A single letter is too common: it is compared with the next cell
 * only. */
static bool find_in_source(const struct vlm_draft *d, struct span what,
                           size_t *behind)
{
    struct span s = d->source;
    if (!what.size) return false;
    if (what.size == 1)
        return find_in(s, next_cell(s, d->at), next_cell(s, d->at) + 1, what,
                       behind);
    return find_in(s, d->at, s.size, what, behind) ||
           find_in(s, 0, d->at, what, behind);
}

/* ---- columns ------------------------------------------------------------ */

/* The key of the value that follows, as a hash; 0: none. */
static uint64_t key_of(struct span before)
{
    size_t end = before.size, least;
    while (end && strchr("\" ", before.data[end - 1]))
        end--;
    if (end < 2 || before.data[end - 1] != ':' || before.data[end - 2] != '"')
        return 0;
    size_t from = end -= 2;
    least = end > KEY_MOST ? end - KEY_MOST : 0;
    while (from > least && before.data[from - 1] != '"')
        from--;
    if (from == least) return 0;
    return fnv_bytes(FNV_START, before.data + from, end - from) | 1;
}

static struct draft_column *column_of(struct draft_columns *all, uint64_t key)
{
    for (int i = 0; key && i < DRAFT_COLUMNS; i++)
        if (all->column[i].key == key) return &all->column[i];
    return NULL;
}

static size_t line_start(struct span s, size_t at)
{
    while (at && s.data[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(struct span s, size_t at)
{
    while (at < s.size && s.data[at] != '\n')
        at++;
    return at;
}

/* Notes that a value of the key was found from `begin` to `end`. */
static void note_column(struct vlm_draft *d, uint64_t key, size_t begin,
                        size_t end)
{
    struct span s = d->source;
    struct draft_columns *all = &d->columns;
    struct draft_column *c = column_of(all, key);
    all->line = line_start(s, begin);
    if (!key) return;
    if (!c) c = &all->column[all->n_seen++ % DRAFT_COLUMNS];
    *c = (struct draft_column){.key = key, .line = all->line};
    for (size_t i = all->line; i < begin; i++) {
        c->cell += s.data[i] == '\t';
        c->word = s.data[i] == '\t' ? 0 : c->word + (s.data[i] == ' ');
    }
    if (end == cell_end(s, begin)) return;
    c->n_word = 1;
    for (size_t i = begin; i < end; i++)
        c->n_word += s.data[i] == ' ';
}

/* The column's text in the line. False: the line has no such cell. */
static bool cell_in_line(struct span s, size_t line,
                         const struct draft_column *c, struct span *out)
{
    size_t at = line, end = line_end(s, line);
    for (int i = 0; i < c->cell; i++) {
        at = cell_end(s, at);
        if (at == end) return false;
        at++;
    }
    size_t to = cell_end(s, at), last = at;
    for (int i = 0; i < c->word; i++) {
        while (at < to && s.data[at] != ' ')
            at++;
        if (at == to) return false;
        at++;
    }
    for (int i = 0; i < c->n_word && last < to; i++) {
        last = i ? last + 1 : at;
        while (last < to && s.data[last] != ' ')
            last++;
    }
    *out = (struct span){s.data + at, (c->n_word ? last : to) - at};
    return out->size > 0;
}

/* The text for the next value of the column: in the line of the row's other
 * values, if it is below the column's last one, else below that. */
static bool find_column(struct span s, struct draft_columns *all,
                        struct draft_column *c, struct span *out)
{
    size_t line = all->line > c->line ? all->line : line_end(s, c->line) + 1;
    for (int i = 0; i < LINES_AHEAD && line < s.size; i++) {
        if (cell_in_line(s, line, c, out)) {
            all->line = c->line = line;
            return true;
        }
        line = line_end(s, line) + 1;
    }
    return false;
}

/* Finds a short value as a word of the line of the last value. */
static bool find_in_line(const struct vlm_draft *d, struct span what,
                         size_t *behind)
{
    struct span s = d->source;
    size_t line = d->columns.line, end = line_end(s, line);
    for (size_t at = line; at + what.size <= end; at++) {
        size_t after = at + what.size;
        if (!begins_word(s, at) || memcmp(s.data + at, what.data, what.size) ||
            (after < s.size && !strchr(" \t\n", s.data[after])))
            continue;
        *behind = after;
        return true;
    }
    return false;
}

/* ---- the answer so far ------------------------------------------------- */

static void value_ends(struct vlm_draft *d, struct span text, size_t end)
{
    size_t behind;
    struct span value =
        tail_of((struct span){text.data + d->start, end - d->start});
    bool found = find_in_source(d, value, &behind);
    if (found) d->at = behind;
    bool cut = value.size < end - d->start; /* its column is unknown */
    if (!cut && (found || (value.size && find_in_line(d, value, &behind))))
        note_column(d, key_of((struct span){text.data, d->start}),
                    behind - value.size, behind);
}

static void keep_close(struct draft_close *close, struct span bytes)
{
    struct draft_close now = {.size = (int)bytes.size};
    if (bytes.size > DRAFT_CLOSE_MAX) return;
    memcpy(now.text, bytes.data, bytes.size);
    if (close[0].size == now.size &&
        !memcmp(close[0].text, now.text, bytes.size))
        return;
    close[1] = close[0];
    close[0] = now;
}

/* text[i] ends the value. `end`: the end of the chosen token it is in, or 0. */
static void note_end(struct vlm_draft *d, struct span text, size_t i,
                     size_t end)
{
    bool key = d->quoted && i + 1 < text.size && text.data[i + 1] == ':';
    if (key || i == d->start) return;
    value_ends(d, text, i);
    if (end)
        keep_close(d->close[d->quoted], (struct span){text.data + i, end - i});
}

static void note_byte(struct vlm_draft *d, struct span text, size_t i,
                      size_t end)
{
    char c = text.data[i];
    if (d->quoted && d->escaped) {
        d->escaped = false;
    } else if (d->quoted && c == '\\') {
        d->escaped = true;
        d->plain = false;
    } else if (d->quoted && c == '"') {
        note_end(d, text, i, end);
        d->quoted = false;
        d->start = i + 1;
    } else if (!d->quoted && strchr("\",:[]{}", c)) {
        note_end(d, text, i, end);
        d->quoted = d->plain = c == '"';
        d->start = i + 1;
    }
}

void vlm_draft_note(struct vlm_draft *d, struct span text, size_t size)
{
    if (!d->source.size && !d->expected.text.size) return;
    expected_note(&d->expected,
                  (struct span){text.data + d->seen, text.size - d->seen});
    for (; d->seen < text.size; d->seen++)
        note_byte(d, text, d->seen,
                  d->seen + size >= text.size ? text.size : 0);
}

/* ---- the guess --------------------------------------------------------- */

struct guess {
    struct vlm_draft *d;
    const struct vlm *v;
    struct constraint *c;
    struct arena *arena;
    int32_t *token;
    int n, most;
    int n_copied, copied_most;
    size_t at; /* offset in the source */
    struct draft_columns columns;
    struct expected_answer expected;
    struct short_text tail; /* the last bytes drafted or written */
};

/* Appends the bytes, or their end, and drops the oldest. */
static void append_tail(struct short_text *p, struct span bytes)
{
    size_t most = sizeof p->text, keep;
    if (bytes.size > most)
        bytes = (struct span){bytes.data + bytes.size - most, most};
    keep = p->size < most - bytes.size ? p->size : most - bytes.size;
    memmove(p->text, p->text + p->size - keep, keep);
    memcpy(p->text + keep, bytes.data, bytes.size);
    p->size = keep + bytes.size;
}

static bool add_token(struct guess *g, int32_t token, bool forced)
{
    struct span bytes = tokenizer_bytes(g->v->tokenizer, token);
    if (g->n == g->most || (!forced && g->n_copied == g->copied_most))
        return false;
    if (g->c && !constraint_accept(g->c, token)) return false;
    g->token[g->n++] = token;
    g->n_copied += !forced;
    append_tail(&g->tail, bytes);
    expected_note(&g->expected, bytes);
    return true;
}

static bool is_forced(struct guess *g)
{
    return g->c && constraint_forced(g->c).size > 0;
}

/* Adds all forced tokens; returns their number, -1 if they do not fit. */
static int add_forced(struct guess *g)
{
    struct vlm_forced f = vlm_forced(g->v, g->c, g->most - g->n, g->arena);
    if (f.cut) return -1;
    for (int i = 0; i < f.tokens.n; i++)
        if (!add_token(g, f.tokens.id[i], true)) return -1;
    return f.tokens.n;
}

/* Adds the tokens of `rest` after `have`: as both are tokenised together, if a
 * token ends between them. */
static bool add_text(struct guess *g, struct span have, struct span rest)
{
    struct err err = {0};
    struct short_text both = {.size = 0};
    append_bytes(&both, have.data, have.size);
    append_bytes(&both, rest.data, rest.size);
    if (both.full) return false;
    struct tokens t = tokenizer_encode(
        g->v->tokenizer, span_of_short_text(&both), false, g->arena, &err);
    size_t done = 0;
    int i = 0, before = g->n;
    while (!err_failed(&err) && i < t.n && done < have.size)
        done += tokenizer_bytes(g->v->tokenizer, t.id[i++]).size;
    if (!err_failed(&err) && done > have.size)
        return add_text(g, (struct span){"", 0}, rest);
    if (err_failed(&err)) return false;
    /* the first can cover the end of what is forced, and more */
    while (i < t.n && (g->n == before || !is_forced(g)) &&
           add_token(g, t.id[i], false))
        i++;
    return g->n > before && (i == t.n || is_forced(g));
}

static bool fits(struct guess *g, struct span bytes)
{
    constraint_hold(g->c);
    bool ok = constraint_accept_bytes(g->c, bytes);
    constraint_back(g->c);
    return ok;
}

/* Appends a cell as a value, without thousands separators in a number. False if
 * JSON would escape a character. */
static bool append_cell(struct short_text *out, struct span cell, bool quoted)
{
    for (size_t i = 0; i < cell.size; i++) {
        char c = cell.data[i];
        if (c == '"' || c == '\\') return false;
        if (!quoted && c == ',') continue;
        append_bytes(out, &c, 1);
    }
    return cell.size > 0;
}

/* Appends the bytes that followed the last value, if they are legal. */
static void append_close(struct guess *g, struct short_text *value, bool quoted)
{
    size_t size = value->size;
    for (int i = 0; i < DRAFT_CLOSES; i++) {
        const struct draft_close *close = &g->d->close[quoted][i];
        append_bytes(value, close->text, (size_t)close->size);
        if (close->size && fits(g, span_of_short_text(value))) return;
        value->size = size;
    }
    if (quoted) append_bytes(value, "\"", 1);
}

/* Adds the rest of a value that starts with `have` and continues with
 * `cell`. */
static bool add_rest(struct guess *g, struct span have, struct span cell,
                     bool quoted)
{
    struct short_text rest = {.size = 0};
    if (!append_cell(&rest, cell, quoted) && (cell.size || !have.size))
        return false;
    append_close(g, &rest, quoted);
    return rest.size && !rest.full &&
           add_text(g, have, span_of_short_text(&rest));
}

static struct span take_cell(struct guess *g, size_t from)
{
    struct span s = g->d->source;
    g->at = cell_end(s, from);
    return (struct span){s.data + from, g->at - from};
}

/* The likely text of a new value: the cell of its column, else the next. */
static struct span take_next(struct guess *g)
{
    struct span s = g->d->source, cell;
    struct draft_column *c =
        column_of(&g->columns, key_of(span_of_short_text(&g->tail)));
    if (!c || !find_column(s, &g->columns, c, &cell))
        return take_cell(g, next_cell(s, g->at));
    g->at = (size_t)(cell.data - s.data) + cell.size;
    return cell;
}

/* Adds a whole value. */
static bool add_value(struct guess *g)
{
    struct span cell = take_next(g);
    struct short_text value = {.size = 0};
    append_bytes(&value, "\"", 1);
    bool quoted =
        append_cell(&value, cell, true) && fits(g, span_of_short_text(&value));
    if (!quoted) value.size = 0;
    if (!quoted && !append_cell(&value, cell, false)) return false;
    append_close(g, &value, quoted);
    return !value.full &&
           add_text(g, (struct span){"", 0}, span_of_short_text(&value));
}

/* Adds what is expected, if that says more than what is forced. */
static bool add_expected(struct guess *g, struct span have)
{
    struct span next = expected_next(&g->expected);
    return next.size > constraint_forced(g->c).size && add_text(g, have, next);
}

/* Adds a likely continuation where there is a choice; `have`: the known start
 * of the current value. */
static bool add_copied(struct guess *g, struct span have, bool quoted)
{
    bool start = false;
    size_t behind = 0;
    if (g->d->kind == DRAFT_EXPECTED) return add_expected(g, have);
    if (!constraint_leaf(g->c, &start))
        return g->d->between >= 0 && add_token(g, g->d->between, false);
    if (start) return add_value(g);
    if (!have.size) return add_rest(g, have, take_next(g), quoted);
    return find_in_source(g->d, have, &behind) &&
           add_rest(g, have, take_cell(g, behind), quoted);
}

/* Continues free text as the source does after the same words. */
static void add_free(struct guess *g, struct span text)
{
    struct span s = g->d->source;
    struct span have = tail_of(text);
    size_t behind;
    if (have.size < TAIL_LEAST || !find_in_source(g->d, have, &behind)) return;
    size_t end = s.size - behind > TEXT_MOST ? behind + TEXT_MOST : s.size;
    while (end < s.size && end > behind && !begins_word(s, end))
        end--;
    g->d->at = behind;
    add_text(g, have, (struct span){s.data + behind, end - behind});
}

static void add_constrained(struct guess *g, struct span text)
{
    struct span have = tail_of(
        (struct span){text.data + g->d->start, text.size - g->d->start});
    bool quoted = g->d->quoted;
    if (!g->d->plain && quoted && g->d->kind != DRAFT_EXPECTED) return;
    while (g->n < g->most && !constraint_done(g->c)) {
        int n = add_forced(g);
        if (n < 0) break;
        if (n == 0 && !add_copied(g, have, quoted)) break;
        have.size = 0;
        quoted = g->tail.size && g->tail.text[g->tail.size - 1] == '"';
    }
}

bool vlm_draft_due(struct vlm_draft *d, enum draft_kind kind)
{
    struct draft_trust *t = &d->trust[kind];
    d->kind = kind;
    if (t->wait == 0) return true;
    t->wait--;
    return false;
}

static bool is_due(struct vlm_draft *d, const struct constraint *c,
                   struct span text)
{
    bool start = false;
    bool inside =
        !c || (constraint_leaf(c, &start) && !start && text.size > d->start);
    bool known = !inside && column_of(&d->columns, key_of(text));
    return vlm_draft_due(d, inside  ? DRAFT_GO_ON
                            : known ? DRAFT_COLUMN
                                    : DRAFT_BEGIN);
}

/* Drafts of the kind d->kind. */
static int guess_kind(struct vlm_draft *d, const struct vlm *v,
                      struct constraint *c, struct span text, int most,
                      int32_t *token, struct arena *arena)
{
    struct guess g = {.d = d,
                      .v = v,
                      .c = c,
                      .arena = arena,
                      .token = token,
                      .most = most < DRAFT_MAX ? most : DRAFT_MAX,
                      .copied_most = d->trust[d->kind].most,
                      .at = d->at,
                      .columns = d->columns,
                      .expected = d->expected};
    append_tail(&g.tail, text);
    if (c) {
        constraint_hold(c);
        add_constrained(&g, text);
        constraint_back(c);
    } else {
        add_free(&g, text);
    }
    return g.n_copied ? g.n : 0;
}

int vlm_draft_guess(struct vlm_draft *d, const struct vlm *v,
                    struct constraint *c, struct span text, int most,
                    int32_t *token, struct arena *arena)
{
    int n = 0;
    if (most < 1 || !text.size) return 0;
    if (c && expected_next(&d->expected).size &&
        vlm_draft_due(d, DRAFT_EXPECTED))
        n = guess_kind(d, v, c, text, most, token, arena);
    if (n == 0 && d->source.size && is_due(d, c, text))
        n = guess_kind(d, v, c, text, most, token, arena);
    return n;
}

void vlm_draft_learn(struct vlm_draft *d, int n, int n_right)
{
    struct draft_trust *t = &d->trust[d->kind];
    if (n_right == 0) {
        t->n_wrong += t->n_wrong < WAIT_SHIFT_MAX;
        t->wait = 1 << t->n_wrong;
        t->most = t->most > 1 ? t->most / 2 : 1;
        return;
    }
    t->n_wrong = 0;
    if (n_right < n)
        t->most = n_right + 1;
    else
        t->most = t->most * 2 < DRAFT_MAX ? t->most * 2 : DRAFT_MAX;
}
