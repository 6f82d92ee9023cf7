/* eval_spool.h - the reviewed documents of a spool as cases of an evaluation: what
 * is expected is the record with what persons said of it. */
#ifndef PIPELINE_EVAL_EVAL_SPOOL_H
#define PIPELINE_EVAL_EVAL_SPOOL_H

#include <cjson/cJSON.h>

#include "pipeline/config/config.h"
#include "pipeline/eval/cases.h"

/* Does the folder look like a spool (in/, work/ and done/)? */
bool eval_spool_is(const char *folder);

/* Those documents of done/ that a person looked at and where nothing is left to be
 * looked at, by their ids; `expected` is their folder, `reviewed` is set. How many
 * were left out is noted. FAIL: as spool_open; ERR_ARGS where there is none. */
struct cases eval_spool_list(const struct config *config, const char *folder,
                             struct arena *arena, struct err *err);

/* What is expected of one of them: a record with schema and data, and without
 * places, which are the model's own; the caller's. FAIL: ERR_INPUT; NULL then. */
cJSON *eval_spool_expected(const struct config *config, const char *folder,
                           struct err *err);

#endif
