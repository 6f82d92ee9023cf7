/* document_api_fill.c - failed documents: retry, dismiss, fill in by hand. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/review/document_api.h"
#include "pipeline/review/document_api_inside.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_part.h"
#include "stages/ask/schema_names.h"
#include "stages/input/identify.h"
#include "stages/record/record.h"
#include "stages/version.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

/* Is it a schema of the schemas folder? If not, `a` is refused. */
static bool is_schema(struct document_api *p, const char *name,
                      struct document_api_answer *a)
{
    const char *folder = p->config->stage.schemas;
    struct arena *arena = arena_new();
    const char **known = schema_names(folder, arena);
    while (*known && strcmp(*known, name) != 0)
        known++;
    bool found = *known != NULL;
    arena_free(arena);
    if (!found)
        document_api_refuse(a, DOCUMENT_API_WRONG, "no schema has this name");
    return found;
}

/* Applies `what` to a failed document, and answers 200 with a note. */
static void apply_to_failed(struct document_api *p, const cJSON *body,
                            const char *note,
                            void (*what)(struct document_api *p, char *id,
                                         const char *schema, struct err *err),
                            struct document_api_answer *a)
{
    struct err err = {0};
    struct folder f;
    char id[SPOOL_ID_SIZE];
    const char *wanted = json_get_text_or_empty(body, "id");
    const char *schema = json_get_text_or_empty(body, "schema");
    if (!spool_is_id(wanted)) {
        document_api_refuse(a, DOCUMENT_API_WRONG, "not the id of a document");
        return;
    }
    if (*schema && !is_schema(p, schema, a)) return;
    snprintf(id, sizeof id, "%s", wanted);
    /* `what` waits for a lock, and this is the server's only thread */
    if (document_api_lock(p, id, false, &f, a))
        spool_unlock(&f);
    else if (a->busy)
        return;
    what(p, id, schema, &err);
    if (err_failed(&err)) {
        document_api_refuse(a, DOCUMENT_API_CONFLICT, "%s", err.text);
        return;
    }
    a->status = DOCUMENT_API_OK;
    a->changed = true;
    snprintf(a->id, sizeof a->id, "%s", id);
    buf_cut(&a->text, 0);
    buf_print(&a->text, "{\"note\":\"%s\"}", note);
}

static void retry(struct document_api *p, char *id, const char *schema,
                  struct err *err)
{
    char *list[] = {id, NULL};
    if (*schema) spool_set_folder(p->spool, id, schema, err);
    spool_retry(p->spool, list, err);
}

static void dismiss(struct document_api *p, char *id, const char *schema,
                    struct err *err)
{
    (void)schema;
    spool_dismiss(p->spool, id, true, err);
}

void document_api_retry(struct document_api *p, const cJSON *body,
                        struct document_api_answer *a)
{
    apply_to_failed(p, body, "back in work/; the next run reads it", retry, a);
}

void document_api_dismiss(struct document_api *p, const cJSON *body,
                          struct document_api_answer *a)
{
    apply_to_failed(p, body, "dismissed; it stays in failed/", dismiss, a);
}

/* --- by hand --- */

static void add_text(cJSON *o, const char *key, const char *text)
{
    cJSON_AddItemToObject(o, key, cJSON_CreateString(text));
}

static void add_zero(cJSON *o, const char *key)
{
    cJSON_AddItemToObject(o, key, json_new_integer(0));
}

/* A record without pages, model and fields. review.jsonl tells who entered the
 * data and when, and makes `person` the source of the values. */
static cJSON *record_by_hand(const struct document *doc,
                             const struct schema *schema, const cJSON *data)
{
    char created[21];
    cJSON *r = cJSON_CreateObject();
    clock_utc_text(created);
    add_text(r, "format", RECORD_FORMAT);
    add_text(r, "id", doc->id);
    add_text(r, "created", created);
    add_text(r, "verdict", "read");
    cJSON_AddFalseToObject(r, "review");
    cJSON_AddItemToObject(r, "source", record_source(doc));
    record_add_part(r, doc);
    cJSON_AddArrayToObject(r, "pages");
    cJSON *named = cJSON_AddObjectToObject(r, "schema");
    add_text(named, "name", schema_name(schema));
    add_text(named, "sha256", schema_hash(schema)->hex);
    add_text(cJSON_AddObjectToObject(r, "model"), "name", "");
    add_text(r, "engine", "person");
    add_zero(r, "seed");
    add_zero(r, "tries");
    add_text(cJSON_AddObjectToObject(r, "versions"), "platen", PLATEN_VERSION);
    cJSON *tokens = cJSON_AddObjectToObject(r, "tokens");
    add_zero(tokens, "prompt");
    add_zero(tokens, "sampled");
    add_zero(tokens, "forced");
    cJSON_AddObjectToObject(r, "seconds");
    cJSON_AddArrayToObject(r, "warnings");
    cJSON_AddObjectToObject(r, "fields");
    cJSON_AddItemToObject(r, "data", cJSON_Duplicate(data, true));
    return r;
}

static cJSON *line_by_hand(const struct document_api *p, const cJSON *data)
{
    char when[21];
    cJSON *list = cJSON_CreateArray(), *line = cJSON_CreateObject();
    clock_utc_text(when);
    add_text(line, "pointer", "");
    cJSON_AddItemToObject(line, "new", cJSON_Duplicate(data, true));
    add_text(line, "who", p->who);
    add_text(line, "when", when);
    cJSON_AddItemToArray(list, line);
    return list;
}

/* Writes review.jsonl and record.json, then renames the folder. A crash before
 * the rename leaves a failed document, whose next retry removes both. */
static void store_record(struct document_api *p, struct folder *f,
                         const cJSON *record, const cJSON *data,
                         struct err *err)
{
    struct buf text = buf_limit(1 << 28);
    struct corrections none = {0};
    cJSON *lines = line_by_hand(p, data);
    json_print(&text, record, 2);
    buf_add_text(&text, "\n");
    if (text.full) err_set(err, ERR_LIMIT, "the record is too long");
    spool_remove(f, CORRECTIONS_FILE, err);
    corrections_add(f, &none, lines, false, err);
    spool_write(f, "record.json", buf_span(&text), err);
    spool_adopt(f, err);
    document_api_touch(p, f->id);
    cJSON_Delete(lines);
    buf_free(&text);
}

/* Sets the stack and its pages for the record of a part. */
static void set_part(struct document *doc, const struct spool_part *part)
{
    struct document_part *own = arena_alloc(doc->arena, sizeof *own);
    *own = (struct document_part){part->stack, part->number, part->count,
                                  part->pages};
    doc->part = own;
    if (*part->archive_number) doc->archive_number = part->archive_number;
}

static void fill_document(struct document_api *p, struct folder *f,
                          const struct schema *schema, const cJSON *data,
                          struct document_api_answer *a)
{
    struct err err = {0};
    struct document_folder_state state;
    struct spool_part part;
    document_folder_read(f->fd, f->id, &state);
    int fd = openat(f->fd, "doc", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct document *doc = document_new(f->id, state.name, fd);
    if (spool_part_read(f->fd, &part)) set_part(doc, &part);
    identify_document(doc, &p->config->stage, &err);
    if (!err_failed(&err)) {
        cJSON *record = record_by_hand(doc, schema, data);
        store_record(p, f, record, data, &err);
        cJSON_Delete(record);
    }
    document_free(doc);
    if (fd >= 0) close(fd);
    if (err_failed(&err)) {
        document_api_refuse(a,
                            err.kind == ERR_SYSTEM ? DOCUMENT_API_NOT_SAVED
                                                   : DOCUMENT_API_WRONG,
                            "%s", err.text);
        return;
    }
    a->changed = true;
    snprintf(a->id, sizeof a->id, "%s", f->id);
    buf_cut(&a->text, 0);
    buf_add_text(&a->text, "{\"line\":0,\"version\":1");
    document_api_add_broken(schema, data, &a->text);
    buf_add_text(&a->text, "}");
    a->status = DOCUMENT_API_OK;
}

static void check_data(const struct schema *schema, const cJSON *data,
                       struct document_api_answer *a)
{
    a->status = DOCUMENT_API_OK;
    buf_add_text(&a->text, "{\"version\":0");
    document_api_add_broken(schema, data, &a->text);
    buf_add_text(&a->text, "}");
}

void document_api_fill(struct document_api *p, const cJSON *body, bool save,
                       struct document_api_answer *a)
{
    struct folder f;
    struct document_folder_state state;
    const char *id = json_get_text_or_empty(body, "id"), *why = NULL;
    const cJSON *data = json_get(body, "data");
    if (!spool_is_id(id) || !data) {
        document_api_refuse(
            a, DOCUMENT_API_WRONG,
            "the request must have the id of a document and data");
        return;
    }
    if (!document_api_lock(p, id, false, &f, a)) return;
    document_folder_read(f.fd, id, &state);
    const struct schema *schema = document_api_schema(
        p, *state.folder ? state.folder : p->config->default_schema, &why);
    if (!schema)
        document_api_refuse(a, DOCUMENT_API_UNUSABLE, "%s", why);
    else if (document_api_is_valid(schema, data, a)) {
        if (save)
            fill_document(p, &f, schema, data, a);
        else
            check_data(schema, data, a);
    }
    spool_unlock(&f);
}
