/* review_items.h - what of a record a person should look at. */
#ifndef STAGES_RECORD_REVIEW_ITEMS_H
#define STAGES_RECORD_REVIEW_ITEMS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"

enum { DOUBT_NOWHERE = 1000 };
struct doubt {
    const char *pointer; /* into data; "": the record as a whole */
    const char *why;     /* a code of warnings.h, or of a verdict */
    double weight;       /* how far it is to be trusted all the same, 0..1 */
    int page;            /* 0: not known */
    int line; /* in hundredths of the page's height; DOUBT_NOWHERE: not known */
    double x; /* on that line */
    int place; /* among the doubts, as the record has them */
};

struct review_items {
    struct doubt *doubt; /* as they are read on the page, those whose place is
                          * not known behind them, as the record has them */
    int n;
    double worst; /* the least weight; 1: there is none */
};

/* The values that a warning names, that are less certain than review_threshold, or
 * that OCR reads differently; all of a record that could not be
 * read; the record itself where rows were seen and not read, or where it asks
 * for a person and names no value. What a person said is no doubt. Texts are the
 * record's; the rest is in the arena. */
void review_items_of(const cJSON *record, double review_threshold,
                     struct arena *arena, struct review_items *out);

/* Did a person say this of the field? */
bool review_items_is_corrected(const cJSON *field);

#endif
