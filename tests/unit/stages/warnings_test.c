/* warnings_test.c - warnings: told once, counted beyond the table, kept. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/document/document.h"
#include "stages/document/warnings.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

/* Keeps the text of `all` from row `from` on. */
static char *printed(const struct warnings *all, int from)
{
    struct buf text = buf_limit(1 << 20);
    cJSON *array = warnings_print(all, from);
    json_print(&text, array, 0);
    char *kept = arena_copy(all->arena, buf_span(&text));
    buf_free(&text);
    cJSON_Delete(array);
    return kept;
}

static void every_code_has_a_name_and_a_meaning(void **state)
{
    (void)state;
    for (int i = 0; i < WARNING_CODES; i++) {
        const char *name = warnings_name((enum warning_code)i);
        assert_non_null(name);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"),
                         strlen(name));
        assert_non_null(warnings_meaning((enum warning_code)i));
        assert_non_null(warnings_remedy((enum warning_code)i));
        for (int j = 0; j < i; j++)
            assert_string_not_equal(name, warnings_name((enum warning_code)j));
    }
}

static void a_warning_is_told_once(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    struct warning about = {
        .code = WARN_LOW_CONFIDENCE, .pointer = "/a", .page = 2};
    document_warn(doc, &about, "review %s", "/a");
    document_warn(doc, &about, "review %s", "/a");
    document_warn(doc, &(struct warning){.code = WARN_BLANK}, "blank");
    document_warn(doc, &(struct warning){.code = WARN_BLANK}, "blank");
    about.pointer = "/b"; /* another value, in the same words */
    document_warn(doc, &about, "review %s", "/a");
    assert_string_equal(
        printed(doc->warnings, 0),
        "[{\"code\":\"low-confidence\",\"pointer\":\"/a\",\"page\":2,"
        "\"text\":\"review /a\"},{\"code\":\"blank\",\"text\":\"blank\"},"
        "{\"code\":\"low-confidence\",\"pointer\":\"/b\",\"page\":2,"
        "\"text\":\"review /a\"}]");
    document_free(doc);
}

/* The frequent ones are counted, and what comes after them is still told. */
static void a_flood_of_one_code_leaves_room_for_others(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    for (int i = 0; i < WARNING_OF_CODE_MAX + 17; i++)
        document_warn(doc, &(struct warning){.code = WARN_LOW_CONFIDENCE},
                      "review %d", i);
    document_warn(doc, &(struct warning){.code = WARN_GAPS}, "gaps");
    document_warn(doc, &(struct warning){.code = WARN_LOW_CONFIDENCE},
                  "review 0");
    assert_int_equal(warnings_count(doc->warnings), WARNING_OF_CODE_MAX + 2);
    assert_string_equal(
        printed(doc->warnings, WARNING_OF_CODE_MAX),
        "[{\"code\":\"gaps\",\"text\":\"gaps\"},{\"code\":\"low-confidence\","
        "\"more\":17,\"text\":\"17 more of low-confidence are not listed\"}]");
    document_free(doc);
}

/* Of a doubtful record, as its low confidences are counted in one line. */
static void a_verdict_comes_first_and_counts_the_others(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    struct buf text = buf_limit(1000);
    document_warn(
        doc, &(struct warning){.code = WARN_LOW_CONFIDENCE, .pointer = "/a"},
        "review /a");
    document_warn(doc,
                  &(struct warning){.code = WARN_CHECK_FAILED, .pointer = "/b"},
                  "review /b: the sum");
    document_warn(doc, &(struct warning){.code = WARN_DOUBTFUL}, "doubtful");
    warnings_print_text(doc->warnings, &text);
    buf_add(&text, "", 1);
    assert_string_equal(buf_span(&text).data,
                        "doubtful\nreview /b: the sum\n1 warning about "
                        "single values: see the record\n");
    buf_free(&text);
    document_free(doc);
}

/* A text is cut between characters. */
static void a_long_text_stays_utf8(void **state)
{
    (void)state;
    char text[2000];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = "\xE2\x82\xAC"[i % 3];
    text[sizeof text - 1] = '\0';
    for (int shift = 0; shift < 3; shift++) {
        struct document *doc = document_new("id", "a.pdf", -1);
        document_warn(doc, &(struct warning){.code = WARN_BLANK}, "%.*s%s",
                      shift, "xyz", text);
        assert_null(strstr(printed(doc->warnings, 0), "\xEF\xBF\xBD"));
        document_free(doc);
    }
}

static void warn(struct warnings *all, int number)
{
    char text[20];
    snprintf(text, sizeof text, "row %d", number);
    warnings_add(all, &(struct warning){.code = WARN_ROW_DROPPED,
                                        .page = number,
                                        .text = text});
}

/* As a long document does: what is new is written now and then, and after a
 * crash all of it gives the same bytes. */
static void what_was_kept_comes_back(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct warnings *all = warnings_new(arena), *back = warnings_new(arena);
    struct warning odd = {WARN_CHECK_FAILED, "", 0, "\"\\\n"};
    warnings_add(all, &odd);
    for (int i = 0, from = 0; i < 3 * WARNING_OF_CODE_MAX; i++) {
        warn(all, i);
        if (i % 10) continue;
        cJSON *state_of = warnings_print(all, from);
        from = all->n;
        warnings_read(back, state_of);
        cJSON_Delete(state_of);
        assert_string_equal(printed(back, 0), printed(all, 0));
    }
    arena_free(arena);
}

/* A page's own, drawn long before its turn, come to what one list would say. */
static void lists_are_joined(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct warnings *one = warnings_new(arena), *all = warnings_new(arena);
    struct warnings *page = warnings_new(arena);
    for (int i = 0; i < WARNING_OF_CODE_MAX + 9; i++) {
        warn(one, i);
        warn(i < 40 ? all : page, i);
    }
    warn(page, 3);
    warnings_join(all, page);
    assert_string_equal(printed(all, 0), printed(one, 0));
    arena_free(arena);
}

/* What is no warning of ours says nothing. */
static void other_entries_are_left_out(void **state)
{
    (void)state;
    struct err err = {0};
    struct arena *arena = arena_new();
    struct warnings *all = warnings_new(arena);
    cJSON *odd = json_parse(
        span_of("[\"text\",{\"code\":\"of-tomorrow\",\"text\":\"x\"},{},7,"
                "{\"code\":\"blank\",\"text\":\"b\"}]"),
        &err);
    warnings_read(all, odd);
    cJSON_Delete(odd);
    assert_string_equal(printed(all, 0),
                        "[{\"code\":\"blank\",\"text\":\"b\"}]");
    arena_free(arena);
}

TEST_GROUP(warnings, cmocka_unit_test(every_code_has_a_name_and_a_meaning),
           cmocka_unit_test(a_warning_is_told_once),
           cmocka_unit_test(a_flood_of_one_code_leaves_room_for_others),
           cmocka_unit_test(a_verdict_comes_first_and_counts_the_others),
           cmocka_unit_test(a_long_text_stays_utf8),
           cmocka_unit_test(what_was_kept_comes_back),
           cmocka_unit_test(lists_are_joined),
           cmocka_unit_test(other_entries_are_left_out))
