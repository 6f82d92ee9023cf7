/* draw_page.h - what a drawing child does, once. */
#ifndef PIPELINE_REVIEW_DRAW_PAGE_H
#define PIPELINE_REVIEW_DRAW_PAGE_H

#include "pipeline/review/draw.h"

/* Draws the page of the document in `folder_fd` (-1: it is gone) about as wide as
 * asked for, or reads its words, and writes "+" and the JPEG file or the JSON
 * {source, words: [{text, box}]} to `out`; or "-" and why not. */
void draw_page_write(int folder_fd, const struct draw_job *job,
                     const struct config *config, int out);

#endif
