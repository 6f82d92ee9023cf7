/* checks.c - see checks.h: the arithmetic. checks_read.c reads the checks. */
#include <stdio.h>

#include "stages/confidence/checks_inside.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

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
    size_t star = checks_inside_star(rest);
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

static const char *const kind_name[] = {"sum of", "product of",
                                        "previous balance plus"};

static void print_terms(const struct sum_check *check, struct buf *out)
{
    buf_print(out, "the %s ", kind_name[check->kind]);
    for (int i = 0; i < check->n_term; i++)
        buf_print(out, "%s%s%s", i ? ", " : "", check->term[i].minus ? "-" : "",
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
    buf_add_text(&text, ", but this value is ");
    exact_sum_print(found, &text);
    struct checks_broken *at = &list->at[list->n_broken - 1];
    at->pointer = arena_copy(c->texts, span_of(place));
    at->text = arena_copy(c->texts, buf_span(&text));
    at->in = values_in(c, check, at->pointer, &at->n_in);
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
            if (checks_inside_star(b->rest[i]) == star &&
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
    size_t star = checks_inside_star(rest), size = place->size;
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
            if (checks_inside_same_array(&c->check[i].term[k], t)) return true;
        if (i < check && checks_inside_same_array(&c->check[i].equals, t))
            return true;
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
