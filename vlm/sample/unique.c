/* unique.c - items of an array that must differ (scalars); see machine.h.
 *
 * Values are compared, not spellings: 1.0 is 1, and "\u0061" is "a". A state
 * stays alive while more values can come of it than were written before.
 */
#include "vlm/sample/machine.h"

#include "vlm/base/number.h"
#include "vlm/base/utf8.h"

enum { NUMBER_MOST = 64, MANY = 1 << 20 };

/* The next byte of the decoded string at text[*at..end), -1 at its end. `rest`
 * keeps the bytes of an escape. */
struct string_cursor {
    const char *text;
    int at, end;
    unsigned char rest[4];
    int n_rest;
};

static uint32_t hex4(const char *p)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        int c = p[i];
        value =
            value << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static void keep_utf8(struct string_cursor *d, uint32_t c)
{
    char text[UTF8_MAX];
    for (size_t n = utf8_put(text, c); n > 0; n--) /* rest is a stack */
        d->rest[d->n_rest++] = (unsigned char)text[n - 1];
}

static int next_byte(struct string_cursor *d)
{
    if (d->n_rest) return d->rest[--d->n_rest];
    if (d->at >= d->end) return -1;
    char c = d->text[d->at++];
    if (c != '\\') return (unsigned char)c;
    if (d->at >= d->end) return -1; /* an escape that is not finished */
    c = d->text[d->at++];
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'u': break;
    default: return (unsigned char)c;
    }
    if (d->at + 4 > d->end) return -1;
    uint32_t code = hex4(d->text + d->at);
    d->at += 4;
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (d->at + 6 > d->end) return -1;
        code = 0x10000 + ((code - 0xD800) << 10) +
               (hex4(d->text + d->at + 2) - 0xDC00);
        d->at += 6;
    }
    keep_utf8(d, code);
    return d->rest[--d->n_rest];
}

/* Compares two strings behind their opening quotes. True when a is b, or, with
 * `prefix`, when b begins with a. */
static bool same_text(struct string_cursor a, struct string_cursor b,
                      bool prefix)
{
    for (;;) {
        int x = next_byte(&a), y = next_byte(&b);
        if (x < 0) return prefix || y < 0;
        if (x != y) return false;
    }
}

static struct string_cursor decoder_of(const struct machine *m, int start,
                                       int end)
{
    return (struct string_cursor){.text = m->text, .at = start + 1, .end = end};
}

static bool same_number(const struct machine *m, int start, int end,
                        const struct used *u)
{
    char a[NUMBER_MOST] = {0}, b[NUMBER_MOST] = {0};
    int n = end - start, k = u->end - u->start;
    if (n >= NUMBER_MOST || k >= NUMBER_MOST) return false;
    memcpy(a, m->text + start, (size_t)n);
    memcpy(b, m->text + u->start, (size_t)k);
    return number_compare(a, b) == 0;
}

static bool is_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

bool unique_clashes(const struct machine *m, int used, int start, int end)
{
    char kind = m->text[start];
    for (int i = used; i; i = m->used[i].next) {
        const struct used *u = &m->used[i];
        char other = m->text[u->start];
        if (is_number(kind) && is_number(other)) {
            if (same_number(m, start, end, u)) return true;
        } else if (kind != other)
            continue;
        else if (kind == '"') {
            if (same_text(decoder_of(m, start, end - 1),
                          decoder_of(m, u->start, u->end - 1), false))
                return true;
        } else if (end - start == u->end - u->start &&
                   !memcmp(m->text + start, m->text + u->start,
                           (size_t)(end - start)))
            return true;
    }
    return false;
}

static bool leads_to_literal(const struct machine *m,
                             const struct machine_state *s, int start,
                             const struct used *u)
{
    int n = m->at + 1 - start; /* bytes so far, the present one included */
    if (u->end - u->start < n ||
        memcmp(m->text + start, m->text + u->start, (size_t)n) != 0)
        return false;
    const struct literal *l = m->g->literal;
    int at = s->literal;
    for (int i = u->start + n; i < u->end; i++) {
        int child = l[at].child;
        while (child && l[child].byte != m->text[i])
            child = l[child].sibling;
        if (!child) return false;
        at = child;
    }
    return l[at].final;
}

static bool leads_to_number(const struct machine *m,
                            const struct machine_state *s, const struct used *u)
{
    struct decimal_state other = {0};
    for (int i = u->start; i < u->end; i++)
        if (!decimal_step(&s->way->number, &other, m->text[i])) return false;
    return decimal_leads_to(&s->way->number, &s->number,
                            decimal_get(&s->way->number, &other));
}

/* Values that may still come of the state, counted up to `most`. */
static int count_open(const struct machine *m, const struct machine_state *s,
                      int most)
{
    if (s->kind == STATE_NUMBER)
        return decimal_left(&s->way->number, &s->number, most);
    if (s->kind == STATE_TEXT) {
        int left = s->way->text.length_max - s->chars.n_char;
        if (s->chars.part != CHARS_WHOLE) return MANY;
        if (s->way->text.dfa)
            return dfa_count(s->way->text.dfa, s->chars.state, left, most);
        return left > 0 ? MANY : 1;
    }
    int n = m->g->literal[s->literal].n_text;
    return n < most ? n : most;
}

bool unique_is_open(const struct machine *m, const struct machine_state *s)
{
    const struct frame *f = &m->frame[s->frame];
    int n = 0;
    for (int i = f->used; i; i = m->used[i].next) {
        const struct used *u = &m->used[i];
        char other = m->text[u->start];
        if (s->kind == STATE_LITERAL)
            n += leads_to_literal(m, s, f->start, u);
        else if (s->kind == STATE_NUMBER)
            n += is_number(other) && leads_to_number(m, s, u);
        else if (other == '"')
            n += same_text(decoder_of(m, f->start, m->at + 1),
                           decoder_of(m, u->start, u->end - 1), true);
    }
    return n == 0 || count_open(m, s, n + 1) > n;
}
