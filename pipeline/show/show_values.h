/* show_values.h - the values of a page in a record, as marks to draw. */
#ifndef PIPELINE_SHOW_SHOW_VALUES_H
#define PIPELINE_SHOW_SHOW_VALUES_H

#include <cjson/cJSON.h>

#include "stages/children/annotate.h"
#include "vlm/base/arena.h"

struct show_values {
    struct annotate_mark *mark;
    int n;
};

/* Lists the values of page `page` that are not null; for the record's first
 * page also those without a page. ANNOTATE_SURE: corrected by a person, or
 * without any of the following. ANNOTATE_WRONG: OCR reads a different text.
 * ANNOTATE_DOUBT: confidence below review_threshold; a warning; one of several
 * places; neither confidence nor agreement with OCR. Names and values are the
 * record's or in the arena. */
void show_values_of(const cJSON *record, int page, double review_threshold,
                    struct arena *arena, struct show_values *out);

/* The number in the file of the record's i-th page, from 0; 0 after the
 * last. */
int show_values_page(const cJSON *record, int i);

#endif
