/* pages_test.c - "1-3,7" and what it chooses. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/document/page_range.h"

static const struct {
    const char *text;
    int n_page,
        wanted; /* pages chosen; -1: refused, -2: none of them is there */
    const char *list;
} cases[] = {
    {"", 3, 3, "1 2 3 "},
    {"2", 3, 1, "2 "},
    {"1-3,7", 9, 4, "1 2 3 7 "},
    {"7,1-3", 9, 4, "1 2 3 7 "},
    {"2-", 4, 3, "2 3 4 "},
    {"1,1,1", 4, 1, "1 "},
    {"3-5,1-4,9", 9, 6, "1 2 3 4 5 9 "},
    {"1-2,3-4", 9, 4, "1 2 3 4 "},
    {"4", 3, -2, ""},
    {"2-4", 3, 2, "2 3 "},
    {"1-2", 1, 1, "1 "},
    {"1,5,9", 6, 2, "1 5 "},
    {"4-9", 3, -2, ""},
    {"4-", 3, -2, ""},
    {"0", 3, -1, ""},
    {"-3", 3, -1, ""},
    {"3-1", 3, -1, ""},
    {"1,", 3, -1, ""},
    {",1", 3, -1, ""},
    {"1;2", 3, -1, ""},
    {"1-2-3", 3, -1, ""},
    {"99999999999999999999", 3, -1, ""},
};

static void chooses_what_is_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        struct page_range pages;
        char list[64] = "";
        page_range_parse(&pages, cases[i].text, &err);
        if (err_failed(&err)) {
            assert_int_equal(cases[i].wanted, -1);
            assert_int_equal(err.kind, ERR_ARGS);
            continue;
        }
        int n = page_range_count(&pages, cases[i].n_page, &err);
        if (err_failed(&err)) {
            assert_int_equal(cases[i].wanted, -2);
            assert_string_equal(err.reason, "no-such-page");
            continue;
        }
        int p = 0;
        while ((p = page_range_next(&pages, p, cases[i].n_page)))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%d ", p);
        assert_int_equal(n, cases[i].wanted);
        assert_string_equal(list, cases[i].list);
    }
}

TEST_GROUP(pages, cmocka_unit_test(chooses_what_is_written))
