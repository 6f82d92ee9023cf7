/* heads_report.h - platen model heads: finds the retrieval heads of a model,
 * saves and reports them. */
#ifndef PIPELINE_MODELS_HEADS_REPORT_H
#define PIPELINE_MODELS_HEADS_REPORT_H

#include "vlm/base/err.h"

struct vlm;

struct heads_report_options {
    int n_page;        /* held-out pages; as many more are for selection */
    const char *cache; /* cache folder */
    const char *out;   /* file to write instead of one in `cache`, or NULL */
};

/* Prints a table of the best heads and writes the result, even an empty one.
 * Returns true if at least one head qualifies. FAIL: as heads_find; ERR_SYSTEM
 * if the file cannot be written. */
bool heads_report(struct vlm *v, const struct heads_report_options *options,
                  struct err *err);

#endif
