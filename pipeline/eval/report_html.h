/* report_html.h - an evaluation as one page of HTML: tables, two plots (SVG),
 * the worst values. It asks for nothing from outside and runs no script; what
 * came from documents is escaped. */
#ifndef PIPELINE_EVAL_REPORT_HTML_H
#define PIPELINE_EVAL_REPORT_HTML_H

#include "pipeline/eval/result.h"
#include "vlm/base/buf.h"

enum { REPORT_WORST = 20 };

/* The values that are wrong though they looked right, at most REPORT_WORST:
 * what is not even tolerantly right first, of those the surest. Indices into
 * r->value; how many. */
int report_html_worst(const struct result *r, int out[static REPORT_WORST]);

/* `picture[i]` is a data URL of where the i-th of `worst` stands, or NULL. */
void report_html_print(const struct result *r, const int *worst,
                       char *const *picture, int n_worst, struct buf *out);

#endif
