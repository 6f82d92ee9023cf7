/* stray_test.c - values that stand in another row's line. */
#include "tests/support/test.h"

#include "stages/evidence/off_row.h"
#include "stages/print/canon.h"

/* A value that OCR found at this height. */
static struct field at(const char *pointer, const char *text, double y,
                       bool figure, struct arena *arena)
{
    struct evidence *one = arena_alloc(arena, sizeof *one);
    *one = (struct evidence){.page = 1,
                             .box = {0.1, y, 0.1, 0.01},
                             .line = (int)(100 * y + 0.5),
                             .text = text};
    return (struct field){.pointer = pointer,
                          .verdict = FIELD_AGREE,
                          .is_figure = figure,
                          .evidence = one,
                          .n_evidence = 1};
}

static void a_value_in_another_row_is_stray(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct field f[] = {at("/rows/0/name", "Milk", .10, false, arena),
                        at("/rows/0/n", "7", .20, true, arena),
                        at("/rows/0/price", "12.50", .10, true, arena),
                        at("/rows/1/name", "Bread", .20, false, arena),
                        at("/rows/1/n", "3", .20, true, arena),
                        at("/rows/1/price", "14.75", .22, true, arena),
                        at("/total", "14.75", .20, true, arena),
                        at("/tax", "19.00", .50, true, arena)};
    off_row_mark(f, 8);
    static const bool wanted[] = {false, true,  false, false,
                                  false, false, true,  false};
    for (int i = 0; i < 8; i++)
        assert_int_equal(f[i].doubt != DOUBT_NONE, wanted[i]);
    arena_free(arena);
}

static void a_short_figure_at_several_places_is_stray(void **state)
{
    (void)state;
    const struct evidence one = {.page = 1,
                                 .box = {0, 0, 0.1, 0.1},
                                 .text = "1",
                                 .match = EVIDENCE_AMBIGUOUS};
    struct evidence other = one;
    other.text = "17-4711";
    struct field f[] = {{.pointer = "/n",
                         .verdict = FIELD_AGREE,
                         .is_figure = true,
                         .evidence = &one,
                         .n_evidence = 1},
                        {.pointer = "/id",
                         .verdict = FIELD_AGREE,
                         .is_figure = true,
                         .evidence = &other,
                         .n_evidence = 1}};
    off_row_mark(f, 2);
    assert_true(f[0].doubt);
    assert_false(f[1].doubt);
}

/* A misread date is found where it is printed as another one, a misread figure in
 * a misread word. */
static void what_is_printed_for_another_reason_is_stray(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct field f[] = {at("/date", "13. Dez 2024", .10, true, arena),
                        at("/due", "13. Dez 2024", .10, true, arena),
                        at("/sent", "14. Dez 2024", .30, true, arena),
                        at("/total", "S6hne", .50, true, arena),
                        at("/count", "4x", .60, true, arena)};
    f[0].year = f[1].year = f[2].year = 2024;
    off_row_mark(f, 5);
    static const bool wanted[] = {true, true, false, true, false};
    for (int i = 0; i < 5; i++)
        assert_int_equal(f[i].doubt != DOUBT_NONE, wanted[i]);
    arena_free(arena);
}

/* The year of "06 Aug" is not on the page: one that differs is no proof. */
static void a_year_that_nobody_printed_is_that_of_the_others(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct field f[] = {at("/rows/0/date", "05 Aug", .10, true, arena),
                        at("/rows/1/date", "06 Aug", .20, true, arena),
                        at("/rows/2/date", "07 Aug", .30, true, arena),
                        at("/date", "8. Aug 2029", .40, true, arena)};
    f[0].year = f[2].year = 2024;
    f[1].year = f[3].year = 2029;
    off_row_mark(f, 4);
    assert_false(f[0].doubt || f[2].doubt || f[3].doubt);
    assert_true(f[1].doubt);
    arena_free(arena);
}

/* 2124 is not 2024 where both are written out; 24 is either. */
static void a_century_that_is_printed_counts(void **state)
{
    (void)state;
    static const struct {
        const char *printed, *value;
        bool same;
    } each[] = {{"2024-09-25", "2024-09-25", true},
                {"2024-09-25", "2124-09-25", false},
                {"25.09.24", "2024-09-25", true}};
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct canons printed = {0}, value = {0};
        canon_add_text(&printed, each[i].printed, arena);
        canon_add_text(&value, each[i].value, arena);
        assert_true(value.n_item > 0);
        assert_int_equal(canon_holds(&printed, &value.item[0]), each[i].same);
    }
    arena_free(arena);
}

TEST_GROUP(stray, cmocka_unit_test(a_value_in_another_row_is_stray),
           cmocka_unit_test(a_year_that_nobody_printed_is_that_of_the_others),
           cmocka_unit_test(a_century_that_is_printed_counts),
           cmocka_unit_test(what_is_printed_for_another_reason_is_stray),
           cmocka_unit_test(a_short_figure_at_several_places_is_stray))
