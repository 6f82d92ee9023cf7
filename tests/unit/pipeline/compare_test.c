/* compare_test.c - two evaluations: what is beyond chance, and what is not. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>

#include "pipeline/eval/compare.h"
#include "pipeline/eval/report_text.h"
#include "vlm/base/arena.h"
#include "vlm/json/json.h"

/* As many documents of ten values, of which `right` gives those that are. */
static cJSON *results(int n, int (*right)(int i))
{
    cJSON *top = cJSON_CreateObject();
    cJSON_AddStringToObject(top, "format", REPORT_FORMAT);
    cJSON *documents = cJSON_AddArrayToObject(top, "documents");
    for (int i = 0; i < n; i++) {
        static const char *const all[] = {"values", "expected", "given"};
        static const char *const hit[] = {"exact", "tolerant", "hit"};
        char name[16];
        cJSON *d = cJSON_CreateObject();
        snprintf(name, sizeof name, "%d.pdf", i);
        cJSON_AddStringToObject(d, "name", name);
        for (int k = 0; k < 3; k++) {
            json_add_integer(d, all[k], 10);
            json_add_integer(d, hit[k], right(i));
        }
        cJSON_AddItemToArray(documents, d);
    }
    return top;
}

static int nine(int i)
{
    (void)i;
    return 9;
}

static int worse_in_four(int i)
{
    return i < 4 ? 0 : 9;
}

static int worse_in_twelve(int i)
{
    return i < 12 ? 8 : 9;
}

static int better_in_twelve(int i)
{
    return i < 12 ? 10 : 9;
}

static int to_and_fro(int i)
{
    return i % 3 == 0 ? 10 : i % 3 == 1 ? 8 : 9;
}

static struct compare compared(int n, int (*a)(int i), int (*b)(int i))
{
    struct err err = {0};
    cJSON *one = results(n, a), *other = results(n, b);
    struct compare c = compare_results(one, other, &err);
    test_ok(&err);
    cJSON_Delete(one);
    cJSON_Delete(other);
    return c;
}

static void only_what_chance_does_not_do_is_a_difference(void **state)
{
    (void)state;
    struct compare c = compared(30, nine, nine);
    assert_int_equal(c.verdict, COMPARE_SAME);
    c = compared(30, nine, worse_in_twelve);
    assert_int_equal(c.verdict, COMPARE_WORSE);
    assert_int_equal(c.n_worse, 12);
    assert_true(c.figure[0].low < -0.04 && c.figure[0].high < 0);
    assert_true(fabs(c.figure[0].b - c.figure[0].a + 0.04) < 1e-9);
    c = compared(30, nine, better_in_twelve);
    assert_int_equal(c.verdict, COMPARE_BETTER);
    c = compared(30, nine, to_and_fro);
    assert_int_equal(c.verdict, COMPARE_CHANCE);
    /* four of four: a coin does that once in sixteen times */
    c = compared(4, nine, worse_in_four);
    assert_int_equal(c.verdict, COMPARE_CHANCE);
}

static void it_says_the_same_each_time(void **state)
{
    (void)state;
    struct compare a = compared(30, nine, to_and_fro);
    struct compare b = compared(30, nine, to_and_fro);
    assert_true(a.figure[0].low >= b.figure[0].low);
    assert_true(a.figure[0].low <= b.figure[0].low);
    assert_true(a.figure[0].low < 0 && a.figure[0].high > 0);
}

static void what_is_no_pair_is_refused(void **state)
{
    struct err err = {0};
    cJSON *a = results(3, nine), *none = results(0, nine);
    cJSON *other = results(3, nine);
    (void)state;
    compare_results(a, none, &err);
    assert_int_equal(err.kind, ERR_ARGS);
    err = (struct err){0};
    cJSON *d = cJSON_GetArrayItem(cJSON_GetObjectItem(other, "documents"), 1);
    cJSON_ReplaceItemInObject(d, "expected", json_new_integer(11));
    compare_results(a, other, &err);
    assert_int_equal(err.kind, ERR_ARGS);
    err = (struct err){0};
    compare_results(a, d, &err);
    assert_int_equal(err.kind, ERR_ARGS);
    cJSON_Delete(a);
    cJSON_Delete(none);
    cJSON_Delete(other);
}

TEST_GROUP(compare,
           cmocka_unit_test(only_what_chance_does_not_do_is_a_difference),
           cmocka_unit_test(it_says_the_same_each_time),
           cmocka_unit_test(what_is_no_pair_is_refused))
