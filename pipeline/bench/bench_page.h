/* bench_page.h - where the time of a page goes, from its file to a valid record.
 *
 * Every second between a document's first step and its last belongs to one part:
 * the parts are measured apart from each other, and "other" is what is left, so
 * that they add up to the whole. Opening model and schema is told beside them.
 */
#ifndef PIPELINE_BENCH_BENCH_PAGE_H
#define PIPELINE_BENCH_BENCH_PAGE_H

#include <stdbool.h>

#include "stages/settings.h"
#include "vlm/base/err.h"

struct bench_page {
    const struct settings *settings; /* n_thread as it is to be used */
    const char *file, *schema;       /* a document; a name or a file */
    const char
        *dictated; /* a file with the answer of every question, or NULL */
    int n_repeat;  /* 1: as the first document of a spool; more: as the next
                   * ones, one before them that is not counted. The middle one
                   * is told */
    bool json;
};

/* Reads the document and prints a table with a bar, or one JSON object. Nothing
 * is printed after a failure. FAIL: as engine_open, stage_load_schema, stage_run;
 * [unreadable], [not-regular]. */
void bench_page_run(const struct bench_page *b, struct err *err);

#endif
