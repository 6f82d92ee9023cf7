/* reask_nulls_test.c - what a second answer may fill in. */
#include "tests/support/test.h"

#include "stages/ask/reask_nulls.h"
#include "vlm/json/json.h"

enum { FIELDS = 3 };

static cJSON *value_of(const char *text)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(text), &err);
    test_ok(&err);
    return value;
}

/* Fills the overlooked values of `value`, all but the first of these fields,
 * and compares the result. */
static void assert_filled(const char *value, const char *late, bool measured,
                          const char *want)
{
    struct field field[FIELDS] = {
        {.pointer = "/total", .p = 0.5},
        {.pointer = "/due", .p = 0.5, .verdict = FIELD_OVERLOOKED},
        {.pointer = "/items/1/vat", .p = 0.5, .verdict = FIELD_OVERLOOKED}};
    struct field again[] = {{.pointer = "/due", .p = 0.25}};
    struct reask_nulls_answer first = {value_of(value), field, FIELDS};
    struct reask_nulls_answer more = {value_of(late), again, 1};
    cJSON *wanted = value_of(want);
    bool changes = !json_equal(first.value, wanted);
    assert_int_equal(reask_nulls_fill(&first, &more, measured) > 0, changes);
    assert_true(json_equal(first.value, wanted));
    bool due = cJSON_IsString(json_get(wanted, "due"));
    assert_int_equal(field[1].p < 0.5, due);
    assert_int_equal(field[1].verdict == FIELD_UNPROVEN, due);
    cJSON_Delete(wanted);
    cJSON_Delete(more.value);
    cJSON_Delete(first.value);
}

#define NULLS                       \
    "{\"total\":null,\"due\":null," \
    "\"items\":[{\"vat\":7},{\"vat\":null}]}"

static void what_was_overlooked_is_filled_in(void **state)
{
    (void)state;
    assert_filled(NULLS, "{\"total\":5,\"due\":\"a\",\"items\":[]}", false,
                  "{\"total\":null,\"due\":\"a\","
                  "\"items\":[{\"vat\":7},{\"vat\":null}]}");
    assert_filled(NULLS, "{\"due\":null,\"items\":[{\"vat\":1},{\"vat\":19}]}",
                  false,
                  "{\"total\":null,\"due\":null,"
                  "\"items\":[{\"vat\":7},{\"vat\":19}]}");
}

static void a_row_among_others_is_not(void **state)
{
    (void)state;
    assert_filled(NULLS, "{\"items\":[{\"vat\":7}]}", false, NULLS);
    assert_filled(NULLS, "{\"items\":[{\"vat\":7},{\"vat\":9},{\"vat\":9}]}",
                  false, NULLS);
    assert_filled(NULLS, "{\"due\":{\"day\":1},\"items\":{\"1\":5}}", false,
                  NULLS);
}

static void probabilities_are_not_made_up(void **state)
{
    (void)state;
    assert_filled(NULLS, "{\"due\":\"a\",\"items\":[{\"vat\":7},{\"vat\":19}]}",
                  true,
                  "{\"total\":null,\"due\":\"a\","
                  "\"items\":[{\"vat\":7},{\"vat\":null}]}");
}

static void they_are_named_by_their_pointers(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct field field[] = {{.pointer = "/a", .verdict = FIELD_OVERLOOKED},
                            {.pointer = "/b"},
                            {.pointer = "/c/0/d", .verdict = FIELD_OVERLOOKED}};
    assert_string_equal(reask_nulls_names(field, 3, arena), "- /a\n- /c/0/d\n");
    assert_null(reask_nulls_names(field + 1, 1, arena));
    arena_free(arena);
}

TEST_GROUP(reask_nulls, cmocka_unit_test(what_was_overlooked_is_filled_in),
           cmocka_unit_test(a_row_among_others_is_not),
           cmocka_unit_test(probabilities_are_not_made_up),
           cmocka_unit_test(they_are_named_by_their_pointers))
