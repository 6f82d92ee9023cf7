/* compare.c - see compare.h. */
#include "pipeline/eval/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/eval/report_text.h"
#include "vlm/base/arena.h"
#include "vlm/base/sort.h"
#include "vlm/base/text_table.h"
#include "vlm/json/json.h"

enum { DRAWS = 10000, DRAWS_LEAST = 1000, STEPS_MOST = 200000000 };

static const char *const names[COMPARE_FIGURES] = {"exact", "tolerant", "f1"};

/* A document's contribution to numerator and denominator of each figure. */
struct compare_counts {
    double above[COMPARE_FIGURES], below[COMPARE_FIGURES];
};

struct compare_pair {
    struct compare_counts a, b;
};

/* --- reading ------------------------------------------------------------- */

static struct compare_counts counts_of(const cJSON *d)
{
    double n = json_get_number(d, "values");
    return (struct compare_counts){.above = {json_get_number(d, "exact"),
                                             json_get_number(d, "tolerant"),
                                             2 * json_get_number(d, "hit")},
                                   .below = {n, n,
                                             json_get_number(d, "expected") +
                                                 json_get_number(d, "given")}};
}

static const cJSON *documents_of(const cJSON *result, char side,
                                 struct err *err)
{
    const cJSON *documents = json_get(result, "documents");
    if (!strcmp(json_get_text_or_empty(result, "format"), REPORT_FORMAT) &&
        cJSON_IsArray(documents))
        return documents;
    err_set(err, ERR_ARGS, "%c is not what platen eval --json prints", side);
    return NULL;
}

static bool differ(double a, double b)
{
    return fabs(a - b) > 1e-12;
}

/* Pairs the documents by name; sets c->n_document, n_only_a and n_only_b. */
static struct compare_pair *pair_up(const cJSON *a, const cJSON *b,
                                    struct compare *c, struct arena *arena,
                                    struct err *err)
{
    struct text_table by_name = {0};
    int n_a = cJSON_GetArraySize(a), n_b = cJSON_GetArraySize(b);
    struct compare_pair *pair =
        arena_array(arena, (size_t)n_a + 1, sizeof *pair);
    const cJSON *d = NULL;
    cJSON_ArrayForEach(d, a)
    {
        text_table_put(&by_name, arena, json_get_text_or_empty(d, "name"),
                       (void *)d);
    }
    cJSON_ArrayForEach(d, b)
    {
        const char *name = json_get_text_or_empty(d, "name");
        const cJSON *other = text_table_find(&by_name, name);
        if (!other || c->n_document == n_a) continue;
        if (differ(json_get_number(d, "expected"),
                   json_get_number(other, "expected")))
            err_set(err, ERR_ARGS,
                    "different values were expected of %.200s: A and B must be "
                    "evaluated against the same",
                    name);
        pair[c->n_document++] =
            (struct compare_pair){counts_of(other), counts_of(d)};
    }
    c->n_only_a = n_a - c->n_document;
    c->n_only_b = n_b - c->n_document;
    return pair;
}

/* --- bootstrap ----------------------------------------------------------- */

/* splitmix64: small, and the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double share(double above, double below)
{
    return below > 0 ? above / below : 0;
}

static void add_counts(struct compare_counts *sum,
                       const struct compare_counts *one)
{
    for (int i = 0; i < COMPARE_FIGURES; i++) {
        sum->above[i] += one->above[i];
        sum->below[i] += one->below[i];
    }
}

/* The difference of each figure in one draw of as many documents. */
static void draw_once(const struct compare_pair *pair, int n, uint64_t *state,
                      double *difference[COMPARE_FIGURES], int at)
{
    struct compare_counts a = {0}, b = {0};
    for (int i = 0; i < n; i++) {
        const struct compare_pair *p =
            &pair[(next_random(state) >> 32) * (uint64_t)n >> 32];
        add_counts(&a, &p->a);
        add_counts(&b, &p->b);
    }
    for (int i = 0; i < COMPARE_FIGURES; i++)
        difference[i][at] =
            share(b.above[i], b.below[i]) - share(a.above[i], a.below[i]);
}

static void find_intervals(struct compare *c, const struct compare_pair *pair,
                           struct arena *arena)
{
    double *difference[COMPARE_FIGURES];
    uint64_t state = 1;
    int n_draw = STEPS_MOST / c->n_document;
    if (n_draw > DRAWS) n_draw = DRAWS;
    if (n_draw < DRAWS_LEAST) n_draw = DRAWS_LEAST;
    for (int i = 0; i < COMPARE_FIGURES; i++)
        difference[i] = arena_array(arena, (size_t)n_draw, sizeof(double));
    for (int k = 0; k < n_draw; k++)
        draw_once(pair, c->n_document, &state, difference, k);
    for (int i = 0; i < COMPARE_FIGURES; i++) {
        sort_doubles(difference[i], (size_t)n_draw);
        c->figure[i].low = difference[i][n_draw / 40];
        c->figure[i].high = difference[i][n_draw - 1 - n_draw / 40];
    }
}

static void sum_up(struct compare *c, const struct compare_pair *pair)
{
    struct compare_counts a = {0}, b = {0};
    for (int i = 0; i < c->n_document; i++) {
        const struct compare_pair *p = &pair[i];
        double wrong_a = p->a.below[0] - p->a.above[0];
        double wrong_b = p->b.below[0] - p->b.above[0];
        c->n_worse += wrong_b > wrong_a;
        c->n_better += wrong_b < wrong_a;
        add_counts(&a, &p->a);
        add_counts(&b, &p->b);
    }
    for (int i = 0; i < COMPARE_FIGURES; i++) {
        c->figure[i].a = share(a.above[i], a.below[i]);
        c->figure[i].b = share(b.above[i], b.below[i]);
    }
}

static enum compare_verdict verdict_of(const struct compare *c)
{
    const struct compare_figure *exact = &c->figure[0];
    bool same = true;
    for (int i = 0; i < COMPARE_FIGURES; i++)
        same &= !differ(c->figure[i].a, c->figure[i].b);
    if (same && c->n_worse + c->n_better == 0) return COMPARE_SAME;
    if (c->n_worse + c->n_better < COMPARE_DOCUMENTS_LEAST)
        return COMPARE_CHANCE;
    if (exact->high < 0) return COMPARE_WORSE;
    return exact->low > 0 ? COMPARE_BETTER : COMPARE_CHANCE;
}

struct compare compare_results(const cJSON *a, const cJSON *b, struct err *err)
{
    struct compare c = {0};
    if (err_failed(err)) return c;
    struct arena *arena = arena_new();
    a = documents_of(a, 'A', err);
    b = documents_of(b, 'B', err);
    struct compare_pair *pair = pair_up(a, b, &c, arena, err);
    if (!err_failed(err) && !c.n_document)
        err_set(err, ERR_ARGS, "A and B have no document in common, by name");
    if (!err_failed(err)) {
        sum_up(&c, pair);
        find_intervals(&c, pair, arena);
        c.verdict = verdict_of(&c);
    }
    arena_free(arena);
    return c;
}

/* --- printing ------------------------------------------------------------ */

static const char *verdict_text(enum compare_verdict verdict)
{
    static const char *const text[] = {
        "no difference", "no significant difference",
        "B is worse (significant)", "B is better (significant)"};
    return text[verdict];
}

void compare_print(const struct compare *c, struct buf *out)
{
    buf_print(out,
              "%d documents in both (%d only in A, %d only in B); B is worse "
              "in %d and better in %d\n",
              c->n_document, c->n_only_a, c->n_only_b, c->n_worse, c->n_better);
    for (int i = 0; i < COMPARE_FIGURES; i++) {
        const struct compare_figure *f = &c->figure[i];
        buf_print(out,
                  "  %-8s A %6.2f %%  B %6.2f %%  difference %+.2f points, "
                  "95 %% interval %+.2f to %+.2f\n",
                  names[i], 100 * f->a, 100 * f->b, 100 * (f->b - f->a),
                  100 * f->low, 100 * f->high);
    }
    buf_print(out, "%s\n", verdict_text(c->verdict));
}

static void add_number(cJSON *object, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6f", value);
    cJSON_AddItemToObject(object, key, json_new_number(text));
}

void compare_json(const struct compare *c, struct buf *out)
{
    static const char *const verdict[] = {"same", "chance", "worse", "better"};
    cJSON *top = cJSON_CreateObject();
    cJSON_AddStringToObject(top, "format", "platen-compare/1");
    cJSON_AddStringToObject(top, "verdict", verdict[c->verdict]);
    json_add_integer(top, "documents", c->n_document);
    json_add_integer(top, "only_a", c->n_only_a);
    json_add_integer(top, "only_b", c->n_only_b);
    json_add_integer(top, "worse", c->n_worse);
    json_add_integer(top, "better", c->n_better);
    for (int i = 0; i < COMPARE_FIGURES; i++) {
        const struct compare_figure *f = &c->figure[i];
        cJSON *o = cJSON_AddObjectToObject(top, names[i]);
        add_number(o, "a", f->a);
        add_number(o, "b", f->b);
        add_number(o, "difference", f->b - f->a);
        add_number(o, "low", f->low);
        add_number(o, "high", f->high);
    }
    json_print(out, top, 2);
    buf_add_text(out, "\n");
    cJSON_Delete(top);
}
