/* align_rows.c - see align_rows.h.
 *
 * A row is the set of its values that are not null, each with its pointer in
 * the row; s(a, b) is the number of common values, and its sum over all pairs
 * is to be maximised. Let a and b be equal sets, and a matching pair a with b'
 * and a' with b. Then s(a,b') + s(a',b) = |a & b'| + |a & a'| is at most
 * |a| + |a' & b'| = s(a,b) + s(a',b'): pairing a with b is never worse.
 */
#include "pipeline/eval/align_rows.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/eval/same_value.h"
#include "vlm/base/buf.h"
#include "vlm/base/fnv.h"
#include "vlm/json/json.h"

enum { LEAF_BYTES_MOST = 1 << 27 };

/* The values of a row, each by a hash of pointer and tolerant form, sorted. */
struct align_rows_one {
    uint64_t *leaf;
    int n_leaf;
    uint64_t hash; /* of all leaves */
    int match;     /* index on the other side, or -1 */
};

static void add_leaf(struct align_rows_one *row, uint64_t at, const cJSON *leaf,
                     struct arena *arena)
{
    struct buf text = buf_limit(LEAF_BYTES_MOST);
    same_value_print(leaf, &text);
    *ARENA_ADD(arena, row->leaf, row->n_leaf) =
        fnv_bytes(at, text.data, text.size);
    buf_free(&text);
}

static void add_leaves(struct align_rows_one *row, uint64_t at,
                       const cJSON *value, struct arena *arena)
{
    uint64_t index = 0;
    const cJSON *child = NULL;
    if (same_value_is_null(value)) return;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) {
        add_leaf(row, at, value, arena);
        return;
    }
    cJSON_ArrayForEach(child, value)
    {
        const char *key = child->string;
        add_leaves(row,
                   key ? fnv_bytes(fnv_add(at, '/'), key, strlen(key))
                       : fnv_add(fnv_add(at, '#'), index++),
                   child, arena);
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct align_rows_one *hash_rows(const cJSON *array, int n,
                                        struct arena *arena)
{
    struct align_rows_one *all = arena_array(arena, (size_t)n + 1, sizeof *all);
    int i = 0;
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, array)
    {
        struct align_rows_one *row = &all[i++];
        add_leaves(row, FNV_START, child, arena);
        size_t n_leaf = (size_t)row->n_leaf;
        if (n_leaf) qsort(row->leaf, n_leaf, sizeof *row->leaf, by_value);
        row->hash = fnv_bytes(FNV_START, row->leaf, n_leaf * sizeof *row->leaf);
        row->match = -1;
    }
    return all;
}

static int n_shared(const struct align_rows_one *a,
                    const struct align_rows_one *b)
{
    int n = 0;
    for (int i = 0, k = 0; i < a->n_leaf && k < b->n_leaf;) {
        uint64_t x = a->leaf[i], y = b->leaf[k];
        n += x == y;
        i += x <= y;
        k += y <= x;
    }
    return n;
}

/* --- equal rows ---------------------------------------------------------- */

struct align_rows_order {
    uint64_t hash;
    int row;
};

static int by_hash(const void *a, const void *b)
{
    const struct align_rows_order *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->row - y->row;
}

static struct align_rows_order *sort_by_hash(const struct align_rows_one *row,
                                             int n, struct arena *arena)
{
    struct align_rows_order *all =
        arena_array(arena, (size_t)n + 1, sizeof *all);
    for (int i = 0; i < n; i++)
        all[i] = (struct align_rows_order){row[i].hash, i};
    qsort(all, (size_t)n, sizeof *all, by_hash);
    return all;
}

static void match_equal(struct align_rows_one *a, int n_a,
                        struct align_rows_one *b, int n_b, struct arena *arena)
{
    const struct align_rows_order *x = sort_by_hash(a, n_a, arena);
    const struct align_rows_order *y = sort_by_hash(b, n_b, arena);
    for (int i = 0, k = 0; i < n_a && k < n_b;) {
        if (x[i].hash == y[k].hash && a[x[i].row].n_leaf) {
            a[x[i].row].match = y[k].row;
            b[y[k].row].match = x[i].row;
        }
        bool next_a = x[i].hash <= y[k].hash, next_b = y[k].hash <= x[i].hash;
        i += next_a;
        k += next_b;
    }
}

/* --- the rest ------------------------------------------------------------ */

/* State of the Hungarian method (Kuhn and Munkres, with potentials; n^2 m
 * steps): assigns each of n rows one of m >= n columns. Counted from 1. */
struct align_rows_costs {
    int n, m;
    const int64_t *cost; /* [n][m] */
    int64_t *of_row, *of_column, *slack;
    int *row_of, *way; /* of a column: its row; the previous column */
    bool *used;
};

static struct align_rows_costs costs_new(int n, int m, const int64_t *cost,
                                         struct arena *arena)
{
    size_t n_column = (size_t)m + 1;
    return (struct align_rows_costs){
        .n = n,
        .m = m,
        .cost = cost,
        .of_row = arena_array(arena, (size_t)n + 1, sizeof(int64_t)),
        .of_column = arena_array(arena, n_column, sizeof(int64_t)),
        .slack = arena_array(arena, n_column, sizeof(int64_t)),
        .row_of = arena_array(arena, n_column, sizeof(int)),
        .way = arena_array(arena, n_column, sizeof(int)),
        .used = arena_array(arena, n_column, sizeof(bool))};
}

/* The cheapest unused column from the column `at`; updates the potentials so
 * that it costs nothing. */
static int next_column(struct align_rows_costs *c, int at)
{
    int row = c->row_of[at], next = 0;
    int64_t least = INT64_MAX;
    for (int j = 1; j <= c->m; j++) {
        if (c->used[j]) continue;
        int64_t now =
            c->cost[(size_t)(row - 1) * (size_t)c->m + (size_t)j - 1] -
            c->of_row[row] - c->of_column[j];
        if (now < c->slack[j]) {
            c->slack[j] = now;
            c->way[j] = at;
        }
        if (c->slack[j] < least) {
            least = c->slack[j];
            next = j;
        }
    }
    for (int j = 0; j <= c->m; j++) {
        if (c->used[j]) {
            c->of_row[c->row_of[j]] += least;
            c->of_column[j] -= least;
        } else {
            c->slack[j] -= least;
        }
    }
    return next;
}

static void assign_row(struct align_rows_costs *c, int row)
{
    int at = 0;
    c->row_of[0] = row;
    for (int j = 0; j <= c->m; j++) {
        c->slack[j] = INT64_MAX / 4;
        c->used[j] = false;
    }
    do {
        c->used[at] = true;
        at = next_column(c, at);
    } while (c->row_of[at]);
    for (; at; at = c->way[at])
        c->row_of[at] = c->row_of[c->way[at]];
}

/* The rows of one side without a match. */
static int *unmatched_rows(const struct align_rows_one *row, int n, int *n_rest,
                           struct arena *arena)
{
    int *rest = arena_array(arena, (size_t)n + 1, sizeof *rest);
    *n_rest = 0;
    for (int i = 0; i < n; i++)
        if (row[i].match < 0) rest[(*n_rest)++] = i;
    return rest;
}

static void match_pair(struct align_rows_one *a, struct align_rows_one *b,
                       int i, int k)
{
    a[i].match = k;
    b[k].match = i;
}

/* n <= m. Common values count first, then the distance of the rows. */
static void match_best(struct align_rows_one *a, const int *i, int n,
                       struct align_rows_one *b, const int *k, int m,
                       struct arena *arena)
{
    int64_t *cost = arena_array(arena, (size_t)n * (size_t)m, sizeof *cost);
    int64_t most = 0;
    for (int x = 0; x < n; x++)
        for (int y = 0; y < m; y++)
            if (most < llabs((int64_t)i[x] - k[y]))
                most = llabs((int64_t)i[x] - k[y]);
    for (int x = 0; x < n; x++)
        for (int y = 0; y < m; y++)
            cost[(size_t)x * (size_t)m + (size_t)y] =
                llabs((int64_t)i[x] - k[y]) -
                (most * n + 1) * n_shared(&a[i[x]], &b[k[y]]);
    struct align_rows_costs c = costs_new(n, m, cost, arena);
    for (int row = 1; row <= n; row++)
        assign_row(&c, row);
    for (int j = 1; j <= m; j++)
        if (c.row_of[j]) match_pair(a, b, i[c.row_of[j] - 1], k[j - 1]);
}

static void match_rest(struct align_rows_one *a, int n_a,
                       struct align_rows_one *b, int n_b, struct arena *arena)
{
    int n, m;
    const int *i = unmatched_rows(a, n_a, &n, arena);
    const int *k = unmatched_rows(b, n_b, &m, arena);
    if (!n || !m) return;
    if (n > ALIGN_ROWS_MAX || m > ALIGN_ROWS_MAX)
        for (int x = 0; x < n && x < m; x++)
            match_pair(a, b, i[x], k[x]);
    else if (n <= m)
        match_best(a, i, n, b, k, m, arena);
    else
        match_best(b, k, m, a, i, n, arena);
}

int *align_rows(const cJSON *expected, const cJSON *given, struct arena *arena)
{
    struct arena *own = arena_new();
    int n = cJSON_GetArraySize(expected), m = cJSON_GetArraySize(given);
    struct align_rows_one *a = hash_rows(expected, n, own);
    struct align_rows_one *b = hash_rows(given, m, own);
    int *match = arena_array(arena, (size_t)n + 1, sizeof *match);
    match_equal(a, n, b, m, own);
    match_rest(a, n, b, m, own);
    for (int i = 0; i < n; i++)
        match[i] = a[i].match;
    arena_free(own);
    return match;
}

int *align_rows_in_order(int n_expected, int n_given, struct arena *arena)
{
    int *match = arena_array(arena, (size_t)n_expected + 1, sizeof *match);
    for (int i = 0; i < n_expected; i++)
        match[i] = i < n_given ? i : -1;
    return match;
}
