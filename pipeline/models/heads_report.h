/* heads_report.h - platen model heads: finds the heads of a model that point,
 * keeps them and says so. */
#ifndef PIPELINE_MODELS_HEADS_REPORT_H
#define PIPELINE_MODELS_HEADS_REPORT_H

#include "vlm/base/err.h"

struct vlm;

struct heads_report_options {
    int n_page;        /* held out, and as many to choose by */
    const char *cache; /* folder */
    const char *out;   /* a file instead, or NULL */
};

/* Prints a table of the best heads, and writes what was found, even nothing.
 * True where a head points. FAIL: as heads_find; ERR_SYSTEM where the file
 * cannot be written. */
bool heads_report(struct vlm *v, const struct heads_report_options *options,
                  struct err *err);

#endif
