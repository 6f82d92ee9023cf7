/* second_opinion_test.c - what the words of a page say of a model's answer. */
#include "stages/ask/second_opinion.h"

#include "tests/support/test.h"

#include <string.h>

#include "tests/unit/stages/drawn_page.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"total\":{\"type\":[\"number\","
    "\"null\"]},\"due_date\":{\"type\":[\"string\",\"null\"]},"
    "\"invoice_number\":{\"type\":[\"string\",\"null\"]},"
    "\"terms\":{\"type\":[\"string\",\"null\"]},"
    "\"tax_id\":{\"type\":[\"string\",\"null\"]},"
    "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{"
    "\"description\":{\"type\":\"string\"},\"amount\":{\"type\":\"number\"}}}}}"
    "}";

static const char page_text[] = "Invoice number    HT-20417\n"
                                "Due date          28/11/2024\n"
                                "Subtotal            100.00\n"
                                "Total               120.00\n";

struct opinion {
    struct document doc;
    struct words words;
    struct evidence_pages pages;
    struct schema *schema;
    cJSON *value;
};

/* Compares an answer about the page, whose words come from `source`. */
static void compare_on(struct opinion *o, const char *page, const char *json,
                       enum words_source source)
{
    struct schema_options options = {.format_asserts = true};
    struct err err = {0};
    *o = (struct opinion){.doc.scratch = arena_new()};
    o->words = drawn_page_words(page, o->doc.scratch);
    o->words.source = source;
    o->schema = schema_parse(span_of(schema_text), "any", &options, &err);
    o->value = json_parse(span_of(json), &err);
    test_ok(&err);
    o->doc.schema = o->schema;
    evidence_pages_begin(&o->pages);
    evidence_pages_add(&o->pages, 1, &o->words);
    evidence_pages_find(&o->pages, &o->doc, o->value, false, 0, 1);
    struct words_answer read = words_reader_read(
        o->schema, o->pages.page, o->pages.n_page, o->doc.scratch);
    second_opinion_compare(&read, &o->doc, o->value);
    cJSON_Delete(read.value);
}

static void compare(struct opinion *o, const char *json,
                    enum words_source source)
{
    compare_on(o, page_text, json, source);
}

static const struct field *field_of(struct opinion *o, const char *pointer)
{
    int at = 0, i = document_find_field(&o->doc, pointer, &at);
    assert_true(i >= 0);
    return &o->doc.field[i];
}

static void end(struct opinion *o)
{
    evidence_pages_end(&o->pages);
    cJSON_Delete(o->value);
    schema_free(o->schema);
    arena_free(o->doc.scratch);
}

static void a_null_with_print_was_overlooked(void **state)
{
    (void)state;
    struct opinion o;
    compare(&o,
            "{\"total\":null,\"due_date\":\"28/11/2024\","
            "\"invoice_number\":\"HT-20417\"}",
            WORDS_OF_OCR);
    const struct field *f = field_of(&o, "/total");
    assert_int_equal(f->verdict, FIELD_OVERLOOKED);
    assert_int_equal(f->n_evidence, 1);
    assert_string_equal(f->evidence->text, "120.00");
    assert_int_equal(f->evidence->source, EVIDENCE_OCR);
    assert_int_equal(f->evidence->match, EVIDENCE_POSITION);
    end(&o);
}

static void another_value_is_doubtful(void **state)
{
    (void)state;
    struct opinion o;
    compare(&o,
            "{\"total\":100.00,\"due_date\":\"28/11/2024\","
            "\"invoice_number\":\"HT-20417\"}",
            WORDS_OF_LAYER);
    const struct field *f = field_of(&o, "/total");
    assert_int_equal(f->verdict, FIELD_AGREE);
    assert_int_not_equal(f->doubt, DOUBT_NONE);
    assert_int_equal(field_of(&o, "/invoice_number")->doubt, DOUBT_NONE);
    end(&o);
}

static void the_same_in_another_form_is_not(void **state)
{
    (void)state;
    struct opinion o;
    compare(&o,
            "{\"total\":120.0,\"due_date\":\"2024-11-28\","
            "\"invoice_number\":\"HT 20417\"}",
            WORDS_OF_LAYER);
    for (int i = 0; i < o.doc.n_field; i++) {
        assert_int_equal(o.doc.field[i].verdict, FIELD_AGREE);
        assert_int_equal(o.doc.field[i].doubt, DOUBT_NONE);
    }
    end(&o);
}

/* OCR made other letters of the value's own print. */
static void its_own_print_is_no_other_value(void **state)
{
    (void)state;
    struct opinion o;
    compare_on(&o,
               "Invoice number    Q4II7B\n"
               "Due date          28/11/2024\n",
               "{\"total\":null,\"due_date\":\"28/11/2024\","
               "\"invoice_number\":\"Q4\u00DC7B\"}",
               WORDS_OF_OCR);
    const struct field *f = field_of(&o, "/invoice_number");
    assert_int_equal(f->verdict, FIELD_AGREE);
    assert_int_equal(f->doubt, DOUBT_NONE);
    end(&o);
}

/* A page, an answer, and whether the invoice number and the due date are doubtful. */
static void assert_doubtful(const char *page, const char *json, bool number,
                            bool due)
{
    struct opinion o;
    compare_on(&o, page, json, WORDS_OF_LAYER);
    const struct field *f = field_of(&o, "/invoice_number");
    assert_int_equal(f->verdict, FIELD_AGREE);
    assert_int_equal(f->doubt, number ? DOUBT_LABEL : DOUBT_NONE);
    assert_int_equal(field_of(&o, "/due_date")->doubt,
                     due ? DOUBT_LABEL : DOUBT_NONE);
    end(&o);
}

/* Of two values that are exchanged, both are doubtful; print that another value is
 * speaks against none. */
static void print_of_another_value_says_nothing(void **state)
{
    (void)state;
    struct opinion o;
    assert_doubtful("Invoice number    HT-20417\n"
                    "Due date          28/11/2024\n"
                    "Printed           16/10/2024\n",
                    "{\"total\":null,\"due_date\":\"2024-10-16\","
                    "\"invoice_number\":\"HT-20417\"}",
                    false, true);
    compare_on(&o,
               "Total      120.00\n"
               "Due date   28/11/2024\n",
               "{\"total\":null,\"due_date\":\"2024-11-28\","
               "\"invoice_number\":\"120.00\"}",
               WORDS_OF_LAYER);
    int at = 0, i = document_find_field(&o.doc, "/total", &at);
    assert_true(i < 0 || o.doc.field[i].verdict != FIELD_OVERLOOKED);
    end(&o);
}

/* "HT-20417 - Standard": the code is a whole, a part of it is not. */
static void a_code_before_its_meaning_is_whole(void **state)
{
    (void)state;
    static const char page[] = "Invoice number:   HT-20417 - Standard\n"
                               "Due date          28/11/2024\n";
    assert_doubtful(page,
                    "{\"total\":null,\"due_date\":\"2024-11-28\","
                    "\"invoice_number\":\"HT-20417\"}",
                    false, false);
}

/* So is what is before a colon, or behind a position. */
static void a_head_before_its_explanation_is_whole(void **state)
{
    (void)state;
    static const struct {
        const char *page;
        enum field_doubt doubt;
    } row[] = {{"Terms: Strict: no return\n", DOUBT_NONE},
               {"Terms: 17 Strict\n", DOUBT_NONE},
               {"Terms: No return\n\n\nStrict\n", DOUBT_LABEL}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct opinion o;
        compare_on(&o, row[i].page, "{\"terms\":\"Strict\"}", WORDS_OF_LAYER);
        assert_int_equal(field_of(&o, "/terms")->doubt, row[i].doubt);
        end(&o);
    }
}

/* A firm has two tax numbers; another's is no third. */
static void a_number_for_value_added_tax_is_a_tax_number(void **state)
{
    (void)state;
    static const char page[] = "USt.-Identnr.:   DE136695976\n"
                               "Steuernr.:       201/113/40209\n\n\n\n"
                               "Archiv:          DE811569869\n";
    static const struct {
        const char *answer;
        enum field_doubt doubt;
    } row[] = {{"{\"tax_id\":\"DE136695976\"}", DOUBT_NONE},
               {"{\"tax_id\":\"201/113/40209\"}", DOUBT_NONE},
               {"{\"tax_id\":\"DE811569869\"}", DOUBT_LABEL}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct opinion o;
        compare_on(&o, page, row[i].answer, WORDS_OF_LAYER);
        assert_int_equal(field_of(&o, "/tax_id")->doubt, row[i].doubt);
        end(&o);
    }
}

/* What the label over a date fits as well as the one beside another. */
static void what_fits_nearly_as_well_is_no_error(void **state)
{
    (void)state;
    static const char page[] = "Due date        Invoice number\n"
                               "28/11/2024      HT-20417\n\n"
                               "Our delivery, due date 16/10/2024\n";
    assert_doubtful(page,
                    "{\"total\":null,\"due_date\":\"2024-11-28\","
                    "\"invoice_number\":\"HT-20417\"}",
                    false, false);
}

/* The total of a single item is its amount; but one print is not both. */
static void what_a_row_has_too_is_not_said_twice(void **state)
{
    (void)state;
    static const char answer[] =
        "{\"total\":50,\"due_date\":null,\"invoice_number\":null,"
        "\"items\":[{\"description\":\"Chisel\",\"amount\":50}]}";
    static const char table[] = "Description         Amount\n"
                                "Chisel               50.00\n\n\n\n\n\n\n\n\n";
    for (int own = 0; own < 2; own++) {
        struct opinion o;
        struct arena *arena = arena_new();
        compare_on(&o,
                   arena_text(arena, "%sGesamtbetrag offen       120.00\n%s",
                              table, own ? "\n\nZeb       50.00\n" : ""),
                   answer, WORDS_OF_LAYER);
        const struct field *f = field_of(&o, "/total");
        assert_int_equal(f->verdict, FIELD_AGREE);
        assert_int_equal(f->doubt == DOUBT_NONE, own);
        end(&o);
        arena_free(arena);
    }
}

TEST_GROUP(second_opinion, cmocka_unit_test(a_null_with_print_was_overlooked),
           cmocka_unit_test(print_of_another_value_says_nothing),
           cmocka_unit_test(a_code_before_its_meaning_is_whole),
           cmocka_unit_test(a_head_before_its_explanation_is_whole),
           cmocka_unit_test(a_number_for_value_added_tax_is_a_tax_number),
           cmocka_unit_test(what_fits_nearly_as_well_is_no_error),
           cmocka_unit_test(what_a_row_has_too_is_not_said_twice),
           cmocka_unit_test(another_value_is_doubtful),
           cmocka_unit_test(the_same_in_another_form_is_not),
           cmocka_unit_test(its_own_print_is_no_other_value))
