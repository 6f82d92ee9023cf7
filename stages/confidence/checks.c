/* checks.c - see checks.h: the arithmetic. checks.c reads the checks. */
#include "stages/confidence/checks.h"

#include <stdio.h>

#include "stages/confidence/earlier.h"
#include "vlm/base/buf.h"
#include "vlm/base/exact_sum.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { TERM_MAX = 16, CHECK_MAX = 64, BROKEN_MAX = 32 };

enum check_kind { CHECK_SUM, CHECK_PRODUCT, CHECK_RUNNING };

/* A pointer in which a token can be a star. */
struct term {
    const char *pointer;
    const char *name;  /* last token of the pointer, for people */
    size_t array_size; /* bytes before the first star; 0: no star */
    bool minus, optional;
};

/* A sum, or unknown because a value is missing or too large. */
struct tally {
    struct exact_sum sum;
    bool unknown;
    long long n_added;
};

/* Places where a check is broken, and how often it could be calculated. */
struct broken_list {
    struct checks_broken at[BROKEN_MAX];
    long long n_broken, n_asked, n_unknown;
};

/* State of a running balance. Both orders of the rows are followed. */
struct running {
    struct exact_sum balance; /* last known balance */
    bool is_known, is_begun;
    struct tally first; /* sum since that balance if the oldest row is first:
                         * without the balance's row, with the current one */
    struct tally last;  /* the same if the oldest row is last: with the
                         * balance's row, without the current one */
    struct tally row;   /* sum of the current row */
    const char *place;  /* pointer of that balance */
    const char *other;  /* pointer of the balance compared with it, or NULL */
    struct broken_list when_last; /* broken places if the oldest row is last */
};

struct sum_check {
    enum check_kind kind;
    struct term term[TERM_MAX], equals, from;
    int n_term;
    struct exact_sum tolerance;
    struct tally tally;
    struct running running;
    struct broken_list broken;
};

struct checks {
    const struct schema *schema;
    struct arena *arena;
    struct arena *texts; /* for one run */
    struct sum_check check[CHECK_MAX];
    int n_check;
    const cJSON *value; /* value of the current run */
};

/* --- checks read ----------------------------------------------------------- */

/* Reads the checks of a schema (checks.h). */

/* Index of the pointer's first star; 0: it has none. */
static size_t star_offset(const char *pointer)
{
    const char *at = strstr(pointer, "/*");
    while (at && at[2] && at[2] != '/')
        at = strstr(at + 2, "/*");
    return at ? (size_t)(at - pointer) + 1 : 0;
}

/* Are both in rows of the same array, or both in none? */
static bool same_array(const struct term *a, const struct term *b)
{
    return a->array_size == b->array_size &&
           !memcmp(a->pointer, b->pointer, a->array_size);
}

struct checks_reader {
    struct checks *c;
    struct err *err;
    int number; /* current check, from 0 */
};

static void refuse_check(struct checks_reader *r, const char *what,
                         const char *name)
{
    err_reason(r->err, ERR_CONFIG, "schema-refused",
               "schema %s: x-platen-check/%d: %s%s%s%s",
               schema_name(r->c->schema), r->number, what, *name ? " \"" : "",
               name, *name ? "\"" : "");
}

/* Can the node's values have members that its properties do not name? Members
 * that are merely not forbidden do not count: they are never generated, and a
 * pointer to one is a typing error. */
static bool allows_more(const cJSON *node)
{
    static const char *const says[] = {"additionalProperties",
                                       "patternProperties",
                                       "allOf",
                                       "anyOf",
                                       "oneOf",
                                       "then",
                                       "else"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        const cJSON *more = json_get(node, says[i]);
        if (more && !cJSON_IsFalse(more)) return true;
    }
    return false;
}

/* Does the pointer lead to something that can be a number or a text? */
static bool can_be_value(const struct schema *s, const char *pointer,
                         struct arena *arena)
{
    struct span token;
    const cJSON *node = schema_follow_nullable(s, schema_root(s));
    while (json_pointer_next(&pointer, &token)) {
        const char *key = json_pointer_text(token, arena);
        bool star = !strcmp(key, "*");
        const cJSON *next = star ? json_get(node, "items")
                                 : json_get(json_get(node, "properties"), key);
        if (!next) return !star && allows_more(node);
        node = schema_follow_nullable(s, next);
    }
    const char *type = json_get_text(node, "type");
    return !*pointer &&
           !(type && (!strcmp(type, "object") || !strcmp(type, "array") ||
                      !strcmp(type, "boolean")));
}

static struct term read_term(struct checks_reader *r, const cJSON *json)
{
    struct term t = {.pointer = "", .name = ""};
    if (err_failed(r->err)) return t;
    if (!cJSON_IsString(json)) {
        refuse_check(r, "takes JSON pointers", "");
        return t;
    }
    t.minus = *json->valuestring == '-';
    t.pointer = json->valuestring + t.minus;
    const char *slash = strrchr(t.pointer, '/');
    t.name = slash ? slash + 1 : t.pointer;
    t.array_size = star_offset(t.pointer);
    if (!can_be_value(r->c->schema, t.pointer, r->c->arena))
        refuse_check(r, "the schema has no number at", t.pointer);
    return t;
}

static bool is_optional(const cJSON *optional, const struct term *t)
{
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, optional)
    {
        if (cJSON_IsString(each) && !strcmp(each->valuestring, t->pointer))
            return true;
    }
    return false;
}

static void read_terms(struct checks_reader *r, struct sum_check *check,
                       const cJSON *terms, const cJSON *optional)
{
    const cJSON *each = cJSON_IsArray(terms) ? terms->child : terms;
    for (; each && !err_failed(r->err);
         each = cJSON_IsArray(terms) ? each->next : NULL) {
        if (check->n_term == TERM_MAX) {
            refuse_check(r, "has more than 16 terms", "");
            return;
        }
        struct term *t = &check->term[check->n_term++];
        *t = read_term(r, each);
        t->optional = is_optional(optional, t);
    }
    if (!check->n_term) refuse_check(r, "has no terms", "");
}

/* Are the stars of the pointers compatible? */
static void check_stars(struct checks_reader *r, const struct sum_check *check)
{
    if (check->kind == CHECK_RUNNING && !check->equals.array_size)
        refuse_check(r, "a running balance must be in rows, not at",
                     check->equals.pointer);
    for (int i = 0; i < check->n_term && !err_failed(r->err); i++) {
        const struct term *t = &check->term[i];
        bool bound = same_array(t, &check->equals);
        if (t->array_size && !bound &&
            (check->equals.array_size || check->kind != CHECK_SUM))
            refuse_check(r,
                         "is not in the same rows as \"equals\":", t->pointer);
    }
}

static void read_tolerance(struct checks_reader *r, struct sum_check *check,
                           const cJSON *json)
{
    if (!json) return;
    const char *text = cJSON_IsString(json)   ? json->valuestring
                       : cJSON_IsNumber(json) ? json_number(json)
                                              : "";
    if (!exact_sum_read(text, &check->tolerance))
        refuse_check(r, "\"tolerance\" is not a decimal number", "");
}

static void check_keys(struct checks_reader *r, const cJSON *json)
{
    static const char known[] =
        " sum product running from equals tolerance optional ";
    const cJSON *each = NULL;
    int n_kind = !!json_get(json, "sum") + !!json_get(json, "product") +
                 !!json_get(json, "running");
    if (n_kind != 1 || !json_get(json, "equals"))
        refuse_check(r, "needs one of sum, product, running, and equals", "");
    cJSON_ArrayForEach(each, json)
    {
        char key[16];
        int n = snprintf(key, sizeof key, " %s ", each->string);
        if (n >= (int)sizeof key || !strstr(known, key))
            refuse_check(r, "unknown key", each->string);
    }
}

/* --- checks against earlier documents (earlier.h) ------------------------- */

static void check_pointer(struct checks_reader *r, const cJSON *json)
{
    const char *pointer = cJSON_IsString(json) ? json->valuestring : "";
    if (err_failed(r->err)) return;
    if (*pointer != '/' || star_offset(pointer))
        refuse_check(r, "takes JSON pointers without a star", "");
    else if (strlen(pointer) > EARLIER_POINTER_BYTES)
        refuse_check(r, "has too long a pointer,", pointer);
    else if (!can_be_value(r->c->schema, pointer, r->c->arena))
        refuse_check(r, "the schema has no text or number at", pointer);
}

static void check_earlier(struct checks_reader *r, const cJSON *json)
{
    const cJSON *unique = json_get(json, "unique"),
                *same = json_get(json, "same"), *by = json_get(json, "by"),
                *list = unique ? unique : same, *each = NULL;
    int n = cJSON_GetArraySize(list);
    if (cJSON_GetArraySize(json) != (unique ? 1 : 2) || (!unique && !by))
        refuse_check(r, "needs just unique, or same and by", "");
    else if (!cJSON_IsArray(list) || !n || n > EARLIER_POINTERS)
        refuse_check(r, "takes a list of 1 to 8 pointers", "");
    if (by) check_pointer(r, by);
    cJSON_ArrayForEach(each, list)
    {
        check_pointer(r, each);
    }
}

/* -------------------------------------------------------------------------- */

static void read_check(struct checks_reader *r, const cJSON *json)
{
    if (earlier_is_check(json)) {
        check_earlier(r, json);
        return;
    }
    static const char *const kinds[] = {"sum", "product", "running"};
    struct sum_check *check = &r->c->check[r->c->n_check++];
    const cJSON *terms = NULL, *from = json_get(json, "from");
    check_keys(r, json);
    for (int i = 0; i < 3 && !terms; i++) {
        terms = json_get(json, kinds[i]);
        check->kind = (enum check_kind)i;
    }
    read_terms(r, check, terms, json_get(json, "optional"));
    check->equals = read_term(r, json_get(json, "equals"));
    if (from) check->from = read_term(r, from);
    if (from && (check->kind != CHECK_RUNNING || check->from.array_size))
        refuse_check(r, "\"from\" is only for a running balance, outside rows",
                     "");
    read_tolerance(r, check, json_get(json, "tolerance"));
    if (!err_failed(r->err)) check_stars(r, check);
}

struct checks *checks_new(const struct schema *schema, struct err *err)
{
    if (err_failed(err)) return NULL;
    const cJSON *all = json_get(schema_root(schema), "x-platen-check");
    const cJSON *json = NULL;
    if (!all) return NULL;
    struct checks *c = mem_alloc(1, sizeof *c);
    c->schema = schema;
    c->arena = arena_new();
    c->texts = arena_new();
    struct checks_reader r = {.c = c, .err = err};
    cJSON_ArrayForEach(json, all)
    {
        if (r.number == CHECK_MAX) refuse_check(&r, "more than 64 checks", "");
        if (!err_failed(err)) read_check(&r, json);
        r.number++;
    }
    if (!err_failed(err)) return c;
    checks_free(c);
    return NULL;
}

void checks_free(struct checks *c)
{
    if (!c) return;
    arena_free(c->arena);
    arena_free(c->texts);
    mem_free(c);
}

/* --- checks ---------------------------------------------------------------- */

enum { TEXT_MAX = 1 << 16 };

/* --- sums ---------------------------------------------------------------- */

static void tally_add(struct tally *t, struct exact_sum d, bool minus)
{
    struct exact_sum sum;
    bool fits = minus ? exact_sum_subtract(t->sum, d, &sum)
                      : exact_sum_add(t->sum, d, &sum);
    t->unknown |= !fits;
    if (fits) t->sum = sum;
    t->n_added++;
}

static bool read_number(const cJSON *value, struct exact_sum *out)
{
    if (cJSON_IsNumber(value)) return exact_sum_read(json_number(value), out);
    return cJSON_IsString(value) && exact_sum_read(value->valuestring, out);
}

/* The array at the pointer's part before a star, or NULL. */
static const cJSON *find_array(const cJSON *value, const char *pointer,
                               size_t size, struct arena *arena)
{
    const char *path =
        arena_copy(arena, (struct span){pointer, size ? size - 1 : 0});
    const cJSON *array = json_pointer_find(value, path);
    return cJSON_IsArray(array) ? array : NULL;
}

/* Adds the values at the rest of a term's pointer, relative to `value`. */
static void add_below(struct tally *to, const struct term *t, const char *rest,
                      const cJSON *value, struct arena *arena)
{
    struct exact_sum d = {0};
    size_t star = star_offset(rest);
    const cJSON *each = NULL;
    if (!star) {
        if (read_number(json_pointer_find(value, rest), &d))
            tally_add(to, d, t->minus);
        else
            to->unknown |= !t->optional;
        return;
    }
    cJSON_ArrayForEach(each, find_array(value, rest, star, arena))
    {
        add_below(to, t, rest + star + 1, each, arena);
    }
}

static void multiply_below(struct tally *to, const struct term *t,
                           const char *rest, const cJSON *value)
{
    struct exact_sum d = {0};
    to->unknown |= !read_number(json_pointer_find(value, rest), &d);
    if (!to->unknown && to->n_added)
        to->unknown = !exact_sum_multiply(to->sum, d, &to->sum);
    else
        to->sum = d;
    if (t->minus)
        to->unknown |=
            !exact_sum_subtract((struct exact_sum){0}, to->sum, &to->sum);
    to->n_added++;
}

/* --- broken places ------------------------------------------------------- */

static void print_terms(const struct sum_check *check, struct buf *out)
{
    bool product = check->kind == CHECK_PRODUCT;
    if (check->kind == CHECK_SUM) buf_add_text(out, "the sum of ");
    if (check->kind == CHECK_RUNNING)
        buf_add_text(out, "the previous balance plus ");
    for (int i = 0; i < check->n_term; i++)
        buf_print(out, "%s%s%s",
                  !i        ? ""
                  : product ? " × "
                            : ", ",
                  check->term[i].minus ? "-" : "",
                  check->equals.array_size ? check->term[i].name
                                           : check->term[i].pointer);
}

/* The term's pointer for the element at `place`: stars that it shares with
 * "equals" get the indices that they have in `place`. */
static const char *bound_pointer(const struct checks *c, const struct term *t,
                                 const char *equals, const char *place)
{
    struct buf out = buf_limit(TEXT_MAX);
    const char *own = t->pointer;
    struct span token, wanted, here;
    bool same = true;
    while (json_pointer_next(&own, &token)) {
        same = same && json_pointer_next(&equals, &wanted) &&
               json_pointer_next(&place, &here) && span_equal(token, wanted);
        buf_add_text(&out, "/");
        buf_add(&out, same ? here.data : token.data,
                same ? here.size : token.size);
    }
    const char *text = arena_copy(c->texts, buf_span(&out));
    buf_free(&out);
    return text;
}

/* Pointers of the values in a check, for its "equals" at `place`. */
static const char *const *values_in(const struct checks *c,
                                    const struct sum_check *check,
                                    const char *place, int *n_in)
{
    size_t n = (size_t)check->n_term;
    const char **in = arena_array(c->texts, n + 2, sizeof *in);
    const char *other = check->running.other;
    for (size_t i = 0; i < n; i++)
        in[i] = bound_pointer(c, &check->term[i], check->equals.pointer, place);
    in[n++] = place;
    if (!other) other = check->from.pointer;
    if (other) in[n++] = arena_copy(c->texts, span_of(other));
    *n_in = (int)n;
    return in;
}

static void add_broken(struct checks *c, const struct sum_check *check,
                       struct broken_list *list, const char *place,
                       struct exact_sum wanted, struct exact_sum found)
{
    if (list->n_broken++ >= BROKEN_MAX) return;
    struct buf text = buf_limit(TEXT_MAX);
    print_terms(check, &text);
    buf_add_text(&text, " is ");
    exact_sum_print(wanted, &text);
    buf_print(&text, ", but %s%s is ", check->equals.array_size ? "this " : "",
              check->equals.array_size ? check->equals.name : place);
    exact_sum_print(found, &text);
    struct checks_broken *at = &list->at[list->n_broken - 1];
    at->pointer = arena_copy(c->texts, span_of(place));
    at->text = arena_copy(c->texts, buf_span(&text));
    at->in = values_in(c, check, at->pointer, &at->n_in);
    (void)exact_sum_subtract(found, wanted, &at->over); /* as before: it fits */
    at->tolerance = check->tolerance;
    buf_free(&text);
}

static void compare_sums(struct checks *c, const struct sum_check *check,
                         struct broken_list *list, const char *place,
                         const struct tally *wanted, struct exact_sum found)
{
    struct exact_sum difference;
    bool known = false, within = false;
    if (!wanted->unknown && wanted->n_added &&
        exact_sum_subtract(found, wanted->sum, &difference))
        within = exact_sum_is_within(difference, check->tolerance, &known);
    list->n_asked += known;
    list->n_unknown += !known;
    if (known && !within) add_broken(c, check, list, place, wanted->sum, found);
}

/* --- rows ---------------------------------------------------------------- */

/* The terms for one element of a star of "equals". */
struct bound {
    const cJSON *value[TERM_MAX + 1]; /* the last one is that of "equals" */
    const char *rest[TERM_MAX + 1];   /* of the pointers, relative to value */
};

static struct tally tally_terms(struct checks *c, const struct sum_check *check,
                                const struct bound *b)
{
    struct tally t = {0};
    for (int i = 0; i < check->n_term; i++)
        if (check->kind == CHECK_PRODUCT)
            multiply_below(&t, &check->term[i], b->rest[i], b->value[i]);
        else
            add_below(&t, &check->term[i], b->rest[i], b->value[i], c->texts);
    return t;
}

static void merge_tally(struct tally *to, const struct tally *from)
{
    to->unknown |= from->unknown;
    tally_add(to, from->sum, false);
}

/* Adds a row to a running balance, in both orders. */
static void run_balance(struct checks *c, struct sum_check *check,
                        const struct tally *row, const struct exact_sum *found,
                        const char *place)
{
    struct running *r = &check->running;
    if (r->is_begun) merge_tally(&r->last, &r->row);
    merge_tally(&r->first, row);
    r->row = *row;
    r->is_begun = true;
    if (!found) return;
    struct tally first = r->first, last = r->last;
    if (r->is_known) {
        tally_add(&first, r->balance, false);
        r->other = r->place;
        compare_sums(c, check, &check->broken, place, &first, *found);
        if (r->place) {
            tally_add(&last, *found, false);
            r->other = place;
            compare_sums(c, check, &r->when_last, r->place, &last, r->balance);
        }
        r->other = NULL;
    } else {
        check->broken.n_unknown++;
    }
    r->balance = *found;
    r->is_known = true;
    r->place = arena_copy(c->texts, span_of(place));
    r->first = r->last = (struct tally){0};
}

static void run_element(struct checks *c, struct sum_check *check,
                        const struct bound *b, struct buf *place);

/* Runs the check for all elements of the next array of "equals". */
static void run_elements(struct checks *c, struct sum_check *check,
                         const struct bound *b, size_t star, struct buf *place)
{
    const char *rest = b->rest[check->n_term];
    const cJSON *each = NULL;
    long long index = 0;
    size_t size = place->size;
    buf_add(place, rest, star - 1);
    cJSON_ArrayForEach(
        each, find_array(b->value[check->n_term], rest, star, c->texts))
    {
        struct bound inner = *b;
        size_t at = place->size;
        for (int i = 0; i <= check->n_term; i++)
            if (star_offset(b->rest[i]) == star &&
                !memcmp(b->rest[i], rest, star)) {
                inner.value[i] = each;
                inner.rest[i] = b->rest[i] + star + 1;
            }
        json_pointer_add_index(place, index++);
        run_element(c, check, &inner, place);
        buf_cut(place, at);
    }
    buf_cut(place, size);
}

static void run_element(struct checks *c, struct sum_check *check,
                        const struct bound *b, struct buf *place)
{
    struct exact_sum found;
    const char *rest = b->rest[check->n_term];
    size_t star = star_offset(rest), size = place->size;
    if (star) {
        run_elements(c, check, b, star, place);
        return;
    }
    bool known =
        read_number(json_pointer_find(b->value[check->n_term], rest), &found);
    struct tally t = tally_terms(c, check, b);
    buf_add_text(place, rest);
    if (check->kind == CHECK_RUNNING)
        run_balance(c, check, &t, known ? &found : NULL, buf_span(place).data);
    else if (known)
        compare_sums(c, check, &check->broken, buf_span(place).data, &t, found);
    else
        check->broken.n_unknown++;
    buf_cut(place, size);
}

static bool is_array(const struct term *t, const char *array)
{
    return t->array_size && strlen(array) == t->array_size - 1 &&
           !memcmp(t->pointer, array, t->array_size - 1);
}

static void run_row(struct checks *c, struct sum_check *check,
                    const char *array, long long index, const cJSON *row)
{
    struct bound b;
    struct buf place = buf_limit(TEXT_MAX);
    for (int i = 0; i <= check->n_term; i++) {
        const struct term *t =
            i == check->n_term ? &check->equals : &check->term[i];
        bool here = is_array(t, array);
        b.value[i] = here ? row : c->value;
        b.rest[i] = t->pointer + (here ? t->array_size + 1 : 0);
    }
    buf_add_text(&place, array);
    json_pointer_add_index(&place, index);
    run_element(c, check, &b, &place);
    buf_free(&place);
}

static void check_row(struct checks *c, const char *array, long long index,
                      const cJSON *row)
{
    for (int i = 0; i < c->n_check; i++) {
        struct sum_check *check = &c->check[i];
        if (is_array(&check->equals, array)) {
            run_row(c, check, array, index, row);
            continue;
        }
        for (int k = 0; k < check->n_term; k++) {
            const struct term *t = &check->term[k];
            if (is_array(t, array))
                add_below(&check->tally, t, t->pointer + t->array_size + 1, row,
                          c->texts);
        }
    }
}

/* --- a run --------------------------------------------------------------- */

static void reset_checks(struct checks *c, const cJSON *value)
{
    arena_reset(c->texts);
    c->value = value;
    for (int i = 0; i < c->n_check; i++) {
        struct sum_check *check = &c->check[i];
        check->tally = (struct tally){0};
        check->broken = (struct broken_list){.n_broken = 0};
        check->running = (struct running){.is_begun = false};
        struct running *r = &check->running;
        if (check->from.pointer)
            r->is_known = read_number(
                json_pointer_find(value, check->from.pointer), &r->balance);
    }
}

/* For an "equals" outside rows: adds the terms outside rows and compares. */
static void end_total(struct checks *c, struct sum_check *check)
{
    struct exact_sum found;
    const char *place = check->equals.pointer;
    struct bound b = {.rest = {""}};
    struct tally t = check->tally;
    bool rows = false;
    for (int i = 0; i < check->n_term; i++) {
        b.value[i] = c->value;
        b.rest[i] = check->term[i].pointer;
        rows |= check->term[i].array_size > 0;
    }
    if (rows && !t.n_added) return; /* no rows, nothing to add */
    if (check->kind == CHECK_PRODUCT)
        t = tally_terms(c, check, &b);
    else
        for (int i = 0; i < check->n_term; i++)
            if (!check->term[i].array_size)
                add_below(&t, &check->term[i], b.rest[i], c->value, c->texts);
    if (read_number(json_pointer_find(c->value, place), &found))
        compare_sums(c, check, &check->broken, place, &t, found);
}

/* The oldest row can be first or last: assumes the order that breaks less. */
static void end_running(struct checks *c, struct sum_check *check)
{
    struct running *r = &check->running;
    struct exact_sum from;
    if (r->is_begun) merge_tally(&r->last, &r->row);
    if (r->place && check->from.pointer &&
        read_number(json_pointer_find(c->value, check->from.pointer), &from)) {
        tally_add(&r->last, from, false);
        compare_sums(c, check, &r->when_last, r->place, &r->last, r->balance);
    }
    if (r->when_last.n_broken < check->broken.n_broken)
        check->broken = r->when_last;
}

static void report_broken(struct checks *c, const struct sum_check *check,
                          checks_sink *sink, void *arg)
{
    const struct broken_list *list = &check->broken;
    for (int i = 0; i < BROKEN_MAX && i < list->n_broken; i++)
        sink(arg, &list->at[i]);
    if (list->n_broken <= BROKEN_MAX) return;
    char text[64];
    snprintf(text, sizeof text, "and %lld more like it",
             list->n_broken - BROKEN_MAX);
    struct checks_broken more = {.pointer = check->equals.pointer,
                                 .text = arena_copy(c->texts, span_of(text))};
    more.in = values_in(c, check, more.pointer, &more.n_in);
    sink(arg, &more);
}

static void finish_checks(struct checks *c, checks_sink *sink, void *arg)
{
    for (int i = 0; i < c->n_check; i++) {
        struct sum_check *check = &c->check[i];
        if (!check->equals.array_size)
            end_total(c, check);
        else if (check->kind == CHECK_RUNNING)
            end_running(c, check);
        report_broken(c, check, sink, arg);
    }
}

/* Was the array of this term walked for an earlier term or check? */
static bool is_walked(const struct checks *c, const struct term *t, int check,
                      int term)
{
    for (int i = 0; i <= check; i++) {
        int n = i < check ? c->check[i].n_term : term;
        for (int k = 0; k < n; k++)
            if (same_array(&c->check[i].term[k], t)) return true;
        if (i < check && same_array(&c->check[i].equals, t)) return true;
    }
    return false;
}

static void walk_rows(struct checks *c, const struct term *t,
                      struct json_stream *stream)
{
    long long index = 0;
    const char *array =
        arena_copy(c->arena, (struct span){t->pointer, t->array_size - 1});
    const cJSON *rows =
        find_array(c->value, t->pointer, t->array_size, c->texts);
    const cJSON *each = rows ? json_next(stream, rows, NULL) : NULL;
    for (; each; each = json_next(stream, rows, each))
        check_row(c, array, index++, each);
}

void checks_run(struct checks *c, const cJSON *value,
                struct json_stream *stream, checks_sink *sink, void *arg)
{
    if (!c) return;
    reset_checks(c, value);
    for (int i = 0; i < c->n_check; i++)
        for (int k = 0; k <= c->check[i].n_term; k++) {
            const struct term *t = k == c->check[i].n_term
                                       ? &c->check[i].equals
                                       : &c->check[i].term[k];
            if (t->array_size && !is_walked(c, t, i, k))
                walk_rows(c, t, stream);
        }
    finish_checks(c, sink, arg);
}

void checks_report(struct checks *c,
                   void (*report)(void *arg, const char *const *in, int n_in),
                   void *arg)
{
    for (int i = 0; c && i < c->n_check; i++) {
        const struct sum_check *check = &c->check[i];
        const struct broken_list *list = &check->broken;
        if (!list->n_asked || list->n_unknown || list->n_broken > BROKEN_MAX)
            continue;
        if (list->n_broken && !check->equals.array_size) continue;
        int n_in = 0;
        const char *const *in =
            values_in(c, check, check->equals.pointer, &n_in);
        report(arg, in, n_in);
    }
}
