/* worker_split.c - see worker_split.h. */
#include "pipeline/worker/worker_split.h"

#include <stdio.h>
#include <string.h>

#include "stages/record/record.h"
#include "stages/version.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

enum { STEM_MOST = 140 }; /* spool_out.c cuts at 150 */

struct cut {
    const struct document_folder_state *state;
    const struct document *doc;
    const struct split *split;
};

/* "stack.pdf" -> "stack-3.pdf". */
static void name_part(const char *name, int number,
                      char out[static FILE_NAME_BYTES_MAX + 1])
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name && strlen(dot) <= 5 ? (size_t)(dot - name)
                                                        : strlen(name);
    const char *ending = name + stem;
    if (stem > STEM_MOST) stem = STEM_MOST;
    snprintf(out, FILE_NAME_BYTES_MAX + 1, "%.*s-%d%s", (int)stem, name, number,
             ending);
}

/* The separator's schema replaces the folder. With an invalid name the folder
 * stays, and set_part refuses the part. */
static void fill_part(void *arg, int number, struct spool_part *part,
                      struct spool_part_name *name)
{
    const struct cut *cut = arg;
    const struct split_part *p = &cut->split->part[number - 1];
    snprintf(part->sha256, sizeof part->sha256, "%s", cut->doc->sha256.hex);
    snprintf(part->pages, sizeof part->pages, "%s", p->pages);
    snprintf(part->schema, sizeof part->schema, "%s", p->schema);
    snprintf(part->archive_number, sizeof part->archive_number, "%s",
             p->archive_number);
    snprintf(part->warning, sizeof part->warning, "%s", p->warning);
    name_part(cut->state->name, number, name->name);
    snprintf(name->folder, sizeof name->folder, "%s",
             split_names_schema(p->schema) ? p->schema : cut->state->folder);
}

static cJSON *list_sheets(const struct split *split)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < split->n_sheet; i++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToObject(o, "page",
                              json_new_integer(split->sheet[i].page));
        cJSON_AddStringToObject(o, "code", split->sheet[i].text);
        cJSON_AddItemToObject(o, "marks",
                              json_new_integer(split->sheet[i].marks));
        if (split->sheet[i].is_back) cJSON_AddTrueToObject(o, "back");
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *list_parts(const char *stack, const struct split *split)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < split->n_part; i++) {
        const struct split_part *p = &split->part[i];
        char id[SPOOL_ID_SIZE];
        spool_part_id(stack, i + 1, id);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "id", id);
        cJSON_AddStringToObject(o, "pages", p->pages);
        if (*p->schema) cJSON_AddStringToObject(o, "schema", p->schema);
        if (*p->archive_number)
            cJSON_AddStringToObject(o, "archive_number", p->archive_number);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static void print_record(const struct document *doc, const struct split *split,
                         struct buf *out)
{
    char created[21];
    clock_utc_text(created);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "format", RECORD_STACK_FORMAT);
    cJSON_AddStringToObject(o, "id", doc->id);
    cJSON_AddStringToObject(o, "created", created);
    cJSON_AddItemToObject(o, "source", record_source(doc));
    cJSON_AddItemToObject(o, "parts", list_parts(doc->id, split));
    cJSON_AddItemToObject(o, "sheets", list_sheets(split));
    cJSON *versions = cJSON_AddObjectToObject(o, "versions");
    cJSON_AddStringToObject(versions, "platen", PLATEN_VERSION);
    cJSON_AddItemToObject(o, "warnings", warnings_print(doc->warnings, 0));
    json_print(out, o, 2);
    buf_add_text(out, "\n");
    cJSON_Delete(o);
}

void worker_split_write(const struct worker_split *w, struct folder *f,
                        const struct document_folder_state *state,
                        const struct document *doc, struct err *err)
{
    if (err_failed(err)) return;
    struct cut cut = {state, doc, &w->split};
    size_t most = (size_t)w->settings.max_record_bytes;
    spool_part_make(f, w->split.n_part, fill_part, &cut, err);
    struct buf text = buf_limit(most);
    print_record(doc, &w->split, &text);
    if (text.full)
        err_reason(err, ERR_LIMIT, "too-large",
                   "the list of %d parts is longer than %zu bytes "
                   "(max_record_bytes)",
                   w->split.n_part, most);
    if (!err_failed(err))
        spool_write(f, "record.json", buf_span(&text), err); /* F5 */
    buf_free(&text);
}

int worker_split_count(const struct folder *f, const struct config *config)
{
    if (!spool_part_is_stack(f->fd)) return 0;
    cJSON *record = document_folder_json(
        f->fd, "record.json", (size_t)config->stage.max_record_bytes);
    int n = cJSON_GetArraySize(json_get(record, "parts"));
    cJSON_Delete(record);
    return n;
}

/* --- parts and stacks ---------------------------------------------------- */

void worker_split_begin(struct worker_split *w, const struct folder *f,
                        const struct config *config)
{
    w->settings = config->stage;
    w->split = (struct split){0};
    w->is_stack = false;
    w->is_part = spool_part_read(f->fd, &w->part);
    if (w->is_part) w->settings.pages = w->part.pages;
}

static void set_part(struct worker_split *w, struct document *doc,
                     struct err *err)
{
    const struct spool_part *part = &w->part;
    struct document_part *own = arena_alloc(doc->arena, sizeof *own);
    *own = (struct document_part){part->stack, part->number, part->count,
                                  part->pages};
    doc->part = own;
    if (*part->archive_number) doc->archive_number = part->archive_number;
    if (*part->warning)
        document_warn(doc, &(struct warning){.code = WARN_SEPARATORS_DIFFER},
                      "%s", part->warning);
    split_check(doc, &w->settings, part->sha256, err);
    if (!err_failed(err) && *part->schema && !split_names_schema(part->schema))
        err_reason(err, ERR_CONFIG, "unknown-schema",
                   "its separator names %.200s, which is not a schema name",
                   part->schema);
}

void worker_split_find(struct worker_split *w, struct document *doc,
                       const struct jail_stop *stop, struct err *err)
{
    if (err_failed(err)) return;
    if (w->is_part) {
        set_part(w, doc, err);
    } else if (!strcmp(w->settings.split, "barcode")) {
        w->split = split_find(doc, &w->settings, stop, err);
        if (err_failed(err)) return;
        w->is_stack = split_is_stack(&w->split);
        if (*w->split.part[0].archive_number)
            doc->archive_number = w->split.part[0].archive_number;
    }
}
