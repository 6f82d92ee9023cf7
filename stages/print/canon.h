/* canon.h - texts in canonical form, for comparison.
 *
 * 1,234.56 and 1.234,56- and (1234.56) are the same amount; 3 Jan 2024,
 * 03.01.24 and 2024-01-03 are the same date; words are compared without case
 * and accents. An ambiguous form (1.234, 03/01/2024) equals both readings; which
 * one its page means is decided in notation.h.
 */
#ifndef STAGES_PRINT_CANON_H
#define STAGES_PRINT_CANON_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "stages/page/text_lines.h"
#include "vlm/base/arena.h"

enum canon_kind {
    CANON_WORD,
    CANON_NUMBER, /* 3, 1.5, 19 %, 12345678 */
    CANON_AMOUNT, /* with two decimals, thousands separators or a currency */
    CANON_DATE
};

/* What a figure's form tells about the notation of its page. */
enum canon_form {
    FORM_NONE,
    FORM_EITHER,     /* two readings: 1.234, 03/04/2026 */
    FORM_DECIMALS,   /* its mark is that of decimals: 1.50, 1,234.5 */
    FORM_THOUSANDS,  /* its mark is that of thousands: 1.234.567 */
    FORM_DAY_FIRST,  /* 28/03/2026 */
    FORM_MONTH_FIRST /* 03/28/2026 */
};

struct canon_piece {
    enum canon_kind kind;
    uint64_t key; /* 0: none */
};

/* Numbers have no sign: a debit is printed without one in its column
 * (figure_sign.h). */
struct canon {
    enum canon_kind kind;
    uint64_t key, other; /* its readings: thousands or the day first, decimals
                          * or the month first; other: 0 if there is only one */
    enum canon_form form;
    char mark;         /* the separator that the form is about */
    int year;          /* of a date, modulo 100, plus 1; 0: not given */
    int century;       /* of a year of four digits; 0: of two */
    double x, w;       /* position on the page; 0 for a value */
    int first, n_word; /* its words, as indexes in the line or text */
    /* The parts of a day and month without a year, or of a number and letters
     * in one word: "1 set" and "5m" are also a quantity and its unit. */
    struct canon_piece piece[2];
};

struct canons {
    struct canon *item;
    int n_item, capacity;
};

/* Appends the items of a text; words longer than 255 bytes are left out. */
void canon_add_text(struct canons *c, const char *text, struct arena *arena);

/* The same for a line, with positions. A number printed with spaces (1 234,56)
 * is added as a whole, too. */
void canon_add_line(struct canons *c, const struct line *line,
                    struct arena *arena);

/* The same for all strings and numbers in a value, without member names. */
void canon_add_value(struct canons *c, const cJSON *value, struct arena *arena);

/* Appends all items. */
void canon_add_all(struct canons *c, const struct canons *items,
                   struct arena *arena);

/* Whether the two are equal in one of their readings. */
bool canon_equal(const struct canon *a, const struct canon *b);

/* Whether `whole` equals the item, or one of its pieces does. */
bool canon_says(const struct canon *whole, const struct canon *item);

/* Gets the item's two pieces; false if it has none. */
bool canon_split(const struct canon *item, struct canon piece[2]);

/* Whether the items contain the item, or both of its pieces. */
bool canon_holds(const struct canons *items, const struct canon *item);

#endif
