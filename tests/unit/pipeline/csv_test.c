/* csv_test.c - records as rows that no spreadsheet runs. */
#include "tests/support/test.h"

#include <stdio.h>

#include "pipeline/export/csv.h"
#include "pipeline/export/csv_cells.h"
#include "pipeline/export/csv_details.h"
#include "vlm/json/json.h"

static void check_dialect(const char *name, const char *record,
                          const char *rows, const char *list, const char *want)
{
    struct err err = {0};
    const struct csv_dialect *dialect = csv_cells_find(name);
    struct csv_details *with =
        list ? csv_details_new(list, 0.9, dialect, &err) : NULL;
    struct buf out = buf_limit(1 << 16);
    cJSON *value = json_parse(span_of(record), &err);
    test_ok(&err);
    struct csv *csv = csv_new(rows, with, dialect);
    csv_learn(csv, value, &err);
    test_ok(&err);
    csv_header(csv, &out);
    csv_rows(csv, value, &out);
    assert_string_equal(buf_span(&out).data, want);
    csv_free(csv);
    csv_details_free(with);
    cJSON_Delete(value);
    buf_free(&out);
}

static void check_with(const char *record, const char *rows, const char *list,
                       const char *want)
{
    check_dialect(NULL, record, rows, list, want);
}

static void check_rows(const char *record, const char *rows, const char *want)
{
    check_with(record, rows, NULL, want);
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

/* `a.b` and `b` in `a` are two columns, and so are the data's own id and the
 * record's. */
static void no_two_values_share_a_column(void **state)
{
    (void)state;
    check_rows("{\"id\":\"1\",\"source\":{\"name\":\"s\"},\"data\":"
               "{\"a.b\":\"outer\",\"a\":{\"b\":\"inner\",\"\":\"x\"},"
               "\"a\\\\\":{\".b\":1},\"a\\\\.\":{\"b\":2},\"id\":3,"
               "\"source\":{\"id\":4},\"\":{\"a\":5},\"none\":{}}}",
               NULL,
               "id,source,a\\.b,a.b,a.,a\\\\.\\.b,a\\\\\\..b,\\id,"
               "\\source.id,.a,none\r\n"
               "1,s,outer,inner,x,1,2,3,4,5,{}\r\n");
    check_rows("{\"id\":\"1\",\"data\":{\"x.y\":[{\"a\":1},{\"a\":2}]}}",
               "x\\.y", "id,source,x\\.y.a\r\n1,,1\r\n1,,2\r\n");
}

/* Spreadsheets pass over what has no ink, and fold the wide forms. */
static void hidden_formulas_are_disarmed(void **state)
{
    (void)state;
    static const char *const text[] = {
        "\\n=1+1",    "\\ufeff=1+1", " =1+1",
        "\\uff1d1+1", "\\uff0b1",    "\\uff0d1",
        "\\uff20x",   "\\u00a0@x",   "\\u200b\\r\\n+1",
        "\\u3000-1",  "\\u001f=1",   "\\ufeff \\t=x",
        "\\r",        "'=1",         "\\u2060\\u202e=1"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char record[200], want[200];
        struct err err = {0};
        snprintf(record, sizeof record, "{\"id\":\"1\",\"data\":\"%s\"}",
                 text[i]);
        snprintf(want, sizeof want, "\"%s\"", text[i]);
        cJSON *plain = json_parse(span_of(want), &err);
        snprintf(want, sizeof want, "id,source,\"\"\r\n1,,\"'%s\"\r\n",
                 plain->valuestring);
        check_rows(record, NULL, want);
        cJSON_Delete(plain);
    }
    check_rows("{\"id\":\"1\",\"data\":{\"a\":\"a=b\",\"b\":\"\",\"c\":null,"
               "\"d\":\"x;=1\",\"e\":-1}}",
               NULL, "id,source,a,b,c,d,e\r\n1,,a=b,\"\",,\"x;=1\",-1\r\n");
}

static void too_many_columns_are_no_silent_loss(void **state)
{
    (void)state;
    struct err err = {0};
    struct csv *csv = csv_new(NULL, NULL, csv_cells_find(NULL));
    cJSON *record = cJSON_CreateObject();
    cJSON *data = cJSON_AddObjectToObject(record, "data");
    for (int i = 0; i < 2001; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        json_add_integer(data, key, i);
    }
    csv_learn(csv, record, &err);
    assert_int_equal(err.kind, ERR_LIMIT);
    cJSON_Delete(record);
    csv_free(csv);
}

static const char known[] =
    "{\"id\":\"1\",\"verdict\":\"doubtful\",\"review\":true,\"source\":"
    "{\"name\":\"a\"},\"warnings\":[{\"code\":\"low-confidence\",\"pointer\":"
    "\"/items/1/n\",\"text\":\"t\"},{\"code\":\"blank\",\"text\":\"u\"}],"
    "\"fields\":{\"/a~1b#\":{\"confidence\":0.9100,\"page\":2,\"verdict\":"
    "\"agree\"},\"/items/0/n\":{\"confidence\":0.8,\"page\":3,\"verdict\":"
    "\"unseen\"},\"/items/1/n\":{\"confidence\":0.30,\"page\":1,\"verdict\":"
    "\"agree\"},\"/none\":{\"confidence\":0.5}},\"data\":{\"a/b#\":\"x\","
    "\"items\":[{\"n\":1},{\"n\":2}],\"none\":null,\"items2\":[]}}";

static void what_is_known_of_values_stands_beside_them(void **state)
{
    (void)state;
    check_with(known, NULL, "page,confidence",
               "id,source,a/b\\#,a/b\\##confidence,a/b\\##page,items,"
               "items#confidence,items#page,none,none#confidence,none#page,"
               "items2,items2#confidence,items2#page\r\n"
               "1,a,x,0.9100,2,\"[{\"\"n\"\":1},{\"\"n\"\":2}]\",0.30,1,,0.5,,"
               "[],,\r\n");
    check_with(known, NULL, "review,verdict",
               "id,source,#verdict,#review,a/b\\#,a/b\\##verdict,"
               "a/b\\##review,items,items#verdict,items#review,none,"
               "none#verdict,none#review,items2,items2#verdict,"
               "items2#review\r\n"
               "1,a,doubtful,true,x,agree,false,\"[{\"\"n\"\":1},{\"\"n\"\":2}"
               "]\",unseen,true,,,true,[],,false\r\n");
    check_with(known, "items", "confidence,review",
               "id,source,#review,a/b\\#,a/b\\##confidence,a/b\\##review,"
               "items.n,items.n#confidence,items.n#review,none,"
               "none#confidence,none#review,items2,items2#confidence,"
               "items2#review\r\n"
               "1,a,true,x,0.9100,false,1,0.8,true,,0.5,true,[],,false\r\n"
               "1,a,true,x,0.9100,false,2,0.30,true,,0.5,true,[],,false\r\n");
}

static void values_of_an_unread_record_are_for_review(void **state)
{
    (void)state;
    check_with("{\"id\":\"1\",\"verdict\":\"unread\",\"review\":true,"
               "\"source\":{\"name\":\"a\"},\"warnings\":[],\"fields\":{"
               "\"/a\":{\"confidence\":0.0},\"/b\":{\"confidence\":0.95},"
               "\"/c\":{\"confidence\":0.95,\"source\":\"person\"}},"
               "\"data\":{\"a\":null,\"b\":1,\"c\":2}}",
               NULL, "review",
               "id,source,#review,a,a#review,b,b#review,c,c#review\r\n"
               "1,a,true,,true,1,true,2,false\r\n");
    check_with("{\"id\":\"1\",\"verdict\":\"read\",\"review\":true,"
               "\"source\":{\"name\":\"a\"},\"warnings\":[],\"fields\":{"
               "\"/a\":{\"confidence\":0.0},\"/b\":{\"confidence\":0.95},"
               "\"/c\":{\"confidence\":0.99,\"verdict\":\"differ\"}},"
               "\"data\":{\"a\":null,\"b\":1,\"c\":2}}",
               NULL, "review",
               "id,source,#review,a,a#review,b,b#review,c,c#review\r\n"
               "1,a,true,,true,1,false,2,true\r\n");
}

/* What is not known is an empty cell, and nothing of it can be run. */
static void what_is_not_known_is_empty(void **state)
{
    (void)state;
    check_with(
        "{\"id\":\"1\",\"verdict\":\"=1+1\",\"review\":\"-1\",\"source\":"
        "{\"name\":\"a\"},\"fields\":{\"/=a\":{\"confidence\":\"=b\","
        "\"verdict\":\"+c\"}},\"data\":{\"=a\":1}}",
        NULL, "confidence,page,verdict,review",
        "id,source,#verdict,#review,\"'=a\",\"'=a#confidence\","
        "\"'=a#page\",\"'=a#verdict\",\"'=a#review\"\r\n"
        "1,a,,,1,,,,false\r\n");
    struct err err = {0};
    assert_null(
        csv_details_new("page,colour", 0.9, csv_cells_find(NULL), &err));
    assert_int_equal(err.kind, ERR_ARGS);
    assert_non_null(strstr(err.text, "colour"));
}

static const char dated[] =
    "{\"id\":\"1\",\"source\":{\"name\":\"a;b\"},\"fields\":{\"/n\":"
    "{\"confidence\":0.9}},\"data\":{\"d\":\"2026-11-22\",\"e\":"
    "\"2026-11-22T\",\"n\":-1234.50,\"t\":\"1.5\",\"f\":\"=1\","
    "\"a\":[1.5]}}";

static void a_spreadsheet_gets_its_dialect(void **state)
{
    (void)state;
    check_dialect("rfc4180", dated, NULL, NULL,
                  "id,source,d,e,n,t,f,a\r\n1,\"a;b\",2026-11-22,2026-11-22T,"
                  "-1234.50,1.5,\"'=1\",[1.5]\r\n");
    check_dialect("excel", dated, NULL, NULL,
                  "\xef\xbb\xbfid,source,d,e,n,t,f,a\r\n1,\"a;b\",2026-11-22,"
                  "2026-11-22T,-1234.50,1.5,\"'=1\",[1.5]\r\n");
    check_dialect("excel-de", dated, NULL, NULL,
                  "\xef\xbb\xbfid;source;d;e;n;t;f;a\r\n1;\"a;b\";22.11.2026;"
                  "2026-11-22T;-1234,50;1.5;\"'=1\";[1.5]\r\n");
    check_dialect(
        "excel-de",
        "{\"id\":\"1\",\"verdict\":\"read\",\"review\":true,"
        "\"fields\":{\"/n\":{\"confidence\":0.9}},\"data\":"
        "{\"n\":1}}",
        NULL, "confidence,page,verdict,review",
        "\xef\xbb\xbfid;source;#verdict;#review;n;n#confidence;n#page;"
        "n#verdict;n#review\r\n1;;read;true;1;0,9;;;false\r\n");
    assert_null(csv_cells_find("excel-fr"));
}

TEST_GROUP(csv, cmocka_unit_test(no_two_values_share_a_column),
           cmocka_unit_test(hidden_formulas_are_disarmed),
           cmocka_unit_test(too_many_columns_are_no_silent_loss),
           cmocka_unit_test(a_spreadsheet_gets_its_dialect),
           cmocka_unit_test(leaves_become_columns),
           cmocka_unit_test(formulas_are_disarmed_but_numbers_are_not),
           cmocka_unit_test(arrays_are_text_or_rows),
           cmocka_unit_test(what_is_known_of_values_stands_beside_them),
           cmocka_unit_test(values_of_an_unread_record_are_for_review),
           cmocka_unit_test(what_is_not_known_is_empty))
