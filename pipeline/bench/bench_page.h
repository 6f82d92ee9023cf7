/* bench_page.h - breakdown of a document's time, from the file to a valid
 * record.
 *
 * Each part is measured separately; "other" is the rest, so that the parts add
 * up to the total. The time to load model and schema is reported separately.
 */
#ifndef PIPELINE_BENCH_BENCH_PAGE_H
#define PIPELINE_BENCH_BENCH_PAGE_H

#include <stdbool.h>

#include "stages/document/settings.h"
#include "vlm/base/err.h"

struct bench_page {
    const struct settings *settings; /* with the final n_thread */
    const char *file;                /* the document */
    const char *schema;              /* name or file */
    const char *dictated; /* file with the answer to every prompt, or NULL */
    int n_repeat; /* 1: a single cold run; more: a run that is not counted, then
                   * n_repeat runs, of which the median is reported */
    bool json;
};

/* Processes the document and prints a table with a bar, or one JSON object;
 * nothing on failure. FAIL: as engine_open, stages_load_schema, stages_run;
 * [unreadable], [not-regular]. */
void bench_page_run(const struct bench_page *b, struct err *err);

#endif
