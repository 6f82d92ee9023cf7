/* renew.h - a record with its corrections, as files and as a tree. */
#ifndef PIPELINE_REVIEW_RENEW_H
#define PIPELINE_REVIEW_RENEW_H

#include <cjson/cJSON.h>

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

/* The record of a folder of done/ in the present version, with what persons said
 * of it; the caller's. `n_line` (may be NULL): how many lines there are. FAIL:
 * ERR_INPUT: a file is torn, or a line does not fit; ERR_UNSUPPORTED. */
cJSON *renew_record(int folder_fd, const struct config *config, int *n_line,
                    struct err *err);

/* From here on this spool delivers corrected records. `config` must outlive it. */
void renew_begin(struct spool *s, const struct config *config);

#endif
