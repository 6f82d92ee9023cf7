/* dfa_texts.c - counts the texts of a DFA and lists the first ones. */
#include <string.h>

#include "vlm/base/utf8.h"
#include "vlm/grammar/dfa.h"

enum { COUNT_WORK_MAX = 1000000, EXAMPLE_WORK_MAX = 20000000 };
enum { EXAMPLE_LONGER = 64 }; /* characters beyond the shortest text */

/* The states reached by texts of one length, and how many texts reach each. */
struct front {
    int n, state[DFA_STATE_MAX], count[DFA_STATE_MAX];
};

/* Appends a character to each text of `from`, if it can then end within `left`
 * characters. */
static void advance(const struct dfa *d, const struct front *from,
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
        advance(d, from, to, place, n - 1, most);
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
