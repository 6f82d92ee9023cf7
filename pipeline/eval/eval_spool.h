/* eval_spool.h - the reviewed documents of a spool as cases of an evaluation:
 * the corrected record has the expected values. */
#ifndef PIPELINE_EVAL_EVAL_SPOOL_H
#define PIPELINE_EVAL_EVAL_SPOOL_H

#include <cjson/cJSON.h>

#include "pipeline/config/config.h"
#include "pipeline/eval/cases.h"

/* Does the folder look like a spool (in/, work/ and done/)? */
bool eval_spool_is(const char *folder);

/* Lists the fully reviewed documents of done/ by id; `expected` is their
 * folder, `reviewed` is set. Logs how many were skipped. FAIL: as spool_open;
 * ERR_ARGS: there are none. */
struct cases eval_spool_list(const struct config *config, const char *folder,
                             struct arena *arena, struct err *err);

/* The expected record of one of them: schema and data, and only the places that
 * a person gave or confirmed; the caller frees it. NULL on failure. FAIL:
 * ERR_INPUT. */
cJSON *eval_spool_expected(const struct config *config, const char *folder,
                           struct err *err);

#endif
