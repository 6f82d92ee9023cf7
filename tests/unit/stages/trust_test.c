/* trust_test.c - how far a record and its values are to be believed. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/confidence/checks.h"
#include "stages/confidence/confidence.h"
#include "stages/confidence/confidence_model.h"
#include "stages/engine/engine.h"
#include "vlm/base/file_map.h"
#include "vlm/json/json.h"
#include "vlm/vlm.h"

static const char EMBEDDED[] =
    "dc7fe5402a0e3e6f4ca2dd13da34a265c91e13f58bc456c8f5e4dd63360efb9b";

/* A document of these fields, and one page that is not blank. */
struct scene {
    struct document *doc;
    struct page page;
    struct engine_facts facts;
};

static void set_scene(struct scene *s, const char *hash, struct field *field,
                      int n_field, const char *data)
{
    struct err err = {0};
    *s = (struct scene){.doc = document_new("1", "a", -1),
                        .page = {.number = 1},
                        .facts = {.model_hash = hash}};
    s->doc->page = &s->page;
    s->doc->n_page = 1;
    s->doc->field = field;
    s->doc->n_field = n_field;
    s->doc->data = json_parse(span_of(data), &err);
    test_ok(&err);
}

static int n_warning(const struct scene *s, enum warning_code code)
{
    return s->doc->warnings->n_of[code];
}

/* A value of `n` letters, each of which was read with the probability p. */
static struct field value(const char *pointer, double p, int n)
{
    struct field f = {.pointer = pointer, .p = 1, .p_legal = 1, .n_token = n};
    for (int i = 0; i < n; i++)
        f.p *= p;
    f.p_min = f.p_min_of_siblings = p;
    return f;
}

static struct field null(const char *pointer)
{
    struct field f = value(pointer, .9999, 1);
    f.is_null = true;
    return f;
}

/* However sure a model is of itself that nobody knows, and however few letters
 * of a text are others. */
static void what_is_not_confirmed_is_for_review(void **state)
{
    (void)state;
    struct field f[] = {value("/a", 1, 4), value("/b", 1, 4), value("/c", 1, 4),
                        value("/d", .97, 4), value("/e", .97, 4)};
    struct scene s;
    f[0].verdict = FIELD_UNSEEN;
    f[1].verdict = FIELD_DIFFER;
    f[2].verdict = FIELD_AGREE;
    f[2].doubt = DOUBT_PLACE;
    f[3].verdict = f[4].verdict = FIELD_AGREE;
    const struct evidence fuzzy = {.match = EVIDENCE_FUZZY},
                          exact = {.match = EVIDENCE_EXACT};
    f[3].evidence = &fuzzy;
    f[4].evidence = &exact;
    f[3].n_evidence = f[4].n_evidence = 1;
    set_scene(&s, "another", f, 5, "{\"a\":\"x\"}");
    confidence_document(s.doc, &s.facts, .9);
    for (int i = 0; i < 4; i++)
        assert_true(confidence_value(&f[i], s.doc->trust) < .9);
    assert_true(confidence_value(&f[4], s.doc->trust) > .95);
    document_free(s.doc);
}

/* What was made up and happens to be printed somewhere makes no record read. */
static void few_values_that_are_seen_do_not_make_a_guess_read(void **state)
{
    (void)state;
    struct field f[] = {value("/merchant", .6, 6), value("/total", .7, 1),
                        value("/items/0/quantity", .7, 1)};
    struct scene s;
    f[1].verdict = f[2].verdict = FIELD_AGREE;
    set_scene(&s, EMBEDDED, f, 3, "{\"merchant\":\"x\"}");
    confidence_document(s.doc, &s.facts, .9);
    assert_int_equal(s.doc->trust->verdict, CONFIDENCE_DOUBTFUL);
    document_free(s.doc);
}

/* Where the reader is in doubt and hardly a value is seen on the page, those few
 * are there by chance. */
static void a_doubtful_page_that_nobody_sees_is_unread(void **state)
{
    (void)state;
    struct field f[] = {
        value("/merchant", .85, 6),         value("/total", .85, 1),
        value("/items/0/quantity", .85, 1), value("/items/0/price", .85, 1),
        value("/items/1/quantity", .85, 1), value("/items/1/price", .85, 1)};
    for (int seen = 0; seen < 3; seen++) {
        struct scene s;
        for (int i = 0; i < 6; i++)
            f[i].verdict = i < seen ? FIELD_AGREE : FIELD_UNSEEN;
        set_scene(&s, EMBEDDED, f, 6, "{\"merchant\":\"x\"}");
        confidence_document(s.doc, &s.facts, .9);
        assert_int_equal(s.doc->trust->verdict,
                         seen < 2 ? CONFIDENCE_UNREAD : CONFIDENCE_DOUBTFUL);
        document_free(s.doc);
    }
}

/* Sure nulls do not make a record that was guessed a read one. */
static void a_page_that_was_guessed_is_unread(void **state)
{
    (void)state;
    struct field f[] = {
        value("/merchant", .6, 6), value("/total", .7, 4), null("/date"),
        null("/items/0/quantity"), null("/items/0/price"), null("/currency")};
    struct scene s;
    set_scene(&s, EMBEDDED, f, 6, "{\"merchant\":\"x\"}");
    confidence_document(s.doc, &s.facts, .9);
    assert_int_equal(s.doc->trust->verdict, CONFIDENCE_UNREAD);
    assert_true(s.doc->trust->review);
    assert_int_equal(n_warning(&s, WARN_UNREAD), 1);
    assert_int_equal(n_warning(&s, WARN_LOW_CONFIDENCE), 2);
    for (int i = 0; i < 6; i++)
        assert_true(confidence_value(&f[i], s.doc->trust) < .5);
    assert_true(confidence_value(&f[2], s.doc->trust) <= .2);
    document_free(s.doc);
}

/* A value that the words decided is as sure as what decided it, unless a sum speaks
 * against it, or nothing in the record is. */
static void print_is_as_sure_as_what_speaks_for_it(void **state)
{
    (void)state;
    static const char *const in[] = {"/tax"};
    struct field f[] = {value("/merchant", 1, 0), value("/date", 1, 0),
                        value("/total", 1, 0), value("/tax", 1, 0)};
    struct scene s;
    for (int i = 0; i < 4; i++) {
        f[i].unmeasured = true;
        f[i].verdict = FIELD_AGREE;
        f[i].print_p = i == 2 ? .6 : .95;
    }
    set_scene(&s, EMBEDDED, f, 4, "{\"merchant\":\"x\"}");
    confidence_note_check(s.doc, in, 1, false);
    confidence_document(s.doc, &s.facts, .9);
    assert_float_equal(confidence_value(&f[0], s.doc->trust), .95, 1e-6);
    assert_float_equal(confidence_value(&f[2], s.doc->trust), .6, 1e-6);
    assert_float_equal(confidence_value(&f[3], s.doc->trust), .5, 1e-6);
    s.doc->trust->verdict = CONFIDENCE_UNREAD;
    for (int i = 0; i < 4; i++)
        assert_true(confidence_value(&f[i], s.doc->trust) <= .45);
    document_free(s.doc);
}

static void a_page_that_was_read_is_believed(void **state)
{
    (void)state;
    struct field f[] = {value("/merchant", .9999, 6), value("/total", .9995, 4),
                        null("/date")};
    struct scene s;
    set_scene(&s, EMBEDDED, f, 3, "{\"merchant\":\"x\"}");
    confidence_document(s.doc, &s.facts, .9);
    assert_int_equal(s.doc->trust->verdict, CONFIDENCE_READ);
    assert_false(s.doc->trust->review);
    assert_int_equal(s.doc->warnings->n, 0);
    assert_true(confidence_value(&f[0], s.doc->trust) > .99);
    document_free(s.doc);
}

/* One letter that was a guess, among values that were not. */
static void a_doubtful_value_is_for_review(void **state)
{
    (void)state;
    struct field f[] = {value("/a", .9999, 6), value("/b", .9999, 6),
                        value("/c", .9999, 6)};
    f[2].p *= .6;
    f[2].p_min = f[2].p_min_of_siblings = .6;
    f[2].page = 4;
    struct scene s;
    set_scene(&s, EMBEDDED, f, 3, "{\"a\":\"x\"}");
    confidence_document(s.doc, &s.facts, .9);
    assert_int_equal(s.doc->trust->verdict, CONFIDENCE_READ);
    assert_true(s.doc->trust->review);
    assert_int_equal(s.doc->warnings->n, 1);
    assert_string_equal(s.doc->warnings->row[0].pointer, "/c");
    assert_int_equal(s.doc->warnings->row[0].page, 4);
    document_free(s.doc);
}

/* Read with certainty on average, but most values are in doubt. */
static void values_in_doubt_make_a_doubtful_record(void **state)
{
    (void)state;
    for (int n_low = 0; n_low < 4; n_low++) {
        struct field f[] = {value("/a", .9999, 32), value("/b", .9999, 1),
                            value("/c", .9999, 1), value("/d", .9999, 1)};
        for (int i = 1; i <= n_low; i++)
            f[i] = value(f[i].pointer, .93, 1);
        struct scene s;
        set_scene(&s, "another", f, 4, "{\"a\":\"x\"}");
        confidence_document(s.doc, &s.facts, .9);
        assert_int_equal(s.doc->trust->n_low, n_low);
        assert_int_equal(s.doc->trust->verdict,
                         n_low > 2 ? CONFIDENCE_DOUBTFUL : CONFIDENCE_READ);
        assert_int_equal(n_warning(&s, WARN_DOUBTFUL), n_low > 2);
        document_free(s.doc);
    }
}

static void nothing_found_is_unread_unless_all_is_blank(void **state)
{
    (void)state;
    struct field f[] = {null("/a"), null("/b")};
    struct scene s;
    for (int blank = 0; blank < 2; blank++) {
        set_scene(&s, EMBEDDED, f, 2, "{\"a\":null,\"b\":null}");
        s.page.blank = blank;
        confidence_document(s.doc, &s.facts, .9);
        assert_int_equal(s.doc->trust->verdict,
                         blank ? CONFIDENCE_READ : CONFIDENCE_UNREAD);
        document_free(s.doc);
    }
}

static void a_blank_document_is_for_review(void **state)
{
    (void)state;
    struct field f[] = {null("/a"), null("/b")};
    struct scene s;
    set_scene(&s, EMBEDDED, f, 2, "{\"a\":null,\"b\":null}");
    s.page.blank = true;
    document_warn(s.doc, &(struct warning){.code = WARN_BLANK}, "blank");
    confidence_document(s.doc, &s.facts, .9);
    assert_true(s.doc->trust->review);
    document_free(s.doc);
}

/* Without probabilities OCR alone is asked. */
static void evidence_alone_counts(void **state)
{
    (void)state;
    struct field f[] = {
        {.pointer = "/a", .p = 1, .unmeasured = true, .verdict = FIELD_AGREE},
        {.pointer = "/b", .p = 1, .unmeasured = true, .verdict = FIELD_AGREE},
        {.pointer = "/c", .p = 1, .unmeasured = true, .verdict = FIELD_AGREE},
        {.pointer = "/d", .p = 1, .unmeasured = true, .verdict = FIELD_UNSEEN},
        {.pointer = "/e", .p = 1, .unmeasured = true, .verdict = FIELD_AGREE}};
    struct scene s;
    set_scene(&s, "", f, 5, "{\"a\":\"x\"}");
    confidence_document(s.doc, &s.facts, .9);
    assert_int_equal(s.doc->trust->verdict, CONFIDENCE_READ);
    assert_int_equal(n_warning(&s, WARN_LOW_CONFIDENCE), 1);
    assert_string_equal(s.doc->warnings->row[0].pointer, "/d");
    document_free(s.doc);
    for (int i = 0; i < 5; i++)
        f[i].verdict = FIELD_UNSEEN;
    set_scene(&s, "", f, 5, "{\"a\":\"x\"}");
    confidence_document(s.doc, &s.facts, .9);
    assert_int_equal(s.doc->trust->verdict, CONFIDENCE_UNREAD);
    document_free(s.doc);
    set_scene(&s, "", NULL, 0, "{\"a\":\"x\"}");
    confidence_document(s.doc, &s.facts, .9);
    assert_int_equal(s.doc->trust->verdict, CONFIDENCE_DOUBTFUL);
    assert_true(s.doc->trust->review);
    document_free(s.doc);
}

static void note_broken(void *arg, const struct checks_broken *broken)
{
    confidence_note_check(arg, broken->in, broken->n_in, false);
}

static void note_held(void *arg, const char *const *in, int n_in)
{
    confidence_note_check(arg, in, n_in, true);
}

/* Every value in a broken check, and no other, whatever the model says. */
static void a_broken_check_marks_its_values(void **state)
{
    (void)state;
    static const char *const at[] = {
        "/net",      "/tax",          "/total",
        "/rows/0/n", "/rows/0/price", "/rows/0/sum",
        "/rows/1/n", "/rows/1/price", "/rows/1/sum"};
    struct err err = {0};
    struct field f[9];
    for (int i = 0; i < 9; i++)
        f[i] = value(at[i], .9999, 4);
    struct schema *schema = schema_parse(
        span_of("{\"type\":\"object\",\"properties\":{\"net\":{\"type\":"
                "\"number\"},\"tax\":{\"type\":\"number\"},\"total\":{\"type\":"
                "\"number\"},\"rows\":{\"type\":\"array\",\"items\":{\"type\":"
                "\"object\",\"properties\":{\"n\":{\"type\":\"number\"},"
                "\"price\":{\"type\":\"number\"},\"sum\":{\"type\":\"number\"}"
                "}}}},\"x-platen-check\":[{\"sum\":[\"/net\",\"/tax\"],"
                "\"equals\":\"/total\"},{\"product\":[\"/rows/*/n\","
                "\"/rows/*/price\"],\"equals\":\"/rows/*/sum\"}]}"),
        "sums", NULL, &err);
    struct checks *checks = checks_new(schema, &err);
    test_ok(&err);
    struct scene s;
    set_scene(&s, EMBEDDED, f, 9,
              "{\"net\":10,\"tax\":2,\"total\":12,\"rows\":[{\"n\":2,"
              "\"price\":3,\"sum\":6},{\"n\":2,\"price\":3,\"sum\":7}]}");
    checks_run(checks, s.doc->data, NULL, note_broken, s.doc);
    checks_report(checks, note_held, s.doc);
    confidence_document(s.doc, &s.facts, .9);
    const struct field alone = value("/other", .9999, 4);
    double usual = confidence_value(&alone, s.doc->trust);
    for (int i = 0; i < 9; i++) {
        double c = confidence_value(&f[i], s.doc->trust);
        if (i < 6)
            assert_true(c > usual); /* it adds up */
        else
            assert_true(c < .9);
    }
    assert_int_equal(n_warning(&s, WARN_LOW_CONFIDENCE), 3);
    assert_true(s.doc->trust->review);
    document_free(s.doc);
    checks_free(checks);
    schema_free(schema);
}

/* A total that nobody finds explains why the sum is broken: rows that a second
 * reader confirms are spared, others are not; without it all are marked. */
static void a_doubtful_value_explains_a_broken_sum(void **state)
{
    (void)state;
    static const char *const in[] = {"/rows/*/n", "/total"};
    struct field f[] = {value("/rows/0/n", .9999, 4),
                        value("/rows/1/n", .9999, 4),
                        value("/total", .9999, 4)};
    for (int total_seen = 0; total_seen < 2; total_seen++) {
        f[0].verdict = FIELD_AGREE;
        f[1].verdict = FIELD_UNPROVEN;
        f[2].verdict = total_seen ? FIELD_AGREE : FIELD_UNSEEN;
        struct scene s;
        set_scene(&s, "", f, 3, "{\"total\":1}");
        confidence_note_check(s.doc, in, 2, false);
        confidence_document(s.doc, &s.facts, .9);
        assert_int_equal(confidence_value(&f[0], s.doc->trust) > .9,
                         !total_seen);
        assert_true(confidence_value(&f[1], s.doc->trust) < .9);
        assert_true(confidence_value(&f[2], s.doc->trust) < .9);
        document_free(s.doc);
    }
}

/* The weights are for the model that ships, and no other. */
static void the_shipped_model_has_weights(void **state)
{
    (void)state;
    struct err err = {0};
    struct vlm_options options = {.model = "vlm/embedded/platen-tiny.gguf",
                                  .mmproj =
                                      "vlm/embedded/platen-tiny-mmproj.gguf"};
    struct vlm *v = vlm_open(&options, &err);
    test_ok(&err);
    const struct confidence_model *own =
        confidence_model_for(vlm_info(v)->hash.hex);
    assert_true(own != confidence_model_for(NULL));
    assert_true(confidence_model_for("another") == confidence_model_for(NULL));
    vlm_close(v);
}

TEST_GROUP(trust, cmocka_unit_test(what_is_not_confirmed_is_for_review),
           cmocka_unit_test(few_values_that_are_seen_do_not_make_a_guess_read),
           cmocka_unit_test(a_doubtful_page_that_nobody_sees_is_unread),
           cmocka_unit_test(a_page_that_was_guessed_is_unread),
           cmocka_unit_test(print_is_as_sure_as_what_speaks_for_it),
           cmocka_unit_test(a_page_that_was_read_is_believed),
           cmocka_unit_test(a_doubtful_value_is_for_review),
           cmocka_unit_test(nothing_found_is_unread_unless_all_is_blank),
           cmocka_unit_test(a_blank_document_is_for_review),
           cmocka_unit_test(values_in_doubt_make_a_doubtful_record),
           cmocka_unit_test(evidence_alone_counts),
           cmocka_unit_test(a_broken_check_marks_its_values),
           cmocka_unit_test(a_doubtful_value_explains_a_broken_sum),
           cmocka_unit_test(the_shipped_model_has_weights))
