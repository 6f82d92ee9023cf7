/* ink_under_test.c - which print was copied, where two lines share a cell. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/page/attended_print.h"

enum { N_LINE = 4, LETTERS = 16, GRID = 5, N_VALUE = 8 };

static const double letter = 0.02; /* from one to the next */

/* Rows of a name at the left and an amount of five letters at the right: two
 * rows on each height of cells. */
static const int name_letters[N_LINE] = {6, 3, 8, 5};

struct scene {
    struct arena *arena;
    struct text_lines ink;
    struct ink_value value[N_VALUE];
    char pointer[N_VALUE][32];
    int n_value;
};

static void add_letters(struct line *line, double x, int n)
{
    for (int i = 0; i < n; i++)
        line->word[line->n_word++] = (struct word){
            x + i * letter, line->y, 0.8 * letter, line->h, NULL, 1};
}

static void draw(struct scene *s)
{
    *s = (struct scene){.arena = arena_new()};
    s->ink.line = arena_array(s->arena, N_LINE, sizeof *s->ink.line);
    for (int i = 0; i < N_LINE; i++) {
        struct line *line = &s->ink.line[s->ink.n_line++];
        *line = (struct line){.y = 0.02 + 0.1 * i, .h = 0.05};
        line->word = arena_array(s->arena, LETTERS, sizeof *line->word);
        add_letters(line, 0.11, name_letters[i]);
        add_letters(line, 0.81, 5);
    }
}

/* A value that was read letter by letter from n letters of a row at x. */
static void add_value(struct scene *s, const char *pointer, int row, double x,
                      int n)
{
    struct ink_token *token = arena_array(s->arena, (size_t)n, sizeof *token);
    struct ink_value *v = &s->value[s->n_value];
    snprintf(s->pointer[s->n_value], sizeof s->pointer[0], "%s", pointer);
    *v = (struct ink_value){
        .pointer = s->pointer[s->n_value++], .token = token, .n_token = n};
    for (int i = 0; i < n; i++) {
        int column = (int)((x + i * letter + 0.4 * letter) * GRID);
        double height = 0.02 + 0.1 * row + 0.025, cell = 1.0 / GRID;
        token[i] = (struct ink_token){
            {column * cell, (int)(height * GRID) * cell, cell, cell}, 1};
    }
}

static void expect(const struct scene *s, int i, double x, int row, int n)
{
    const struct box *b = &s->value[i].box;
    if (fabs(b->x - x) > 0.002 || fabs(b->w - (n - 0.2) * letter) > 0.002 ||
        fabs(b->y - 0.02 - 0.1 * row) > 0.002 || fabs(b->h - 0.05) > 0.002)
        fail_msg("%s: got %.3f %.3f %.3f %.3f, want row %d, %d letters at %.2f",
                 s->value[i].pointer, b->x, b->y, b->w, b->h, row, n, x);
}

static void rows_find_their_lines(void **state)
{
    (void)state;
    struct scene s;
    char pointer[32];
    draw(&s);
    for (int i = 0; i < N_LINE; i++) {
        snprintf(pointer, sizeof pointer, "/items/%d/name", i);
        add_value(&s, pointer, i, 0.11, name_letters[i]);
        snprintf(pointer, sizeof pointer, "/items/%d/price", i);
        add_value(&s, pointer, i, 0.81, 5);
    }
    attended_print(&s.ink, s.value, s.n_value, s.arena);
    for (int i = 0; i < N_LINE; i++) {
        expect(&s, 2 * i, 0.11, i, name_letters[i]);
        expect(&s, 2 * i + 1, 0.81, i, 5); /* no letter tells them apart */
    }
    arena_free(s.arena);
}

static void what_looks_at_paper_finds_nothing(void **state)
{
    (void)state;
    struct scene s;
    draw(&s);
    add_value(&s, "/total", 8, 0.5, 4);   /* below all lines */
    add_value(&s, "/shop", 0, 0.11, 6);   /* beside it, a real one */
    add_value(&s, "/nothing", 0, 0.1, 0); /* no token at all */
    attended_print(&s.ink, s.value, s.n_value, s.arena);
    assert_true(s.value[0].box.w == 0 && s.value[2].box.w == 0);
    expect(&s, 1, 0.11, 0, 6);
    struct text_lines empty = {.n_line = 0};
    attended_print(&empty, s.value, s.n_value, s.arena);
    assert_true(s.value[1].box.w == 0);
    arena_free(s.arena);
}

TEST_GROUP(attended_print, cmocka_unit_test(rows_find_their_lines),
           cmocka_unit_test(what_looks_at_paper_finds_nothing))
