/* record_format.c - see record_format.h. */
#include "stages/record/record_format.h"

#include <string.h>

#include "vlm/json/json.h"

void record_check_format(const cJSON *record, struct err *err)
{
    if (err_failed(err) || !record) return;
    const char *format = json_get_text(record, "format");
    if (!cJSON_IsObject(record))
        err_set(err, ERR_INPUT, "not a record");
    else if (!format)
        err_set(err, ERR_UNSUPPORTED,
                "no member \"format\": records of version 1 cannot be read; "
                "read the document again");
    else if (strcmp(format, RECORD_FORMAT) != 0 &&
             strcmp(format, RECORD_STACK_FORMAT) != 0)
        err_set(err, ERR_UNSUPPORTED,
                "format %.80s is unknown to this version of platen: use a "
                "later one",
                format);
}
