/* review_items.h - the values of a record that a person should check. */
#ifndef STAGES_RECORD_REVIEW_ITEMS_H
#define STAGES_RECORD_REVIEW_ITEMS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"

enum { DOUBT_NOWHERE = 1000 };
struct doubt {
    const char *pointer; /* into data; "": the whole record */
    const char *why;     /* a warning code, or a verdict */
    double weight;       /* confidence, 0..1 */
    int page;            /* page number; 0: unknown */
    int line;  /* in hundredths of the page's height; DOUBT_NOWHERE: unknown */
    double x;  /* position on that line */
    int place; /* index in the order of the record */
};

struct review_items {
    struct doubt *doubt; /* in reading order; those without a place last, in
                          * the order of the record */
    int n;
    double worst; /* lowest weight; 1: no items */
};

/* Lists the values that have a warning, a confidence below review_threshold, or
 * a different text in OCR; all values of an unread record; the record itself if
 * rows are missing, or if it is flagged for review and no value is listed.
 * Values corrected by a person are not listed. Texts are the record's; the rest
 * is in the arena. */
void review_items_of(const cJSON *record, double review_threshold,
                     struct arena *arena, struct review_items *out);

/* Why a field is one of them, or NULL. `code`: of the warning that names it, or
 * NULL; `unread`: the record is. */
const char *review_items_why(const cJSON *field, const char *code, bool unread,
                             double review_threshold);

/* Was the field corrected or confirmed by a person? */
bool review_items_is_corrected(const cJSON *field);

#endif
