/* name_test.c - names from outside survive every byte and harm nobody. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/test.h"

#include <string.h>

#include "pipeline/spool/file_name.h"

static void check_round_trip(const char *name)
{
    struct buf text = buf_limit(4096);
    char back[FILE_NAME_BYTES_MAX + 1];
    file_name_escape(name, &text);
    for (size_t i = 0; i < text.size; i++)
        assert_true((unsigned char)text.data[i] >= 0x20);
    assert_true(file_name_unescape(buf_span(&text).data, back));
    assert_string_equal(back, name);
    buf_free(&text);
}

static void every_byte_comes_back(void **state)
{
    (void)state;
    char name[4] = "a.b";
    for (int a = 1; a < 256; a++) {
        for (int b = 1; b < 256; b++) {
            if (a == '/' || b == '/') continue;
            name[0] = (char)a;
            name[1] = (char)b;
            check_round_trip(name);
        }
    }
}

static void different_names_stay_different(void **state)
{
    (void)state;
    struct buf a = buf_limit(100), b = buf_limit(100);
    file_name_escape("%0A", &a);
    file_name_escape("\n", &b);
    assert_string_equal(a.data, "%250A");
    assert_string_equal(b.data, "%0A");
    buf_free(&a);
    buf_free(&b);
}

static void unescape_refuses_what_it_never_made(void **state)
{
    (void)state;
    static const char *const wrong[] = {"%",   "%4",  "%zz", "%00",
                                        "a/b", "%2F", "",    "%0a"};
    char out[FILE_NAME_BYTES_MAX + 1];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(file_name_unescape(wrong[i], out));
    char longest[3 * (FILE_NAME_BYTES_MAX + 1) + 1] = "";
    for (int i = 0; i <= FILE_NAME_BYTES_MAX; i++)
        strncat(longest, "%0A", 4);
    assert_false(file_name_unescape(longest, out));
    longest[(size_t)3 * FILE_NAME_BYTES_MAX] = '\0';
    assert_true(file_name_unescape(longest, out));
}

/* Equal to what was escaped as a whole, and never leads upwards. */
static void a_path_comes_back_name_by_name(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     "/",      "a/",    "/a",
                                        "a//b", "a/../b", "..",    ".x",
                                        "a/.x", "a/%",    "a%2Fb", "%2E./a"};
    char out[FILE_NAME_PATH_MAX + 1], longest[FILE_NAME_PATH_MAX + 2];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(file_name_unescape_path(wrong[i], out));
    struct buf text = buf_limit(4096);
    file_name_escape("a/\n\xff/%/c", &text);
    assert_string_equal(buf_span(&text).data, "a/%0A%FF/%25/c");
    assert_true(file_name_unescape_path(buf_span(&text).data, out));
    assert_string_equal(out, "a/\n\xff/%/c");
    buf_free(&text);
    for (size_t i = 0; i <= FILE_NAME_PATH_MAX; i++)
        longest[i] = i % 200 == 199 ? '/' : 'l';
    longest[FILE_NAME_PATH_MAX + 1] = '\0';
    assert_false(file_name_unescape_path(longest, out));
    longest[FILE_NAME_PATH_MAX] = '\0';
    assert_true(file_name_unescape_path(longest, out));
    assert_string_equal(out, longest);
}

static void text_that_turns_a_terminal_around_is_escaped(void **state)
{
    (void)state;
    struct buf text = buf_limit(100);
    file_name_escape("a\xe2\x80\xae"
                     "fdp.exe\xc2\x9b",
                     &text);
    assert_string_equal(text.data, "a%E2%80%AEfdp.exe%C2%9B");
    buf_free(&text);
}

static void names_in_transit_are_ignored(void **state)
{
    (void)state;
    static const char *const yes[] = {".a",
                                      "~$x.doc",
                                      "a.part",
                                      "A.TMP",
                                      "thumbs.db",
                                      ".DS_Store",
                                      "x~",
                                      "a.pdf.opdownload",
                                      "x.!ut",
                                      "scan.pdf.download",
                                      "old.PDF.BAK",
                                      "#recycle",
                                      "@Recycle",
                                      "$RECYCLE.BIN",
                                      "RECYCLER",
                                      ".Trash-1000",
                                      ".Trashes",
                                      "#snapshot",
                                      ".snapshot",
                                      "@Recently-Snapshot",
                                      "@eaDir",
                                      "System Volume Information",
                                      "lost+found",
                                      "LOST+FOUND",
                                      "FOUND.000",
                                      "Icon\r",
                                      "ehthumbs.db",
                                      "desktop.ini",
                                      "IndexerVolumeGuid"};
    static const char *const no[] = {
        "a.pdf",    "part",   "tmp.pdf", "-rf",      "~x",    "#1 invoice.pdf",
        "@home",    "Icon",   "recycle", "snapshot", "found", "bak",
        "download", "$x.pdf", "[a].pdf", "*"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(file_name_ignored(yes[i], NULL));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(file_name_ignored(no[i], ""));
}

static void patterns_add_names_that_are_ignored(void **state)
{
    (void)state;
    static const char more[] = " *.log, archive ,old-??.pdf,,";
    assert_true(file_name_ignored("scan.LOG", more));
    assert_true(file_name_ignored("Archive", more));
    assert_true(file_name_ignored("old-12.pdf", more));
    assert_false(file_name_ignored("old-1.pdf", more));
    assert_false(file_name_ignored("archive2", more));
    assert_false(file_name_ignored("a.pdf", more));
}

static void check_stem(const char *name, const char *want)
{
    struct buf stem = buf_limit(4096);
    file_name_stem(name, &stem);
    assert_string_equal(buf_span(&stem).data, want);
    buf_free(&stem);
}

static void records_get_plain_names(void **state)
{
    (void)state;
    check_stem("a.pdf", "a");
    check_stem("IMG_1.HEIC", "IMG_1");
    check_stem("a.jp2", "a");
    check_stem("a.ppm", "a");
    check_stem("a.b.TIFF", "a.b");
    check_stem("a.b", "a.b");
    check_stem(".pdf", "%2Epdf");
    check_stem("-rf", "%2Drf");
    check_stem("..", "%2E.");
}

static void long_names_are_cut_between_characters(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'x', sizeof name);
    for (size_t at = 145; at < 151; at++) {
        memset(name, 'x', 255);
        name[255] = '\0';
        memcpy(name + at, "\xe2\x82\xac", 3);
        struct buf stem = buf_limit(4096);
        char back[FILE_NAME_BYTES_MAX + 1];
        file_name_stem(name, &stem);
        assert_true(stem.size <= 150 && stem.size >= 147);
        assert_true(file_name_unescape(stem.data, back));
        assert_memory_equal(back, name, stem.size);
        buf_free(&stem);
        memcpy(name + at, "\x01yz", 3);
        file_name_stem(name, &stem);
        assert_true(stem.size <= 150 && file_name_unescape(stem.data, back));
        buf_free(&stem);
    }
}

static void name_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("name", name_fuzz) > 100);
}

TEST_GROUP(name, cmocka_unit_test(every_byte_comes_back),
           cmocka_unit_test(different_names_stay_different),
           cmocka_unit_test(unescape_refuses_what_it_never_made),
           cmocka_unit_test(a_path_comes_back_name_by_name),
           cmocka_unit_test(text_that_turns_a_terminal_around_is_escaped),
           cmocka_unit_test(names_in_transit_are_ignored),
           cmocka_unit_test(patterns_add_names_that_are_ignored),
           cmocka_unit_test(records_get_plain_names),
           cmocka_unit_test(long_names_are_cut_between_characters),
           cmocka_unit_test(name_seeds_hold))
