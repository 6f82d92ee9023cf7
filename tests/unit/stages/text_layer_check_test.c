/* layer_test.c - text layers that fit a page's ink, and rotten ones; scripts. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/print/script.h"
#include "stages/print/text_layer_check.h"
#include "vlm/base/arena.h"

enum { WIDTH = 1240, HEIGHT = 1754, LETTER = 9, TALL = 20, WORDS = 600 };

/* A page of print and the words that it was set from. */
struct printed {
    struct image page;
    struct word word[WORDS];
    unsigned char hidden[WORDS];
    struct words words;
};

/* The words were not drawn as text. */
static void scan(struct printed *p)
{
    for (int i = 0; i < WORDS; i++)
        p->hidden[i] = WORD_HIDDEN;
}

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245U + 12345U;
    return *seed >> 16;
}

/* A letter is a stroke and a foot. */
static void print_letter(struct image *page, int x, int y, uint8_t ink)
{
    for (int dy = 4; dy < TALL - 5; dy++)
        for (int dx = 1; dx < 4; dx++)
            image_row(page, y + dy)[x + dx] = ink;
    for (int dx = 1; dx < LETTER - 2; dx++)
        image_row(page, y + TALL - 6)[x + dx] = ink;
}

static void print_word(struct printed *p, int x, int y, int n, uint8_t ink)
{
    static const char *const text[] = {"net", "total", "balance", "02/11/2024",
                                       "1,234.56"};
    for (int i = 0; i < n; i++)
        print_letter(&p->page, x + i * LETTER, y, ink);
    p->word[p->words.n_word++] = (struct word){
        x / (double)WIDTH,     y / (double)HEIGHT, n * LETTER / (double)WIDTH,
        TALL / (double)HEIGHT, text[n % 5],        1};
}

/* Lines of words of 2 to 10 letters, the page's grey noise or not. */
static struct printed *print(unsigned seed, int paper, int noise)
{
    struct printed *p = mem_alloc(1, sizeof *p);
    struct err err = {0};
    p->page = image_new(WIDTH, HEIGHT, 1, &err);
    test_ok(&err);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            image_row(&p->page, y)[x] =
                (uint8_t)(paper - (noise ? (int)next(&seed) % noise : 0));
    p->words.word = p->word;
    p->words.shown = p->hidden;
    for (int y = 100; y < HEIGHT - 150; y += 34)
        for (int x = 100; x < WIDTH - 220 && p->words.n_word < WORDS;) {
            int n = 2 + (int)(next(&seed) % 9);
            print_word(p, x, y, n, (uint8_t)(paper - 150));
            x += n * LETTER + (next(&seed) % 4 ? 6 : 90);
        }
    return p;
}

static void give(struct printed *p)
{
    image_free(&p->page);
    mem_free(p);
}

static struct text_layer_check_verdict judge(const struct printed *p)
{
    struct text_layer_check_verdict layer;
    struct err err = {0};
    struct arena *arena = arena_new();
    struct page_view *view = page_view_new(&p->page, false, arena, &err);
    text_layer_check_judge(&p->words, view, arena, &layer, &err);
    test_ok(&err);
    page_view_close(view);
    arena_free(arena);
    return layer;
}

static void move(struct printed *p, double dx, double dy, double scale)
{
    for (int i = 0; i < p->words.n_word; i++) {
        struct word *w = &p->word[i];
        w->x = fmin(fmax(w->x * scale + dx / WIDTH, 0), 1 - w->w);
        w->y = fmin(fmax(w->y * scale + dy / HEIGHT, 0), 1 - w->h);
    }
}

static void a_layer_that_fits_is_usable(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 5; seed++) {
        struct printed *p =
            print(seed, seed % 2 ? 255 : 225, seed > 2 ? 40 : 0);
        struct text_layer_check_verdict digital = judge(p);
        assert_int_equal(digital.kind, TEXT_LAYER_CHECK_DIGITAL);
        assert_true(text_layer_check_is_usable(&digital));
        assert_true(digital.fit > 0.95 && digital.covered > 0.95);
        assert_true(digital.inkless == 0 && digital.garbled == 0);
        scan(p);
        assert_int_equal(judge(p).kind, TEXT_LAYER_CHECK_SCAN);
        /* boxes of another program: larger, a little astray */
        move(p, 3, -3, 1);
        assert_int_equal(judge(p).kind, TEXT_LAYER_CHECK_SCAN);
        give(p);
    }
}

static const struct {
    const char *what;
    double dx, dy, scale;
} misplaced[] = {{"half a line lower", 0, 17, 1},
                 {"a line lower", 0, 34, 1},
                 {"three letters to the right", 27, 0, 1},
                 {"both", -30, 20, 1},
                 {"smaller by a tenth", 0, 0, 0.9},
                 {"smaller by a thirtieth", 0, 0, 0.967},
                 {"in the margin", 3000, 0, 1}};

static void boxes_beside_the_ink_are_rotten(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof misplaced / sizeof misplaced[0]; i++) {
        struct printed *p = print(7, 255, 20);
        scan(p);
        move(p, misplaced[i].dx, misplaced[i].dy, misplaced[i].scale);
        struct text_layer_check_verdict layer = judge(p);
        if (layer.kind != TEXT_LAYER_CHECK_ROTTEN)
            fail_msg("%s: %s, fit %.2f, inkless %.2f", misplaced[i].what,
                     text_layer_check_name(layer.kind), layer.fit,
                     layer.inkless);
        give(p);
    }
}

static void the_words_of_another_page_are_rotten(void **state)
{
    (void)state;
    struct printed *p = print(11, 255, 0), *other = print(12, 255, 0);
    for (int i = 0; i < p->words.n_word; i++)
        p->word[i].y *= 0.98;
    p->words = other->words;
    for (int i = 0; i < other->words.n_word; i++)
        other->word[i].y += 9.0 / HEIGHT;
    assert_int_equal(judge(p).kind, TEXT_LAYER_CHECK_ROTTEN);
    give(p);
    give(other);
}

static void garbled_words_are_rotten(void **state)
{
    static const char *const bad[] = {"\uFFFDnet", "\uE012\uE013", "l~v|ce",
                                      "tO7aI"};
    static const char *const good[] = {
        "IBAN", "DE89370400440532013000", "INV-2024/001", "net",
        "3.14", "\u0C95\u0CA8",           "iPhone",       "A4"};
    (void)state;
    struct printed *p = print(13, 255, 0);
    for (int i = 0; i < p->words.n_word; i++)
        p->word[i].text = good[i % 8];
    assert_int_equal(judge(p).kind, TEXT_LAYER_CHECK_DIGITAL);
    for (size_t k = 0; k < 4; k++) {
        for (int i = 0; i < p->words.n_word; i++)
            p->word[i].text = i % 2 ? bad[k] : "net";
        assert_int_equal(judge(p).kind, TEXT_LAYER_CHECK_ROTTEN);
    }
    give(p);
}

static void a_stamp_on_a_scan_is_part_of_it(void **state)
{
    (void)state;
    struct printed *p = print(17, 240, 20);
    p->words.word += p->words.n_word - 6;
    p->words.n_word = 6;
    struct text_layer_check_verdict layer = judge(p);
    assert_int_equal(layer.kind, TEXT_LAYER_CHECK_PART);
    assert_false(text_layer_check_is_usable(&layer));
    p->words.n_word = 0;
    assert_int_equal(judge(p).kind, TEXT_LAYER_CHECK_NONE);
    give(p);
}

/* The number of usable words, and whether word `i` is one. */
static int n_usable(const struct printed *p, int i, bool *has)
{
    struct text_layer_check_verdict layer;
    struct err err = {0};
    struct arena *arena = arena_new();
    struct page_view *view = page_view_new(&p->page, false, arena, &err);
    text_layer_check_judge(&p->words, view, arena, &layer, &err);
    test_ok(&err);
    page_view_close(view);
    *has = false;
    for (int k = 0; k < layer.words.n_word; k++)
        *has |= layer.words.word[k].x == p->word[i].x &&
                layer.words.word[k].y == p->word[i].y;
    int n = layer.words.n_word;
    arena_free(arena);
    return n;
}

static void hidden_words_are_used_only_if_an_image_shows_them(void **state)
{
    (void)state;
    struct printed *p = print(23, 255, 0);
    int n = p->words.n_word, last = n - 1;
    bool has;
    p->hidden[last] = WORD_HIDDEN; /* among words that are drawn */
    assert_int_equal(judge(p).kind, TEXT_LAYER_CHECK_DIGITAL);
    assert_int_equal(n_usable(p, last, &has), n - 1);
    assert_false(has);
    scan(p);
    p->word[last].y = 0.01; /* on bare paper */
    assert_int_equal(n_usable(p, last, &has), n - 1);
    assert_false(has);
    p->hidden[0] = WORD_SHOWN; /* a stamp, and a word upon it */
    p->word[last] = p->word[0];
    p->word[last].x += 1e-4;
    assert_int_equal(judge(p).kind, TEXT_LAYER_CHECK_SCAN);
    assert_int_equal(n_usable(p, last, &has), n - 1);
    assert_false(has);
    n_usable(p, 0, &has);
    assert_true(has);
    give(p);
}

/* White letters on a dark bar, and the whole page dark. */
static void light_print_on_dark_is_ink(void **state)
{
    (void)state;
    struct printed *p = print(19, 255, 0);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            image_row(&p->page, y)[x] = (uint8_t)~image_row(&p->page, y)[x];
    struct text_layer_check_verdict layer = judge(p);
    assert_true(layer.fit > 0.95 && layer.inkless == 0);
    give(p);
}

static struct script script_of(const char *text)
{
    struct word word = {0, 0, 1, 1, text, 1};
    struct words words = {.word = &word, .n_word = 1};
    struct script out;
    script_of_words(&words, &out);
    return out;
}

static void scripts_are_told_by_most_letters(void **state)
{
    (void)state;
    assert_string_equal(script_of("Gesamtbetrag12").name, "Latin");
    assert_string_equal(script_of("Größe naïve façade").name, "Latin");
    assert_string_equal(script_of("ಕರ್ನಾಟಕ ಸರ್ಕಾರ GST 2024").name, "Kannada");
    assert_string_equal(script_of("Итого к оплате: 12").name, "Cyrillic");
    assert_string_equal(script_of("発票金額合計請求書番号").name, "Han");
    assert_string_equal(script_of("12/11/2024 1,234.56 EUR").name, "");
    struct script mixed = script_of("ಕರ್ನಾಟಕabc");
    assert_true(mixed.confidence > 0.6 && mixed.confidence < 0.8);
}

static void the_guard_warns_of_what_is_sure(void **state)
{
    struct script kannada = {"Kannada", 0.96}, unsure = {"Kannada", 0.3};
    struct script latin = {"Latin", 1}, none = {"", 0}, han = {"Han", 0.9};
    (void)state;
    assert_false(script_is_read(&kannada, "Latin"));
    assert_false(script_is_read(&kannada, script_qwen));
    assert_true(script_is_read(&kannada, NULL));
    assert_true(script_is_read(&unsure, "Latin"));
    assert_true(script_is_read(&none, "Latin"));
    assert_true(script_is_read(&latin, "Latin"));
    assert_true(script_is_read(&han, script_qwen));
    assert_false(script_is_read(&han, "Latin Hangul"));
}

/* One line of words as a layer has them and as OCR reads them. */
static enum text_layer_check_reading compare(const char *const *layer,
                                             int n_layer,
                                             const char *const *ocr, int n_ocr,
                                             float confidence)
{
    struct word of_layer[8], of_ocr[8];
    for (int i = 0; i < n_layer; i++)
        of_layer[i] = (struct word){
            i / (double)n_layer, .5, .9 / n_layer, .1, layer[i], 1};
    for (int i = 0; i < n_ocr; i++)
        of_ocr[i] = (struct word){i / (double)n_ocr, .5, .9 / n_ocr, .1, ocr[i],
                                  confidence};
    return text_layer_check_compare(
        &(struct words){.word = of_layer, .n_word = n_layer},
        &(struct words){.word = of_ocr, .n_word = n_ocr});
}

#define COMPARE(a, b, confidence)                                     \
    compare((const char *const[]){a}, 1, (const char *const[]){b}, 1, \
            confidence)

static void ocr_confirms_or_denies_what_nobody_sees(void **state)
{
    (void)state;
    static const struct {
        const char *layer, *ocr;
        enum text_layer_check_reading want;
    } row[] = {{"485.00", "485.00", TEXT_LAYER_CHECK_SAME},
               {"485.00", "485,00", TEXT_LAYER_CHECK_SAME},
               {"EUR485.00", "485.00", TEXT_LAYER_CHECK_SAME},
               {"485.00", "435.00", TEXT_LAYER_CHECK_OTHER},
               {"02/11/2024", "02/12/2024", TEXT_LAYER_CHECK_OTHER},
               {"DE02120300000000202051", "DE02500105170137075030",
                TEXT_LAYER_CHECK_OTHER},
               {"M\xc3\xbcller", "Miller", TEXT_LAYER_CHECK_SAME},
               {"Stra\xc3\x9f"
                "e",
                "StraBe", TEXT_LAYER_CHECK_SAME},
               {"S\xc3\xb6hne", "S6hne", TEXT_LAYER_CHECK_SAME},
               {"Northwind", "Southgate", TEXT_LAYER_CHECK_OTHER},
               {"Meier", "M\xc3\xbcller", TEXT_LAYER_CHECK_OTHER}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(COMPARE(row[i].layer, row[i].ocr, .9F), row[i].want);
        /* what OCR is not sure of says nothing */
        assert_int_equal(COMPARE(row[i].layer, row[i].ocr, .3F),
                         TEXT_LAYER_CHECK_UNKNOWN);
    }
    static const char *const apart[] = {"4", "8", "5", "0", "0"};
    static const char *const whole[] = {"485.00"};
    assert_int_equal(compare(apart, 5, whole, 1, .9F), TEXT_LAYER_CHECK_SAME);
    assert_int_equal(compare(whole, 1, apart, 5, .9F), TEXT_LAYER_CHECK_SAME);
    assert_int_equal(compare(whole, 1, NULL, 0, 1), TEXT_LAYER_CHECK_UNKNOWN);
}

/* A stamp lies over an amount: only what OCR reads there is added. */
static void ocr_reads_what_is_covered(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct word shown[] = {{.1, .1, .1, .02, "Net", 1}};
    struct word under[] = {{.5, .1, .1, .02, "", 1}};
    struct word read[] = {{.1, .1, .1, .02, "Nat", .9F},
                          {.5, .1, .1, .02, "75.13", .8F},
                          {.5, .5, .1, .02, "other", .9F}};
    struct words words = {.word = shown, .n_word = 1, .partial = true};
    struct words covered = {.word = under, .n_word = 1};
    struct words ocr = {.word = read, .n_word = 3};
    text_layer_check_uncover(&words, &covered, &ocr, arena);
    assert_int_equal(words.n_word, 2);
    assert_string_equal(words.word[0].text, "Net");
    assert_string_equal(words.word[1].text, "75.13");
    assert_true(words.partial);
    arena_free(arena);
}

TEST_GROUP(layer, cmocka_unit_test(a_layer_that_fits_is_usable),
           cmocka_unit_test(boxes_beside_the_ink_are_rotten),
           cmocka_unit_test(the_words_of_another_page_are_rotten),
           cmocka_unit_test(garbled_words_are_rotten),
           cmocka_unit_test(a_stamp_on_a_scan_is_part_of_it),
           cmocka_unit_test(hidden_words_are_used_only_if_an_image_shows_them),
           cmocka_unit_test(light_print_on_dark_is_ink),
           cmocka_unit_test(scripts_are_told_by_most_letters),
           cmocka_unit_test(the_guard_warns_of_what_is_sure),
           cmocka_unit_test(ocr_confirms_or_denies_what_nobody_sees),
           cmocka_unit_test(ocr_reads_what_is_covered))
