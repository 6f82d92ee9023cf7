/* corrected_record.h - a record with its corrections applied.
 */
#ifndef PIPELINE_SPOOL_CORRECTED_RECORD_H
#define PIPELINE_SPOOL_CORRECTED_RECORD_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

struct corrected_record_review {
    int n_line;    /* lines of review.jsonl */
    bool reviewed; /* has corrections, and no value is left to review */
};

/* The corrected record of a folder of done/, owned by the caller; `review` can
 * be NULL. FAIL: ERR_INPUT: a file is incomplete, or a correction does not fit;
 * ERR_UNSUPPORTED. */
cJSON *corrected_record_record(int folder_fd, const struct config *config,
                               struct corrected_record_review *review,
                               struct err *err);

#endif
