/* ink_edge_test.c - rows at the edge of a table that are printed otherwise than the
 * others. */
#include "tests/unit/stages/ink_paper.h"

enum { GIVEN = 1, PRINTED = 2, ROWS = 24, OTHERS = 4, TEXT_X = 160 };

static const char *const what[] = {
    "Rent garage",           "Insurance premium", "Kiosk",
    "Library fine and more", "Standing order on", "Workshop"};

/* `sum` is what is printed before the figures. */
static void row(struct paper *p, int i, int how, const char *sum)
{
    const char *text = arena_text(p->arena, "%s %s", what[(i * i + i / 3) % 6],
                                  what[i * 5 % 7 % 6]);
    double amount = ((i * 7919) % 100000 + 1) / 100.0 * (i % 3 ? 1 : 10);
    if (how & GIVEN)
        cJSON_AddItemToArray(
            p->rows,
            cJSON_Parse(arena_text(
                p->arena,
                "{\"date\":\"2024-03-%02d\",\"text\":\"%s\",\"amount\":%.2f}",
                i % 28 + 1, text, amount)));
    if (!(how & PRINTED)) return;
    put(p, 60, arena_text(p->arena, "%02d.03.2024", i % 28 + 1));
    put(p, TEXT_X, text);
    put(p, -800, arena_text(p->arena, "%s%.2f", sum, amount));
    next_line(p);
}

static void head(struct paper *p)
{
    put(p, 60, "Date");
    put(p, TEXT_X, "Text");
    put(p, -800, "Amount");
    next_line(p);
}

/* OTHERS at the head, or at the foot, in another size or with a currency. */
static void page(struct paper *p, bool at_head, double size, const char *sum)
{
    double em = p->em;
    head(p);
    for (int i = 0; i < ROWS; i++) {
        bool other = at_head ? i < OTHERS : i >= ROWS - OTHERS;
        p->em = other ? size * em : em;
        row(p, i, GIVEN | PRINTED, other ? sum : "");
    }
    p->em = em;
}

static void rows_of_another_print_at_an_edge_stand_there(void **state)
{
    (void)state;
    static const double size[] = {1.25, 0.75, 1};
    for (int i = 0; i < 6; i++) {
        struct paper *p = paper_new();
        page(p, i % 2, size[i / 2], i < 4 ? "" : "EUR EUR ");
        look(p);
        assert_true(p->got.trusted);
        for (int r = 0; r < ROWS; r++)
            assert_int_equal(p->got.line_of_row[r], r + 1);
        paper_free(p);
    }
}

/* What is printed there is somebody's, for all that. */
static void rows_of_another_page_do_not(void **state)
{
    (void)state;
    for (int n = 2; n <= OTHERS; n++) {
        struct paper *p = paper_new();
        double em = p->em;
        head(p);
        for (int i = 0; i < ROWS; i++)
            row(p, i, GIVEN | PRINTED, "");
        p->em = 1.25 * em;
        for (int i = 0; i < n; i++) {
            row(p, ROWS + i, PRINTED, "");
            row(p, ROWS + OTHERS + i, GIVEN, "");
        }
        p->em = em;
        look(p);
        assert_true(p->got.trusted);
        for (int r = 0; r < ROWS + n; r++)
            assert_int_equal(p->got.line_of_row[r], r < ROWS ? r + 1 : -1);
        for (int l = 0; l < p->n_line; l++)
            assert_int_equal(p->got.aside[l], l > ROWS);
        paper_free(p);
    }
}

/* One row alone tells nothing; but its line is not passed over, unless the row is
 * what the page before ended with. */
static void the_line_of_one_such_row_is_known(void **state)
{
    (void)state;
    for (int repeated = 0; repeated < 2; repeated++) {
        struct paper *p = paper_new();
        double em = p->em;
        head(p);
        for (int i = 0; i < ROWS; i++) {
            p->em = i ? em : 1.3 * em;
            row(p, i, GIVEN | PRINTED, i ? "" : "EUR EUR ");
        }
        p->em = em;
        if (repeated) p->repeated = cJSON_Duplicate(p->rows->child, true);
        look(p);
        assert_true(p->got.trusted);
        assert_int_equal(p->got.line_of_row[0], -1);
        for (int l = 0; l < p->n_line; l++)
            assert_int_equal(p->got.aside[l], l == 1 && !repeated);
        paper_free(p);
    }
}

TEST_GROUP(ink_edge,
           cmocka_unit_test(rows_of_another_print_at_an_edge_stand_there),
           cmocka_unit_test(rows_of_another_page_do_not),
           cmocka_unit_test(the_line_of_one_such_row_is_known))
