/* window_test.c - the file that keeps what was read of a long document, and what
 * pages say of values that it has once. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/long/header_vote.h"
#include "stages/long/long_findings.h"
#include "stages/long/row_file.h"
#include "vlm/json/json.h"

/* --- the file ------------------------------------------------------------ */

struct seen {
    int n_state, last;
};

static void see(void *arg, const cJSON *line)
{
    struct seen *seen = arg;
    seen->n_state++;
    seen->last = json_get(line, "index")->valueint;
}

static void add(struct row_file *r, int n, struct err *err)
{
    char text[80];
    snprintf(text, sizeof text, "{\"array\":0,\"page\":1,\"row\":%d}", n);
    cJSON *row = json_parse(span_of(text), err);
    row_file_add(r, row, err);
    cJSON_Delete(row);
}

static void keep(struct row_file *r, int index, struct err *err)
{
    cJSON *state = cJSON_CreateObject();
    json_add_integer(state, "index", index);
    row_file_commit(r, state, err);
    cJSON_Delete(state);
}

/* Two pages kept, of a third one rows alone. */
static FILE *file_of_two_pages(void)
{
    struct err err = {0};
    struct seen seen = {0};
    FILE *f = tmpfile();
    struct row_file *r = row_file_open(fileno(f), "me", see, &seen, &err);
    test_ok(&err);
    assert_int_equal(seen.n_state, 0);
    add(r, 1, &err);
    keep(r, 0, &err);
    add(r, 2, &err);
    add(r, 3, &err);
    keep(r, 1, &err);
    test_ok(&err);
    row_file_close(r);
    return f;
}

static void what_was_kept_is_found_again_and_no_more(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {0};
    FILE *f = file_of_two_pages();
    static const char torn[] = "XNWO\x09";
    assert_int_equal(
        pwrite(fileno(f), torn, sizeof torn - 1, lseek(fileno(f), 0, SEEK_END)),
        sizeof torn - 1);
    struct row_file *r = row_file_open(fileno(f), "me", see, &seen, &err);
    test_ok(&err);
    assert_int_equal(seen.n_state, 2);
    assert_int_equal(seen.last, 1);
    add(r, 5, &err);
    keep(r, 2, &err);
    row_file_rewind(r, &err);
    static const int want[] = {1, 2, 3, 5};
    struct row_file_row row;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(row_file_next(r, -1, &row, &err));
        cJSON *value = row_file_value(&row, &err);
        assert_int_equal(value->valueint, want[i]);
        cJSON_Delete(value);
    }
    assert_false(row_file_next(r, -1, &row, &err));
    test_ok(&err);
    row_file_close(r);
    fclose(f);
}

static void rows_of_something_else_are_forgotten(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {0};
    FILE *f = file_of_two_pages();
    struct row_file *r = row_file_open(fileno(f), "you", see, &seen, &err);
    test_ok(&err);
    assert_int_equal(seen.n_state, 0);
    row_file_rewind(r, &err);
    struct row_file_row row;
    assert_false(row_file_next(r, -1, &row, &err));
    test_ok(&err);
    row_file_close(r);
    fclose(f);
}

static void a_row_that_cannot_be_read_again_is_an_error(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {0};
    FILE *f = file_of_two_pages();
    struct row_file *r = row_file_open(fileno(f), "me", see, &seen, &err);
    test_ok(&err);
    struct row_file_row row;
    enum { FIRST = 24 + sizeof "me" - 1, HEAD = 24 };
    assert_int_equal(pwrite(fileno(f), "x", 1, FIRST + HEAD), 1);
    row_file_rewind(r, &err);
    assert_true(row_file_next(r, -1, &row, &err));
    assert_null(row_file_value(&row, &err));
    assert_true(err_failed(&err));
    row_file_close(r);
    err = (struct err){0};
    assert_int_equal(pwrite(fileno(f), "\xff\xff", 2, FIRST + 20), 2);
    r = row_file_open(fileno(f), "me", see, &seen, &err);
    row_file_rewind(r, &err);
    while (row_file_next(r, -1, &row, &err))
        ;
    assert_true(err_failed(&err));
    row_file_close(r);
    fclose(f);
}

/* --- values that stand once ------------------------------------------------ */

static void take_as(cJSON *all, const char *text, double p, int page,
                    enum field_verdict verdict)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(text), &err);
    test_ok(&err);
    struct field field = {
        .pointer = "/a/b", .p = p, .p_legal = 1, .verdict = verdict};
    header_vote_add(all, value, &field, 1, page);
    cJSON_Delete(value);
}

static void take(cJSON *all, const char *text, double p, int page)
{
    take_as(all, text, p, page, FIELD_UNPROVEN);
}

static void count(void *arg, const char *pointer, const cJSON *entry)
{
    int *n = arg;
    assert_string_equal(pointer, "/a/b");
    *n += cJSON_GetArraySize(json_get(entry, "others"));
}

static void the_most_probable_value_is_taken(void **state)
{
    (void)state;
    cJSON *all = cJSON_CreateObject();
    int n = 0;
    take(all, "{\"a\":null}", 1, 1);
    take(all, "{\"a\":{\"b\":null}}", 1, 2);
    take(all, "{\"a\":{\"b\":\"x\"}}", 0.6, 3);
    take(all, "{\"a\":{\"b\":\"y\"}}", 0.9, 4);
    take(all, "{\"a\":{\"b\":\"y\"}}", 0.8, 5);
    take(all, "{\"a\":{\"b\":null}}", 1, 6);
    cJSON *value = header_vote_value(all);
    const cJSON *b = json_get(json_get(value, "a"), "b");
    assert_string_equal(b->valuestring, "y");
    assert_int_equal(json_get(json_get(all, "/a/b"), "page")->valueint, 4);
    header_vote_conflicts(all, count, &n);
    assert_int_equal(n, 1);
    cJSON_Delete(value);
    cJSON_Delete(all);
}

/* One that many pages give does not crowd out the others. */
static void other_answers_stand_there_once(void **state)
{
    (void)state;
    cJSON *all = cJSON_CreateObject();
    int n = 0;
    take(all, "{\"a\":{\"b\":\"x\"}}", 0.6, 1);
    for (int page = 2; page < 6; page++)
        take(all, "{\"a\":{\"b\":\"y\"}}", 0.5, page);
    take(all, "{\"a\":{\"b\":\"z\"}}", 0.4, 6);
    header_vote_conflicts(all, count, &n);
    assert_int_equal(n, 2);
    /* what is taken now is none of them any longer */
    take(all, "{\"a\":{\"b\":\"z\"}}", 0.9, 7);
    const cJSON *others = json_get(json_get(all, "/a/b"), "others");
    assert_int_equal(cJSON_GetArraySize(others), 2);
    assert_string_equal(json_get(others->child, "value")->valuestring, "y");
    assert_string_equal(json_get(others->child->next, "value")->valuestring,
                        "x");
    cJSON_Delete(all);
}

static void expect_taken(const cJSON *all, const char *text)
{
    const cJSON *entry = json_get(all, "/a/b");
    assert_string_equal(json_get(entry, "value")->valuestring, text);
}

static void what_stands_on_its_page_is_taken_first(void **state)
{
    (void)state;
    cJSON *all = cJSON_CreateObject();
    take_as(all, "{\"a\":{\"b\":\"guess\"}}", 0.9, 1, FIELD_UNSEEN);
    take_as(all, "{\"a\":{\"b\":\"print\"}}", 0.5, 2, FIELD_AGREE);
    expect_taken(all, "print");
    take_as(all, "{\"a\":{\"b\":\"other\"}}", 0.99, 3, FIELD_DIFFER);
    expect_taken(all, "print");
    take_as(all, "{\"a\":{\"b\":\"surer\"}}", 0.6, 4, FIELD_AGREE);
    expect_taken(all, "surer");
    cJSON_Delete(all);
}

/* --- gaps ---------------------------------------------------------------- */

/* What is said of such gaps, where OCR is on or off. */
static void expect_said(const char *gaps, const char *ocr, const char *want)
{
    struct err err = {0};
    struct document *doc = document_new("1", "a.pdf", -1);
    const struct settings settings = {.ocr = ocr};
    doc->gaps = json_parse(span_of(gaps), &err);
    test_ok(&err);
    long_findings_gaps(doc, &settings);
    cJSON *said = warnings_print(doc->warnings, 0);
    struct buf text = buf_limit(1 << 16);
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, said)
    {
        assert_string_equal(json_get_text(each, "code"), "gaps");
        buf_print(&text, "%s\n", json_get_text(each, "text"));
    }
    assert_string_equal(text.size ? buf_span(&text).data : "", want);
    buf_free(&text);
    cJSON_Delete(said);
    document_free(doc);
}

static void page_lines_unchecked_are_named_with_the_remedy(void **state)
{
    (void)state;
    static const char pages[] =
        "[{\"page\":1,\"unchecked\":true,\"lines\":4,\"rows\":3},"
        "{\"page\":2,\"text\":\"a\"},{\"page\":2,\"text\":\"b\"},"
        "{\"page\":7,\"unchecked\":true,\"lines\":9}]";
    expect_said("[]", "off", "");
    expect_said("[{\"page\":3,\"unchecked\":true,\"lines\":4}]", "off",
                "review: 1 page could not be checked for missing rows, as no "
                "text of it is known (page 3): set ocr = auto\n");
    expect_said(
        pages, "auto",
        "review: 2 rows that the page shows were not read (gaps, page 2)\n"
        "review: 2 pages could not be checked for missing "
        "rows, as no text of them is known (page 1, 7): Tesseract read no "
        "words there; install its data for the language of the document "
        "(ocr_languages)\n");
}

TEST_GROUP(window, cmocka_unit_test(other_answers_stand_there_once),
           cmocka_unit_test(what_was_kept_is_found_again_and_no_more),
           cmocka_unit_test(rows_of_something_else_are_forgotten),
           cmocka_unit_test(a_row_that_cannot_be_read_again_is_an_error),
           cmocka_unit_test(the_most_probable_value_is_taken),
           cmocka_unit_test(page_lines_unchecked_are_named_with_the_remedy),
           cmocka_unit_test(what_stands_on_its_page_is_taken_first))
