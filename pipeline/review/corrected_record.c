/* corrected_record.c - see corrected_record.h. */
#include "pipeline/review/corrected_record.h"

#include "pipeline/spool/corrections.h"
#include "pipeline/spool/document_folder.h"
#include "stages/reason.h"
#include "stages/record/correct.h"
#include "stages/record/record_format.h"
#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/stage.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

/* What was taken back was never said. */
static bool anybody_spoke(const cJSON *lines)
{
    size_t n = (size_t)cJSON_GetArraySize(lines), n_said = 0;
    bool *skip = mem_alloc(n + 1, sizeof *skip);
    correct_skip(lines, skip);
    for (size_t i = 0; i < n; i++)
        n_said += !skip[i];
    mem_free(skip);
    return n_said > 0;
}

cJSON *corrected_record_record(int folder_fd, const struct config *config,
                               struct corrected_record_said *about,
                               struct err *err)
{
    if (err_failed(err)) return NULL;
    struct corrections said;
    size_t most = (size_t)config->stage.max_record_bytes;
    cJSON *record = document_folder_json(folder_fd, "record.json", most);
    if (!record)
        err_set(err, ERR_INPUT, "it has no whole record.json: see platen fsck");
    record_check_format(record, err);
    corrections_read(folder_fd, &said, err);
    if (record)
        correct_apply(record, said.line, config->stage.review_threshold, err);
    if (about)
        *about = (struct corrected_record_said){
            .n_line = cJSON_GetArraySize(said.line),
            .reviewed = anybody_spoke(said.line) && json_get(record, "data") &&
                        !cJSON_IsTrue(json_get(record, "review"))};
    corrections_free(&said);
    if (!err_failed(err)) return record;
    cJSON_Delete(record);
    return NULL;
}

struct renewed {
    const cJSON *record;
    const struct schema *schema; /* of whole records */
};

static void print_json(void *arg, struct buf *out, struct err *err)
{
    (void)err;
    json_print(out, ((const struct renewed *)arg)->record, 2);
    buf_add_text(out, "\n");
}

static void print_xml(void *arg, struct buf *out, struct err *err)
{
    const struct renewed *w = arg;
    xml_write_record(w->schema, w->record, NULL, out, err);
}

static void write_xml(struct folder *f, const struct config *config,
                      struct renewed *w, struct err *err)
{
    const char *prompt;
    const char *name =
        json_get_text_or_empty(json_get(w->record, "schema"), "name");
    struct arena *arena = arena_new();
    struct run_context context = {.settings = &config->stage};
    if (!err_failed(err)) xml_start();
    struct schema *schema =
        err_failed(err)
            ? NULL
            : stage_load_schema(name, &context, arena, &prompt, err);
    struct schema *whole = schema ? record_schema_new(schema, err) : NULL;
    w->schema = whole;
    spool_write_long(f, "corrected.xml", SIZE_MAX / 4, print_xml, w, err);
    schema_free(whole);
    schema_free(schema);
    arena_free(arena);
}

/* Both or none are to be seen, so the one that may fail comes first. */
static void correct(void *arg, struct folder *f, unsigned formats,
                    struct err *err)
{
    const struct config *config = arg;
    if (err_failed(err)) return;
    struct renewed w = {.record =
                            corrected_record_record(f->fd, config, NULL, err)};
    if (formats & FORMAT_XML) write_xml(f, config, &w, err);
    if (formats & FORMAT_JSON)
        spool_write_long(f, "corrected.json", SIZE_MAX / 4, print_json, &w,
                         err);
    cJSON_Delete((cJSON *)(uintptr_t)w.record);
}

void corrected_record_begin(struct spool *s, const struct config *config)
{
    s->correct = correct;
    s->correct_arg = (void *)(uintptr_t)config;
}
