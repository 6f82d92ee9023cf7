/* split_test.c - where one document of a stack ends and the next begins. */
#include <stdio.h>
#include <string.h>

#include "stages/input/identify.h"
#include "stages/input/split.h"
#include "tests/support/test.h"

enum { PAGES = 12, LARGE = 500, SMALL = 150 };

static struct arena *arena;
static struct page_codes page[PAGES];
static struct page_code code[PAGES][4];

static int begin(void **state)
{
    (void)state;
    arena = arena_new();
    memset(page, 0, sizeof page);
    for (int i = 0; i < PAGES; i++)
        page[i] = (struct page_codes){
            .number = i + 1, .code = code[i], .is_drawn = true};
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

/* Page `number` says `text` in a code of this length, beside so many marks. */
static void say(int number, const char *text, int length, int marks)
{
    struct page_codes *p = &page[number - 1];
    p->code[p->n_code] = (struct page_code){text, length, 100 + 10 * p->n_code};
    p->n_code++;
    p->marks = marks;
}

static struct split plan(int n_page)
{
    return split_plan(page, n_page, "ASN", arena);
}

/* "pages schema archive_number" of each part. */
static void expect(const struct split *split, const char *wanted)
{
    char text[1000] = "";
    for (int i = 0; i < split->n_part; i++) {
        const struct split_part *p = &split->part[i];
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s%s%s%s%s%s", i ? " | " : "",
                 p->pages, *p->schema ? " schema=" : "", p->schema,
                 *p->archive_number ? " number=" : "", p->archive_number);
    }
    assert_string_equal(text, wanted);
}

static void without_codes_it_is_one_document(void **state)
{
    (void)state;
    say(2, "4006381333931", LARGE, 0);
    say(3, "PATCHT2", LARGE, 0);
    say(4, "patcht", LARGE, 0);
    struct split split = plan(5);
    expect(&split, "1-5");
    assert_false(split_is_stack(&split));
}

/* Whoever prints codes of his own: a sheet that is not seen makes one document
 * of two without a word. */
static void our_own_prefix_is_known_however_it_is_written(void **state)
{
    (void)state;
    say(2, "platen:receipt", LARGE, 0);
    say(4, "PLATEN: receipt", LARGE, 0);
    say(6, "Platen:Receipt", LARGE, 0);
    struct split split = plan(7);
    expect(&split,
           "1 | 3 schema=receipt | 5 schema=receipt | 7 schema=Receipt");
}

static void sheets_separate_and_are_no_pages(void **state)
{
    (void)state;
    say(3, "PATCHT", LARGE, 100);
    say(6, "PLATEN:receipt", LARGE, 20);
    struct split split = plan(8);
    expect(&split, "1-2 | 4-5 | 7-8 schema=receipt");
    assert_true(split_is_stack(&split));
    assert_int_equal(split.n_sheet, 2);
    assert_int_equal(split.sheet[1].page, 6);
}

static void stickers_leave_their_page(void **state)
{
    (void)state;
    say(3, "PATCHT", SMALL, 400);
    say(4, "PLATEN:invoice", SMALL, 13);
    say(5, "PATCHT", SMALL, 12);
    say(7, "PATCHT", LARGE, 121);
    struct split split = plan(8);
    expect(&split, "1-2 | 3 | 4 schema=invoice | 6 | 7-8");
}

static void archive_numbers_begin_documents(void **state)
{
    (void)state;
    say(1, "ASN00001", SMALL, 400);
    say(3, "ASN00002", SMALL, 400);
    say(4, "ASN00002", SMALL, 400);
    say(5, "ASN", SMALL, 400);
    say(6, "ASN00003\"}", SMALL, 400);
    say(7, "ASN-2026/17", SMALL, 400);
    struct split split = plan(8);
    expect(&split, "1-2 number=ASN00001 | 3-6 number=ASN00002 | 7-8 "
                   "number=ASN-2026/17");
}

static void a_number_on_one_document_makes_no_stack(void **state)
{
    (void)state;
    say(1, "ASN00001", SMALL, 400);
    struct split split = plan(3);
    expect(&split, "1-3 number=ASN00001");
    assert_false(split_is_stack(&split));
}

static void a_sheet_with_a_number_numbers_what_follows(void **state)
{
    (void)state;
    say(2, "PLATEN:receipt", LARGE, 10);
    say(2, "ASN7", LARGE, 10);
    struct split split = plan(4);
    expect(&split, "1 | 3-4 schema=receipt number=ASN7");
}

static void sheets_in_a_row_make_nothing_empty(void **state)
{
    (void)state;
    say(1, "PLATEN:receipt", LARGE, 10);
    say(2, "PATCHT", LARGE, 10);
    say(4, "PATCHT", LARGE, 10);
    say(5, "PLATEN:invoice", LARGE, 10);
    say(6, "PLATEN:letter", LARGE, 10);
    say(8, "PATCHT", LARGE, 10);
    struct split split = plan(8);
    expect(&split, "3 schema=receipt | 7 schema=letter");
}

/* Both sides are scanned: 2 is the back of a letter, 4 of the sheet. */
static void the_blank_back_of_a_sheet_is_of_no_document(void **state)
{
    (void)state;
    say(3, "PLATEN:receipt", LARGE, 10);
    say(8, "PATCHT", LARGE, 10);
    page[1].is_blank = page[3].is_blank = page[4].is_blank = true;
    page[6].is_blank = true;
    struct split split = plan(9); /* 9: a back with ink on it */
    expect(&split, "1-2 | 5-7 schema=receipt | 9");
    assert_int_equal(split.n_sheet, 3);
    assert_int_equal(split.sheet[1].page, 4);
    assert_true(split.sheet[1].is_back);
    assert_string_equal(split.sheet[1].text, "PLATEN:receipt");
}

/* Behind a sticker, or where its back was not among the pages chosen. */
static void only_a_sheet_has_a_back(void **state)
{
    (void)state;
    say(2, "PATCHT", SMALL, 400);
    say(4, "PATCHT", LARGE, 10);
    page[2].is_blank = page[4].is_blank = true;
    page[4].number = 9;
    struct split split = plan(5);
    expect(&split, "1 | 2-3 | 9");
    assert_int_equal(split.n_sheet, 1);
}

static void sheets_and_backs_alone_are_no_document(void **state)
{
    (void)state;
    say(1, "PATCHT", LARGE, 10);
    page[1].is_blank = true;
    struct split split = plan(2);
    assert_int_equal(split.n_part, 0);
    assert_int_equal(split.n_sheet, 2);
}

static void nothing_but_sheets_is_no_document(void **state)
{
    (void)state;
    say(1, "PATCHT", LARGE, 10);
    say(2, "PATCHT", LARGE, 10);
    struct split split = plan(2);
    assert_int_equal(split.n_part, 0);
    assert_int_equal(split.n_sheet, 2);
}

static void a_contradiction_names_no_schema(void **state)
{
    (void)state;
    say(2, "PLATEN:receipt", LARGE, 10);
    say(2, "PATCHT", LARGE, 10);
    say(2, "PLATEN:invoice", LARGE, 10);
    struct split split = plan(3);
    expect(&split, "1 | 3");
    assert_non_null(strstr(split.part[1].warning, "receipt and invoice"));
}

static void pages_are_those_of_the_file(void **state)
{
    (void)state;
    static const int number[] = {1, 2, 5, 6, 7, 9, 11, 12};
    for (int i = 0; i < 8; i++)
        page[i].number = number[i];
    say(4, "PATCHT", LARGE, 10);
    struct split split = plan(8);
    expect(&split, "1-2,5 | 7,9,11-12");
}

static void only_words_name_a_schema(void **state)
{
    (void)state;
    char long_one[100];
    memset(long_one, 'x', sizeof long_one);
    long_one[99] = '\0';
    assert_true(split_names_schema("bank-statement_2.1"));
    assert_false(split_names_schema(""));
    assert_false(split_names_schema("../etc"));
    assert_false(split_names_schema(".hidden"));
    assert_false(split_names_schema("a/b"));
    assert_false(split_names_schema("a b"));
    assert_false(split_names_schema(long_one));
}

static enum file_type type_of(const char *text)
{
    return file_type_of((struct span){text, strlen(text)});
}

static void mails_are_known_by_their_header(void **state)
{
    (void)state;
    assert_int_equal(type_of("From: a@b.c\r\nTo: d@e.f\r\n\r\nhi"), FILE_MAIL);
    assert_int_equal(
        type_of("X-Spam: no\nreceived: from a\n by b\nReceived: c"), FILE_MAIL);
    /* what a mailbox or an editor puts before it; a header without its end */
    assert_int_equal(type_of("From a@b.c Tue Mar 14\nFrom: a\nTo: b\n"),
                     FILE_MAIL);
    assert_int_equal(type_of("\xef\xbb\xbf"
                             "From: a\nTo: b\n"),
                     FILE_MAIL);
    assert_int_equal(type_of("\r\n\nFrom: a\nTo: b\n"), FILE_MAIL);
    assert_int_equal(type_of("From: a\nTo: b\n--boundary\n"), FILE_MAIL);
    /* one field, none */
    assert_int_equal(type_of("Subject: a\n\nhi"), FILE_UNKNOWN);
    assert_int_equal(type_of("Subject: a\nno field\nFrom: b"), FILE_UNKNOWN);
    assert_int_equal(type_of(""), FILE_UNKNOWN);
    assert_int_equal(type_of("%PDF-1.4\nFrom: a\nTo: b\n"), FILE_PDF);
}

/* The mark of a PDF in something else makes no PDF of it. */
static void the_first_bytes_decide(void **state)
{
    (void)state;
    static const char mark[] = "%PDF-1.4\n";
    static const char *const foreign[] = {
        "PK\3\4",
        "7z\xbc\xaf\x27\x1c",
        "Rar!\x1a\x07",
        "\x1f\x8b\x08",
        "{\\rtf1 ",
        "\x30\x82\x10\x10\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07"};
    char file[3000];
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        snprintf(file, sizeof file, "%s a.pdf %s", foreign[i], mark);
        assert_int_equal(type_of(file), FILE_UNKNOWN);
        assert_non_null(file_type_foreign(span_of(file)));
    }
    memset(file, '.', sizeof file);
    memcpy(file, "a.pdf", 5);
    memcpy(file + 257, "ustar", 5);
    memcpy(file + 512, mark, sizeof mark);
    assert_int_equal(type_of(file), FILE_UNKNOWN);
    assert_int_equal(type_of("From: a\nTo: b\n\n%PDF-1.7\n"), FILE_MAIL);
    assert_int_equal(type_of("<?xml version='1.0'?><a>%PDF-</a>"), FILE_XML);
    assert_int_equal(type_of("junk of a web server\n%PDF-1.4\n"), FILE_PDF);
    memset(file, '\n', sizeof file);
    memcpy(file, "@PJL SET X", 10);
    memcpy(file + 2900, mark, sizeof mark);
    assert_int_equal(type_of(file), FILE_PDF);
    memcpy(file, "no printer", 10);
    assert_int_equal(type_of(file), FILE_UNKNOWN);
}

static void settings_or_a_name_ask_for_parts(void **state)
{
    (void)state;
    struct settings s = {.split = "off", .attachments = "no"};
    assert_true(split_is_wanted(&s, "a.b.EML"));
    assert_false(split_is_wanted(&s, "eml"));
    assert_false(split_is_wanted(&s, "a.eml.pdf"));
    s.attachments = "read";
    assert_true(split_is_wanted(&s, "a.pdf"));
    s = (struct settings){.split = "barcode", .attachments = "no"};
    assert_true(split_is_wanted(&s, "a.pdf"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
TEST_GROUP(split, TEST(without_codes_it_is_one_document),
           TEST(our_own_prefix_is_known_however_it_is_written),
           TEST(sheets_separate_and_are_no_pages),
           TEST(stickers_leave_their_page),
           TEST(archive_numbers_begin_documents),
           TEST(a_number_on_one_document_makes_no_stack),
           TEST(a_sheet_with_a_number_numbers_what_follows),
           TEST(sheets_in_a_row_make_nothing_empty),
           TEST(the_blank_back_of_a_sheet_is_of_no_document),
           TEST(only_a_sheet_has_a_back),
           TEST(sheets_and_backs_alone_are_no_document),
           TEST(nothing_but_sheets_is_no_document),
           TEST(a_contradiction_names_no_schema),
           TEST(pages_are_those_of_the_file), TEST(only_words_name_a_schema),
           TEST(mails_are_known_by_their_header), TEST(the_first_bytes_decide),
           TEST(settings_or_a_name_ask_for_parts))
