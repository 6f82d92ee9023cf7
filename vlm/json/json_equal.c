/* json_equal.c - equality of JSON values; see json.h.
 *
 * cJSON_Compare is unsuitable: it compares doubles with a tolerance.
 */
#include "vlm/base/fnv.h"
#include "vlm/base/number.h"
#include "vlm/json/json.h"

static uint64_t hash_text(const char *text)
{
    return fnv_bytes(FNV_START, text, strlen(text));
}

static int kind_of(const cJSON *value)
{
    return value->type & 0xff; /* without cJSON's flags */
}

uint64_t json_equal_hash_stream(const cJSON *value, struct json_stream *stream)
{
    uint64_t h = fnv_add(FNV_START, (uint64_t)kind_of(value));
    if (cJSON_IsString(value)) return fnv_add(h, hash_text(value->valuestring));
    if (cJSON_IsNumber(value))
        return fnv_add(h, number_hash(json_number(value)));
    uint64_t sum = 0; /* members of an object come in any order */
    const cJSON *child = NULL;
    while ((child = json_next(stream, value, child))) {
        uint64_t own = json_equal_hash_stream(child, stream);
        if (cJSON_IsArray(value))
            h = fnv_add(h, own);
        else
            sum += fnv_add(hash_text(child->string), own);
    }
    return fnv_add(h, sum);
}

uint64_t json_equal_hash(const cJSON *value)
{
    return json_equal_hash_stream(value, NULL);
}

static bool equal_objects(const cJSON *a, const cJSON *b,
                          struct json_stream *stream)
{
    if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b)) return false;
    const cJSON *y = b->child; /* most objects are written in one order */
    for (const cJSON *x = a->child; x; x = x->next) {
        const cJSON *twin =
            y && !strcmp(x->string, y->string) ? y : json_get(b, x->string);
        if (!twin || !json_equal_stream(x, twin, stream)) return false;
        y = y ? y->next : NULL;
    }
    return true;
}

static bool equal_arrays(const cJSON *a, const cJSON *b,
                         struct json_stream *stream)
{
    const cJSON *x = json_next(stream, a, NULL), *y = b->child;
    while (x && y && json_equal_stream(x, y, stream)) {
        x = json_next(stream, a, x);
        y = y->next;
    }
    return !x && !y;
}

bool json_equal_stream(const cJSON *a, const cJSON *b,
                       struct json_stream *stream)
{
    if (kind_of(a) != kind_of(b)) return false;
    if (cJSON_IsString(a)) return !strcmp(a->valuestring, b->valuestring);
    if (cJSON_IsNumber(a))
        return number_compare(json_number(a), json_number(b)) == 0;
    if (cJSON_IsObject(a)) return equal_objects(a, b, stream);
    return !cJSON_IsArray(a) || equal_arrays(a, b, stream);
}

bool json_equal(const cJSON *a, const cJSON *b)
{
    return json_equal_stream(a, b, NULL);
}
