/* leaked_markup_test.c - what is cut out of a text, and what is print. */
#include "stages/ask/leaked_markup.h"

#include "tests/support/test.h"
#include "vlm/json/json.h"

/* The text after the cut; "null" for a null. */
static void expect(const char *text, const char *wanted, bool nullable)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *rows = cJSON_AddArrayToObject(object, "rows");
    cJSON_AddItemToArray(rows, cJSON_CreateString(text));
    leaked_markup_cut(object, nullable);
    const cJSON *left = cJSON_GetArrayItem(rows, 0);
    assert_string_equal(cJSON_IsNull(left) ? "null" : left->valuestring,
                        wanted);
    cJSON_Delete(object);
}

static void markup_is_cut(void **state)
{
    (void)state;
    expect("]}assistantnull}assistantnull", "null", true);
    expect("]}assistantnull}assistantnull", "", false);
    expect("Zwischensumme null}]}assistant", "Zwischensumme", true);
    expect("VAT 20 %\"}]", "VAT 20 %", true);
    expect(":[{\"", "null", true);
    expect(":[]}RNER", "null", true);
    expect("Bar stools}assistant", "Bar stools", true);
}

static void print_stays(void **state)
{
    (void)state;
    expect("Cable [2 m], black", "Cable [2 m], black", true);
    expect("Set {A}", "Set {A}", true);
    expect("[EXPRESS]", "[EXPRESS]", true);
    expect("Sales assistant: J. Doe", "Sales assistant: J. Doe", true);
    expect("null", "null", true);
    expect("", "", true);
}

TEST_GROUP(leaked_markup, cmocka_unit_test(markup_is_cut),
           cmocka_unit_test(print_stays))
