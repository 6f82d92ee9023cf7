/* eval_run.h - runs an evaluation: compares the documents of a folder, read now
 * or given as records, with their expected values. */
#ifndef PIPELINE_EVAL_EVAL_RUN_H
#define PIPELINE_EVAL_EVAL_RUN_H

#include "pipeline/config/config.h"
#include "pipeline/eval/eval_examples.h"
#include "pipeline/eval/result.h"
#include "vlm/base/err.h"

struct eval_wanted {
    const struct config *config;
    const char *folder;  /* a folder (eval_run.c), or a spool */
    const char *schema;  /* of all documents; NULL: determined by the folder */
    const char *records; /* folder of records to use, or NULL: read documents */
    struct eval_examples *examples; /* for the documents; NULL: none */
};

/* Returns the result; the caller frees it. A document that cannot be read is
 * logged, counted in *n_failed, and all of its values are missing. After a
 * failure the result has the documents until then. FAIL: as cases_list;
 * ERR_INPUT: an expected file is not JSON; as extract_files_open, and failures
 * that extract_files_hopeless accepts; as
 * eval_examples_next. */
struct result *eval_run(const struct eval_wanted *wanted, int *n_failed,
                        struct err *err);

/* Reads a JSON file of at most the size of a record; the caller frees it. NULL
 * on failure. FAIL: as file_map_read and json_parse, with the path. */
cJSON *eval_run_json(const struct config *config, const char *path,
                     struct err *err);

#endif
