/* alignment.h - finds where on its pages a value is printed.
 *
 * Values are compared with the words of the question's pages in canonical form
 * (case, accents, ligatures, hyphens, dates and amounts in any usual notation),
 * across joined and split words and line ends. Boxes are in 0..1 of the page as
 * displayed (words.h). Among several occurrences one is chosen only for a
 * reason: rows in order down the page, columns, the nearest
 * label. Without a reason the value is ambiguous: a box on the wrong occurrence
 * is worse than none.
 *
 * Pure: the result lives in the arena.
 */
#ifndef STAGES_ALIGNMENT_ALIGNMENT_H
#define STAGES_ALIGNMENT_ALIGNMENT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "stages/document/box.h"
#include "stages/document/document.h"
#include "stages/document/words.h"
#include "stages/print/page_table.h"
#include "vlm/base/arena.h"

enum print_match {
    PRINT_EXACT,      /* printed exactly as the value is written */
    PRINT_NORMALISED, /* equal in canonical form */
    PRINT_SIMILAR     /* equal except for some characters */
};

/* A scalar of an answer, and what its schema says of it. */
struct leaf_value {
    const char *pointer; /* its JSON pointer; array elements are rows */
    const cJSON *value;
    const char *title, *description; /* or NULL */
    const char *document;            /* title of the whole schema, or NULL */
    bool number, date;               /* it allows a number; a date only */
    const cJSON *choices;            /* its enumeration, or NULL */
    bool fraction;                   /* 8 % is to be said as 0.08 */
    bool positive; /* the schema wants it without its sign (x-platen-sign) */
};

/* Words on one line of print, joined by one space. */
struct place_line {
    struct box box;
    int line;         /* index in the page table */
    const char *text; /* as printed */
    enum words_source source;
    float confidence; /* the lowest of its words */
};

struct print_place {
    int page;
    const struct place_line *line;
    int n_line;
    enum print_match match;
    int distance; /* PRINT_SIMILAR: characters that differ */
};

/* n_place 0: not found; 1: found there; more: one of these (ambiguous). */
struct aligned_value {
    const struct print_place *place;
    int n_place;
    enum field_doubt doubt; /* the print may be another value: weak proof */
    bool overlooked;        /* null, but its label has print: place[0] */
    bool derived;           /* not read, but made of others: no place */
    bool meant; /* one of an enumeration that is printed in other words: no
                 * place */
};

enum { ALIGNED_PLACES_MAX = 16 }; /* for one ambiguous value */

/* Locates all values of one answer together; out[n_asked] are the results.
 * True and false have no place, nor have most nulls. */
void alignment_of_values(const struct numbered_words *page, int n_page,
                         const struct leaf_value *asked, int n_asked,
                         struct arena *arena, struct aligned_value *out);

#endif
