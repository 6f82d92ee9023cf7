/* coverage_unit_test.c - quantities and their units, in near columns, in one cell or
 * glued: "1 set" reads as a day of September, in Italian, and "5m" as a number. */
#include "tests/unit/stages/text_page.h"

#include <string.h>

#include "stages/print/canon.h"
#include "tests/support/test.h"

enum { ROWS = 12 };

static const char *const units[] = {
    "set", "mar", "mai", "dec",   "sep",     "may",   "out",     "m",   "Stk",
    "pcs", "St.", "kos", "ks",    "szt",     "un",    "u",       "uds", "pz",
    "lot", "kit", "pr",  "hr",    "h",       "min",   "mo",      "m2",  "%",
    "шт",  "個",  "mos", "Stück", "M\u00B2", "month", "month(s)"};

enum setting { NEAR_COLUMNS, ONE_CELL, GLUED, N_SETTING };

static char *cell_of(struct text_page *p, enum setting how, int n,
                     const char *unit)
{
    if (how == NEAR_COLUMNS)
        return arena_text(p->arena, "62:<%d|62.7:%s", n, unit);
    return arena_text(p->arena, "60:%d%s%s", n, how == ONE_CELL ? " " : "",
                      unit);
}

/* A row as the reader gives it; `other`: the amounts are those of another. */
static void give(struct text_page *p, int i, int n, const char *unit, int other)
{
    text_page_gave(p,
                   "{\"article\":\"K%d7\",\"text\":\"Item %c\",\"qty\":%d,"
                   "\"unit\":\"%s\",\"price\":%d.5,\"total\":%d}",
                   i + 1, 'a' + i, n, unit, other + 11, other * other + 911);
}

/* A bill whose row `odd` has this unit, and so have its neighbours, of more than a
 * month has days; the row has the amounts of `mixed`, where it is not -1. */
static struct text_page *bill(const char *unit, enum setting how, int odd,
                              int mixed)
{
    struct text_page *p = text_page_new();
    p->strict = true;
    p->head = cJSON_CreateString("Article Description Qty Unit Price Total");
    text_page_line(
        p, "18:Article|30:Description|62:<Qty|62.7:Unit|78:<Price|90:<Total");
    for (int i = 0; i < ROWS; i++) {
        const char *own = i - odd > 1 || odd - i > 1 ? "kg" : unit;
        int n = i == odd ? 2 : 10 * i + 40;
        text_page_linef(p, "18:K%d7|30:Item %c|%s|78:<%d.50|90:<%d.00", i + 1,
                        'a' + i, cell_of(p, how, n, own), i + 11, i * i + 911);
        if (i % 4 == 3) text_page_line(p, "30:made of steel");
        give(p, i, n, own, i == odd && mixed >= 0 ? mixed : i);
    }
    return p;
}

static void assert_sure(struct text_page *p, const char *unit, int how)
{
    char *look = text_page_look(p);
    if (strcmp(look, "missing, extra") != 0)
        fail_msg("%s, %d: %s", unit, how, look);
    for (int r = 0; r < ROWS; r++)
        if (p->got.doubt[r] != COVERAGE_SURE || p->got.said[r] < 1)
            fail_msg("%s, %d: row %d: %d, %.2f", unit, how, r,
                     (int)p->got.doubt[r], p->got.said[r]);
    text_page_free(p);
}

static void a_unit_is_no_month(void **state)
{
    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (int how = 0; how < N_SETTING; how++)
            for (int odd = 0; odd < ROWS; odd++)
                assert_sure(bill(units[u], (enum setting)how, odd, -1),
                            units[u], how);
}

/* The same row with the amounts of the one below, or above. */
static void a_row_made_of_two_is_told(void **state)
{
    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (int odd = 1; odd < ROWS - 1; odd++) {
            struct text_page *p =
                bill(units[u], NEAR_COLUMNS, odd, odd % 2 ? odd + 1 : odd - 1);
            text_page_look(p);
            if (p->got.doubt[odd] != COVERAGE_MIXED)
                fail_msg("%s: row %d: %d", units[u], odd,
                         (int)p->got.doubt[odd]);
            text_page_free(p);
        }
}

/* What is printed, and whether it says what a value says. */
static void what_is_printed_says_its_pieces(void **state)
{
    (void)state;
    static const struct {
        const char *printed, *value;
        bool says;
    } each[] = {{"1 set", "1", true},
                {"1 set", "set", true},
                {"set 1.", "SET", true},
                {"1set", "1", true},
                {"1set", "set", true},
                {"5m", "5", true},
                {"5m", "M", true},
                {"-2.5m2", "m2", true},
                {"10Stück", "stuck", true},
                {"10Stück", "10", true},
                {"1 set", "2", false},
                {"1 set", "sets", false},
                {"1 set", "1 Sept", true},
                {"1 set", "2024-09-01", true},
                {"1 x set", "1 set", true},
                {"1 x sets", "1 set", false},
                {"2 x set", "1 set", false},
                {"5 x m", "5m", true},
                {"10 x kits", "10kits", true},
                {"10 x kit", "10kits", false},
                {"1 set 2024", "set", false},
                {"0", "set", false}};
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct canons printed = {0}, value = {0};
        canon_add_text(&printed, each[i].printed, arena);
        canon_add_text(&value, each[i].value, arena);
        assert_int_equal(value.n_item, 1);
        if (canon_holds(&printed, value.item) != each[i].says)
            fail_msg("%s, %s", each[i].printed, each[i].value);
    }
    arena_free(arena);
}

TEST_GROUP(coverage_unit, cmocka_unit_test(a_unit_is_no_month),
           cmocka_unit_test(a_row_made_of_two_is_told),
           cmocka_unit_test(what_is_printed_says_its_pieces))
