/* dfa_texts.c - the texts of a dfa: how many there are, and the first ones. */
#include <string.h>

#include "vlm/base/utf8.h"
#include "vlm/grammar/dfa.h"

enum { COUNT_WORK_MAX = 1000000, EXAMPLE_WORK_MAX = 20000000 };
enum { EXAMPLE_LONGER = 64 }; /* than the shortest text */

/* The states that texts of one length lead to, and how many lead to each. */
struct front {
    int n, state[DFA_STATE_MAX], count[DFA_STATE_MAX];
};

/* One more character behind each text of `from`, if `left` more can end it. */
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

/* By length, not by recursion: a text may have a million characters. What is
 * counted when the budget ends is there for certain, so that too few may be
 * returned, but never too many. */
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
        struct front *turn = from;
        from = to;
        to = turn;
    }
    return count < most ? count : most;
}

/* What a person would rather read comes first. */
static const char readable[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.,:;/@+";

enum { N_READABLE = sizeof readable - 1 };

/* The i-th character to try: the readable ones, then the first of each range;
 * false for one that had its turn. */
static bool nth_character(const struct dfa *d, int i, uint32_t *c)
{
    *c = i < N_READABLE ? (unsigned char)readable[i] : d->first[i - N_READABLE];
    return i < N_READABLE || *c >= 128 || !strchr(readable, (int)*c);
}

/* A text on its way: behind i characters the dfa is in state[i], out has
 * at[i] bytes, and turn[i] is the next character to try there. */
struct text_search {
    const struct dfa *d;
    int *state, *turn;
    size_t *at;
    long work;
};

/* The next state behind `i` characters from which n - i - 1 more may end the
 * text; false when every character had its turn. */
static bool next_turn(struct text_search *t, int i, int n, char *out,
                      size_t size)
{
    const struct dfa *d = t->d;
    while (t->turn[i] < N_READABLE + d->n_range) {
        uint32_t c;
        char text[UTF8_MAX];
        t->work++;
        if (!nth_character(d, t->turn[i]++, &c)) continue;
        int to = dfa_step(d, t->state[i], c);
        size_t bytes = utf8_put(text, c);
        if (d->dist[to] > n - i - 1 || bytes >= size - t->at[i]) continue;
        memcpy(out + t->at[i], text, bytes);
        t->state[i + 1] = to;
        t->at[i + 1] = t->at[i] + bytes;
        t->turn[i + 1] = 0;
        return true;
    }
    return false;
}

/* The k-th text of exactly n characters; what is passed over is taken off k. */
static bool example_of(struct text_search *t, int n, int *k, char *out,
                       size_t size)
{
    t->state[0] = DFA_START;
    t->turn[0] = 0;
    t->at[0] = 0;
    for (int i = 0; i >= 0 && t->work < EXAMPLE_WORK_MAX;) {
        if (i == n) {
            if (t->d->dist[t->state[n]] == 0 && (*k)-- == 0) {
                out[t->at[n]] = '\0';
                return true;
            }
            i--;
        } else {
            i += next_turn(t, i, n, out, size) ? 1 : -1;
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
    size_t room = (size_t)(most > 0 ? most : 0) + 1;
    struct text_search t = {d, mem_alloc(room, sizeof(int)),
                            mem_alloc(room, sizeof(int)),
                            mem_alloc(room, sizeof(size_t)), 0};
    bool found = false;
    for (int n = least; n <= most && !found; n++)
        found = example_of(&t, n, &k, out, size);
    mem_free(t.state);
    mem_free(t.turn);
    mem_free(t.at);
    return found;
}
