/* eval_test.c - values against those expected: same, matched, counted. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/eval/align_rows.h"
#include "pipeline/eval/measure.h"
#include "pipeline/eval/result.h"
#include "pipeline/eval/same_value.h"
#include "vlm/json/json.h"

static cJSON *value(const char *text)
{
    struct err err = {0};
    cJSON *v = json_parse(span_of(text), &err);
    test_ok(&err);
    return v;
}

static void texts_numbers_and_dates_are_the_same(void **state)
{
    static const struct {
        const char *a, *b;
        char how; /* = exactly, ~ tolerantly, ! not at all */
    } each[] = {
        {"1.50", "1.5", '='},
        {"1e2", "100", '='},
        {"0.1", "0.10000000000000001", '!'},
        {"12345678901234567890123456789", "12345678901234567890123456788", '!'},
        {"null", "null", '='},
        {"null", "\"\"", '!'},
        {"null", "false", '!'},
        {"0", "false", '!'},
        {"\"A\"", "\"A\"", '='},
        {"\"Two  Words\"", "\" two words\\n\"", '~'},
        {"\"Stra\u00dfe\"", "\"STRASSE\"", '~'},
        {"\"M\u00fcller\"", "\"Mu\u0308ller\"", '~'},
        {"\"M\u00fcller\"", "\"Muller\"", '!'},
        {"\"two words\"", "\"twowords\"", '!'},
        {"\"2024-01-03\"", "\"3 January 2024\"", '~'},
        {"\"2024-01-13\"", "\"13/01/2024\"", '~'},
        {"\"2024-01-03\"", "\"03/01/2024\"", '!'}, /* or the 1st of March */
        {"\"2024-01-03\"", "\"2024-01-04\"", '!'},
        {"\"2024-01-03\"", "\"2023-01-03\"", '!'},
        {"\"2024-01-03\"", "\"2024-01-03T10:00\"", '!'},
        {"\"1,234.50\"", "1234.5", '~'},
        {"\"1.234,50\"", "\"1,234.50\"", '~'},
        {"\"1.234\"", "1234", '!'}, /* or 1.234 */
        {"1.234", "1234", '!'},
        {"48.64", "68.66", '!'},
        {"4.123", "4.124", '!'},
        {"4.1234", "4.1235", '!'},
        {"4.1", "4.2", '!'},
        {"\"0.50\"", "0.5", '~'},
        {"\"1,234.567\"", "1234.567", '~'},
        {"1e-30", "2e-30", '!'},
        {"1e40", "\"1e40\"", '!'},
        {"\"(12.50)\"", "-12.5", '~'},
        {"\"12.50-\"", "12.5", '!'},
        {"-12.5", "12.5", '!'},
        {"\"-0.00\"", "0", '~'},
        {"\"0123\"", "\"123\"", '!'},
        {"\"12\"", "\"12 %\"", '!'},
        {"\"DE12\"", "\"FR12\"", '!'},
        {"true", "true", '='},
        {"true", "false", '!'},
    };
    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        cJSON *a = value(each[i].a), *b = value(each[i].b);
        bool near = same_value_tolerantly(a, b);
        char how = same_value_exactly(a, b) ? '=' : near ? '~' : '!';
        if (how != each[i].how || same_value_tolerantly(b, a) != (how != '!'))
            fail_msg("%s %c %s, want %c", each[i].a, how, each[i].b,
                     each[i].how);
        cJSON_Delete(a);
        cJSON_Delete(b);
    }
}

/* --- rows ------------------------------------------------------------------ */

/* Values that two rows of small numbers share, as align_rows.h counts them. */
static int shared(const cJSON *a, const cJSON *b)
{
    int n = 0;
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, a)
    {
        const cJSON *other = json_get(b, child->string);
        n += !same_value_is_null(child) && !same_value_is_null(other) &&
             same_value_tolerantly(child, other);
    }
    return n;
}

/* The most that any match of the rows from `i` on shares. */
static int most_shared(const cJSON *a, const cJSON *b, int i, unsigned taken)
{
    int n = cJSON_GetArraySize(a), m = cJSON_GetArraySize(b), most = 0;
    if (i == n) return 0;
    if (n > m) most = most_shared(a, b, i + 1, taken);
    for (int k = 0; k < m; k++) {
        if (taken >> k & 1) continue;
        int now = shared(cJSON_GetArrayItem(a, i), cJSON_GetArrayItem(b, k)) +
                  most_shared(a, b, i + 1, taken | 1u << k);
        if (now > most) most = now;
    }
    return most;
}

static cJSON *random_rows(unsigned *seed, int n)
{
    cJSON *rows = cJSON_CreateArray();
    while (n--) {
        cJSON *row = cJSON_CreateObject();
        for (int key = 0; key < 3; key++) {
            static const char *const name[] = {"a", "b", "c"};
            *seed = *seed * 1664525 + 1013904223;
            unsigned v = *seed >> 24 & 3;
            cJSON_AddItemToObject(row, name[key],
                                  v ? json_new_integer(v) : cJSON_CreateNull());
        }
        cJSON_AddItemToArray(rows, row);
    }
    return rows;
}

static void rows_are_matched_as_well_as_can_be(void **state)
{
    unsigned seed = 1;
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct arena *arena = arena_new();
        int n = round % 6, m = round / 7 % 6;
        cJSON *a = random_rows(&seed, n), *b = random_rows(&seed, m);
        const int *match = align_rows(a, b, arena);
        unsigned taken = 0;
        int sum = 0, pairs = 0;
        for (int i = 0; i < n; i++) {
            if (match[i] < 0) continue;
            assert_true(match[i] < m && !(taken >> match[i] & 1));
            taken |= 1u << match[i];
            pairs++;
            sum += shared(cJSON_GetArrayItem(a, i),
                          cJSON_GetArrayItem(b, match[i]));
        }
        assert_int_equal(pairs, n < m ? n : m);
        assert_int_equal(sum, most_shared(a, b, 0, 0));
        cJSON_Delete(a);
        cJSON_Delete(b);
        arena_free(arena);
    }
}

static void equal_rows_stay_in_order(void **state)
{
    struct arena *arena = arena_new();
    cJSON *a = value("[1,1,2,1,3]"), *b = value("[1,1,1,4,3]");
    const int *match = align_rows(a, b, arena);
    static const int want[] = {0, 1, 3, 2, 4};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(match[i], want[i]);
    cJSON_Delete(a);
    cJSON_Delete(b);
    arena_free(arena);
}

static void thousands_of_rows_take_no_longer_than_they_should(void **state)
{
    struct arena *arena = arena_new();
    unsigned seed = 7;
    cJSON *a = random_rows(&seed, 5000), *b = random_rows(&seed, 4000);
    const int *match = align_rows(a, b, arena);
    int pairs = 0;
    (void)state;
    for (int i = 0; i < 5000; i++)
        pairs += match[i] >= 0;
    assert_int_equal(pairs, 4000);
    cJSON_Delete(a);
    cJSON_Delete(b);
    arena_free(arena);
}

/* --- figures ----------------------------------------------------------------- */

static void add(struct result *r, const char *expected, const char *record)
{
    cJSON *e = value(expected), *g = record ? value(record) : NULL;
    struct result_source source = {.name = "a",
                                   .schema = "s",
                                   .expected = e,
                                   .record = g,
                                   .failed = g ? NULL : "damaged"};
    result_add(r, &source);
    cJSON_Delete(e);
    cJSON_Delete(g);
}

#define RECORD(fields, data)                                                  \
    "{\"format\":\"platen-record/2\",\"pages\":[{}],\"seconds\":{\"a\":1.5}," \
    "\"tokens\":{\"prompt\":10},\"fields\":{" fields "},\"data\":" data "}"

static void check(double got, double want)
{
    if (fabs(got - want) > 1e-9) fail_msg("%g, want %g", got, want);
}

static void every_leaf_is_counted_once(void **state)
{
    struct result *r = result_new();
    struct measure m;
    (void)state;
    /* a row was skipped, one was made up; a null was invented, one was missed */
    add(r,
        "{\"no\":\"A\",\"paid\":null,\"due\":2,\"rows\":[{\"n\":1,\"t\":\"x\"},"
        "{\"n\":2,\"t\":\"y\"},{\"n\":3,\"t\":\"z\"}]}",
        RECORD("", "{\"no\":\"a\",\"paid\":5,\"due\":null,\"rows\":["
                   "{\"n\":2,\"t\":\"y\"},{\"n\":3,\"t\":null}]}"));
    m = measure_of(r, NULL, -1);
    assert_int_equal(m.n_value, 9);
    assert_int_equal(m.n_exact, 3);    /* 2 y 3 */
    assert_int_equal(m.n_tolerant, 4); /* A */
    assert_int_equal(m.n_expected, 8);
    assert_int_equal(m.n_given, 5);
    assert_int_equal(m.n_hit, 3);
    assert_int_equal(m.n_null_wrong, 4); /* due, 1 x, z */
    assert_int_equal(m.n_invented, 1);
    assert_int_equal(m.n_in_order, 0);
    check(measure_f1(m.n_hit, m.n_given, m.n_expected), 6.0 / 13);
    /* one that was not read: no null of it is right */
    add(r, "{\"no\":null,\"due\":1}", NULL);
    m = measure_of(r, NULL, -1);
    assert_int_equal(m.n_value, 11);
    assert_int_equal(m.n_exact, 3);
    assert_int_equal(m.n_failed, 1);
    /* surplus rows are wrong, their nulls too */
    add(r, "{\"rows\":[]}",
        RECORD("", "{\"rows\":[{\"n\":null,\"t\":\"q\"}]}"));
    m = measure_of(r, NULL, -1);
    assert_int_equal(m.n_value, 13);
    assert_int_equal(m.n_exact, 3);
    assert_int_equal(m.n_null_right, 0);
    /* by field */
    assert_string_equal(r->field[3].name, "/rows/*/n");
    m = measure_of(r, "s", 3);
    assert_int_equal(m.n_value, 4);
    assert_int_equal(m.n_exact, 2);
    result_free(r);
}

static void of_two_makes_each_stands_alone(void **state)
{
    struct result *r = result_new();
    (void)state;
    add(r, "{\"a\":{\"b\":1,\"c\":null},\"d\":[1,2],\"e\":3}",
        RECORD("", "{\"a\":\"x\",\"d\":{\"f\":1},\"e\":[]}"));
    struct measure m = measure_of(r, NULL, -1);
    assert_int_equal(m.n_expected, 4); /* b, 1, 2, 3 */
    assert_int_equal(m.n_given, 2);    /* x, f */
    assert_int_equal(m.n_hit, 0);
    result_free(r);
}

static void confidence_and_places_are_held_against_the_truth(void **state)
{
    struct result *r = result_new();
    (void)state;
    add(r,
        RECORD("\"/a\":{\"evidence\":[{\"page\":1,\"box\":[0,0,0.2,0.1]}]},"
               "\"/b\":{\"evidence\":[{\"page\":1,\"box\":[0,0.5,0.2,0.1]}]},"
               "\"/c\":{\"evidence\":[{\"page\":2,\"box\":[0,0,0.2,0.1]}]}",
               "{\"a\":1,\"b\":2,\"c\":3,\"d\":null}"),
        RECORD("\"/a\":{\"confidence\":0.95,\"evidence\":[{\"page\":1,\"box\":"
               "[0.05,0,0.2,0.1],\"match\":\"exact\"}]},"
               "\"/b\":{\"confidence\":0.85,\"evidence\":[{\"page\":1,\"box\":"
               "[0.3,0.5,0.2,0.1],\"match\":\"exact\"}]},"
               "\"/c\":{\"confidence\":0.35,\"evidence\":[{\"page\":1,\"box\":"
               "[0,0,0.2,0.1],\"match\":\"exact\"}]},"
               "\"/d\":{\"confidence\":1}",
               "{\"a\":1,\"b\":2,\"c\":4,\"d\":null}"));
    struct measure m = measure_of(r, NULL, -1);
    assert_int_equal(m.n_true_box, 3);
    assert_int_equal(m.n_placed, 3);
    assert_int_equal(m.n_box_hit, 1); /* 0.15 of 0.25; c is wrong itself */
    assert_int_equal(m.n_confident, 4);
    check(m.ece, (0.15 + 0.35 + 0.05) / 4); /* 0.95 and 1 share a bin */
    check(m.at[0], 1);                      /* three of four */
    check(m.seconds, 1.5);
    check(m.tokens, 10);
    result_free(r);
}

TEST_GROUP(eval, cmocka_unit_test(texts_numbers_and_dates_are_the_same),
           cmocka_unit_test(rows_are_matched_as_well_as_can_be),
           cmocka_unit_test(equal_rows_stay_in_order),
           cmocka_unit_test(thousands_of_rows_take_no_longer_than_they_should),
           cmocka_unit_test(every_leaf_is_counted_once),
           cmocka_unit_test(of_two_makes_each_stands_alone),
           cmocka_unit_test(confidence_and_places_are_held_against_the_truth))
