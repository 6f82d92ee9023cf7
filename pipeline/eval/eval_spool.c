/* eval_spool.c - see eval_spool.h. */
#include "pipeline/eval/eval_spool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/review/corrected_record.h"
#include "pipeline/spool/spool.h"
#include "stages/record/review_items.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

bool eval_spool_is(const char *folder)
{
    static const char *const place[] = {"in", "work", "done"};
    struct arena *arena = arena_new();
    struct stat st;
    bool all = true;
    for (int i = 0; i < 3; i++)
        all &= stat(arena_text(arena, "%s/%s", folder, place[i]), &st) == 0 &&
               S_ISDIR(st.st_mode);
    arena_free(arena);
    return all;
}

/* Was the document fully reviewed? */
static bool is_reviewed(const struct config *config, int fd)
{
    struct err own = {0};
    struct corrected_record_review said = {0};
    cJSON_Delete(corrected_record_record(fd, config, &said, &own));
    return !err_failed(&own) && said.reviewed;
}

static struct cases_one new_case(const char *folder, const char *id,
                                 struct arena *arena)
{
    const char *path = arena_text(arena, "%s/done/%s", folder, id);
    return (struct cases_one){.name = id,
                              .document = arena_text(arena, "%s/doc", path),
                              .expected = path,
                              .folder = "",
                              .stem = id,
                              .reviewed = true};
}

struct cases eval_spool_list(const struct config *config, const char *folder,
                             struct arena *arena, struct err *err)
{
    struct cases all = {0};
    struct spool spool;
    int n_left = 0;
    if (err_failed(err)) return all;
    spool_open(&spool, folder, false, err);
    if (err_failed(err)) return all;
    char **id = spool_list(&spool, SPOOL_DONE, arena, NULL, err);
    while (id && id[all.capacity])
        all.capacity++;
    all.one = arena_array(arena, (size_t)all.capacity + 1, sizeof *all.one);
    for (; id && *id && !err_failed(err); id++) {
        int fd = spool_folder_fd(&spool, SPOOL_DONE, *id);
        bool reviewed = fd >= 0 && is_reviewed(config, fd);
        if (fd >= 0) close(fd);
        n_left += !reviewed;
        if (reviewed) all.one[all.n++] = new_case(folder, *id, arena);
    }
    spool_close(&spool);
    if (n_left)
        log_note("%d documents skipped: not fully reviewed (platen review)",
                 n_left);
    if (!all.n && !err_failed(err))
        err_set(err, ERR_ARGS, "%s has no reviewed documents", folder);
    return all;
}

/* The places of values that a person corrected or confirmed. */
static cJSON *places_by_persons(const cJSON *record)
{
    cJSON *places = cJSON_CreateObject();
    const cJSON *field = NULL;
    cJSON_ArrayForEach(field, json_get(record, "fields"))
    {
        if (review_items_is_corrected(field) && json_get(field, "evidence"))
            cJSON_AddItemToObject(places, field->string,
                                  cJSON_Duplicate(field, true));
    }
    return places;
}

cJSON *eval_spool_expected(const struct config *config, const char *folder,
                           struct err *err)
{
    static const char *const kept[] = {"format", "schema", "data"};
    if (err_failed(err)) return NULL;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) err_errno(err, "cannot open");
    cJSON *record =
        fd < 0 ? NULL : corrected_record_record(fd, config, NULL, err);
    if (fd >= 0) close(fd);
    cJSON *expected = cJSON_CreateObject();
    for (int i = 0; i < 3 && !err_failed(err); i++)
        cJSON_AddItemToObject(expected, kept[i],
                              cJSON_Duplicate(json_get(record, kept[i]), true));
    cJSON_AddItemToObject(expected, "fields", places_by_persons(record));
    cJSON_Delete(record);
    err_context(err, "%s", folder);
    if (!err_failed(err)) return expected;
    cJSON_Delete(expected);
    return NULL;
}
