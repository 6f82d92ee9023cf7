/* searchable_test.c - text layers, and the words and lines of hOCR and ALTO. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/children/raster/pdf/glyphless_text.h"
#include "stages/children/raster/pdf/hidden_text.h"
#include "stages/children/raster/picture/jpeg_facts.h"
#include "stages/document/record_files.h"
#include "stages/document/words_line.h"
#include "stages/print/kept_words.h"
#include "stages/searchable/common_words.h"
#include "stages/searchable/searchable.h"
#include "stages/searchable/text_markup.h"

/* --- the layer ------------------------------------------------------------- */

static char *content_of(struct word *word, int n, double skew, int rotate,
                        struct buf *out)
{
    struct glyphless_codes codes = glyphless_text_codes();
    struct words words = {.word = word, .n_word = n, .skew_degrees = skew};
    const struct glyphless_frame frame = {10, 20, 110, 220, rotate};
    *out = buf_limit(1 << 16);
    glyphless_text_content(&words, &frame, "F", &codes, out);
    glyphless_text_free(&codes);
    return out->data;
}

/* A word's text matrix in these conditions: where its font's baseline starts,
 * along which vector it is written. */
static void expect_matrix(int rotate, double skew, const double want[6])
{
    struct word word = {0.5, 0.25, 0.2, 0.1, "ab", 1};
    struct buf out;
    double m[6];
    const char *at = strchr(content_of(&word, 1, skew, rotate, &out), '\n');
    assert_int_equal(sscanf(at, "%lf %lf %lf %lf %lf %lf Tm", &m[0], &m[1],
                            &m[2], &m[3], &m[4], &m[5]),
                     6);
    for (int i = 0; i < 6; i++)
        if (fabs(m[i] - want[i]) > 0.011)
            fail_msg("rotated by %d: element %d is %f, not %f", rotate, i, m[i],
                     want[i]);
    buf_free(&out);
}

/* 100 x 200 points, or 200 x 100 on its side; two letters of half an em. */
static void words_fill_their_boxes_however_the_page_is_rotated(void **state)
{
    (void)state;
    expect_matrix(0, 0, (const double[]){20, 0, 0, 20, 60, 154});
    expect_matrix(180, 0, (const double[]){-20, 0, 0, -20, 60, 86});
    expect_matrix(90, 0, (const double[]){0, 40, -10, 0, 43, 120});
    expect_matrix(270, 0, (const double[]){0, -40, 10, 0, 77, 120});
}

/* Readers take a sloping word apart: on a slope it is level, in its middle. */
static void on_a_slope_words_are_level_in_the_middle_of_their_boxes(
    void **state)
{
    (void)state;
    struct word word = {0.4, 0.4, 0.4, 0.05, "ab", 1};
    struct buf out;
    double m[6], slope = 2 * M_PI / 180;
    const char *at = strchr(content_of(&word, 1, 2, 0, &out), '\n');
    assert_int_equal(sscanf(at, "%lf %lf %lf %lf %lf %lf Tm", &m[0], &m[1],
                            &m[2], &m[3], &m[4], &m[5]),
                     6);
    assert_true(m[1] == 0 && m[2] == 0);
    /* turned by the slope, its corners would touch the box: 40 x 10 points */
    double c = cos(slope), s = sin(slope);
    assert_true(fabs(m[0] * c + m[3] * s - 40) < 0.1);
    assert_true(fabs(m[3] * c + m[0] * s - 10) < 0.1);
    double x = m[4] + m[0] / 2, y = m[5] + m[3] * 0.3;
    assert_true(fabs(x - 70) < 0.05 && fabs(y - 135) < 0.05);
    buf_free(&out);
}

/* The matrices of at most n words; returns their number. */
static int matrices_of(const char *text, double (*m)[6], int n)
{
    int i = 0;
    for (const char *at = strstr(text, " Tf\n"); at && i < n;
         at = strchr(at + 1, '\n'))
        i += sscanf(at, "%lf %lf %lf %lf %lf %lf Tm", &m[i][0], &m[i][1],
                    &m[i][2], &m[i][3], &m[i][4], &m[i][5]) == 6;
    return i;
}

/* x-height, ascenders, descenders, then a line of small letters, a comma. */
static void words_of_a_line_have_one_size_and_baseline(void **state)
{
    (void)state;
    struct word word[] = {{0.1, 0.102, 0.1, 0.010, "an", 1},
                          {0.3, 0.098, 0.1, 0.014, "if", 1},
                          {0.5, 0.098, 0.1, 0.018, "fly", 1},
                          {0.1, 0.118, 0.1, 0.014, "it", 1},
                          {0.3, 0.131, 0.02, 0.004, ",", 1},
                          {0.1, 0.200, 0.1, 0.060, "Title", 1}};
    struct buf out;
    double m[6][6];
    const char *text = content_of(word, 6, 0, 0, &out);
    assert_int_equal(matrices_of(text, m, 6), 6);
    assert_true(m[0][3] == m[1][3] && m[1][3] == m[2][3]);
    assert_true(m[0][5] == m[1][5] && m[1][5] == m[2][5]);
    assert_true(m[3][3] == m[0][3]); /* about as large */
    assert_true(m[5][3] > 2 * m[0][3]);
    /* what stands off the line stays where it is */
    double middle = m[4][5] + 0.3 * m[4][3];
    assert_true(fabs(middle - (220 - 200 * 0.133)) < 0.01);
    buf_free(&out);
}

static void expect_codes(const char *text, const char *codes)
{
    struct word word = {0.1, 0.1, 0.1, 0.1, text, 1};
    struct buf out;
    char want[100];
    snprintf(want, sizeof want, "<%s0001> Tj", codes);
    assert_non_null(strstr(content_of(&word, 1, 0, 0, &out), want));
    buf_free(&out);
}

static void letters_stand_from_left_to_right(void **state)
{
    (void)state;
    expect_codes("abca", "0002000300040002");
    /* alef bet 1 2: 12, then bet, then alef */
    expect_codes("\xd7\x90\xd7\x91"
                 "12",
                 "0004000500030002");
    /* numbers only, in Arabic digits */
    expect_codes("\xd9\xa1\xd9\xa2", "00020003");
}

static void words_without_a_letter_are_left_out(void **state)
{
    (void)state;
    struct word word[] = {{0.1, 0.1, 0.1, 0.1, "\xff", 1},
                          {0.1, 0.1, 0.1, 0.1, "a", 1}};
    struct buf out;
    const char *text = content_of(word, 2, 0, 0, &out);
    assert_null(strstr(strstr(text, "Tj") + 2, "Tj"));
    buf_free(&out);
}

static void codes_mean_characters_of_every_plane(void **state)
{
    (void)state;
    struct glyphless_codes codes = glyphless_text_codes();
    struct word word = {0.1, 0.1, 0.1, 0.1, "\xe8\xab\x8b\xf0\x9f\x98\x80", 1};
    struct words words = {.word = &word, .n_word = 1};
    const struct glyphless_frame frame = {0, 0, 1, 1, 0};
    struct buf out = buf_limit(1 << 12), map = buf_limit(1 << 12);
    glyphless_text_content(&words, &frame, "F", &codes, &out);
    glyphless_text_map(&codes, &map);
    assert_non_null(strstr(map.data, "3 beginbfchar\n<0001> <0020>\n"
                                     "<0002> <8ACB>\n<0003> <D83DDE00>\n"));
    buf_free(&out);
    buf_free(&map);
    glyphless_text_free(&codes);
}

/* Blocks of a CMap have 100 entries at most. */
static void many_characters_are_many_blocks(void **state)
{
    (void)state;
    struct glyphless_codes codes = glyphless_text_codes();
    struct buf map = buf_limit(1 << 16);
    for (codes.n = 2; codes.n < 252; codes.n++)
        codes.character[codes.n] = 0x4E00 + codes.n;
    glyphless_text_map(&codes, &map);
    assert_non_null(strstr(map.data, "\n100 beginbfchar\n"));
    assert_non_null(strstr(map.data, "\n51 beginbfchar\n"));
    buf_free(&map);
    glyphless_text_free(&codes);
}

static unsigned at_16(const char *byte)
{
    return (unsigned)(uint8_t)byte[0] << 8 | (uint8_t)byte[1];
}

static unsigned at_32(const char *byte)
{
    return at_16(byte) << 16 | at_16(byte + 2);
}

static void the_font_has_the_tables_that_it_lists(void **state)
{
    (void)state;
    static const struct {
        const char *tag;
        unsigned size;
    } table[] = {{"glyf", 24}, {"head", 54}, {"hhea", 36},
                 {"hmtx", 6},  {"loca", 6},  {"maxp", 32}};
    struct buf font = buf_limit(1 << 12);
    glyphless_text_font(&font);
    assert_int_equal(at_16(font.data + 4), 6);
    for (size_t i = 0; i < 6; i++) {
        const char *row = font.data + 12 + 16 * i;
        unsigned from = at_32(row + 8), size = at_32(row + 12), sum = 0;
        assert_memory_equal(row, table[i].tag, 4);
        assert_int_equal(size, table[i].size);
        assert_true(from % 4 == 0 && from + size <= font.size);
        for (unsigned k = 0; k < size; k += 4)
            sum += at_32(font.data + from + k);
        assert_int_equal(sum, at_32(row + 4));
    }
    const char *head = font.data + at_32(font.data + 12 + 16 + 8);
    assert_int_equal(at_32(head + 12), 0x5F0F3CF5);
    assert_int_equal(at_16(head + 18), 1000);
    buf_free(&font);
}

/* --- other programs' words --------------------------------------------------- */

static void expect_left(const char *content, const char *left)
{
    struct buf out = buf_limit(1000);
    bool any = hidden_text_drop(span_of(content), &out);
    assert_string_equal(buf_span(&out).data, left);
    assert_int_equal(any, strcmp(content, left) != 0);
    buf_free(&out);
}

static void only_invisible_text_is_dropped(void **state)
{
    (void)state;
    expect_left("BT 3 Tr (a) Tj [(b)-2<63>] TJ ET", "BT 3 Tr   ET");
    expect_left("BT (a) Tj 3 Tr (b) Tj 0 Tr (c) Tj ET",
                "BT (a) Tj 3 Tr  0 Tr (c) Tj ET");
    expect_left("q 3 Tr BT (a) Tj ET Q BT (b) Tj ET",
                "q 3 Tr BT  ET Q BT (b) Tj ET");
    expect_left("3 Tr q 0 Tr BT (a) Tj ET Q BT (b) ' 1 2 (c) \" ET",
                "3 Tr q 0 Tr BT (a) Tj ET Q BT T* T* ET");
    expect_left("7 Tr (a) Tj", "7 Tr (a) Tj");
    expect_left("3 Tr BI /W 1 ID (( EI (a) Tj", "3 Tr BI /W 1 ID (( EI ");
    expect_left("", "");
}

/* --- JPEG headers ---------------------------------------------------------- */

static struct jpeg_facts facts_of(const char *bytes, size_t size,
                                  const char *reason)
{
    struct jpeg_facts facts;
    struct err err = {0};
    jpeg_facts_read((struct span){bytes, size}, &facts, &err);
    if (!reason)
        assert_false(err_failed(&err));
    else
        assert_string_equal(err.reason, reason);
    return facts;
}

#define FACTS(bytes, reason) facts_of(bytes, sizeof(bytes) - 1, reason)

static void jpegs_that_a_pdf_can_hold_are_told(void **state)
{
    (void)state;
    struct jpeg_facts f = FACTS("\xff\xd8\xff\xfe\0\3x\xff\xff\xc2\0\x11\x08"
                                "\1\2\3\4\3\1\x22\0\2\x11\1\3\x11\1\xff\xda",
                                NULL);
    assert_int_equal(f.height_px, 0x102);
    assert_int_equal(f.width_px, 0x304);
    assert_int_equal(f.n_component, 3);
    assert_int_equal(f.orientation, 1);
    FACTS("\xff\xd8\xff\xc9\0\x0b\x08\0\1\0\1\1\1\x11\0\xff\xda",
          "unsupported-image"); /* arithmetic coding */
    FACTS("\xff\xd8\xff\xc0\0\x0b\x0c\0\1\0\1\1\1\x11\0\xff\xda",
          "unsupported-image"); /* 12 bits */
    FACTS("\xff\xd8\xff\xc0\0\x0b\x08\0\1\0\1\2\1\x11\0\xff\xda",
          "unsupported-image"); /* two colours */
    FACTS("\xff\xd8\xff\xc4\0\x0b\x08\0\1\0\1\1\1\x11\0\xff\xda", "damaged");
    FACTS("\xff\xd8\xff\xc0\0\x80\x08", "damaged"); /* cut off */
    FACTS("", "damaged");
}

/* --- lines, boxes and text -------------------------------------------------- */

static void lines_end_where_words_are_lower_or_higher(void **state)
{
    (void)state;
    struct word word[] = {{0.1, 0.1, 0.1, 0.02, "a", 1},
                          {0.3, 0.105, 0.1, 0.02, "b", 1},
                          {0.6, 0.102, 0.1, 0.02, "c", 1},
                          {0.1, 0.13, 0.1, 0.02, "d", 1},
                          {0.6, 0.05, 0.1, 0.02, "e", 1}};
    struct words words = {.word = word, .n_word = 5, .aspect = 0.7};
    assert_int_equal(words_line_end(&words, 0), 3);
    assert_int_equal(words_line_end(&words, 3), 4);
    assert_int_equal(words_line_end(&words, 4), 5);
}

/* Across a page that is askew by 3 degrees a line falls by three lines. */
static void lines_of_an_askew_page_are_whole(void **state)
{
    (void)state;
    double fall = tan(3 * M_PI / 180) * 0.7;
    struct word word[] = {{0.05, 0.1, 0.02, 0.012, "a", 1},
                          {0.90, 0.1, 0.02, 0.012, "b", 1},
                          {0.05, 0.115, 0.02, 0.012, "c", 1}};
    for (int i = 0; i < 3; i++)
        word[i].y += word[i].x * fall;
    struct words words = {
        .word = word, .n_word = 3, .aspect = 0.7, .skew_degrees = 3};
    assert_int_equal(words_line_end(&words, 0), 2);
    words.skew_degrees = 0;
    assert_int_equal(words_line_end(&words, 0), 1);
}

static void boxes_are_those_of_the_page_before_it_was_turned(void **state)
{
    (void)state;
    struct word word[] = {{0.1, 0.2, 0.2, 0.1, "a", 1},
                          {0.5, 0.2, 0.1, 0.1, "b", 1}};
    struct kept_words page = {.words = {.word = word, .n_word = 2}};
    struct page size = {.width_px = 1000, .height_px = 2000};
    struct pixel_box box = text_markup_box(&page, 0, 2, &size);
    assert_true(box.x0 == 100 && box.x1 == 600 && box.y0 == 400 &&
                box.y1 == 600);
    page.quarter_turns = 2;
    box = text_markup_box(&page, 0, 2, &size);
    assert_true(box.x0 == 400 && box.x1 == 900 && box.y0 == 1400 &&
                box.y1 == 1600);
    box = text_markup_box(&page, 0, 0, &size);
    assert_true(box.x1 - box.x0 == 0);
}

static void any_text_is_xml(void **state)
{
    (void)state;
    struct buf out = buf_limit(1000);
    text_markup_add(&out, "a<b>&\"'\xff\x01\xef\xbf\xbe\xf0\x9f\x98\x80");
    assert_string_equal(buf_span(&out).data,
                        "a&lt;b&gt;&amp;&quot;&#39;\xef\xbf\xbd\xef\xbf\xbd"
                        "\xef\xbf\xbd\xf0\x9f\x98\x80");
    buf_free(&out);
}

/* --- kept words -------------------------------------------------------------- */

static void words_are_kept_if_they_are_wanted(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    struct word word[] = {{0.1, 0.1, 0.2, 0.1, "stamped", 1},
                          {0.1, 0.5, 0.2, 0.1, "printed", 1}};
    struct words words = {.word = word, .n_word = 2}, stamp = words;
    stamp.n_word = 1;
    doc->n_page = 2;
    assert_null(kept_words_of(doc, 0));
    kept_words_set(doc, 0, &words, NULL, false);
    doc->want_kept_words = true;
    assert_false(kept_words_are_complete(doc));
    kept_words_set(doc, 0, &words, &stamp, false);
    assert_false(kept_words_are_complete(doc));
    kept_words_set(doc, 1, &words, NULL, true);
    assert_true(kept_words_are_complete(doc));
    const struct words *kept = &kept_words_of(doc, 0)->words;
    assert_int_equal(kept->n_word, 2);
    assert_true(words_is_hidden(kept, 0)); /* the file has it */
    assert_false(words_is_hidden(kept, 1));
    assert_null(kept_words_of(doc, 2));
    document_free(doc);
}

static void empty_pages_are_pages(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a\"\\<\xff.pdf", -1);
    struct words none = {.n_word = 0};
    struct buf hocr = buf_limit(1 << 16), alto = buf_limit(1 << 16);
    struct page page[2] = {{.number = 3, .width_px = 10, .height_px = 20},
                           {.number = 4, .width_px = 10, .height_px = 20}};
    doc->page = page;
    doc->n_page = 2;
    doc->want_kept_words = true;
    kept_words_set(doc, 0, &none, NULL, false);
    kept_words_set(doc, 1, &none, NULL, false);
    searchable_hocr(doc, &hocr);
    searchable_alto(doc, &alto);
    assert_non_null(strstr(hocr.data, "id=\"page_4\" title=\"image &quot;a&lt;"
                                      "\xef\xbf\xbd.pdf&quot;; bbox 0 0 10 20; "
                                      "ppageno 3\""));
    assert_null(strstr(hocr.data, "ocr_line\""));
    assert_non_null(strstr(alto.data, "PHYSICAL_IMG_NR=\"3\""));
    assert_null(strstr(alto.data, "TextBlock"));
    buf_free(&hocr);
    buf_free(&alto);
    document_free(doc);
}

static void words_in_common_are_counted_as_often_as_in_both(void **state)
{
    (void)state;
    struct word word[] = {{0, 0, 1, 1, "Total:", 1},
                          {0, 0, 1, 1, "12.50", 1},
                          {0, 0, 1, 1, "12.50", 1},
                          {0, 0, 1, 1, "---", 1},
                          {0, 0, 1, 1, "Caf\xc3\xa9", 1}};
    struct words page = {.word = word, .n_word = 5};
    struct common_words c = common_words_count(
        span_of("# **TOTAL**\n|cafe|12.50|\n|---|---|\n|12.51|total|"), &page);
    assert_int_equal(c.n_text, 5);
    assert_int_equal(c.n_page, 4);
    assert_int_equal(c.n_common, 3);
    c = common_words_count(span_of(""), &(struct words){.n_word = 0});
    assert_int_equal(c.n_text + c.n_page + c.n_common, 0);
}

/* --- files -------------------------------------------------------------------- */

static void the_record_is_written_last(void **state)
{
    (void)state;
    size_t n = 0;
    while (record_files_at(n))
        n++;
    assert_int_equal(record_files_at(n - 1)->format, FORMAT_JSON);
    assert_string_equal(record_files_of(FORMAT_PDF)->name,
                        "record.searchable.pdf");
    assert_null(record_files_of(1 << 10));
}

TEST_GROUP(
    searchable,
    cmocka_unit_test(words_fill_their_boxes_however_the_page_is_rotated),
    cmocka_unit_test(on_a_slope_words_are_level_in_the_middle_of_their_boxes),
    cmocka_unit_test(words_of_a_line_have_one_size_and_baseline),
    cmocka_unit_test(only_invisible_text_is_dropped),
    cmocka_unit_test(letters_stand_from_left_to_right),
    cmocka_unit_test(words_without_a_letter_are_left_out),
    cmocka_unit_test(codes_mean_characters_of_every_plane),
    cmocka_unit_test(many_characters_are_many_blocks),
    cmocka_unit_test(the_font_has_the_tables_that_it_lists),
    cmocka_unit_test(jpegs_that_a_pdf_can_hold_are_told),
    cmocka_unit_test(lines_end_where_words_are_lower_or_higher),
    cmocka_unit_test(lines_of_an_askew_page_are_whole),
    cmocka_unit_test(boxes_are_those_of_the_page_before_it_was_turned),
    cmocka_unit_test(any_text_is_xml),
    cmocka_unit_test(words_are_kept_if_they_are_wanted),
    cmocka_unit_test(empty_pages_are_pages),
    cmocka_unit_test(words_in_common_are_counted_as_often_as_in_both),
    cmocka_unit_test(the_record_is_written_last))
