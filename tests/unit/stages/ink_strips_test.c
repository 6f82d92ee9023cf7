/* ink_strips_test.c - cells set in the middle beside a text of two lines, and what a
 * table's rules leave at a line's edges. */
#include "tests/unit/stages/ink_paper.h"

#include <string.h>

enum { ROWS = 12, PITCH_IN_CELL = 17 };

/* Its text has a second line where `second` says something; the other cells stand
 * `down` pixels below the first. */
static void row(struct paper *p, int i, const char *second, int down,
                bool given)
{
    const char *date = arena_text(p->arena, "%02d.03.2024", i + 1);
    static const char *const what[] = {"KIOSK 12", "STANDING ORDER", "FEE",
                                       "INSURANCE PREMIUM"};
    const char *sum =
        arena_text(p->arena, "%d.%02d", i % 3 ? 10 + 379 * i : i, 7 * i);
    const char *first = what[(i + i / 4) % 4];
    p->line_of[i] = p->n_line;
    p->y += down;
    put(p, 60, date);
    put(p, -700, sum);
    p->y -= down;
    put(p, 200, first);
    if (*second) {
        p->y += PITCH_IN_CELL;
        p->n_line++;
        put(p, 200, second);
    }
    next_line(p);
    if (!given) return;
    const char *text =
        arena_text(p->arena, "%s%s%s", first, *second ? " " : "", second);
    cJSON_AddItemToArray(
        p->rows,
        cJSON_Parse(arena_text(
            p->arena, "{\"date\":\"2024-03-%02d\",\"text\":\"%s\",\"sum\":%s}",
            i + 1, text, sum)));
}

static void table(struct paper *p, int down, int out)
{
    static const char *const second[] = {"", "SAN JOSE 38078", "", "",
                                         "Card 4411"};
    for (int i = 0; i < ROWS; i++)
        row(p, i, second[i % 5], *second[i % 5] ? down : 0, i != out);
}

/* Half a line down, where letters of all three lines stand side by side; and so far
 * down that the lower line reaches them rather. */
static void cells_in_the_middle_stand_on_the_first_line(void **state)
{
    (void)state;
    for (int down = 0; down <= 10; down++) {
        struct paper *p = paper_new();
        table(p, down, -1);
        look(p);
        assert_found(p, arena_text(p->arena, "%d down", down), none, none);
        for (int r = 0; r < ROWS; r++)
            assert_int_equal(p->got.line_of_row[r], p->line_of[r]);
        paper_free(p);
    }
}

static void a_row_set_so_that_is_left_out_is_one_line(void **state)
{
    (void)state;
    for (int out = 1; out < ROWS - 1; out++) {
        struct paper *p = paper_new();
        table(p, 8, out);
        look(p);
        const int missing[] = {p->line_of[out], -1};
        assert_found(p, arena_text(p->arena, "row %d", out), none, missing);
        paper_free(p);
    }
}

/* A rule that is askew comes into the lines' boxes piece by piece. */
static void pieces_of_rules_are_no_print(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    int top = p->y - 10;
    table(p, 0, -1);
    for (int i = 0; i < p->image.width_px / 40; i++) /* one piece a line */
        fill(p, 40 * i, 40 * i + 40, top + 24 * (i % ROWS),
             top + 24 * (i % ROWS) + 1);
    look(p);
    assert_found(p, "rules", none, none);
    paper_free(p);
}

TEST_GROUP(ink_strips,
           cmocka_unit_test(cells_in_the_middle_stand_on_the_first_line),
           cmocka_unit_test(a_row_set_so_that_is_left_out_is_one_line),
           cmocka_unit_test(pieces_of_rules_are_no_print))
