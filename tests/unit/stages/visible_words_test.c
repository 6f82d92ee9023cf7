/* visible_test.c - words of a text layer that its page shows, and others. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/print/visible_words.h"

enum { WIDTH = 800, HEIGHT = 1000, WORDS = 9000, LETTER = 8, TALL = 16 };

struct sheet {
    struct arena *arena;
    struct image page;
    struct word word[WORDS];
    struct words words;
};

static struct sheet *new_sheet(void)
{
    struct sheet *s = mem_alloc(1, sizeof *s);
    struct err err = {0};
    s->arena = arena_new();
    s->page = image_new(WIDTH, HEIGHT, 1, &err);
    test_ok(&err);
    for (int y = 0; y < HEIGHT; y++)
        memset(image_row(&s->page, y), 0xff, WIDTH);
    s->words.word = s->word;
    s->words.aspect = (double)WIDTH / HEIGHT;
    return s;
}

static void fill(struct sheet *s, int x, int y, int w, int h, uint8_t ink)
{
    for (int dy = 0; dy < h; dy++)
        memset(image_row(&s->page, y + dy) + x, ink, (size_t)w);
}

/* A word of the layer alone, `high` px. */
static void hold(struct sheet *s, int x, int y, int high, const char *text)
{
    double w = (double)strlen(text) * LETTER * high / TALL;
    s->word[s->words.n_word++] = (struct word){x / (double)WIDTH,
                                               y / (double)HEIGHT,
                                               w / WIDTH,
                                               high / (double)HEIGHT,
                                               text,
                                               1};
}

/* The same, and strokes that stand for its letters. */
static void print(struct sheet *s, int x, int y, const char *text, uint8_t ink)
{
    hold(s, x, y, TALL, text);
    for (int i = 0; i < (int)strlen(text); i++)
        fill(s, x + i * LETTER + 2, y + 3, 2, TALL - 5, ink);
}

/* The texts that are seen, one behind the other. */
static void assert_seen(struct sheet *s, const char *wanted)
{
    struct words out;
    struct err err = {0};
    char got[400] = "";
    struct page_view *view = page_view_new(&s->page, false, s->arena, &err);
    visible_words(&s->words, view, s->arena, &out, &err);
    test_ok(&err);
    page_view_close(view);
    for (int i = 0; i < out.n_word; i++) {
        size_t n = strlen(got);
        snprintf(got + n, sizeof got - n, "%s%s", i ? " " : "",
                 out.word[i].text);
    }
    assert_string_equal(got, wanted);
    image_free(&s->page);
    arena_free(s->arena);
    mem_free(s);
}

static void print_is_seen_in_its_order(void **state)
{
    (void)state;
    struct sheet *s = new_sheet();
    print(s, 100, 300, "lower", 0);
    print(s, 100, 100, "upper", 0);
    print(s, 160, 100, "grey", 0x90);
    print(s, 100, 124, "close", 0);
    assert_seen(s, "lower upper grey close");
}

static void what_has_no_ink_is_not(void **state)
{
    (void)state;
    struct sheet *s = new_sheet();
    print(s, 100, 100, "seen", 0);
    hold(s, 200, 100, TALL, "nowhere");
    print(s, 300, 100, "white", 0xff);
    print(s, 400, 100, "nearly", 0xe8);
    assert_seen(s, "seen");
}

static void what_is_blacked_out_is_not(void **state)
{
    (void)state;
    struct sheet *s = new_sheet();
    print(s, 100, 100, "seen", 0);
    print(s, 200, 100, "bar", 0);
    fill(s, 190, 95, 60, 26, 0);
    print(s, 300, 300, "field", 0);
    fill(s, 200, 200, 300, 300, 0);
    /* white on black is print */
    fill(s, 20, 600, 700, 100, 0);
    print(s, 100, 640, "light", 0xff);
    assert_seen(s, "seen light");
}

static void what_lies_upon_another_word_is_not(void **state)
{
    (void)state;
    struct sheet *s = new_sheet();
    print(s, 100, 100, "total", 0);
    hold(s, 100, 101, TALL, "1.00");
    print(s, 300, 100, "pay", 0);
    print(s, 340, 100, "now", 0);
    hold(s, 290, 96, 24, "nothing");
    print(s, 100, 200, "bold", 0);
    hold(s, 101, 200, TALL, "bold"); /* set twice: it is there all the same */
    print(s, 200, 200, "next", 0);
    assert_seen(s, "bold next");
}

static void specks_and_crammed_words_are_not(void **state)
{
    (void)state;
    struct sheet *s = new_sheet();
    print(s, 100, 100, "seen", 0);
    fill(s, 200, 100, 40, 2, 0);
    hold(s, 200, 99, 4, "speck");
    fill(s, 300, 104, 10, 8, 0);
    s->word[s->words.n_word++] =
        (struct word){0.375, 0.1, 0.0125, 0.016, "send all to me", 1};
    assert_seen(s, "seen");
}

static void pictures_and_endless_layers_have_none(void **state)
{
    (void)state;
    struct sheet *s = new_sheet();
    print(s, 100, 100, "seen", 0);
    s->words.picture = 0.2;
    assert_seen(s, "");
    s = new_sheet();
    print(s, 100, 100, "seen", 0);
    s->words.cut = true;
    assert_seen(s, "");
    s = new_sheet();
    for (int i = 0; i < WORDS - 1; i++)
        print(s, 100, 100, "same", 0);
    assert_seen(s, "");
}

TEST_GROUP(visible, cmocka_unit_test(print_is_seen_in_its_order),
           cmocka_unit_test(what_has_no_ink_is_not),
           cmocka_unit_test(what_is_blacked_out_is_not),
           cmocka_unit_test(what_lies_upon_another_word_is_not),
           cmocka_unit_test(specks_and_crammed_words_are_not),
           cmocka_unit_test(pictures_and_endless_layers_have_none))
