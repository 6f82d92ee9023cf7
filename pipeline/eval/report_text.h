/* report_text.h - the figures of an evaluation as text and as JSON. */
#ifndef PIPELINE_EVAL_REPORT_TEXT_H
#define PIPELINE_EVAL_REPORT_TEXT_H

#include "pipeline/eval/result.h"
#include "vlm/base/buf.h"

#define REPORT_FORMAT "platen-eval/1" /* the member `format` */

/* Tables by schema and field, and a summary. */
void report_text_print(const struct result *r, struct buf *out);

/* The same as JSON, with the figures of each document; shares are 0..1, unknown
 * ones null. */
void report_text_json(const struct result *r, struct buf *out);

/* The names of the schemas, in the order of their first documents; NULL after
 * the last. */
const char **report_text_schemas(const struct result *r, struct arena *arena);

#endif
