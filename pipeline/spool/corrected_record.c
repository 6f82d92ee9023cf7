/* corrected_record.c - see corrected_record.h. */
#include "pipeline/spool/corrected_record.h"

#include "pipeline/spool/corrections.h"
#include "pipeline/spool/document_folder.h"
#include "stages/record/correct.h"
#include "stages/record/record_format.h"
#include "vlm/json/json.h"

/* Undone lines do not count. */
static bool has_corrections(const cJSON *lines)
{
    size_t n = (size_t)cJSON_GetArraySize(lines), n_valid = 0;
    bool *skip = mem_alloc(n + 1, sizeof *skip);
    correct_skip(lines, skip);
    for (size_t i = 0; i < n; i++)
        n_valid += !skip[i];
    mem_free(skip);
    return n_valid > 0;
}

cJSON *corrected_record_record(int folder_fd, const struct config *config,
                               struct corrected_record_review *review,
                               struct err *err)
{
    if (err_failed(err)) return NULL;
    struct corrections corrections;
    size_t most = (size_t)config->stage.max_record_bytes;
    cJSON *record = spool_read_json(folder_fd, "record.json", most);
    if (!record)
        err_set(err, ERR_INPUT, "has no complete record.json: run platen fsck");
    record_check_format(record, err);
    corrections_read(folder_fd, &corrections, err);
    if (record)
        correct_apply(record, corrections.line, config->stage.review_threshold,
                      err);
    if (review)
        *review = (struct corrected_record_review){
            .n_line = cJSON_GetArraySize(corrections.line),
            .reviewed = has_corrections(corrections.line) &&
                        json_get(record, "data") &&
                        !cJSON_IsTrue(json_get(record, "review"))};
    corrections_free(&corrections);
    if (!err_failed(err)) return record;
    cJSON_Delete(record);
    return NULL;
}
