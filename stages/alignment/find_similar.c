/* find_similar.c - finds where a text occurs that differs in some characters
 * (find.h).
 *
 * Sellers' algorithm: the part of the page's text with the least edit distance.
 * Digits are not edited: another digit is another value. Whole texts are
 * compared in the same way, with digits treated like letters. */
#include <string.h>

#include "stages/alignment/find.h"
#include "stages/alignment/occurrence.h"
#include "stages/print/thresholds.h"

enum {
    WANT_MOST = 400, /* bytes of a value that is searched for */
    NEVER = 1000,    /* cost of editing a digit */
    GRAMS = 4096
};

/* The concatenated bytes of the pages' words: read once. */
struct print_stream {
    char *byte;
    int *token, *at; /* of each byte: its word, and offset in the folded form */
    int n;
    bool has_gram[GRAMS]; /* trigrams that are on the pages */
};

/* A cell: the least cost of a match that ends here, and its start. */
struct cell {
    int cost, begin;
};

static unsigned gram_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return ((b[0] * 31u + b[1]) * 31u + b[2]) % GRAMS;
}

static struct print_stream *read_stream(const struct alignment *l)
{
    struct print_stream *s = arena_alloc(l->arena, sizeof *s);
    size_t n = 1;
    for (int t = 0; t < l->table.n_token; t++)
        n += (size_t)l->table.token[t].fold.n;
    s->byte = arena_alloc(l->arena, n);
    s->token = arena_array(l->arena, n, sizeof *s->token);
    s->at = arena_array(l->arena, n, sizeof *s->at);
    for (int t = 0; t < l->table.n_token; t++)
        for (int at = 0; at < l->table.token[t].fold.n; at++) {
            s->byte[s->n] = l->table.token[t].fold.byte[at];
            s->token[s->n] = t;
            s->at[s->n++] = at;
        }
    for (int i = 0; i + 3 <= s->n; i++)
        s->has_gram[gram_at(s->byte + i)] = true;
    return s;
}

/* Whether half of the value's trigrams are on the pages at all. */
static bool is_likely(const struct print_stream *s, const struct folded *want)
{
    int n = 0;
    for (int i = 0; i + 3 <= want->n; i++)
        n += s->has_gram[gram_at(want->byte + i)];
    return 2 * n >= want->n - 2;
}

/* The cost of replacing one by the other, `digit` if one is a digit; a byte 0
 * means none. */
static int cost_of(char a, char b, int digit)
{
    if (a == b) return 0;
    return fold_is_digit(a) || fold_is_digit(b) ? digit : 1;
}

static struct cell lesser(struct cell a, struct cell b)
{
    return b.cost < a.cost ? b : a;
}

/* Advances the column of costs by a byte; `head`: the cell for an empty
 * match. */
static void advance(struct cell *column, const struct folded *want, char byte,
                    struct cell head, int digit)
{
    struct cell diagonal = column[0];
    column[0] = head;
    for (int k = 1; k <= want->n; k++) {
        struct cell old = column[k], best = diagonal, step = old;
        best.cost += cost_of(want->byte[k - 1], byte, digit);
        step.cost += cost_of(0, byte, digit);
        best = lesser(best, step);
        step = column[k - 1];
        step.cost += cost_of(want->byte[k - 1], 0, digit);
        column[k] = lesser(best, step);
        diagonal = old;
    }
}

/* Adds the bytes `from` to `to` of the stream as pieces. */
static void add_range(struct alignment *l, struct wanted_value *a,
                      const struct print_stream *s, int from, int to, int cost)
{
    struct piece *piece =
        arena_array(l->arena, (size_t)(to - from), sizeof *piece);
    int n = 0;
    for (int i = from; i < to; i++) {
        const struct folded *f = &l->table.token[s->token[i]].fold;
        if (n > 0 && piece[n - 1].token != s->token[i])
            piece[n - 1].to =
                (int)strlen(l->table.token[piece[n - 1].token].place->text);
        if (n == 0 || piece[n - 1].token != s->token[i])
            piece[n++] = (struct piece){s->token[i],
                                        i > from ? 0 : f->from[s->at[i]], 0};
        piece[n - 1].to = f->to[s->at[i]];
    }
    struct occurrence c = {.match = PRINT_SIMILAR, .distance = cost};
    occurrence_add(l, a, piece, n, c);
}

/* Whether a word begins at byte i of the stream, or ends before it. */
static bool is_border(const struct print_stream *s, const struct alignment *l,
                      int i)
{
    if (i <= 0 || i >= s->n || s->token[i] != s->token[i - 1]) return true;
    return l->table.token[s->token[i]].fold.edge[s->at[i]];
}

static void search(struct alignment *l, struct wanted_value *a,
                   const struct print_stream *s, const struct folded *want,
                   int most)
{
    struct cell *column =
        arena_array(l->arena, (size_t)want->n + 1, sizeof *column);
    int best = most;
    for (int k = 1; k <= want->n; k++)
        column[k] = (struct cell){NEVER, 0};
    for (int i = 0; i < s->n; i++) {
        advance(column, want, s->byte[i], (struct cell){0, i + 1}, NEVER);
        const struct cell *end = &column[want->n];
        if (end->cost > best || !is_border(s, l, i + 1) ||
            !is_border(s, l, end->begin))
            continue;
        if (end->cost < best) a->n_candidate = 0;
        best = end->cost;
        add_range(l, a, s, end->begin, i + 1, end->cost);
    }
}

void find_similar(struct alignment *l, struct wanted_value *a)
{
    const char *value = a->asked->value->valuestring;
    if (!cJSON_IsString(a->asked->value)) return;
    struct folded want = fold_text(value, l->arena);
    if (want.n < SIMILAR_LEAST || want.n > WANT_MOST) return;
    if (!l->stream) l->stream = read_stream(l);
    int most = want.n / PER_EDIT ? want.n / PER_EDIT : 1;
    if (is_likely(l->stream, &want))
        search(l, a, l->stream, &want, most < EDITS_MOST ? most : EDITS_MOST);
}
