/* unique.c - items of an array that must differ (scalars); see machine.h.
 *
 * Values are compared, not spellings: 1.0 is 1, and "\u0061" is "a". A state
 * stays alive while more values can come of it than were written before.
 */
#include "vlm/sample/machine.h"

#include "vlm/base/number.h"
#include "vlm/sample/written.h"

enum { NUMBER_MOST = 64 };

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
            if (written_same(written_string(m->text, start, end - 1),
                             written_string(m->text, u->start, u->end - 1),
                             false))
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
        at = grammar_literal_child(m->g, at, m->text[i]);
        if (!at) return false;
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
    if (s->kind == STATE_TEXT)
        return chars_count(&s->way->text, &s->chars, most);
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
            n += written_same(written_string(m->text, f->start, m->at + 1),
                              written_string(m->text, u->start, u->end - 1),
                              true);
    }
    return n == 0 || count_open(m, s, n + 1) > n;
}
