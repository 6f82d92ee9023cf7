/* result.c - see result.h. */
#include "pipeline/eval/result.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "pipeline/eval/align_rows.h"
#include "pipeline/eval/same_value.h"
#include "stages/record/review_items.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* --- score ------------------------------------------------------------- */

/* Compares an expected value with one that was read, leaf by leaf.
 *
 * A field is a pointer with a star in place of each row number:
 * "/items/<*>/price" (<*> stands for a star alone). A missing value counts as
 * null. All values of an unexpected row are wrong; all values of an expected
 * row that was not read are missing.
 */

enum score_rows {
    SCORE_BEST_MATCH, /* compare each row with its match (align_rows.h) */
    SCORE_IN_ORDER    /* compare the i-th row with the i-th */
};

struct score_leaf {
    const char *field;             /* "/items/<*>/price" */
    const char *expected_at;       /* pointer; NULL: the row is not expected */
    const char *given_at;          /* pointer; NULL: the row was not read */
    const cJSON *expected, *given; /* NULL: missing */
    bool surplus;                  /* in an unexpected row */
    bool exact, tolerant;          /* right (same_value.h) */
};

typedef void score_sink(void *arg, const struct score_leaf *leaf);

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

/* Calls sink for every leaf, in the order of `expected`; texts are valid during
 * the call. given NULL: nothing was read, and no null counts as right. */
static void score_values(const cJSON *expected, const cJSON *given,
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

/* --- result ------------------------------------------------------------ */

enum { TEXT_SHOWN_MOST = 300 };

/* A box is right if its IoU with an expected one is at least this. */
static const double overlap_least = 0.5;

struct result *result_new(void)
{
    struct result *r = mem_alloc(1, sizeof *r);
    r->arena = arena_new();
    return r;
}

void result_free(struct result *r)
{
    if (!r) return;
    mem_free(r->document);
    mem_free(r->field);
    mem_free(r->value);
    arena_free(r->arena);
    mem_free(r);
}

static bool is_record(const cJSON *value)
{
    const char *format = json_get_text_or_empty(value, "format");
    return !strncmp(format, "platen-record/", 14) && json_get(value, "data");
}

const cJSON *result_data(const cJSON *value)
{
    return is_record(value) ? json_get(value, "data") : value;
}

/* --- places -------------------------------------------------------------- */

static double result_overlap(struct box a, struct box b)
{
    double w = fmin(a.x + a.w, b.x + b.w) - fmax(a.x, b.x);
    double h = fmin(a.y + a.h, b.y + b.h) - fmax(a.y, b.y);
    double shared = fmax(w, 0) * fmax(h, 0);
    double all = a.w * a.h + b.w * b.h - shared;
    return all > 0 ? shared / all : 0;
}

static bool read_box(const cJSON *evidence, struct box *out)
{
    double side[4];
    const cJSON *box = json_get(evidence, "box");
    if (!cJSON_IsArray(box) || cJSON_GetArraySize(box) != 4) return false;
    for (int i = 0; i < 4; i++) {
        const cJSON *number = cJSON_GetArrayItem(box, i);
        if (!cJSON_IsNumber(number)) return false;
        side[i] = number->valuedouble;
    }
    *out = (struct box){side[0], side[1], side[2], side[3]};
    return true;
}

static int page_number(const cJSON *object)
{
    const cJSON *page = json_get(object, "page");
    return cJSON_IsNumber(page) ? page->valueint : 0;
}

/* The record's field at the pointer, or NULL. */
static const cJSON *field_at(const cJSON *record, const char *pointer)
{
    if (!pointer || !is_record(record)) return NULL;
    return json_get(json_get(record, "fields"), pointer);
}

/* Has the field a box that is not ambiguous? */
static bool is_placed(const cJSON *field)
{
    struct box box;
    const cJSON *first = cJSON_GetArrayItem(json_get(field, "evidence"), 0);
    return first && read_box(first, &box) &&
           strcmp(json_get_text_or_empty(first, "match"), "ambiguous") != 0;
}

static bool boxes_overlap(const cJSON *a, const cJSON *b)
{
    struct box x, y;
    return page_number(a) == page_number(b) && read_box(a, &x) &&
           read_box(b, &y) && result_overlap(x, y) >= overlap_least;
}

static bool is_box_right(const cJSON *expected, const cJSON *given)
{
    const cJSON *a = NULL, *b = NULL;
    cJSON_ArrayForEach(a, json_get(expected, "evidence"))
    {
        cJSON_ArrayForEach(b, json_get(given, "evidence"))
        {
            if (boxes_overlap(a, b)) return true;
        }
    }
    return false;
}

/* --- values -------------------------------------------------------------- */

struct result_adding {
    struct result *r;
    const struct result_source *source;
    struct result_document *document;
};

static int find_field(struct result *r, const char *schema, const char *name)
{
    const char *key = arena_text(r->arena, "%s\n%s", schema, name);
    const int *known = text_table_find(&r->fields, key);
    if (known) return *known;
    int *index = arena_alloc(r->arena, sizeof *index);
    *index = r->n_field;
    *MEM_ADD(r->field, r->n_field) =
        (struct result_field){schema, arena_copy(r->arena, span_of(name))};
    text_table_put(&r->fields, r->arena, key, index);
    return *index;
}

/* JSON of a value, truncated; NULL if it is missing. */
static const char *print_value(struct arena *arena, const cJSON *value)
{
    struct buf text = buf_limit(1 << 27);
    if (!value) return NULL;
    json_print(&text, value, 0);
    const char *all = buf_span(&text).data;
    bool cut = text.size > TEXT_SHOWN_MOST;
    size_t size = cut ? utf8_cut(all, TEXT_SHOWN_MOST) : text.size;
    const char *kept =
        arena_text(arena, "%.*s%s", (int)size, all, cut ? "..." : "");
    buf_free(&text);
    return kept;
}

/* Notes the place of the field, unless one is known. */
static void note_place(struct result_value *v, const cJSON *field)
{
    const cJSON *first = cJSON_GetArrayItem(json_get(field, "evidence"), 0);
    if (v->box.w > 0 || !field) return;
    if (page_number(field)) v->page = page_number(field);
    if (first && read_box(first, &v->box)) v->page = page_number(first);
}

static void note_wrong(struct result *r, struct result_value *v,
                       const struct score_leaf *leaf, const cJSON *expected,
                       const cJSON *given)
{
    const char *at = leaf->given_at ? leaf->given_at : leaf->expected_at;
    v->expected = print_value(r->arena, leaf->expected);
    v->given = print_value(r->arena, leaf->given);
    v->pointer = arena_copy(r->arena, span_of(at));
    note_place(v, given);
    note_place(v, expected);
}

static void add_value(void *arg, const struct score_leaf *leaf)
{
    struct result_adding *a = arg;
    struct result *r = a->r;
    struct result_document *d = a->document;
    const cJSON *given = field_at(a->source->record, leaf->given_at);
    const cJSON *expected = field_at(a->source->expected, leaf->expected_at);
    const cJSON *confidence = json_get(given, "confidence");
    struct result_value *v = MEM_ADD(r->value, r->n_value);
    *v = (struct result_value){
        .document = r->n_document - 1,
        .field = find_field(r, d->schema, leaf->field),
        .expected_null = same_value_is_null(leaf->expected),
        .given_null = same_value_is_null(leaf->given),
        .exact = leaf->exact,
        .tolerant = leaf->tolerant,
        .surplus = leaf->surplus,
        .confidence =
            cJSON_IsNumber(confidence) ? confidence->valuedouble : -1};
    v->true_box = !v->expected_null && json_get(expected, "evidence");
    d->some_boxes |= v->true_box && review_items_is_corrected(expected);
    v->placed = !v->given_null && is_placed(given);
    v->box_hit =
        v->true_box && v->placed && v->exact && is_box_right(expected, given);
    if (!leaf->exact) note_wrong(r, v, leaf, expected, given);
    d->n_value++;
    d->n_exact += v->exact;
    d->n_tolerant += v->tolerant;
    d->n_expected += !v->expected_null;
    d->n_given += !v->given_null;
    d->n_hit += v->exact && !v->expected_null;
}

static void count_in_order(void *arg, const struct score_leaf *leaf)
{
    struct result_adding *a = arg;
    a->document->n_in_order_value++;
    a->document->n_in_order += leaf->exact;
}

/* --- documents ----------------------------------------------------------- */

/* The sum of the numbers in a member of the record. */
static double sum_numbers(const cJSON *record, const char *key)
{
    double sum = 0;
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, json_get(record, key))
    {
        if (cJSON_IsNumber(child)) sum += child->valuedouble;
    }
    return sum;
}

/* A copy of a text below the record's member. */
static const char *text_in(const cJSON *record, const char *member,
                           const char *key, struct arena *arena)
{
    const char *text = json_get_text_or_empty(json_get(record, member), key);
    return arena_copy(arena, span_of(text));
}

void result_add(struct result *r, const struct result_source *source)
{
    struct result_document *d = MEM_ADD(r->document, r->n_document);
    const cJSON *record = source->record;
    struct arena *arena = r->arena;
    *d = (struct result_document){
        .name = arena_copy(arena, span_of(source->name)),
        .schema = arena_copy(arena, span_of(source->schema)),
        .path = source->path ? arena_copy(arena, span_of(source->path)) : NULL,
        .failed =
            source->failed ? arena_copy(arena, span_of(source->failed)) : NULL,
        .sha256 = text_in(record, "source", "sha256", arena),
        .model = text_in(record, "model", "sha256", arena),
        .schema_hash = text_in(record, "schema", "sha256", arena),
        .fitted = json_get(record, "confidence_fit") != NULL,
        .n_page = cJSON_GetArraySize(json_get(record, "pages")),
        .seconds = sum_numbers(record, "seconds"),
        .tokens = sum_numbers(record, "tokens")};
    if (!*d->model) d->model = text_in(record, "model", "name", arena);
    struct result_adding a = {r, source, d};
    const cJSON *expected = result_data(source->expected);
    const cJSON *given = record ? result_data(record) : NULL;
    score_values(expected, given, SCORE_BEST_MATCH, add_value, &a);
    score_values(expected, given, SCORE_IN_ORDER, count_in_order, &a);
}
