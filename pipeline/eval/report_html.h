/* report_html.h - an evaluation as one page of HTML: tables, two plots (SVG),
 * the worst values. It loads nothing and has no scripts; text from documents is
 * escaped. */
#ifndef PIPELINE_EVAL_REPORT_HTML_H
#define PIPELINE_EVAL_REPORT_HTML_H

#include "pipeline/eval/result.h"
#include "vlm/base/buf.h"

enum { REPORT_WORST = 20 };

/* Finds the wrong values with the highest confidence, at most REPORT_WORST;
 * those that are not even tolerantly right first. Writes indices into r->value
 * and returns their number. */
int report_html_worst(const struct result *r, int out[static REPORT_WORST]);

/* picture[i] is a data URL of the place of worst[i], or NULL. */
void report_html_print(const struct result *r, const int *worst,
                       char *const *picture, int n_worst, struct buf *out);

#endif
