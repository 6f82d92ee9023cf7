/* dfa_test.c - the texts of a pattern: their number, the first of them, and
 * patterns that would take too long to write out. */
#include "tests/support/test.h"

#include <string.h>

#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/grammar/dfa.h"

static const struct dfa *dfa_of(struct arena *arena, const char *pattern)
{
    const char *why = "";
    long work = 0;
    struct regex *r = regex_new(arena);
    if (!regex_add(r, pattern, &why)) fail_msg("%s: %s", pattern, why);
    const struct dfa *d = dfa_new(r, 0, arena, &work);
    assert_non_null(d);
    assert_true(work > 0);
    return d;
}

/* All texts over a few letters, one by one. */
static int count_slowly(const struct dfa *d, int state, int n)
{
    int count = d->dist[state] == 0;
    for (const char *c = "abc01"; *c && n > 0; c++)
        count += count_slowly(d, dfa_step(d, state, (unsigned char)*c), n - 1);
    return count;
}

static void texts_are_counted_exactly(void **state)
{
    (void)state;
    static const char *const pattern[] = {
        "^[abc01]*$",      "^(ab|ba)*$",      "^a{2,5}(b|c)?$", "^$",
        "^(a|b)*a(a|b)b$", "^([abc]{3})*0?$", "^(0|1[01]*)$"};
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        const struct dfa *d = dfa_of(arena, pattern[i]);
        for (int n = 0; n <= 6; n++) {
            int all = count_slowly(d, DFA_START, n);
            assert_int_equal(dfa_count(d, DFA_START, n, 1 << 30), all);
            assert_int_equal(dfa_count(d, DFA_START, n, 3), all < 3 ? all : 3);
        }
    }
    arena_free(arena);
}

/* By recursion once a character this took a stack of megabytes. */
static void a_million_characters_need_no_stack(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const struct dfa *d = dfa_of(arena, "^[a-z ]*$");
    assert_int_equal(dfa_count(d, DFA_START, 1 << 20, 1000), 1000);
    d = dfa_of(arena, "^(a{5000})*$");
    assert_int_equal(dfa_count(d, DFA_START, 12000, 1000), 3);
    double since = clock_seconds();
    assert_true(dfa_count(d, DFA_START, 1 << 30, 1 << 20) > 10);
    assert_true(clock_seconds() - since < 5);
    char text[6000];
    assert_true(dfa_example(d, 1, 1 << 20, text, sizeof text) == false);
    d = dfa_of(arena, "^b{4500}b{900}c*$");
    assert_true(dfa_example(d, 2, 1 << 20, text, sizeof text));
    assert_int_equal(strlen(text), 5402);
    assert_string_equal(text + 5398, "bbcc");
    arena_free(arena);
}

static void examples_come_shortest_first(void **state)
{
    (void)state;
    static const char *const want[] = {"", "a", "b", "aa", "ab", "ba"};
    struct arena *arena = arena_new();
    const struct dfa *d = dfa_of(arena, "^[ab]{0,2}$");
    char text[100];
    for (int k = 0; k < 6; k++) {
        assert_true(dfa_example(d, k, 100, text, sizeof text));
        assert_string_equal(text, want[k]);
    }
    assert_false(dfa_example(d, 7, 100, text, sizeof text));
    assert_false(dfa_example(d, 3, 1, text, sizeof text));
    arena_free(arena);
}

/* Nothing, five thousand times five thousand times. */
static void patterns_have_a_budget(void **state)
{
    (void)state;
    static const char *const pattern[] = {"^(?:(?:(?:){5000}){5000}){5000}$",
                                          "^(?:(?:(?:$){5000}){5000}){5000}$",
                                          "^(?:(?:a{5000}){5000}){5000}$"};
    struct arena *arena = arena_new();
    double since = clock_seconds();
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
        const char *why = "";
        assert_false(regex_add(regex_new(arena), pattern[i], &why));
        assert_string_equal(why, "too large");
    }
    assert_true(clock_seconds() - since < 5);
    arena_free(arena);
}

/* A thousand words in one choice: no recursion once a word, and equal letters
 * are one set. */
static void long_choices_are_kept_while_generating(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct buf text = buf_limit(1 << 16);
    buf_add_text(&text, "^(");
    for (int i = 0; i < 1200; i++)
        buf_print(&text, "%sw%d", i ? "|" : "", i);
    buf_add_text(&text, ")$");
    const struct dfa *d = dfa_of(arena, text.data);
    assert_int_equal(dfa_count(d, DFA_START, 10, 10000), 1200);
    buf_free(&text);
    arena_free(arena);
}

TEST_GROUP(dfa, cmocka_unit_test(texts_are_counted_exactly),
           cmocka_unit_test(a_million_characters_need_no_stack),
           cmocka_unit_test(examples_come_shortest_first),
           cmocka_unit_test(patterns_have_a_budget),
           cmocka_unit_test(long_choices_are_kept_while_generating))
