/* field_test.c - what is known of a value, kept and printed. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/alignment/evidence_pages.h"
#include "stages/ask/field.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

/* What trust makes of a value is another test's: here it is only there. */
static void printed(cJSON *value, const char *wanted)
{
    struct buf text = buf_limit(1 << 16);
    cJSON *confidence = cJSON_GetObjectItem(value, "confidence");
    assert_true(cJSON_IsNumber(confidence));
    cJSON_ReplaceItemInObject(value, "confidence", cJSON_CreateTrue());
    json_print(&text, value, 0);
    assert_string_equal(text.data, wanted);
    buf_free(&text);
    cJSON_Delete(value);
}

/* One of each kind. */
static const struct evidence place[] = {{.page = 3,
                                         .box = {0.125, 0.25, 0.5, 0.0625},
                                         .text = "a \"b\"",
                                         .source = EVIDENCE_OCR,
                                         .match = EVIDENCE_FUZZY,
                                         .confidence = 0.75F,
                                         .distance = 2},
                                        {.page = 4,
                                         .box = {0, 0, 1, 1},
                                         .source = EVIDENCE_TEXT_LAYER,
                                         .match = EVIDENCE_POSITION},
                                        {.text = "c",
                                         .source = EVIDENCE_E_INVOICE,
                                         .match = EVIDENCE_DIFFERENT,
                                         .term = 112}};

/* The two entries as a row of the row file, whole and cut off. */
static void packed_comes_back(const cJSON *kept, const char *wanted,
                              struct arena *arena)
{
    struct buf row = buf_limit(1 << 16);
    field_pack(&row, kept->child, arena);
    size_t whole = row.size;
    field_pack(&row, kept->child->next, arena);
    struct span rest = buf_span(&row);
    struct field c;
    assert_true(field_unpack(&rest, &c, arena));
    assert_string_equal(c.pointer, "/a");
    assert_float_equal(c.p_min_of_siblings, 0.375, 0);
    assert_int_equal(c.n_token, 7);
    printed(field_of_record(&c, NULL, false), wanted);
    assert_true(field_unpack(&rest, &c, arena));
    assert_true(c.unmeasured && c.verdict == FIELD_UNSEEN && !c.n_evidence);
    assert_string_equal(c.pointer, "/b");
    assert_int_equal(rest.size, 0);
    for (size_t n = 0; n < whole; n++) {
        rest = (struct span){row.data, n};
        assert_false(field_unpack(&rest, &c, arena));
    }
    buf_free(&row);
}

static void what_is_kept_comes_back(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct field one[] = {{.pointer = "/rows/0/a",
                           .p = 0.25,
                           .p_legal = 0.5,
                           .p_min = 0.125,
                           .p_min_of_siblings = 0.375,
                           .n_token = 7,
                           .is_figure = true,
                           .doubt = DOUBT_SIGN,
                           .dropped = true,
                           .is_null = true,
                           .verdict = FIELD_AGREE,
                           .page = 3,
                           .evidence = place,
                           .n_evidence = 3},
                          {.pointer = "/rows/0/b",
                           .p = 1,
                           .p_legal = 1,
                           .unmeasured = true,
                           .verdict = FIELD_UNSEEN}};
    struct buf text = buf_limit(1 << 16);
    struct err err = {0};
    cJSON *first = field_keep_below(one, 2, span_of("/rows/0"), 7);
    json_print(&text, first, 0);
    cJSON_Delete(first);
    cJSON *kept = json_parse(buf_span(&text), &err);
    test_ok(&err);
    buf_free(&text);
    struct field a = field_kept(kept->child, arena);
    struct field b = field_kept(kept->child->next, NULL);
    assert_string_equal(a.pointer, "/a");
    assert_float_equal(a.p_min, 0.125, 0);
    assert_float_equal(a.p_min_of_siblings, 0.375, 0);
    assert_int_equal(a.n_token, 7);
    assert_true(a.is_figure && a.doubt == DOUBT_SIGN && a.dropped && a.is_null);
    assert_false(b.is_figure || b.doubt || b.dropped || b.is_null);
    static const char wanted[] =
        "{\"p\":0.2500,\"p_legal\":0.5000,\"confidence\":true,"
        "\"verdict\":\"doubtful\",\"doubt\":\"sign\",\"page\":3,\"evidence\":["
        "{\"page\":3,\"box\":[0.1250,0.2500,0.5000,0.0625],"
        "\"text\":\"a \\\"b\\\"\",\"source\":\"ocr\","
        "\"match\":\"fuzzy\",\"confidence\":0.75,\"distance\":2},"
        "{\"page\":4,\"box\":[0.0000,0.0000,1.0000,1.0000],"
        "\"source\":\"text-layer\",\"match\":\"position\"},"
        "{\"text\":\"c\",\"source\":\"e-invoice\",\"match\":\"different\","
        "\"term\":\"BT-112\"}]}";
    printed(field_of_record(&a, NULL, false), wanted);
    printed(field_of_record(&a, NULL, true), wanted);
    assert_float_equal(b.p, 1, 0);
    printed(field_of_record(&b, NULL, false),
            "{\"confidence\":true,\"verdict\":\"unseen\"}");
    packed_comes_back(kept, wanted, arena);
    cJSON_Delete(kept);
    arena_free(arena);
}

static void a_value_on_two_pages_has_the_evidence_of_both(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    static const struct evidence on_3 = {.page = 3, .text = "x"},
                                 on_4 = {.page = 4, .text = "y"};
    struct field both[] = {{.pointer = "/a",
                            .p = 0.9,
                            .p_legal = 1,
                            .verdict = FIELD_AGREE,
                            .page = 3,
                            .evidence = &on_3,
                            .n_evidence = 1},
                           {.pointer = "/a",
                            .p = 0.4,
                            .p_legal = 1,
                            .verdict = FIELD_UNSEEN,
                            .page = 4,
                            .evidence = &on_4,
                            .n_evidence = 1}};
    cJSON *kept = field_keep_below(both, 2, span_of(""), 0);
    cJSON *joined = field_keep_both(kept->child, kept->child->next);
    struct field f = field_kept(joined, arena);
    printed(field_of_record(&f, NULL, false),
            "{\"p\":0.4000,\"p_legal\":1.0000,\"confidence\":true,"
            "\"verdict\":\"unseen\",\"page\":3,\"evidence\":["
            "{\"page\":3,\"box\":[0.0000,0.0000,0.0000,0.0000],"
            "\"text\":\"x\",\"source\":\"text-layer\",\"match\":\"exact\"},"
            "{\"page\":4,\"box\":[0.0000,0.0000,0.0000,0.0000],"
            "\"text\":\"y\",\"source\":\"text-layer\","
            "\"match\":\"exact\"}]}");
    cJSON_Delete(joined);
    cJSON_Delete(kept);
    arena_free(arena);
}

/* The field of `pointer` after an answer about a page with two words. */
static void proven(const char *answer, const char *pointer, const char *wanted)
{
    struct err err = {0};
    struct schema_options options = {.format_asserts = true};
    struct word word[] = {{0.1, 0.1, 0.2, 0.02, "Total", 1},
                          {0.5, 0.1, 0.1, 0.02, "12.50", 1}};
    struct words words = {.word = word, .n_word = 2, .aspect = 1};
    struct document *doc = document_new("1", "a", -1);
    struct schema *schema = schema_parse(span_of("{}"), "any", &options, &err);
    doc->schema = schema;
    doc->scratch = doc->arena;
    cJSON *value = json_parse(span_of(answer), &err);
    test_ok(&err);
    struct evidence_pages shown = {0};
    evidence_pages_begin(&shown);
    evidence_pages_add(&shown, 2, &words);
    evidence_pages_find(&shown, doc, value, false, 0, 1);
    const struct field *found = NULL;
    for (int i = 0; i < doc->n_field; i++)
        if (!strcmp(doc->field[i].pointer, pointer)) found = &doc->field[i];
    assert_non_null(found);
    printed(field_of_record(found, NULL, false), wanted);
    evidence_pages_end(&shown);
    cJSON_Delete(value);
    schema_free(schema);
    document_free(doc);
}

static void an_answer_is_proven_by_the_words_of_its_pages(void **state)
{
    (void)state;
    proven("{\"total\":12.5,\"x\":null}", "/total",
           "{\"confidence\":true,\"verdict\":\"agree\",\"page\":2,"
           "\"evidence\":[{\"page\":2,"
           "\"box\":[0.5000,0.1000,0.1000,0.0200],\"text\":\"12.50\","
           "\"source\":\"text-layer\",\"match\":\"normalised\"}]}");
    proven("{\"total\":12.6}", "/total",
           "{\"confidence\":true,\"verdict\":\"unseen\"}");
    proven("{\"paid\":true}", "/paid",
           "{\"confidence\":true,\"verdict\":\"derived\"}");
}

TEST_GROUP(field, cmocka_unit_test(what_is_kept_comes_back),
           cmocka_unit_test(a_value_on_two_pages_has_the_evidence_of_both),
           cmocka_unit_test(an_answer_is_proven_by_the_words_of_its_pages))
