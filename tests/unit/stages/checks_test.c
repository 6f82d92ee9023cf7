/* checks_test.c - what must add up (stages/confidence/checks.h, vlm/base/exact_sum.h). */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/confidence/checks.h"
#include "vlm/base/buf.h"
#include "vlm/base/exact_sum.h"
#include "vlm/json/json.h"

/* --- decimals --------------------------------------------------------------- */

static void decimals_are_exact_or_refused(void **state)
{
    static const struct {
        const char *text, *printed;
    } all[] = {{"0.10", "0.10"},
               {"-12.5", "-12.5"},
               {"1e3", "1000"},
               {"1.5E+2", "150"},
               {"25e-1", "2.5"},
               {"-0", "0"},
               {"0e9999", "0"},
               {"9223372036854775807", "9223372036854775807"},
               {"0.000000000000000001", "0.000000000000000001"},
               {"1.0000000000000000000000", "1.000000000000000000"},
               {"1.0000000000000000000001", NULL},
               {"9223372036854775808", NULL},
               {"1e19", NULL},
               {"1e-19", NULL},
               {"1e99999", NULL},
               {"", NULL},
               {"-", NULL},
               {"1.", NULL},
               {".5", NULL},
               {"1e", NULL},
               {"1,5", NULL},
               {"12 ", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct exact_sum d;
        struct buf out = buf_limit(100);
        bool read = exact_sum_read(all[i].text, &d);
        assert_int_equal(read, all[i].printed != NULL);
        if (read) {
            exact_sum_print(d, &out);
            assert_string_equal(buf_span(&out).data, all[i].printed);
        }
        buf_free(&out);
    }
}

static struct exact_sum number(const char *text)
{
    struct exact_sum d;
    assert_true(exact_sum_read(text, &d));
    return d;
}

static void ten_times_a_tenth_is_one(void **state)
{
    struct exact_sum sum = {0}, tenth = number("0.1"), product;
    bool known;
    (void)state;
    for (int i = 0; i < 10; i++)
        assert_true(exact_sum_add(sum, tenth, &sum));
    assert_true(exact_sum_subtract(sum, number("1"), &sum));
    assert_true(exact_sum_is_within(sum, (struct exact_sum){0}, &known) &&
                known);
    assert_true(exact_sum_multiply(number("3.000"), number("-0.35"), &product));
    assert_int_equal(product.n, -105);
    assert_int_equal(product.scale, 2);
    assert_false(exact_sum_multiply(number("4000000000"), number("4000000000"),
                                    &product));
    assert_false(
        exact_sum_add(number("9223372036854775807"), number("1"), &product));
}

/* --- checks ----------------------------------------------------------------- */

#define ROOT                                                                  \
    "{\"type\":\"object\",\"properties\":{"                                   \
    "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\","           \
    "\"properties\":{\"n\":{\"type\":[\"number\",\"null\"]},"                 \
    "\"price\":{\"type\":[\"number\",\"string\",\"null\"]},"                  \
    "\"amount\":{\"type\":[\"number\",\"null\"]},"                            \
    "\"parts\":{\"type\":\"array\",\"items\":{\"type\":\"object\","           \
    "\"properties\":{\"n\":{\"type\":\"number\"},"                            \
    "\"price\":{\"type\":\"number\"},\"amount\":{\"type\":\"number\"}}}}}}}," \
    "\"net\":{\"anyOf\":[{\"type\":\"number\"},{\"type\":\"null\"}]},"        \
    "\"paid\":{\"type\":[\"number\",\"null\"]},"                              \
    "\"total\":{\"type\":[\"number\",\"null\"]},\"a/b\":{\"type\":"           \
    "\"number\"}},\"additionalProperties\":false,\"x-platen-check\":["

static void add_line(void *arg, const struct checks_broken *broken)
{
    buf_print(arg, "%s: %s\n", broken->pointer, broken->text);
}

static cJSON *value_of(const char *text)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(text), &err);
    test_ok(&err);
    return value;
}

static struct schema *schema_of(const char *checks)
{
    struct err err = {0};
    struct buf text = buf_limit(1 << 16);
    buf_print(&text, "%s%s]}", ROOT, checks);
    struct schema *s =
        schema_parse(buf_span(&text), "s", &(struct schema_options){0}, &err);
    test_ok(&err);
    buf_free(&text);
    return s;
}

/* The rows that come one at a time, each gone before the next. */
struct comes {
    struct json_stream stream;
    const cJSON *rows, *empty;
    cJSON *row;
    int at;
};

static const cJSON *next_row(struct json_stream *stream, const cJSON *group,
                             const cJSON *child)
{
    struct comes *s = (struct comes *)stream;
    if (group != s->empty) return child ? child->next : group->child;
    s->at = child ? s->at + 1 : 0;
    cJSON_Delete(s->row);
    const cJSON *row = cJSON_GetArrayItem(s->rows, s->at);
    return s->row = row ? cJSON_Duplicate(row, true) : NULL;
}

static int count_rows(struct json_stream *stream, const cJSON *group)
{
    const struct comes *s = (const struct comes *)stream;
    return group == s->empty ? cJSON_GetArraySize(s->rows) : -1;
}

/* The same, the rows by a stream. */
static void run_by_rows(struct checks *c, const cJSON *value, struct buf *out)
{
    cJSON *rest = cJSON_Duplicate(value, true);
    cJSON *rows = cJSON_DetachItemFromObject(rest, "items");
    struct comes s = {.stream = {next_row, count_rows},
                      .rows = rows,
                      .empty = cJSON_AddArrayToObject(rest, "items")};
    checks_run(c, rest, rows ? &s.stream : NULL, add_line, out);
    cJSON_Delete(s.row);
    cJSON_Delete(rows);
    cJSON_Delete(rest);
}

static void says(const char *checks, const char *text, const char *wanted)
{
    struct err err = {0};
    struct schema *s = schema_of(checks);
    struct checks *c = checks_new(s, &err);
    cJSON *value = value_of(text);
    struct buf whole = buf_limit(1 << 16), rows = buf_limit(1 << 16);
    test_ok(&err);
    checks_run(c, value, NULL, add_line, &whole);
    run_by_rows(c, value, &rows);
    assert_string_equal(buf_span(&whole).data ? buf_span(&whole).data : "",
                        wanted);
    assert_string_equal(buf_span(&rows).data ? buf_span(&rows).data : "",
                        wanted);
    buf_free(&whole);
    buf_free(&rows);
    cJSON_Delete(value);
    checks_free(c);
    schema_free(s);
}

static void a_total_is_the_sum_of_its_rows(void **state)
{
    static const char check[] =
        "{\"sum\":\"/items/*/amount\",\"equals\":\"/net\"}";
    (void)state;
    says(check, "{\"items\":[{\"amount\":0.1},{\"amount\":0.2}],\"net\":0.3}",
         "");
    says(check, "{\"items\":[{\"amount\":0.1},{\"amount\":0.2}],\"net\":0.31}",
         "/net: the sum of /items/*/amount is 0.3, but /net is 0.31\n");
    /* nothing can be said */
    says(check, "{\"items\":[{\"amount\":0.1},{\"amount\":null}],\"net\":1}",
         "");
    says(check, "{\"items\":[{\"amount\":0.1}],\"net\":null}", "");
    says(check, "{\"items\":[],\"net\":5}", "");
    says(check, "{\"net\":5}", "");
}

static void a_tolerance_is_as_wide_as_it_says(void **state)
{
    static const char check[] = "{\"sum\":[\"/net\",\"-/paid\"],\"equals\":"
                                "\"/total\",\"optional\":[\"/paid\"],"
                                "\"tolerance\":\"0.01\"}";
    (void)state;
    says(check, "{\"net\":10.00,\"paid\":2.5,\"total\":7.51}", "");
    says(check, "{\"net\":10.00,\"paid\":2.5,\"total\":7.49}", "");
    says(check, "{\"net\":10.00,\"paid\":2.5,\"total\":7.52}",
         "/total: the sum of /net, -/paid is 7.50, but /total is 7.52\n");
    says(check, "{\"net\":10.00,\"paid\":null,\"total\":10}", "");
    says(check, "{\"net\":10.00,\"total\":11}",
         "/total: the sum of /net, -/paid is 10.00, but /total is 11\n");
    says(check, "{\"net\":null,\"total\":11}", "");
}

static void a_row_is_its_own_product(void **state)
{
    static const char check[] =
        "{\"product\":[\"/items/*/n\",\"/items/*/price\"],"
        "\"equals\":\"/items/*/amount\"}";
    (void)state;
    says(check,
         "{\"items\":[{\"n\":3,\"price\":1.5,\"amount\":4.5},"
         "{\"n\":2,\"price\":\"1.20\",\"amount\":2.5},"
         "{\"n\":null,\"price\":1,\"amount\":7},"
         "{\"n\":2,\"price\":\"two\",\"amount\":7}]}",
         "/items/1/amount: n × price is 2.4, but this amount is "
         "2.5\n");
}

static void stars_within_rows_are_bound_or_added(void **state)
{
    (void)state;
    says("{\"sum\":\"/items/*/parts/*/amount\",\"equals\":"
         "\"/items/*/amount\"},{\"product\":[\"/items/*/parts/*/n\","
         "\"/items/*/parts/*/price\"],\"equals\":\"/items/*/parts/*/amount\"},"
         "{\"sum\":\"/items/*/parts/*/amount\",\"equals\":\"/total\"}",
         "{\"items\":[{\"amount\":3,\"parts\":[{\"n\":1,\"price\":1,"
         "\"amount\":1},{\"n\":1,\"price\":2,\"amount\":2}]},{\"amount\":9,"
         "\"parts\":[{\"n\":2,\"price\":2,\"amount\":5}]}],\"total\":8}",
         "/items/1/amount: the sum of amount is 5, but this amount is 9\n"
         "/items/1/parts/0/amount: n × price is 4, but this amount is 5\n");
}

static void balances_run_either_way(void **state)
{
    static const char check[] = "{\"running\":\"/items/*/amount\",\"from\":"
                                "\"/net\",\"equals\":\"/items/*/n\"}";
    (void)state;
    says(check,
         "{\"net\":10,\"items\":[{\"amount\":-2,\"n\":8},{\"amount\":5,"
         "\"n\":13},{\"amount\":1,\"n\":null},{\"amount\":1,\"n\":15}]}",
         "");
    /* the oldest last */
    says(check,
         "{\"net\":10,\"items\":[{\"amount\":1,\"n\":15},{\"amount\":1,\"n\":"
         "null},{\"amount\":5,\"n\":13},{\"amount\":-2,\"n\":8}]}",
         "");
    says(check,
         "{\"net\":10,\"items\":[{\"amount\":-2,\"n\":8},{\"amount\":5,"
         "\"n\":18},{\"amount\":1,\"n\":19}]}",
         "/items/1/n: the previous balance plus amount is 13, but this n "
         "is 18\n");
    says(check,
         "{\"net\":10,\"items\":[{\"amount\":1,\"n\":14},{\"amount\":5,"
         "\"n\":13},{\"amount\":-3,\"n\":8}]}",
         "/items/2/n: the previous balance plus amount is 7, but this n is "
         "8\n");
    says(check,
         "{\"items\":[{\"amount\":-2,\"n\":8},{\"amount\":null,\"n\":9},"
         "{\"amount\":1,\"n\":10}]}",
         "");
}

static void many_broken_rows_are_counted(void **state)
{
    struct err err = {0};
    struct schema *s = schema_of("{\"sum\":\"/items/*/n\",\"equals\":"
                                 "\"/items/*/amount\"}");
    struct checks *c = checks_new(s, &err);
    cJSON *value = value_of("{\"items\":[]}");
    struct buf out = buf_limit(1 << 16);
    (void)state;
    for (int i = 0; i < 40; i++)
        cJSON_AddItemToArray(cJSON_GetObjectItem(value, "items"),
                             value_of("{\"n\":1,\"amount\":2}"));
    checks_run(c, value, NULL, add_line, &out);
    assert_non_null(strstr(buf_span(&out).data, "/items/31/amount"));
    assert_null(strstr(buf_span(&out).data, "/items/32/amount"));
    assert_non_null(strstr(buf_span(&out).data, "and 8 more"));
    buf_free(&out);
    cJSON_Delete(value);
    checks_free(c);
    schema_free(s);
}

static void what_is_written_wrong_is_refused(void **state)
{
    static const char *const all[][2] = {
        {"{\"sum\":\"/items/*/amout\",\"equals\":\"/net\"}",
         "no number at \"/items/*/amout\""},
        {"{\"sum\":\"/net\",\"equals\":\"/items\"}", "no number at \"/items\""},
        {"{\"sum\":\"net\",\"equals\":\"/net\"}", "no number at \"net\""},
        {"{\"sum\":\"/net\"}", "needs one of sum"},
        {"{\"sum\":\"/net\",\"product\":\"/net\",\"equals\":\"/net\"}",
         "needs one of sum"},
        {"{\"sum\":\"/net\",\"equals\":\"/net\",\"tolerence\":\"1\"}",
         "unknown key \"tolerence\""},
        {"{\"sum\":\"/net\",\"equals\":\"/net\",\"tolerance\":\"1%\"}",
         "\"tolerance\" is not a decimal"},
        {"{\"sum\":[],\"equals\":\"/net\"}", "has no terms"},
        {"{\"sum\":7,\"equals\":\"/net\"}", "takes JSON pointers"},
        {"{\"running\":\"/net\",\"equals\":\"/net\"}", "must be in rows"},
        {"{\"product\":\"/items/*/n\",\"equals\":\"/net\"}",
         "not in the same rows"},
        {"{\"sum\":\"/items/*/n\",\"equals\":\"/net\",\"from\":\"/net\"}",
         "\"from\""}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct err err = {0};
        struct schema *s = schema_of(all[i][0]);
        if (checks_new(s, &err)) fail_msg("%s is taken", all[i][0]);
        assert_int_equal(err.kind, ERR_CONFIG);
        if (!strstr(err.text, all[i][1])) fail_msg("%s", err.text);
        schema_free(s);
    }
}

/* --- the shipped ones ---------------------------------------------------------- */

#define INVOICE_ROWS                                                  \
    "\"items\":[{\"quantity\":1.5,\"unit_price\":80,\"amount\":120}," \
    "{\"quantity\":61,\"unit_price\":0.5,\"amount\":%s},"             \
    "{\"quantity\":null,\"unit_price\":null,\"amount\":10.004}],"
#define STATEMENT_ROWS                                                       \
    "\"lines\":[{\"amount\":-12.5,\"balance\":87.5},"                        \
    "{\"amount\":40,\"balance\":%s},{\"amount\":-0.01,\"balance\":127.49}]," \
    "\"closing_balance\":%s}"

/* What stands in the place of %s, and the pointers that are broken. */
static const struct {
    const char *schema, *text, *part[2], *broken;
} shipped[] = {
    {"invoice",
     "{" INVOICE_ROWS "\"subtotal\":160.50,\"tax\":30.5,\"total\":%s}",
     {"30.50", "191.00"},
     ""},
    {"invoice",
     "{" INVOICE_ROWS "\"subtotal\":160.50,\"tax\":30.5,\"total\":%s}",
     {"30.50", "191.01"},
     ""}, /* a cent by rounding */
    {"invoice",
     "{" INVOICE_ROWS "\"subtotal\":160.50,\"tax\":30.5,\"total\":%s}",
     {"30.50", "191.10"},
     "/total "},
    {"invoice",
     "{" INVOICE_ROWS "\"subtotal\":160.50,\"tax\":30.5,\"total\":%s}",
     {"35.50", "191.00"},
     "/items/1/amount /subtotal "},
    {"invoice",
     "{" INVOICE_ROWS "\"subtotal\":null,\"tax\":null,\"total\":%s}",
     {"30.50", "191.00"},
     ""},
    {"bank-statement",
     "{\"opening_balance\":100," STATEMENT_ROWS,
     {"127.5", "127.49"},
     ""},
    {"bank-statement",
     "{\"opening_balance\":100," STATEMENT_ROWS,
     {"172.5", "127.49"},
     "/lines/1/balance /lines/2/balance "},
    {"bank-statement",
     "{\"opening_balance\":100," STATEMENT_ROWS,
     {"127.5", "127.50"},
     "/closing_balance "},
    {"bank-statement",
     "{\"opening_balance\":null," STATEMENT_ROWS,
     {"127.5", "99"},
     ""},
};

/* The text with its parts in the places of %s. */
static void fill(const char *form, const char *const part[2], char *out,
                 size_t room)
{
    size_t n = 0, k = 0;
    for (const char *at = form; *at; at++) {
        bool place = at[0] == '%' && at[1] == 's';
        n += (size_t)snprintf(out + n, room - n, "%.*s", place ? 20 : 1,
                              place ? part[k++] : at);
        at += place;
    }
}

static void add_pointer(void *arg, const struct checks_broken *broken)
{
    buf_print(arg, "%s ", broken->pointer);
}

static void shipped_schemas_tell_right_from_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        char below[100], path[4096], text[1000];
        struct err err = {0};
        snprintf(below, sizeof below, "schemas/%s.schema.json",
                 shipped[i].schema);
        fill(shipped[i].text, shipped[i].part, text, sizeof text);
        struct schema *s = schema_load(test_path(path, below),
                                       &(struct schema_options){0}, &err);
        struct checks *c = checks_new(s, &err);
        struct buf out = buf_limit(1000);
        cJSON *value = value_of(text);
        test_ok(&err);
        checks_run(c, value, NULL, add_pointer, &out);
        const char *got = out.size ? buf_span(&out).data : "";
        if (strcmp(got, shipped[i].broken) != 0)
            fail_msg("%s: got \"%s\", want \"%s\"", text, got,
                     shipped[i].broken);
        cJSON_Delete(value);
        buf_free(&out);
        checks_free(c);
        schema_free(s);
    }
}

TEST_GROUP(checks, cmocka_unit_test(decimals_are_exact_or_refused),
           cmocka_unit_test(ten_times_a_tenth_is_one),
           cmocka_unit_test(a_total_is_the_sum_of_its_rows),
           cmocka_unit_test(a_tolerance_is_as_wide_as_it_says),
           cmocka_unit_test(a_row_is_its_own_product),
           cmocka_unit_test(stars_within_rows_are_bound_or_added),
           cmocka_unit_test(balances_run_either_way),
           cmocka_unit_test(many_broken_rows_are_counted),
           cmocka_unit_test(what_is_written_wrong_is_refused),
           cmocka_unit_test(shipped_schemas_tell_right_from_wrong))
