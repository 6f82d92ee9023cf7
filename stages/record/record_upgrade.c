/* record_upgrade.c - see record_upgrade.h. */
#include "stages/record/record_upgrade.h"

#include <string.h>

#include "stages/record/record.h"
#include "stages/warnings.h"
#include "vlm/base/json.h"

static cJSON *member(cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void upgrade_warnings(cJSON *list)
{
    int n = cJSON_GetArraySize(list);
    for (int i = 0; i < n; i++) {
        const cJSON *text = cJSON_GetArrayItem(list, i);
        if (!cJSON_IsString(text)) continue;
        cJSON *warning = cJSON_CreateObject();
        cJSON_AddStringToObject(warning, "code",
                                warnings_name(WARN_UNCLASSIFIED));
        cJSON_AddStringToObject(warning, "text", text->valuestring);
        cJSON_ReplaceItemInArray(list, i, warning);
    }
}

/* What is no JSON (it was cut) stays a text. */
static void upgrade_reading(cJSON *reading)
{
    struct err no_json = {0};
    const char *text = json_get_text(reading, "value");
    cJSON *value = text ? json_parse(span_of(text), &no_json) : NULL;
    if (value) cJSON_ReplaceItemInObjectCaseSensitive(reading, "value", value);
}

static void upgrade_conflicts(cJSON *list)
{
    cJSON *conflict = NULL, *other = NULL;
    cJSON_ArrayForEach(conflict, list)
    {
        upgrade_reading(member(conflict, "taken"));
        cJSON_ArrayForEach(other, member(conflict, "others"))
        {
            upgrade_reading(other);
        }
    }
}

cJSON *record_upgrade(cJSON *record, struct err *err)
{
    if (err_failed(err) || !record) {
        cJSON_Delete(record);
        return NULL;
    }
    const char *format = json_get_text(record, "format");
    if (format && (!strcmp(format, RECORD_FORMAT) ||
                   !strcmp(format, RECORD_STACK_FORMAT)))
        return record;
    if (!cJSON_IsObject(record)) {
        err_set(err, ERR_INPUT, "it is no record");
    } else if (format) {
        err_set(err, ERR_UNSUPPORTED,
                "its format is %.80s, which this platen does not know: take a "
                "later one",
                format);
    }
    if (err_failed(err)) {
        cJSON_Delete(record);
        return NULL;
    }
    cJSON *now = cJSON_CreateObject();
    cJSON_AddStringToObject(now, "format",
                            json_get(record, "parts") ? RECORD_STACK_FORMAT
                                                      : RECORD_FORMAT);
    for (cJSON *m; (m = record->child);) {
        cJSON_DetachItemViaPointer(record, m);
        cJSON_AddItemToObject(now, m->string, m);
    }
    cJSON_Delete(record);
    upgrade_warnings(member(now, "warnings"));
    upgrade_conflicts(member(now, "conflicts"));
    return now;
}
