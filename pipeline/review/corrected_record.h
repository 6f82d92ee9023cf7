/* corrected_record.h - a record with its corrections, as files and as a tree. */
#ifndef PIPELINE_REVIEW_CORRECTED_RECORD_H
#define PIPELINE_REVIEW_CORRECTED_RECORD_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

/* What persons said of a record. */
struct corrected_record_said {
    int n_line;    /* of review.jsonl */
    bool reviewed; /* somebody spoke, and nothing is left to be looked at */
};

/* The record of a folder of done/ in the present version, with what persons said
 * of it (`said` may be NULL); the caller's. FAIL: ERR_INPUT: a file is torn, or a
 * line does not fit; ERR_UNSUPPORTED. */
cJSON *corrected_record_record(int folder_fd, const struct config *config,
                               struct corrected_record_said *said,
                               struct err *err);

/* From here on this spool delivers corrected records. `config` must outlive it. */
void corrected_record_begin(struct spool *s, const struct config *config);

#endif
