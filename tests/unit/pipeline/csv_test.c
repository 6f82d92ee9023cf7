/* csv_test.c - records as rows that no spreadsheet runs. */
#include "tests/support/test.h"

#include "pipeline/command/csv.h"
#include "vlm/base/json.h"

static void check_rows(const char *record, const char *rows, const char *want)
{
    struct err err = {0};
    struct buf out = buf_limit(1 << 16);
    cJSON *value = json_parse(span_of(record), &err);
    test_ok(&err);
    struct csv *csv = csv_new(rows);
    csv_learn(csv, value);
    csv_header(csv, &out);
    csv_rows(csv, value, &out);
    assert_string_equal(buf_span(&out).data, want);
    csv_free(csv);
    cJSON_Delete(value);
    buf_free(&out);
}

static void leaves_become_columns(void **state)
{
    (void)state;
    check_rows("{\"id\":\"1\",\"source\":{\"name\":\"a.pdf\"},\"data\":"
               "{\"seller\":{\"name\":\"A, B\"},\"total\":0.10,\"paid\":null,"
               "\"ok\":true}}",
               NULL,
               "id,source,seller.name,total,paid,ok\r\n"
               "1,a.pdf,\"A, B\",0.10,,true\r\n");
}

static void formulas_are_disarmed_but_numbers_are_not(void **state)
{
    (void)state;
    check_rows("{\"id\":\"1\",\"source\":{\"name\":\"=x\"},\"data\":"
               "{\"a\":\"=1+1\",\"b\":\"-x\",\"c\":-5.0,\"d\":\"@u\","
               "\"e\":\"say \\\"hi\\\"\",\"f\":\"\\tz\",\"g\":\"+1\"}}",
               NULL,
               "id,source,a,b,c,d,e,f,g\r\n"
               "1,\"'=x\",\"'=1+1\",\"'-x\",-5.0,\"'@u\","
               "\"say \"\"hi\"\"\",\"'\tz\",\"'+1\"\r\n");
}

static void arrays_are_text_or_rows(void **state)
{
    (void)state;
    static const char record[] =
        "{\"id\":\"1\",\"source\":{\"name\":\"a\"},\"data\":{\"shop\":\"S\","
        "\"items\":[{\"n\":\"x\",\"p\":1.50},{\"n\":\"y\",\"p\":null}]}}";
    check_rows(record, NULL,
               "id,source,shop,items\r\n1,a,S,"
               "\"[{\"\"n\"\":\"\"x\"\",\"\"p\"\":1.50},"
               "{\"\"n\"\":\"\"y\"\",\"\"p\"\":null}]\"\r\n");
    check_rows(record, "items",
               "id,source,shop,items.n,items.p\r\n"
               "1,a,S,x,1.50\r\n1,a,S,y,\r\n");
}

TEST_GROUP(csv, cmocka_unit_test(leaves_become_columns),
           cmocka_unit_test(formulas_are_disarmed_but_numbers_are_not),
           cmocka_unit_test(arrays_are_text_or_rows))
