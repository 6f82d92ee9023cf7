/* stream_test.c - the rows of a long document stay in their file: what is said
 * of it, and printed of it, is what would be said and printed of it whole. */
#include "tests/support/test.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "stages/ask/question.h"
#include "stages/confidence/checks.h"
#include "stages/long/long_inside.h"
#include "stages/record/record.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

struct scene {
    struct schema *schema;
    struct plan *plan;
    struct document *doc, *held; /* the same with all in memory */
    struct row_file *rows;
    struct err err;
};

static void nothing(void *arg, const cJSON *line)
{
    (void)arg;
    (void)line;
}

static void begin(struct scene *s, const char *schema)
{
    const struct schema_options o = {.format_asserts = true};
    *s = (struct scene){0};
    s->schema = schema_parse(span_of(schema), "test", &o, &s->err);
    s->plan = plan_new(s->schema, false, &s->err);
    s->rows = row_file_open(-1, "me", nothing, NULL, &s->err);
    s->doc = document_new("20261121-1", "long.pdf", -1);
    s->doc->schema = s->schema;
    if (err_failed(&s->err)) fail_msg("%s: %s", schema, s->err.text);
}

/* {"array": 0, "row": ..., "fields": [...]}, of page 1 unless it has "page". */
static void add(struct scene *s, const char *line)
{
    cJSON *row = json_parse(span_of(line), &s->err);
    if (!json_get(row, "page")) json_add_integer(row, "page", 1);
    row_file_add(s->rows, row, &s->err);
    cJSON_Delete(row);
}

static cJSON *copy_of(struct json_stream *stream, const cJSON *value)
{
    const cJSON *child = NULL;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value))
        return cJSON_Duplicate(value, true);
    cJSON *copy =
        cJSON_IsObject(value) ? cJSON_CreateObject() : cJSON_CreateArray();
    while ((child = json_next(stream, value, child))) {
        cJSON *own = copy_of(stream, child);
        if (cJSON_IsObject(value))
            cJSON_AddItemToObject(copy, child->string, own);
        else
            cJSON_AddItemToArray(copy, own);
    }
    return copy;
}

static void hold_all(struct scene *s)
{
    struct document_walk walk = {0};
    const struct field *field;
    int n = 0;
    s->held = document_new("20261121-1", "long.pdf", -1);
    s->held->schema = s->schema;
    s->held->page = s->doc->page;
    s->held->n_page = s->doc->n_page;
    s->held->data = copy_of(document_stream(s->doc), s->doc->data);
    while ((field = document_next_fields(s->doc, &walk, &n)))
        for (int i = 0; i < n; i++) {
            struct field *own = document_add_field(s->held);
            *own = field[i];
            own->pointer =
                arena_copy(s->held->arena, span_of(field[i].pointer));
        }
}

/* `scalars` as in header_vote.h. */
static void gather(struct scene *s, const char *scalars)
{
    struct document_run r = {.doc = s->doc, .err = &s->err};
    struct long_document w = {.r = &r, .plan = s->plan};
    cJSON *state = cJSON_CreateObject();
    row_file_commit(s->rows, state, &s->err);
    w.rows = s->rows;
    w.scalars = json_parse(span_of(scalars), &s->err);
    assemble_value(&w);
    test_ok(&s->err);
    schema_order(s->schema, s->doc->data);
    hold_all(s);
    document_check_rows(s->doc, &s->err);
    test_ok(&s->err);
    cJSON_Delete(w.scalars);
    cJSON_Delete(state);
}

static void end(struct scene *s)
{
    document_free(s->doc);
    document_free(s->held);
    plan_free(s->plan);
    schema_free(s->schema);
}

static const char no_scalars[] = "{}";
static const char total[] =
    "{\"/total\":{\"value\":3,\"page\":1,\"p\":0.7,\"fields\":[[\"/total\",0.7,"
    "0.9,0,0,\"\",0,0,0,0,0]],\"others\":[]}}";

static void data_is(const struct scene *s, const char *want)
{
    struct buf text = buf_limit(1 << 20);
    json_print_stream(&text, s->doc->data, 0, document_stream(s->doc));
    assert_string_equal(text.data, want);
    buf_free(&text);
}

/* --- the value ------------------------------------------------------------- */

static void a_row_is_ordered_each_time_it_comes(void **state)
{
    (void)state;
    struct scene s;
    begin(&s,
          "{\"properties\":{\"total\":{\"type\":\"number\"},\"lines\":{"
          "\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
          "{\"a\":{\"type\":\"number\"},\"b\":{\"type\":\"string\"}},"
          "\"required\":[\"a\"]}},\"notes\":{\"type\":\"array\",\"items\":{"
          "\"type\":\"string\"}}}}");
    add(&s,
        "{\"array\":0,\"row\":{\"b\":\"z\",\"a\":1},\"fields\":[[\"/b\",0.5,"
        "1,0,0,\"\",0,0,0,0,0],[\"/a\",0.25,1,0,0,\"\",0,0,0,0,0]]}");
    add(&s, "{\"array\":1,\"row\":\"x\",\"fields\":[[\"\",0.125,1,0,0,\"\",0,0,"
            "0,0,0]]}");
    add(&s, "{\"array\":0,\"row\":{\"b\":\"y\",\"a\":null},\"fields\":[]}");
    gather(&s, total);
    for (int i = 0; i < 2; i++)
        data_is(&s, "{\"total\":3,\"lines\":[{\"a\":1,\"b\":\"z\"},{\"a\":null,"
                    "\"b\":\"y\"}"
                    "],\"notes\":[\"x\"]}");
    static const char *const pointer[] = {"/total", "/lines/0/b", "/lines/0/a",
                                          "/notes/0"};
    assert_int_equal(s.held->n_field, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(s.held->field[i].pointer, pointer[i]);
    end(&s);
}

/* Accounts, their bookings, and fees between them: a row comes behind those of the
 * tables in it. */
static void tables_stand_in_their_rows(void **state)
{
    (void)state;
    struct scene s;
    begin(&s,
          "{\"properties\":{\"accounts\":{\"type\":\"array\",\"items\":{"
          "\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"},"
          "\"in\":{\"type\":\"object\",\"properties\":{\"lines\":{\"type\":"
          "\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"a\":{"
          "\"type\":\"number\"}}}}}}}}},\"fees\":{\"type\":\"array\",\"items\":"
          "{\"type\":\"object\",\"properties\":{\"f\":{\"type\":\"number\"}}}"
          "}}}");
    assert_int_equal(s.plan->n_array, 3);
    assert_string_equal(s.plan->array[0].pointer, "/accounts/*/in/lines");
    assert_int_equal(s.plan->array[0].of, 1);
    add(&s,
        "{\"array\":0,\"page\":1,\"row\":{\"a\":1},\"fields\":[[\"/a\",0.5,1,0,"
        "0,\"\",0,0,0,0,0]]}");
    add(&s, "{\"array\":2,\"page\":2,\"row\":{\"f\":9},\"fields\":[]}");
    add(&s,
        "{\"array\":0,\"page\":3,\"row\":{\"a\":2},\"fields\":[[\"/a\",0.5,1,0,"
        "0,\"\",0,0,0,0,0]]}");
    add(&s, "{\"array\":1,\"page\":1,\"row\":{\"in\":{\"lines\":[]},\"n\":7},"
            "\"fields\":[[\"/n\",0.5,1,0,0,\"\",0,0,0,0,0]]}");
    add(&s, "{\"array\":1,\"page\":4,\"row\":{\"n\":8},\"fields\":[]}");
    add(&s,
        "{\"array\":0,\"page\":5,\"row\":{\"a\":3},\"fields\":[[\"/a\",0.5,1,0,"
        "0,\"\",0,0,0,0,0]]}");
    add(&s, "{\"array\":1,\"page\":5,\"row\":{\"n\":9},\"fields\":[]}");
    gather(&s, no_scalars);
    for (int i = 0; i < 2; i++)
        data_is(&s,
                "{\"accounts\":[{\"n\":7,\"in\":{\"lines\":[{\"a\":1},{\"a\":2}"
                "]}},{\"n\":8},{\"n\":9,\"in\":{\"lines\":[{\"a\":3}]}}],"
                "\"fees\":[{\"f\":9}]}");
    static const char *const pointer[] = {
        "/accounts/0/in/lines/0/a", "/accounts/0/in/lines/1/a", "/accounts/0/n",
        "/accounts/2/in/lines/0/a"};
    assert_int_equal(s.held->n_field, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(s.held->field[i].pointer, pointer[i]);
    struct document_rows *rows = s.doc->rows;
    assert_int_equal(rows->page_of(rows, "/accounts/0/in/lines/1/a"), 3);
    assert_int_equal(rows->page_of(rows, "/accounts/1/n"), 4);
    assert_int_equal(rows->page_of(rows, "/fees/0"), 2);
    end(&s);
}

#define NULL_OF(pointer)                                              \
    "\"" pointer                                                      \
    "\":{\"value\":null,\"page\":1,\"p\":0.9,\"fields\":[[\"" pointer \
    "\",0.9,1,0,0,\"\",0,0,1,0,0]],\"others\":[]}"

/* A currency that must be there; one that may be null, one that need not be there,
 * and one whose default is none. */
static void a_default_stands_where_no_page_gives_a_value(void **state)
{
    (void)state;
    struct scene s;
    begin(
        &s,
        "{\"properties\":{\"pay\":{\"type\":\"object\",\"properties\":{\"in\":{"
        "\"type\":\"string\",\"default\":\"EUR\"},\"or\":{\"type\":["
        "\"string\",\"null\"],\"default\":\"USD\"},\"if\":{\"type\":"
        "\"string\",\"default\":\"CHF\"},\"no\":{\"type\":\"string\","
        "\"default\":7}},\"required\":[\"in\",\"or\",\"no\"]},\"lines\":{"
        "\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
        "\"a\":{\"type\":\"number\"}}}}}}");
    gather(&s, "{" NULL_OF("/pay/in") "," NULL_OF("/pay/or") "," NULL_OF(
                   "/pay/if") "," NULL_OF("/pay/no") "}");
    data_is(&s, "{\"pay\":{\"in\":\"EUR\",\"or\":null,\"no\":null},\"lines\":"
                "[]}");
    assert_int_equal(s.doc->warnings->n, 1);
    assert_string_equal(s.doc->warnings->row[0].pointer, "/pay/in");
    assert_string_equal(s.held->field[0].pointer, "/pay/in");
    assert_true(s.held->field[0].p == 0 && !s.held->field[0].is_null);
    assert_true(s.held->field[1].p > 0.8);
    end(&s);
}

static void what_is_wrong_names_its_page(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, "{\"properties\":{\"total\":{\"type\":\"string\"},\"lines\":{"
              "\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\""
              ":{\"a\":{\"type\":\"number\"}},\"required\":[\"a\"]}}}}");
    add(&s, "{\"array\":0,\"page\":2,\"row\":{\"a\":1},\"fields\":[]}");
    add(&s, "{\"array\":0,\"page\":7,\"row\":{\"a\":null},\"fields\":[]}");
    gather(&s, total);
    struct document_rows *rows = s.doc->rows;
    assert_int_equal(rows->page_of(rows, "/total"), 1);
    assert_int_equal(rows->page_of(rows, "/lines/0/a"), 2);
    assert_int_equal(rows->page_of(rows, "/lines/2"), 0);
    assert_int_equal(rows->page_of(rows, "/lines"), 0);
    assert_int_equal(rows->page_of(rows, ""), 0);
    assert_false(question_check_data(s.doc, &s.err));
    assert_int_equal(s.err.page, 1);
    assert_string_equal(s.err.text,
                        "/total: found 3, wanted type string; "
                        "/lines/1/a (page 7): found null, wanted type "
                        "number");
    end(&s);
}

/* --- the verdict ------------------------------------------------------------ */

#define LINES                                                                 \
    "{\"properties\":{\"total\":{},\"lines\":{\"type\":\"array\",\"items\":{" \
    "\"type\":\"object\",\"properties\":{\"a\":{}}}"
#define CLOSE "}}"

/* A schema of many kinds of ties between the whole and its rows; and what a row
 * says under "a". */
static const struct {
    const char *schema, *a[4];
    bool valid;
} tie[] = {
    {LINES CLOSE "}", {"1", "2", "1"}, true},
    {LINES ",\"minItems\":3" CLOSE "}", {"1", "2", "1"}, true},
    {LINES ",\"minItems\":4" CLOSE "}", {"1", "2", "1"}, false},
    {LINES ",\"maxItems\":2" CLOSE "}", {"1", "2", "1"}, false},
    {LINES ",\"uniqueItems\":true" CLOSE "}", {"1", "2", "1.0"}, false},
    {LINES ",\"uniqueItems\":true" CLOSE "}", {"1", "2", "3"}, true},
    {LINES ",\"contains\":{\"properties\":{\"a\":{\"const\":2}}},"
           "\"maxContains\":1" CLOSE "}",
     {"1", "2", "3"},
     true},
    {LINES ",\"contains\":{\"properties\":{\"a\":{\"const\":2}}},"
           "\"minContains\":2" CLOSE "}",
     {"1", "2", "3"},
     false},
    {LINES ",\"contains\":{\"properties\":{\"a\":{\"const\":2}}},"
           "\"unevaluatedItems\":false" CLOSE "}",
     {"1", "2", "3"},
     true},
    {LINES CLOSE ",\"allOf\":[{\"properties\":{\"lines\":{\"prefixItems\":[{"
                 "\"properties\":{\"a\":{\"type\":\"string\"}}}]}}}]}",
     {"\"x\"", "2"},
     true},
    {LINES CLOSE ",\"allOf\":[{\"properties\":{\"lines\":{\"prefixItems\":[{"
                 "\"properties\":{\"a\":{\"type\":\"string\"}}}]}}}]}",
     {"1", "2"},
     false},
    {LINES CLOSE ",\"anyOf\":[{\"properties\":{\"lines\":{\"items\":{"
                 "\"properties\":{\"a\":{\"type\":\"string\"}}}}}},{"
                 "\"properties\":{\"lines\":{\"maxItems\":1}}}]}",
     {"\"x\"", "\"y\""},
     true},
    {LINES CLOSE ",\"anyOf\":[{\"properties\":{\"lines\":{\"items\":{"
                 "\"properties\":{\"a\":{\"type\":\"string\"}}}}}},{"
                 "\"properties\":{\"lines\":{\"maxItems\":1}}}]}",
     {"\"x\"", "2"},
     false},
    {LINES CLOSE ",\"oneOf\":[{\"properties\":{\"lines\":{\"items\":{"
                 "\"properties\":{\"a\":{\"type\":\"number\"}}}}}},{"
                 "\"properties\":{\"lines\":{\"minItems\":1}}}]}",
     {"1", "2"},
     false},
    {LINES CLOSE ",\"not\":{\"properties\":{\"lines\":{\"items\":{"
                 "\"properties\":{\"a\":{\"const\":1}}}}}}}",
     {"1", "1"},
     false},
    {LINES CLOSE ",\"if\":{\"properties\":{\"lines\":{\"minItems\":2}}},"
                 "\"then\":{\"required\":[\"other\"]}}",
     {"1", "1"},
     false},
    {LINES CLOSE ",\"dependentSchemas\":{\"total\":{\"properties\":{\"lines\":{"
                 "\"items\":{\"required\":[\"b\"]}}}}}}",
     {"1", "2"},
     false},
    {LINES CLOSE ",\"allOf\":[{\"const\":{\"lines\":[{\"a\":1.0},{\"a\":2}],"
                 "\"total\":3}}]}",
     {"1", "2"},
     true},
    {LINES CLOSE ",\"allOf\":[{\"const\":{\"lines\":[{\"a\":1},{\"a\":2}],"
                 "\"total\":3}}]}",
     {"1", "2", "3"},
     false},
    {LINES CLOSE ",\"allOf\":[{\"properties\":{\"lines\":{\"enum\":[0,1,2,3,4,"
                 "5,6,7,[{\"a\":1},{\"a\":2.0}]]}}}]}",
     {"1", "2"},
     true},
    {LINES CLOSE ",\"allOf\":[{\"properties\":{\"lines\":{\"enum\":[0,1,2,3,4,"
                 "5,6,7,[{\"a\":1},{\"a\":2}]]}}}]}",
     {"1", "3"},
     false},
    {LINES CLOSE ",\"unevaluatedProperties\":false}", {"1", "3"}, true},
    {LINES CLOSE ",\"required\":[\"none\"],\"maxProperties\":1}",
     {"1", "3"},
     false},
};

/* The place, what was found and wanted of the findings. */
static void say(const struct findings *f, struct buf *out)
{
    buf_cut(out, 0);
    buf_print(out, "%d: ", f->n_finding);
    for (int i = 0; i < f->n_finding; i++)
        buf_print(out, "%s %s: found %s, wanted %s\n", f->finding[i].instance,
                  f->finding[i].schema, f->finding[i].found,
                  f->finding[i].wanted);
}

static void verdicts_agree(struct scene *s, bool want, const char *what)
{
    struct findings streamed, held;
    struct buf a = buf_limit(1 << 20), b = buf_limit(1 << 20);
    bool valid =
        schema_validate_stream(s->schema, s->doc->data, document_stream(s->doc),
                               s->doc->arena, &streamed, &s->err);
    bool other = schema_validate(s->schema, s->held->data, s->doc->arena, &held,
                                 &s->err);
    document_check_rows(s->doc, &s->err);
    test_ok(&s->err);
    say(&streamed, &a);
    say(&held, &b);
    if (valid != want || other != want) fail_msg("%s: %s", what, a.data);
    assert_string_equal(a.data, b.data);
    buf_free(&a);
    buf_free(&b);
}

static void what_is_wrong_is_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tie / sizeof *tie; i++) {
        struct scene s;
        begin(&s, tie[i].schema);
        assert_int_equal(s.plan->n_array, 1);
        for (int k = 0; k < 4 && tie[i].a[k]; k++)
            add(&s, arena_text(s.doc->arena,
                               "{\"array\":0,\"row\":{\"a\":%s},\"fields\":[]}",
                               tie[i].a[k]));
        gather(&s, total);
        verdicts_agree(&s, tie[i].valid, tie[i].schema);
        end(&s);
    }
}

static void a_list_alone_is_checked_too(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, "{\"type\":\"array\",\"maxItems\":30,\"items\":{\"type\":"
              "\"string\",\"maxLength\":2}}");
    add(&s, "{\"array\":0,\"row\":\"x\",\"fields\":[[\"\",0.5,1,0,0,\"\",0,0,0,"
            "0,0]]}");
    add(&s, "{\"array\":0,\"row\":\"long\",\"fields\":[]}");
    gather(&s, no_scalars);
    data_is(&s, "[\"x\",\"long\"]");
    assert_string_equal(s.held->field[0].pointer, "/0");
    verdicts_agree(&s, false, "a list");
    end(&s);
}

/* --- what adds up ---------------------------------------------------------- */

static void say_broken(void *arg, const struct checks_broken *broken)
{
    buf_print(arg, "%s: %s\n", broken->pointer, broken->text);
}

static void sums_are_those_of_the_whole(void **state)
{
    (void)state;
    static const char *const check[] = {
        "{\"sum\":\"/lines/*/a\",\"equals\":\"/total\"}",
        "{\"running\":\"/lines/*/a\",\"from\":\"/total\",\"equals\":"
        "\"/lines/*/b\"}",
        "{\"product\":[\"/lines/*/a\",\"/lines/*/a\"],\"equals\":"
        "\"/lines/*/b\"}"};
    for (size_t i = 0; i < sizeof check / sizeof *check; i++) {
        struct scene s;
        struct buf held = buf_limit(1 << 16), streamed = buf_limit(1 << 16);
        struct arena *arena = arena_new();
        begin(&s,
              arena_text(arena,
                         "{\"x-platen-check\":[%s],\"properties\":{\"total\":{"
                         "\"type\":\"number\"},\"lines\":{\"type\":\"array\","
                         "\"items\":{\"$ref\":\"#/$defs/row\"}},\"more\":{"
                         "\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
                         "row\"}}},\"$defs\":{\"row\":{\"type\":\"object\","
                         "\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{"
                         "\"type\":\"number\"}}}}}",
                         check[i]));
        for (int k = 0; k < 8; k++)
            add(&s, arena_text(arena,
                               "{\"array\":%d,\"row\":{\"a\":%d,\"b\":5},"
                               "\"fields\":[]}",
                               k % 2, k));
        gather(&s, total);
        struct checks *c = checks_new(s.schema, &s.err);
        test_ok(&s.err);
        checks_run(c, s.held->data, NULL, say_broken, &held);
        checks_run(c, s.doc->data, document_stream(s.doc), say_broken,
                   &streamed);
        assert_true(held.size > 0);
        assert_string_equal(buf_span(&streamed).data, held.data);
        checks_free(c);
        arena_free(arena);
        buf_free(&held);
        buf_free(&streamed);
        end(&s);
    }
}

/* --- the record -------------------------------------------------------------- */

enum { ROWS = 5000, PAGES = 300, HEAP_MOST = 600 << 10 };

/* What was printed, and the most memory that was in use meanwhile. */
struct print {
    struct buf text;
    size_t most;
};

static size_t heap(void)
{
    return mallinfo2().uordblks; /* 0 where a sanitizer has its own */
}

static void take(void *arg, struct span bytes)
{
    struct print *p = arg;
    if (heap() > p->most) p->most = heap();
    /* the first bytes alone: the whole of it would count */
    if (p->text.size + bytes.size <= p->text.most)
        buf_add(&p->text, bytes.data, bytes.size);
}

static void long_document(struct scene *s)
{
    begin(s, "{\"type\":\"object\",\"additionalProperties\":false,"
             "\"properties\":{\"lines\":{\"type\":\"array\",\"items\":{"
             "\"type\":\"object\",\"additionalProperties\":false,"
             "\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{\"type\":"
             "\"string\"}}}},\"total\":{\"type\":\"number\"}}}");
    for (int i = 0; i < ROWS; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "{\"array\":0,\"row\":{\"b\":\"<%d> \\u0001 \\\"&\",\"a\":%d},"
                 "\"fields\":[[\"/a\",0.%d,1,0,0,\"\",0,0,0,0,0],[\"/"
                 "b\",0.5,1,0,0,\"\",0,0,0,0,0]]}",
                 i, i, 1 + i % 9);
        add(s, line);
    }
    s->doc->page = arena_array(s->doc->arena, PAGES, sizeof *s->doc->page);
    s->doc->n_page = PAGES;
    for (int i = 0; i < PAGES; i++)
        s->doc->page[i] = (struct page){.number = i + 1, .dpi = 72};
    gather(s, total);
}

static const struct engine_facts facts = {
    .name = "null", .model = "none", .model_hash = ""};

static void print(const struct document *doc, bool xml, struct buf *out,
                  struct err *err)
{
    if (xml)
        record_xml(doc, &facts, out, err);
    else
        record_json(doc, &facts, 2, out, err);
}

/* The second at which it was printed may have gone by. */
static void hide_time(struct buf *text)
{
    char *at = strstr(text->data, "created");
    for (int i = 0; at && i < 35; i++)
        at[i] = '-';
}

static void records_are_the_same_bytes(void **state)
{
    (void)state;
    struct scene s;
    long_document(&s);
    for (int xml = 0; xml < 2; xml++) {
        struct buf held = buf_limit(16 << 20), streamed = buf_limit(16 << 20);
        print(s.held, xml, &held, &s.err);
        print(s.doc, xml, &streamed, &s.err);
        test_ok(&s.err);
        assert_false(held.full);
        assert_true(held.size > (256 << 10));
        hide_time(&held);
        hide_time(&streamed);
        assert_int_equal(held.size, streamed.size);
        assert_memory_equal(held.data, streamed.data, held.size);

        struct print p = {.text = buf_limit(16 << 20)};
        struct buf out = buf_drained(held.size, take, &p);
        print(s.doc, xml, &out, &s.err);
        buf_flush(&out);
        assert_false(out.full);
        hide_time(&p.text);
        assert_int_equal(held.size, p.text.size);
        assert_memory_equal(held.data, p.text.data, held.size);
        buf_free(&out);
        buf_free(&p.text);

        out = buf_drained(held.size - 1, take, &p);
        print(s.doc, xml, &out, &s.err);
        assert_true(out.full);
        buf_free(&out);
        buf_free(&p.text);
        buf_free(&held);
        buf_free(&streamed);
    }
    end(&s);
}

static void printing_and_checking_take_no_memory_for_rows(void **state)
{
    (void)state;
    struct scene s;
    struct findings found;
    long_document(&s);
    document_free(s.held);
    s.held = NULL;
    size_t before = heap();
    assert_true(schema_validate_stream(s.schema, s.doc->data,
                                       document_stream(s.doc), s.doc->arena,
                                       &found, &s.err));
    assert_true(heap() < before + HEAP_MOST);
    for (int xml = 0; xml < 2; xml++) {
        struct print p = {.most = before};
        struct buf out = buf_drained(16 << 20, take, &p);
        print(s.doc, xml, &out, &s.err);
        test_ok(&s.err);
        buf_free(&out);
        if (p.most > before + HEAP_MOST)
            fail_msg("%zu bytes for %d rows", p.most - before, ROWS);
    }
    end(&s);
}

static const char *arrays(struct arena *arena, int n)
{
    char *text = arena_alloc(arena, 2 * (size_t)n + 1);
    memset(text, '[', (size_t)n);
    memset(text + n, ']', (size_t)n);
    return text;
}

static void is_printed(const struct document *doc, bool want)
{
    struct err err = {0};
    struct buf out = buf_limit(1 << 20);
    print(doc, false, &out, &err);
    if (want) test_ok(&err);
    if (!want) assert_string_equal(err.reason, "internal");
    buf_free(&out);
}

/* Arrays in each other, which platen reads by themselves, but not where they
 * stand in a record. */
static void what_platen_could_not_read_is_not_printed(void **state)
{
    (void)state;
    for (int n = 60; n <= 61; n++) {
        struct scene s;
        begin(&s, LINES CLOSE "}");
        add(&s, arena_text(s.doc->arena,
                           "{\"array\":0,\"row\":{\"a\":%s},\"fields\":[]}",
                           arrays(s.doc->arena, n)));
        gather(&s, no_scalars);
        is_printed(s.doc, n == 60);
        cJSON_DeleteItemFromObjectCaseSensitive(s.held->data, "lines");
        const char *more = arrays(s.doc->arena, n + 2);
        cJSON_AddItemToObject(s.held->data, "b",
                              json_parse(span_of(more), &s.err));
        is_printed(s.held, n == 60);
        end(&s);
    }
}

TEST_GROUP(stream, cmocka_unit_test(a_row_is_ordered_each_time_it_comes),
           cmocka_unit_test(tables_stand_in_their_rows),
           cmocka_unit_test(a_default_stands_where_no_page_gives_a_value),
           cmocka_unit_test(what_is_wrong_names_its_page),
           cmocka_unit_test(what_is_wrong_is_the_same),
           cmocka_unit_test(a_list_alone_is_checked_too),
           cmocka_unit_test(sums_are_those_of_the_whole),
           cmocka_unit_test(records_are_the_same_bytes),
           cmocka_unit_test(what_platen_could_not_read_is_not_printed),
           cmocka_unit_test(printing_and_checking_take_no_memory_for_rows))
