/* stack_record.c - see stack_record.h. */
#include "pipeline/reader/stack_record.h"

#include "pipeline/spool/spool_part.h"
#include "stages/record/record.h"
#include "stages/version.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

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

void stack_record_json(const struct document *doc, const struct split *split,
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
