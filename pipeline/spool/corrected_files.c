/* corrected_files.c - see corrected_files.h. */
#include "pipeline/spool/corrected_files.h"

#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/spool_archive.h"
#include "stages/record/record_format.h"
#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/stages.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

struct corrected {
    const cJSON *record;
    const struct schema *schema; /* of whole records */
};

static void print_json_record(void *arg, struct buf *out, struct err *err)
{
    (void)err;
    json_print(out, ((const struct corrected *)arg)->record, 2);
    buf_add_text(out, "\n");
}

static void print_xml_record(void *arg, struct buf *out, struct err *err)
{
    const struct corrected *w = arg;
    xml_write_record(w->schema, w->record, NULL, out, err);
}

static void write_xml(struct folder *f, const struct config *config,
                      struct corrected *w, struct err *err)
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
            : stages_load_schema(name, &context, arena, &prompt, err);
    struct schema *whole = schema ? record_schema_new(schema, err) : NULL;
    w->schema = whole;
    spool_write_long(f, "corrected.xml", SIZE_MAX / 4, false, print_xml_record,
                     w, err);
    schema_free(whole);
    schema_free(schema);
    arena_free(arena);
}

/* Notes the record for later documents. True: other documents differ from what a
 * person gave, and its corrections say so now. */
static bool note_record(struct folder *f, const struct config *config,
                        const cJSON *record, bool reviewed, struct err *err)
{
    struct corrections c;
    size_t most = (size_t)config->stage.max_record_bytes;
    corrections_read(f->fd, &c, err);
    cJSON *read = spool_read_json(f->fd, "record.json", most);
    cJSON *lines = spool_archive_learn(
        f, &(struct spool_archive_corrected){record, read, c.line, reviewed},
        config, err);
    bool found = lines && lines->child && !err_failed(err);
    if (found) corrections_add(f, &c, lines, false, err);
    cJSON_Delete(lines);
    cJSON_Delete(read);
    corrections_free(&c);
    return found;
}

/* Writes both files or none: the one that can fail is written first. */
static void write_corrected(void *arg, struct folder *f, unsigned formats,
                            struct err *err)
{
    const struct config *config = arg;
    if (err_failed(err)) return;
    struct corrected_record_review review = {.n_line = 0};
    struct corrected w = {
        .record = corrected_record_record(f->fd, config, &review, err)};
    if (note_record(f, config, w.record, review.reviewed, err)) {
        cJSON_Delete((cJSON *)(uintptr_t)w.record);
        w.record = corrected_record_record(f->fd, config, &review, err);
    }
    if (formats & FORMAT_XML) write_xml(f, config, &w, err);
    if (formats & FORMAT_JSON)
        spool_write_long(f, "corrected.json", SIZE_MAX / 4, false,
                         print_json_record, &w, err);
    cJSON_Delete((cJSON *)(uintptr_t)w.record);
}

void corrected_files_begin(struct spool *s, const struct config *config)
{
    s->correct = write_corrected;
    s->correct_arg = (void *)(uintptr_t)config;
}
