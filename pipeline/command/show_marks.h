/* show_marks.h - what a record says of the values of a page, as marks for it. */
#ifndef PIPELINE_COMMAND_SHOW_MARKS_H
#define PIPELINE_COMMAND_SHOW_MARKS_H

#include <cjson/cJSON.h>

#include "stages/marker.h"
#include "vlm/base/arena.h"

struct show_marks {
    struct marker_mark *mark;
    int n;
};

/* The values of page `page` that are not null; on the record's first page also
 * those of which no page is known. Sure is what a person said, what a second
 * reader read as well, or what is at least as likely as `review_below` where
 * there was none; doubtful is what is less likely, has a warning, stands in one
 * of several places, or was weighed by nobody; wrong what a second reader read differently or did not see,
 * and what is less likely than not. Names and values are taken from the record
 * or put into the arena. */
void show_marks_of(const cJSON *record, int page, double review_below,
                   struct arena *arena, struct show_marks *out);

/* The number of the record's i-th page, from 0, in the file; 0 behind the last. */
int show_marks_page(const cJSON *record, int i);

#endif
