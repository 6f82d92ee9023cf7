/* canon.h - what a text says, in forms that can be compared.
 *
 * 1,234.56 and 1.234,56- and (1234.56) are one amount; 3 Jan 2024, 03.01.24 and
 * 2024-01-03 are one date; words are compared without case and accents. A form
 * that can be read in two ways (1.234, 03/01/2024) equals both.
 */
#ifndef STAGES_PRINT_CANON_H
#define STAGES_PRINT_CANON_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "stages/print/text_lines.h"
#include "vlm/base/arena.h"

enum canon_kind {
    CANON_WORD,
    CANON_NUMBER, /* 3, 1.5, 19 %, 12345678 */
    CANON_AMOUNT, /* with two decimals, thousands or a currency */
    CANON_DATE
};

struct canon_piece {
    enum canon_kind kind;
    uint64_t key; /* 0: none */
};

/* Signs are left out of numbers: a debit stands without one in its column. */
struct canon {
    enum canon_kind kind;
    uint64_t key, other; /* its readings; other is 0 where there is one */
    int year;            /* of a date, of 100, plus 1; 0: none was given */
    int century;         /* of a year of four digits; 0: of two */
    double x, w;         /* where on the page; 0 for a value's */
    int first, n_word;   /* of the line's words, or of the text's */
    /* A day and a month without a year, or a number and letters in one word, say
     * their pieces as well: "1 set" and "5m" are a quantity and its unit. */
    struct canon_piece piece[2];
};

struct canons {
    struct canon *item;
    int n_item, room;
};

/* Appends what the text says; longer words than 255 bytes are left out. */
void canon_add_text(struct canons *c, const char *text, struct arena *arena);

/* The same of a line, with places. A number set with spaces (1 234,56) is there
 * as a whole, too. */
void canon_add_line(struct canons *c, const struct line *line,
                    struct arena *arena);

/* The same of all strings and numbers in a value, names of members left out. */
void canon_add_value(struct canons *c, const cJSON *value, struct arena *arena);

/* Appends all of the items. */
void canon_add_all(struct canons *c, const struct canons *items,
                   struct arena *arena);

/* Whether the two say the same. */
bool canon_equal(const struct canon *a, const struct canon *b);

/* Whether the first says what the second says: the same, or it as a piece. */
bool canon_says(const struct canon *whole, const struct canon *item);

/* The item's two pieces; false where it has none. */
bool canon_split(const struct canon *item, struct canon piece[2]);

/* Whether one of the items says it, or they say both of its pieces. */
bool canon_holds(const struct canons *items, const struct canon *item);

#endif
