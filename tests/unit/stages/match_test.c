/* match_test.c - which page says what is looked for. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/long/plan/page_relevance.h"
#include "vlm/json/json.h"

static const char schema[] =
    "{\"$defs\":{\"party\":{\"type\":\"object\",\"properties\":{"
    "\"taxId\":{\"type\":\"string\",\"title\":\"VAT registration\"}}}},"
    "\"properties\":{\"invoice_number\":{\"type\":\"string\"},"
    "\"dueDate\":{\"type\":[\"string\",\"null\"]},"
    "\"IBAN\":{\"type\":\"string\"},"
    "\"seller\":{\"$ref\":\"#/$defs/party\"},"
    "\"sum\":{\"type\":\"number\",\"description\":\"The balance payable\"},"
    "\"lines\":{\"type\":\"array\",\"items\":{\"properties\":{"
    "\"article\":{\"type\":\"string\"}}}}}}";

static double score(const struct page_relevance *m, const char *text)
{
    struct word word[64];
    char copy[512], *rest = NULL;
    int n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *w = strtok_r(copy, " ", &rest); w;
         w = strtok_r(NULL, " ", &rest))
        word[n++] = (struct word){0, 0, 0.1, 0.1, w, 1};
    struct words words = {.word = word, .n_word = n};
    return page_relevance(m, &words);
}

static void the_page_with_the_labels_is_best(void **state)
{
    (void)state;
    struct err err = {0};
    struct arena *arena = arena_new();
    cJSON *root = json_parse((struct span){schema, sizeof schema - 1}, &err);
    test_ok(&err);
    struct page_relevance *m = page_relevance_new(root, root, arena);
    double all = score(m, "Invoice Number: 17 DUE DATE 3 May (IBAN) DE00 VAT "
                          "registration DE1 sum 12.50");
    double some = score(m, "The invoice has a number of items. IBAN: DE00");
    double loose = score(m, "balance payable 12.50");
    assert_true(all > 0.999 && all < 1.001);
    assert_true(some > 0.2 && some < 0.4);
    assert_true(loose > 0 && loose < some);
    /* labels of rows, letters of words, nothing */
    assert_true(score(m, "article 1 summary") == 0);
    assert_true(score(m, "") == 0);
    cJSON_Delete(root);
    arena_free(arena);
}

/* One schema or null: its members are looked for, and its rows are not. */
static void labels_are_found_behind_a_choice_with_null(void **state)
{
    (void)state;
    static const char nullable[] =
        "{\"$defs\":{\"s\":{\"type\":\"object\",\"properties\":{"
        "\"interest\":{\"type\":\"number\"},"
        "\"lines\":{\"oneOf\":[{\"type\":\"null\"},{\"type\":\"array\"}]}}}},"
        "\"properties\":{\"x\":{\"anyOf\":[{\"$ref\":\"#/$defs/s\"},"
        "{\"type\":\"null\"}]}}}";
    struct err err = {0};
    struct arena *arena = arena_new();
    cJSON *root =
        json_parse((struct span){nullable, sizeof nullable - 1}, &err);
    test_ok(&err);
    struct page_relevance *m = page_relevance_new(root, root, arena);
    assert_true(score(m, "Interest a year 3.25") > 0.999);
    assert_true(score(m, "x lines") == 0);
    cJSON_Delete(root);
    arena_free(arena);
}

static void schemas_without_fields_match_nothing(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "true", "{}", "{\"$ref\":\"#\"}", "{\"properties\":{\"a\":true}}",
        "{\"properties\":{\"a\":{\"$ref\":\"#\"}}}"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct err err = {0};
        struct arena *arena = arena_new();
        cJSON *root = json_parse((struct span){odd[i], strlen(odd[i])}, &err);
        test_ok(&err);
        assert_true(
            score(page_relevance_new(root, root, arena), "some words") == 0);
        cJSON_Delete(root);
        arena_free(arena);
    }
}

TEST_GROUP(match, cmocka_unit_test(the_page_with_the_labels_is_best),
           cmocka_unit_test(labels_are_found_behind_a_choice_with_null),
           cmocka_unit_test(schemas_without_fields_match_nothing))
