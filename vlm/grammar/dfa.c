/* dfa.c - subset construction, with a budget.
 *
 * WHAT IT IS  A table from a state and the class of the next character to the
 * next state. Code points that no set of the regex distinguishes form one
 * class, so rows are short. A DFA state is the set of regex states that are
 * possible at once and, for minLength, the number of characters so far (up to
 * minLength). ^ab?$ has the classes a, b and rest, and becomes
 *
 *     state        a   b   rest   to an end (dist)
 *     1 start      2   .    .     1
 *     2 after a    .   3    .     0
 *     3 after ab   .   .    .     0          . is DFA_DEAD
 *
 * WHY SO  Generation must never run into a dead end. So each state knows its
 * distance to an end (`dist`, computed backwards from the ends), states that
 * reach no end become DFA_DEAD, and one comparison tells whether a text can
 * still end within maxLength. Several patterns (pattern and format, allOf) are
 * parts of one regex: a state is an end if all parts match, and dead as soon
 * as one can no longer match. Excluded parts must not match at the end.
 *
 * The number of states can be exponential in the pattern: (a|b)*a(a|b){20} has
 * two million. Each pattern, and all patterns of a schema together, have a
 * budget; a pattern that exceeds it is left to the validator (notes.h).
 */
#include "vlm/grammar/dfa.h"

#include <stdlib.h>
#include <string.h>

#include "vlm/base/fnv.h"
#include "vlm/base/utf8.h"

/* --- dfa texts ------------------------------------------------------------- */

/* Counts the texts of a DFA and lists the first ones. */

enum { COUNT_WORK_MAX = 1000000, EXAMPLE_WORK_MAX = 20000000 };

enum { EXAMPLE_LONGER = 64 }; /* characters beyond the shortest text */

/* The states reached by texts of one length, and how many texts reach each. */
struct front {
    int n, state[DFA_STATE_MAX], count[DFA_STATE_MAX];
};

/* Appends a character to each text of `from`, if it can then end within `left`
 * characters. */
static void advance_text(const struct dfa *d, const struct front *from,
                         struct front *to, int *place, int left, int most)
{
    to->n = 0;
    for (int i = 0; i < from->n; i++) {
        const uint16_t *row =
            &d->next[(size_t)from->state[i] * (size_t)d->n_class];
        for (int k = 1; k < d->n_class; k++) {
            int state = row[k];
            if (d->dist[state] > left) continue;
            int j = place[state];
            if (j >= to->n || to->state[j] != state) {
                j = place[state] = to->n++;
                to->state[j] = state;
                to->count[j] = 0;
            }
            long more = (long)from->count[i] * (long)d->width[k];
            more += to->count[j];
            to->count[j] = more > most ? most : (int)more;
        }
    }
}

/* Iterates over lengths, without recursion: a text can have a million
 * characters. If the budget runs out, the count so far is a lower bound. */
int dfa_count(const struct dfa *d, int state, int n, int most)
{
    struct front a, b, *from = &a, *to = &b;
    int place[DFA_STATE_MAX];
    if (d->dist[state] > n) return 0;
    memset(place, 0, (size_t)d->n_state * sizeof *place);
    a.n = 1;
    a.state[0] = state;
    a.count[0] = most < 1 ? 0 : 1;
    int count = 0;
    for (long work = 0; work < COUNT_WORK_MAX && from->n > 0; n--) {
        for (int i = 0; i < from->n && count < most; i++)
            if (d->dist[from->state[i]] == 0)
                count = count > most - from->count[i] ? most
                                                      : count + from->count[i];
        if (count >= most || n == 0) break;
        advance_text(d, from, to, place, n - 1, most);
        work += (long)from->n * d->n_class;
        struct front *old = from;
        from = to;
        to = old;
    }
    return count < most ? count : most;
}

/* Characters to try first, because people can read them. */
static const char readable[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.,:;/@+";

enum { N_READABLE = sizeof readable - 1 };

/* The i-th character to try: the readable ones, then the first of each range.
 * False for a repetition. */
static bool nth_character(const struct dfa *d, int i, uint32_t *c)
{
    *c = i < N_READABLE ? (unsigned char)readable[i] : d->first[i - N_READABLE];
    return i < N_READABLE || *c >= 128 || !strchr(readable, (int)*c);
}

/* A depth-first search; index i: after i characters of the text. */
struct text_search {
    const struct dfa *d;
    int *state; /* DFA state */
    int *next;  /* next character to try */
    size_t *at; /* bytes in the output */
    long work;
};

/* Appends the next character after `i` from which the text can end in n - i - 1
 * more; false if all have been tried. */
static bool try_next(struct text_search *t, int i, int n, char *out,
                     size_t size)
{
    const struct dfa *d = t->d;
    while (t->next[i] < N_READABLE + d->n_range) {
        uint32_t c;
        char text[UTF8_MAX];
        t->work++;
        if (!nth_character(d, t->next[i]++, &c)) continue;
        int to = dfa_step(d, t->state[i], c);
        size_t bytes = utf8_put(text, c);
        if (d->dist[to] > n - i - 1 || bytes >= size - t->at[i]) continue;
        memcpy(out + t->at[i], text, bytes);
        t->state[i + 1] = to;
        t->at[i + 1] = t->at[i] + bytes;
        t->next[i + 1] = 0;
        return true;
    }
    return false;
}

/* The k-th text of exactly n characters; *k is reduced by those skipped. */
static bool find_example(struct text_search *t, int n, int *k, char *out,
                         size_t size)
{
    t->state[0] = DFA_START;
    t->next[0] = 0;
    t->at[0] = 0;
    for (int i = 0; i >= 0 && t->work < EXAMPLE_WORK_MAX;) {
        if (i == n) {
            if (t->d->dist[t->state[n]] == 0 && (*k)-- == 0) {
                out[t->at[n]] = '\0';
                return true;
            }
            i--;
        } else {
            i += try_next(t, i, n, out, size) ? 1 : -1;
        }
    }
    return false;
}

bool dfa_example(const struct dfa *d, int k, int length_max, char *out,
                 size_t size)
{
    int least = d->dist[DFA_START], most = least + EXAMPLE_LONGER;
    if (least == DFA_FAR || size < 1) return false;
    if (most > length_max) most = length_max;
    size_t capacity = (size_t)(most > 0 ? most : 0) + 1;
    struct text_search t = {d, mem_alloc(capacity, sizeof(int)),
                            mem_alloc(capacity, sizeof(int)),
                            mem_alloc(capacity, sizeof(size_t)), 0};
    bool found = false;
    for (int n = least; n <= most && !found; n++)
        found = find_example(&t, n, &k, out, size);
    mem_free(t.state);
    mem_free(t.next);
    mem_free(t.at);
    return found;
}

/* --- dfa ------------------------------------------------------------------- */

enum { CLASS_MAX = 2000, BYTES_MOST = 16 << 20, WORK_MAX = 20000000 };

enum { CAPACITY_FIRST = 64 };

struct dfa_builder {
    const struct regex *r;
    struct dfa *d;
    struct arena *arena, *scratch;
    int length_min, n_word;
    uint64_t *set; /* [capacity][n_word]; the last word is the length */
    int *table;    /* hash table from a set to its state */
    int table_size;
    uint32_t *sample; /* [n_class] a code point of each class */
    bool *in;         /* [n_set][n_class] is the class part of the set? */
    int *stack;
    bool *accepts;           /* [capacity] is the state an end? */
    int capacity, state_max; /* states allocated; most states allowed */
    long work;               /* regex states visited */
};

bool dfa_char_is_legal(uint32_t c)
{
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    return c < 0xD800 || (c > 0xDFFF && c != 0xFFFE && c != 0xFFFF);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Finds d->first: all code points at which set membership can change,
 * sorted. */
static void find_ranges(struct dfa_builder *m)
{
    static const uint32_t legal_edges[] = {
        0, 9, 11, 13, 14, 0x20, 0x80, 0xD800, 0xE000, 0xFFFE, 0x10000};
    enum { N_EDGE = sizeof legal_edges / sizeof *legal_edges };
    size_t capacity = N_EDGE;
    for (int i = 0; i < m->r->n_set; i++)
        capacity += 2 * (size_t)m->r->set[i].n;
    uint32_t *edge = arena_array(m->arena, capacity, sizeof *edge);
    size_t n = 0;
    for (; n < N_EDGE; n++)
        edge[n] = legal_edges[n];
    for (int i = 0; i < m->r->n_set; i++) {
        for (int j = 0; j < m->r->set[i].n; j++) {
            edge[n++] = m->r->set[i].range[j].first;
            if (m->r->set[i].range[j].last < CPSET_MAX)
                edge[n++] = m->r->set[i].range[j].last + 1;
        }
    }
    qsort(edge, n, sizeof *edge, by_value);
    int kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || edge[kept - 1] != edge[i]) edge[kept++] = edge[i];
    m->d->first = edge;
    m->d->n_range = kept;
}

/* Gives ranges that are in the same sets one class; class 0 is never generated.
 * False if there are too many classes. */
static bool find_classes(struct dfa_builder *m)
{
    struct dfa *d = m->d;
    int n_set = m->r->n_set;
    d->class = arena_array(m->arena, (size_t)d->n_range, sizeof *d->class);
    m->sample = arena_array(m->scratch, CLASS_MAX, sizeof *m->sample);
    m->in =
        arena_array(m->scratch, (size_t)(n_set + 1) * CLASS_MAX, sizeof *m->in);
    bool *row = arena_array(m->scratch, (size_t)n_set + 1, sizeof *row);
    d->n_class = 1;
    for (int i = 0; i < d->n_range; i++) {
        uint32_t c = d->first[i];
        if (!dfa_char_is_legal(c)) continue;
        for (int s = 0; s < n_set; s++)
            row[s] = cpset_has(&m->r->set[s], c);
        int k = 1;
        for (; k < d->n_class; k++) {
            int s = 0;
            while (s < n_set &&
                   m->in[(size_t)s * CLASS_MAX + (size_t)k] == row[s])
                s++;
            if (s == n_set) break;
        }
        if (k == CLASS_MAX) return false;
        if (k == d->n_class) {
            m->sample[d->n_class++] = c;
            for (int s = 0; s < n_set; s++)
                m->in[(size_t)s * CLASS_MAX + (size_t)k] = row[s];
        }
        d->class[i] = (uint16_t)k;
    }
    d->width = arena_array(m->arena, (size_t)d->n_class, sizeof *d->width);
    for (int i = 0; i < d->n_range; i++)
        d->width[d->class[i]] +=
            (i + 1 < d->n_range ? d->first[i + 1] : CPSET_MAX + 1u) -
            d->first[i];
    for (uint32_t c = 0; c < 128; c++) {
        int i = d->n_range - 1;
        while (d->first[i] > c)
            i--;
        d->ascii[c] = d->class[i];
    }
    return true;
}

static bool set_has(const uint64_t *set, int i)
{
    return set[i / 64] >> (i % 64) & 1;
}

/* Adds `from` and all states reached without reading a character. */
static void close_over(struct dfa_builder *m, uint64_t *set, int from,
                       bool begin, bool end)
{
    int n = 0;
    m->stack[n++] = from;
    while (n > 0) {
        int i = m->stack[--n];
        m->work++;
        if (i < 0 || set_has(set, i)) continue;
        set[i / 64] |= UINT64_C(1) << (i % 64);
        const struct regex_state *s = &m->r->state[i];
        bool passes = s->kind == REGEX_SPLIT ||
                      (s->kind == REGEX_BEGIN && begin) ||
                      (s->kind == REGEX_END && end);
        if (!passes) continue;
        m->stack[n++] = s->out;
        if (s->kind == REGEX_SPLIT) m->stack[n++] = s->other;
    }
}

static unsigned required_parts(const struct dfa_builder *m)
{
    return ((1u << m->r->n_part) - 1) & ~m->r->excluded;
}

/* If the text ends here, do all required parts match and no excluded one?
 * `whole` is scratch. */
static bool accepts(struct dfa_builder *m, const uint64_t *set, bool begin,
                    uint64_t *whole)
{
    memset(whole, 0, (size_t)m->n_word * sizeof *whole);
    for (int w = 0; w < m->n_word - 1; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            close_over(m, whole, w * 64 + __builtin_ctzll(bits), begin, true);
    unsigned matched = 0;
    for (int w = 0; w < m->n_word - 1; w++)
        for (uint64_t bits = whole[w]; bits; bits &= bits - 1) {
            const struct regex_state *i =
                &m->r->state[w * 64 + __builtin_ctzll(bits)];
            if (i->kind == REGEX_MATCH) matched |= 1u << i->part;
        }
    return matched == required_parts(m) &&
           set[m->n_word - 1] >= (uint64_t)m->length_min;
}

/* Can a required part no longer match? */
static bool is_lost(const struct dfa_builder *m, const uint64_t *set)
{
    unsigned lost = required_parts(m);
    for (int w = 0; w < m->n_word - 1 && lost; w++)
        for (uint64_t bits = set[w]; bits && lost; bits &= bits - 1)
            lost &= ~(1u << m->r->state[w * 64 + __builtin_ctzll(bits)].part);
    return lost;
}

static uint64_t hash_set(const struct dfa_builder *m, const uint64_t *set)
{
    uint64_t h = FNV_START;
    for (int i = 0; i < m->n_word; i++)
        h = fnv_add(h, set[i]);
    return h;
}

/* The table slot of the set, or a free one. */
static int find_slot(const struct dfa_builder *m, const uint64_t *set)
{
    size_t n = (size_t)m->n_word;
    int slot = (int)(hash_set(m, set) % (uint64_t)m->table_size);
    for (; m->table[slot]; slot = (slot + 1) % m->table_size)
        if (!memcmp(m->set + (size_t)m->table[slot] * n, set, n * sizeof *set))
            break;
    return slot;
}

/* Makes a table for m->capacity states and adds the present ones. */
static void make_table(struct dfa_builder *m)
{
    m->table_size = 2 * m->capacity;
    m->table = arena_array(m->scratch, (size_t)m->table_size, sizeof *m->table);
    for (int i = DFA_START; i < m->d->n_state; i++)
        m->table[find_slot(m, m->set + (size_t)i * (size_t)m->n_word)] = i;
}

/* Doubles the capacity, from a small start: most patterns have few states, and
 * a schema can have thousands of patterns. Old rows stay readable. */
static void grow_states(struct dfa_builder *m)
{
    int capacity = m->capacity ? 2 * m->capacity : CAPACITY_FIRST;
    if (capacity > m->state_max) capacity = m->state_max;
    size_t n = (size_t)m->capacity, more = (size_t)capacity;
    size_t set = (size_t)m->n_word * sizeof *m->set;
    size_t row = (size_t)m->d->n_class * sizeof *m->d->next;
    m->set = arena_widen(m->scratch, m->set, n, more, set);
    m->accepts =
        arena_widen(m->scratch, m->accepts, n, more, sizeof *m->accepts);
    m->d->next = arena_widen(m->scratch, m->d->next, n, more, row);
    m->capacity = capacity;
    make_table(m);
}

/* The state of the set, added if new; -1 if the budget is spent. */
static int find_or_add_state(struct dfa_builder *m, const uint64_t *set)
{
    size_t n = (size_t)m->n_word;
    int slot = find_slot(m, set);
    if (m->table[slot]) return m->table[slot];
    if (m->d->n_state == m->state_max) return -1;
    if (m->d->n_state == m->capacity) {
        grow_states(m);
        slot = find_slot(m, set);
    }
    int state = m->d->n_state++;
    memcpy(m->set + (size_t)state * n, set, n * sizeof *set);
    m->table[slot] = state;
    return state;
}

/* Sets `to` to the states reached from `from` by a character of class k. */
static void advance(struct dfa_builder *m, const uint64_t *from, int k,
                    uint64_t *to)
{
    memset(to, 0, (size_t)m->n_word * sizeof *to);
    for (int w = 0; w < m->n_word - 1; w++) {
        for (uint64_t bits = from[w]; bits; bits &= bits - 1) {
            const struct regex_state *s =
                &m->r->state[w * 64 + __builtin_ctzll(bits)];
            if (s->kind == REGEX_SET &&
                m->in[(size_t)s->set * CLASS_MAX + (size_t)k])
                close_over(m, to, s->out, false, false);
        }
    }
    uint64_t n = from[m->n_word - 1];
    to[m->n_word - 1] = n < (uint64_t)m->length_min ? n + 1 : n;
}

static bool build_states(struct dfa_builder *m)
{
    struct dfa *d = m->d;
    size_t size = (size_t)m->n_word;
    uint64_t *set = arena_array(m->scratch, size, sizeof *set);
    uint64_t *whole = arena_array(m->scratch, size, sizeof *set);
    for (int p = 0; p < m->r->n_part; p++)
        close_over(m, set, m->r->start[p], true, false);
    d->n_state = 1; /* DFA_DEAD */
    if (find_or_add_state(m, set) != DFA_START) return false;
    for (int i = DFA_START; i < d->n_state; i++) {
        const uint64_t *from = m->set + (size_t)i * size;
        m->accepts[i] = accepts(m, from, i == DFA_START, whole);
        for (int k = 1; k < d->n_class; k++) {
            advance(m, from, k, set);
            int to = is_lost(m, set) ? DFA_DEAD : find_or_add_state(m, set);
            m->work += m->n_word;
            if (to < 0 || m->work > WORK_MAX) return false;
            d->next[(size_t)i * (size_t)d->n_class + (size_t)k] = (uint16_t)to;
        }
    }
    return true;
}

/* Computes distances backwards from the ends; states without an end become
 * DFA_DEAD. */
static void find_ends(struct dfa_builder *m)
{
    struct dfa *d = m->d;
    size_t n_state = (size_t)d->n_state;
    size_t n_edge = n_state * (size_t)d->n_class;
    d->dist = arena_array(m->arena, n_state, sizeof *d->dist);
    /* lists of the edges into each state; edge i comes from state i /
     * n_class */
    int *into = arena_array(m->scratch, n_state, sizeof *into);
    int *more = arena_array(m->scratch, n_edge, sizeof *more);
    int *queue = arena_array(m->scratch, n_state, sizeof *queue);
    int n_queue = 0;
    for (size_t i = (size_t)d->n_class; i < n_edge; i++) {
        more[i] = into[d->next[i]];
        into[d->next[i]] = (int)i;
    }
    for (int i = 0; i < d->n_state; i++) {
        d->dist[i] = m->accepts[i] ? 0 : DFA_FAR;
        if (m->accepts[i]) queue[n_queue++] = i;
    }
    for (int i = 0; i < n_queue; i++) {
        for (int e = into[queue[i]]; e; e = more[e]) {
            int from = e / d->n_class;
            if (d->dist[from] != DFA_FAR) continue;
            d->dist[from] = d->dist[queue[i]] + 1;
            queue[n_queue++] = from;
        }
    }
    size_t n = (size_t)d->n_state * (size_t)d->n_class;
    for (size_t i = 0; i < n; i++)
        if (d->dist[d->next[i]] == DFA_FAR) d->next[i] = DFA_DEAD;
}

/* Allocates working memory; false if it would be out of proportion. */
static bool allocate(struct dfa_builder *m)
{
    size_t states = DFA_STATE_MAX, row = (size_t)m->d->n_class;
    size_t most = BYTES_MOST / (row * sizeof(uint16_t) +
                                (size_t)m->n_word * sizeof(uint64_t));
    if (states > most) states = most;
    if (states < 16) return false;
    m->state_max = (int)states;
    grow_states(m);
    m->stack = arena_array(m->scratch, 2 * (size_t)m->r->n_state + 4,
                           sizeof *m->stack);
    return true;
}

struct dfa *dfa_new(const struct regex *r, int length_min, struct arena *arena,
                    long *work)
{
    struct dfa_builder m = {.r = r,
                            .d = arena_alloc(arena, sizeof *m.d),
                            .arena = arena,
                            .scratch = arena_new(),
                            .length_min = length_min,
                            .n_word = (r->n_state + 63) / 64 + 1};
    struct dfa *d = m.d;
    find_ranges(&m);
    bool ok = find_classes(&m) && allocate(&m) && build_states(&m);
    if (ok) {
        find_ends(&m);
        size_t n = (size_t)d->n_state * (size_t)d->n_class;
        uint16_t *next = arena_array(arena, n, sizeof *next);
        memcpy(next, d->next, n * sizeof *next);
        d->next = next;
    }
    arena_free(m.scratch);
    *work += m.work;
    return ok ? d : NULL;
}

/* Index of the range that contains c. */
static int find_range(const struct dfa *d, uint32_t c)
{
    int low = 0, high = d->n_range - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (d->first[middle] <= c)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int dfa_step(const struct dfa *d, int state, uint32_t c)
{
    int k = c < 128 ? d->ascii[c] : d->class[find_range(d, c)];
    return d->next[(size_t)state * (size_t)d->n_class + (size_t)k];
}

int dfa_range_dist(const struct dfa *d, int state, uint32_t first,
                   uint32_t last)
{
    int best = DFA_FAR;
    for (int i = find_range(d, first); i < d->n_range && d->first[i] <= last;
         i++) {
        int to =
            d->next[(size_t)state * (size_t)d->n_class + (size_t)d->class[i]];
        if (d->dist[to] < best) best = d->dist[to];
    }
    return best;
}
