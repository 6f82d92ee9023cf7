/* words_test.c - the text layer of PDF pages, through the child process: what is sent
 * for pages that were written for it, and what is refused of a liar's. */
#include "tests/support/test.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/wire/packed_words.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "tests/unit/stages/usual_settings.h"
#include "vlm/base/buf.h"

/* "text x y w h" of every word, and "hidden" if it is, a line each, boxes in
 * thousandths. */
static char *words_of_file(const char *path, bool wanted)
{
    struct settings s = usual_settings();
    struct prepare_target target = {
        .grid = 1, .min_pixels = 1, .max_pixels = 200000};
    struct err err = {0};
    struct buf out = buf_limit(1 << 20);
    struct document *doc = document_new("test", path, open(path, O_RDONLY));
    doc->want_words = wanted;
    identify_document(doc, &s, &err);
    struct raster *r = rasterise_open(doc, &s, &target, NULL, &err);
    struct image page;
    while (rasterise_next(r, &page, &err)) {
        const struct words *words = rasterise_words(r);
        buf_print(&out, "page %.2f\n", words->aspect);
        for (int i = 0; i < words->n_word; i++) {
            const struct word *w = &words->word[i];
            buf_print(&out, "%s %.0f %.0f %.0f %.0f%s\n", w->text, w->x * 1000,
                      w->y * 1000, w->w * 1000, w->h * 1000,
                      words_is_hidden(words, i) ? " hidden" : "");
        }
        image_free(&page);
    }
    test_ok(&err);
    rasterise_close(r);
    close(doc->fd);
    document_free(doc);
    return out.data;
}

/* A page of 1,000 x 500 points with this content and these entries. */
static char *words_of_page(const char *entries, const char *content)
{
    char path[] = "/tmp/platen-words-XXXXXX";
    char widths[5 * 122 + 1];
    for (int i = 0; i < 122; i++)
        snprintf(widths + 5 * i, 6, "600  ");
    FILE *f = fdopen(mkstemp(path), "w");
    fprintf(f,
            "%%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
            "2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
            "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 1000 500]%s"
            "/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>\nendobj\n"
            "4 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Courier/FirstChar 1"
            "/LastChar 122/Widths[%s]/Encoding<<"
            "/Type/Encoding/Differences[1/fi/ffi/sfthyphen/uni05D0/uni05D1]"
            ">>>>\nendobj\n"
            "5 0 obj\n<</Length %zu>>\nstream\n%s\nendstream\nendobj\n"
            "trailer\n<</Root 1 0 R>>\n",
            entries, widths, strlen(content), content);
    fclose(f);
    char *text = words_of_file(path, true);
    unlink(path);
    return text;
}

/* A character of Courier at 50 points is 30 wide: 30 of 1,000. It has no Hebrew
 * letters. */
static const struct {
    const char *what, *entries, *content, *wanted;
} pages[] = {
    {"two words", "", "BT /F 50 Tf 100 400 Td (ab cde) Tj ET",
     "page 2.00\nab 100 137 60 79\ncde 190 137 90 79\n"},
    {"turned right", "/Rotate 90", "BT /F 50 Tf 100 400 Td (abc) Tj ET",
     "page 0.50\nabc 784 100 79 90\n"},
    {"cropped", "/CropBox[100 0 600 500]", "BT /F 50 Tf 100 400 Td (ab) Tj ET",
     "page 1.00\nab 0 137 120 79\n"},
    {"invisible, as a scan's", "", "BT 3 Tr /F 50 Tf 100 400 Td (ab) Tj ET",
     "page 2.00\nab 100 137 60 79 hidden\n"},
    {"white, and on black", "",
     "BT /F 50 Tf 1 g 100 400 Td (ab) Tj ET 0 g 0 100 500 100 re f "
     "BT 1 g 100 130 Td (cd) Tj ET",
     "page 2.00\nab 100 137 60 79 hidden\ncd 100 677 60 79\n"},
    {"two sheets of print", "",
     "BT /F 50 Tf 100 400 Td (12) Tj ET q 1 g 90 380 90 60 re f Q "
     "BT 100 400 Td (34) Tj ET",
     "page 2.00\n34 100 137 60 79 hidden\n12 100 137 60 79 hidden\n"},
    {"above the page's edge, and before it in order", "",
     "BT /F 50 Tf 800 470 Td (top) Tj -700 -200 Td (low) Tj ET",
     "page 2.00\ntop 800 0 90 76\nlow 100 397 90 79\n"},
    {"off the page", "", "BT /F 50 Tf 100 400 Td (ab) Tj 2000 0 Td (cd) Tj ET",
     "page 2.00\nab 100 137 60 79\n"},
    {"ligatures", "", "BT /F 50 Tf 100 400 Td (a\\001x \\002) Tj ET",
     "page 2.00\nafix 100 137 90 79\nffi 220 137 30 79\n"},
    {"soft hyphens", "", "BT /F 50 Tf 100 400 Td (a\\003b c\\003) Tj ET",
     "page 2.00\nab 100 137 90 79\nc- 220 137 60 79\n"},
    {"right to left", "", "BT /F 50 Tf 100 400 Td (\\005\\004 7) Tj ET",
     "page 2.00\n7 190 137 30 79\n\u05D0\u05D1 100 137 60 79 hidden\n"},
    {"right to left among others", "",
     "BT /F 50 Tf 100 400 Td (ab \\005\\004 7 \\004 cd) Tj ET",
     "page 2.00\nab 100 137 60 79\n\u05D0\u05D1 190 137 60 79 hidden\n"
     "7 280 137 30 79\n\u05D0 340 137 30 79 hidden\ncd 400 137 60 79\n"},
    {"up the page", "", "BT /F 50 Tf 0 1 -1 0 200 100 Tm (abc) Tj ET",
     "page 2.00\nabc 169 620 39 180\n"},
    {"none", "", "0 0 10 10 re f", "page 2.00\n"},
};

static void words_stand_where_they_are_displayed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        char *got = words_of_page(pages[i].entries, pages[i].content);
        if (strcmp(got, pages[i].wanted))
            fail_msg("%s: got\n%swanted\n%s", pages[i].what, got,
                     pages[i].wanted);
        test_give(got);
    }
}

static void words_come_only_where_they_are_wanted(void **state)
{
    (void)state;
    char path[4096];
    test_path(path, "samples/good/cafe.pdf");
    char *without = words_of_file(path, false);
    char *with = words_of_file(path, true);
    assert_string_equal(without, "page 1.08\n");
    /* its first line reaches above the page's edge */
    assert_non_null(strstr(with, "Bovela"));
    assert_non_null(strstr(with, "2024-03-18"));
    assert_non_null(strstr(with, "26.90"));
    test_give(without);
    test_give(with);
    test_path(path, "samples/good/kiosk.png");
    with = words_of_file(path, true);
    assert_null(strchr(with, '\n')[1] ? with : NULL);
    test_give(with);
}

enum { ONE = PACKED_WORD_ONE };

static const struct {
    struct packed_word word[2];
    const char *text;
    int n_word;
} lies[] = {
    {{{0, 0, ONE + 1, 1, 2}}, "ab", 1},
    {{{1, 0, ONE, 1, 2}}, "ab", 1},
    {{{0, UINT32_MAX, 1, 2, 2}}, "ab", 1},
    {{{0, 0, 0, 1, 2}}, "ab", 1},
    {{{0, 0, 1, 1, 3}}, "ab", 1},
    {{{0, 0, 1, 1, 1}}, "ab", 1},
    {{{0, 0, 1, 1, 0}, {0, 0, 1, 1, 2}}, "ab", 2},
    {{{0, 0, 1, 1, 2}, {0, 0, 1, 1, UINT32_MAX}}, "ab", 2},
    {{{0, 0, 1, 1, 1}, {0, 0, 1, 1, 1}}, "\xC3\xA9", 2},
    {{{0, 0, 1, 1, 2}}, "a\n", 1},
    {{{0, 0, 1, 1, 2}}, "\xC2\x85", 1},
    {{{0, 0, 1, 1, 3}}, "\xED\xA0\x80", 1},
    {{{0, 0, 1, 1, 2}}, "\xC0\x80", 1},
};

static void words_that_are_none_are_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct words words;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
        if (packed_words_unpack(lies[i].word, (size_t)lies[i].n_word,
                                lies[i].text, strlen(lies[i].text), arena,
                                &words))
            fail_msg("words %zu were taken", i);
    struct packed_word nul = {0, 0, 1, 1, 3}, good = {0, 0, ONE, ONE, 3};
    assert_false(packed_words_unpack(&nul, 1, "a\0b", 3, arena, &words));
    assert_true(packed_words_unpack(&good, 1, "€", 3, arena, &words));
    assert_int_equal(words.n_word, 1);
    assert_string_equal(words.word[0].text, "€");
    assert_true(words.word[0].x + words.word[0].w <= 1);
    arena_free(arena);
}

TEST_GROUP(words, cmocka_unit_test(words_stand_where_they_are_displayed),
           cmocka_unit_test(words_come_only_where_they_are_wanted),
           cmocka_unit_test(words_that_are_none_are_refused))
