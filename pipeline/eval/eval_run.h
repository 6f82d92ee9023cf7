/* eval_run.h - the documents of a folder, read or taken from records, held
 * against what is expected of them. */
#ifndef PIPELINE_EVAL_EVAL_RUN_H
#define PIPELINE_EVAL_EVAL_RUN_H

#include "pipeline/config/config.h"
#include "pipeline/eval/result.h"
#include "vlm/base/err.h"

struct eval_wanted {
    const struct config *config;
    const char *folder;  /* as cases.h has it, or a spool */
    const char *schema;  /* of all documents, or NULL: as the folder says */
    const char *records; /* folder of records that are taken, or NULL */
};

/* The result, for the caller to free. A document that cannot be read is named,
 * counted in *n_failed and has all of its values missing. FAIL: as cases_list;
 * ERR_INPUT: an expected file is no JSON; as extract_files_open and what is hopeless
 * (extract_files.h); what was found until then comes back. */
struct result *eval_run(const struct eval_wanted *wanted, int *n_failed,
                        struct err *err);

/* A file of JSON, of the size of a record at most; the caller's. FAIL: as file_map_read
 * and json_parse, with the path; NULL then. */
cJSON *eval_run_json(const struct config *config, const char *path,
                     struct err *err);

#endif
