/* pretoken_test.c - where text is cut, for letters, marks and digits of any
 * Unicode that utf8proc knows, whatever PCRE2 knows. */
#include <string.h>

#include "tests/support/test.h"
#include "vlm/text/pretoken.h"

/* Pieces of `text`, separated by '|' in `want`. */
static void expect(const char *text, const char *want)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    struct pretoken *p = pretoken_open(arena, &err);
    struct pretoken_walk *w = pretoken_begin(p, span_of(text), arena);
    struct span piece;
    char got[256] = "";
    while (pretoken_next(w, &piece, &err)) {
        if (*got) strcat(got, "|");
        strncat(got, piece.data, piece.size);
    }
    test_ok(&err);
    assert_string_equal(got, want);
    arena_free(arena);
}

static void pieces_are_those_of_the_pattern(void **state)
{
    (void)state;
    expect("Total: 12.5 EUR", "Total|:| |1|2|.|5| EUR");
    expect("it's  fine\r\n\n x", "it|'s| | fine|\r\n\n| x");
    expect("\xe4\xb8\x80\xe4\xba\x8c\xe2\x85\xa3", /* two letters, a number */
           "\xe4\xb8\x80\xe4\xba\x8c|\xe2\x85\xa3");
}

/* Unicode 15: Kawi digits, letters and marks, letters of CJK extension H. To
 * PCRE2 10.42 they are unassigned, and would join their neighbours. */
static void newer_code_points_have_their_class(void **state)
{
    (void)state;
    expect("a\xf0\x91\xbd\x90\xf0\x91\xbd\x91z",
           "a|\xf0\x91\xbd\x90|\xf0\x91\xbd\x91|z");
    expect("1\xf0\x9e\x93\xb0-", "1|\xf0\x9e\x93\xb0|-"); /* Nag Mundari */
    expect("-\xf0\x91\xbc\x82\xf0\x91\xbc\x80\xf0\x91\xbc\x82.",
           "-\xf0\x91\xbc\x82\xf0\x91\xbc\x80\xf0\x91\xbc\x82|.");
    expect(".\xf0\xb1\x8d\x90x", ".\xf0\xb1\x8d\x90x");
}

TEST_GROUP(pretoken, cmocka_unit_test(pieces_are_those_of_the_pattern),
           cmocka_unit_test(newer_code_points_have_their_class))
