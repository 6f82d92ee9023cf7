/* locate.h - where on its pages a value stands.
 *
 * Held against the words of the pages that were asked about: what a value says
 * is looked for in comparable forms (case, accents, ligatures, hyphens, dates
 * and amounts in any usual notation), over joined and split words and over line
 * ends. Boxes are in 0..1 of the page as it is displayed (words.h). Of several occurrences one is taken for reasons alone: hints, rows that
 * follow one another down the page, columns, the nearest label. Without a reason
 * the value is ambiguous: a box on the wrong occurrence is worse than none.
 *
 * Pure: all of the result lives in the arena.
 */
#ifndef STAGES_EVIDENCE_LOCATE_H
#define STAGES_EVIDENCE_LOCATE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "stages/page/box.h"
#include "stages/print/page_table.h"
#include "stages/print/words.h"
#include "vlm/base/arena.h"

enum locate_match {
    LOCATE_EXACT,      /* printed as the value is written */
    LOCATE_NORMALISED, /* the same in comparable form */
    LOCATE_FUZZY       /* but for some characters */
};

/* Where a model is likely to have looked for a value: weights of one value sum
 * to 1. */
struct locate_hint {
    int page;
    struct box box;
    double weight;
};

/* A scalar of an answer. */
struct locate_asked {
    const char *pointer; /* of the value; elements of an array are its rows */
    const cJSON *value;
    const char *title, *description; /* of its schema, or NULL */
    const struct locate_hint *hint;
    int n_hint;
};

/* Of one line of print: words joined by one space. */
struct locate_line {
    struct box box;
    int line;         /* of the page table */
    const char *text; /* as printed */
    enum words_source source;
    float confidence; /* the least of its words */
};

struct locate_place {
    int page;
    const struct locate_line *line;
    int n_line;
    enum locate_match match;
    int distance; /* LOCATE_FUZZY: characters that differ */
};

/* n_place is 0: it stands nowhere; 1: there; more: one of these (ambiguous). */
struct located {
    const struct locate_place *place;
    int n_place;
    bool
        doubtful; /* a figure that may be another value: the place is no proof */
};

enum { LOCATE_PLACES_MAX = 16 }; /* of one ambiguous value */

/* Looks for all values of one answer together; out[n_asked] is theirs. Null,
 * true and false stand nowhere. */
void locate_values(const struct numbered_words *page, int n_page,
                   const struct locate_asked *asked, int n_asked,
                   struct arena *arena, struct located *out);

#endif
