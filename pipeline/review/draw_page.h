/* draw_page.h - the work of a child process of draw.h. */
#ifndef PIPELINE_REVIEW_DRAW_PAGE_H
#define PIPELINE_REVIEW_DRAW_PAGE_H

#include "pipeline/review/draw.h"

/* Draws the page of the document in `folder_fd` (-1: it was removed), about
 * job->width wide, or reads its words. Writes "+" and the JPEG file or the JSON
 * {source, words: [{text, box}]} to `out`; on failure "-" and a text. */
void draw_page_write(int folder_fd, const struct draw_job *job,
                     const struct config *config, int out);

#endif
