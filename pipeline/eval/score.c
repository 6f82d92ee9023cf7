/* score.c - see score.h. */
#include "pipeline/eval/score.h"

#include "pipeline/eval/align_rows.h"
#include "pipeline/eval/same_value.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { POINTER_BYTES_MOST = 1 << 20 };

struct scoring {
    enum score_rows rows;
    bool unread;
    struct buf field, expected_at, given_at;
    struct arena *arena;
    score_sink *sink;
    void *arg;
};

/* Lengths of the three pointers, to reset them after a step. */
struct scoring_position {
    size_t field, expected_at, given_at;
};

/* Is the value in a row that only one side has? */
enum scoring_side { SIDE_BOTH, SIDE_EXPECTED, SIDE_GIVEN };

static void walk(struct scoring *s, const cJSON *expected, const cJSON *given,
                 enum scoring_side side);

static struct scoring_position position(const struct scoring *s)
{
    return (struct scoring_position){s->field.size, s->expected_at.size,
                                     s->given_at.size};
}

static void reset_position(struct scoring *s, struct scoring_position place)
{
    buf_cut(&s->field, place.field);
    buf_cut(&s->expected_at, place.expected_at);
    buf_cut(&s->given_at, place.given_at);
}

static void report_leaf(struct scoring *s, const cJSON *expected,
                        const cJSON *given, enum scoring_side side)
{
    bool no_null = side == SIDE_GIVEN || s->unread;
    bool wrong =
        no_null && same_value_is_null(expected) && same_value_is_null(given);
    struct score_leaf leaf = {
        .field = buf_span(&s->field).data,
        .expected_at =
            side != SIDE_GIVEN ? buf_span(&s->expected_at).data : NULL,
        .given_at = side != SIDE_EXPECTED ? buf_span(&s->given_at).data : NULL,
        .expected = expected,
        .given = given,
        .surplus = side == SIDE_GIVEN,
        .exact = !wrong && same_value_exactly(expected, given)};
    leaf.tolerant =
        leaf.exact || (!wrong && same_value_tolerantly(expected, given));
    s->sink(s->arg, &leaf);
}

static void walk_member(struct scoring *s, const char *key,
                        const cJSON *expected, const cJSON *given,
                        enum scoring_side side)
{
    struct scoring_position place = position(s);
    json_pointer_add(&s->field, key);
    json_pointer_add(&s->expected_at, key);
    json_pointer_add(&s->given_at, key);
    walk(s, expected, given, side);
    reset_position(s, place);
}

static void walk_object(struct scoring *s, const cJSON *expected,
                        const cJSON *given, enum scoring_side side)
{
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, expected)
    {
        walk_member(s, child->string, child, json_get(given, child->string),
                    side);
    }
    cJSON_ArrayForEach(child, given)
    {
        if (!json_get(expected, child->string))
            walk_member(s, child->string, NULL, child, side);
    }
}

/* Index below 0: this side has no such row. */
static void walk_row(struct scoring *s, int i, const cJSON *expected, int k,
                     const cJSON *given, enum scoring_side side)
{
    struct scoring_position place = position(s);
    buf_add_text(&s->field, "/*");
    if (i >= 0) json_pointer_add_index(&s->expected_at, i);
    if (k >= 0) json_pointer_add_index(&s->given_at, k);
    if (side == SIDE_BOTH && k < 0) side = SIDE_EXPECTED;
    if (side == SIDE_BOTH && i < 0) side = SIDE_GIVEN;
    walk(s, expected, given, side);
    reset_position(s, place);
}

static const cJSON **list_rows(const cJSON *array, int n, struct arena *arena)
{
    const cJSON **row = arena_array(arena, (size_t)n + 1, sizeof *row);
    const cJSON *child = NULL;
    n = 0;
    cJSON_ArrayForEach(child, array)
    {
        row[n++] = child;
    }
    return row;
}

static void walk_array(struct scoring *s, const cJSON *expected,
                       const cJSON *given, enum scoring_side side)
{
    int n = cJSON_GetArraySize(expected), m = cJSON_GetArraySize(given);
    const cJSON **row = list_rows(given, m, s->arena);
    bool *taken = arena_array(s->arena, (size_t)m + 1, sizeof *taken);
    const int *match = s->rows == SCORE_IN_ORDER
                           ? align_rows_in_order(n, m, s->arena)
                           : align_rows(expected, given, s->arena);
    int i = 0;
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, expected)
    {
        int k = match[i];
        walk_row(s, i, child, k, k < 0 ? NULL : row[k], side);
        if (k >= 0) taken[k] = true;
        i++;
    }
    for (int k = 0; k < m; k++)
        if (!taken[k]) walk_row(s, -1, NULL, k, row[k], side);
}

static const cJSON *of_type(const cJSON *value, int type)
{
    return value && (value->type & 0xFF) == type ? value : NULL;
}

/* Values of different types are reported separately. */
static void walk(struct scoring *s, const cJSON *expected, const cJSON *given,
                 enum scoring_side side)
{
    const cJSON *e = of_type(expected, cJSON_Object);
    const cJSON *g = of_type(given, cJSON_Object);
    if (e || g) walk_object(s, e, g, side);
    bool object_e = e != NULL, object_g = g != NULL;
    e = of_type(expected, cJSON_Array);
    g = of_type(given, cJSON_Array);
    if (e || g) walk_array(s, e, g, side);
    object_e |= e != NULL;
    object_g |= g != NULL;
    if (object_e && object_g) return;
    if (object_e && same_value_is_null(given)) return;
    if (object_g && same_value_is_null(expected)) return;
    report_leaf(s, object_e ? NULL : expected, object_g ? NULL : given, side);
}

void score_values(const cJSON *expected, const cJSON *given,
                  enum score_rows rows, score_sink *sink, void *arg)
{
    struct scoring s = {.rows = rows,
                        .unread = !given,
                        .field = buf_limit(POINTER_BYTES_MOST),
                        .expected_at = buf_limit(POINTER_BYTES_MOST),
                        .given_at = buf_limit(POINTER_BYTES_MOST),
                        .arena = arena_new(),
                        .sink = sink,
                        .arg = arg};
    walk(&s, expected, given, SIDE_BOTH);
    buf_free(&s.field);
    buf_free(&s.expected_at);
    buf_free(&s.given_at);
    arena_free(s.arena);
}
