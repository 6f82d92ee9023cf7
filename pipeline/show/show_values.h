/* show_values.h - what a record says of the values of a page, as marks for it. */
#ifndef PIPELINE_SHOW_SHOW_VALUES_H
#define PIPELINE_SHOW_SHOW_VALUES_H

#include <cjson/cJSON.h>

#include "stages/children/annotate.h"
#include "vlm/base/arena.h"

struct show_values {
    struct annotate_mark *mark;
    int n;
};

/* The values of page `page` that are not null; on the record's first page also
 * those of which no page is known. Sure is what a person said, what a second
 * reader read as well, or what is at least as likely as `review_threshold` where
 * there was none; doubtful is what is less likely, has a warning, stands in one
 * of several places, or was weighed by nobody; wrong what OCR read differently or did not see,
 * and what is less likely than not. Names and values are taken from the record
 * or put into the arena. */
void show_values_of(const cJSON *record, int page, double review_threshold,
                    struct arena *arena, struct show_values *out);

/* The number of the record's i-th page, from 0, in the file; 0 behind the last. */
int show_values_page(const cJSON *record, int i);

#endif
