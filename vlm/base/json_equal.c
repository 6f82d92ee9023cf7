/* json_equal.c - equality of JSON values; see json.h.
 *
 * cJSON_Compare is of no use here: it compares doubles with a tolerance.
 */
#include "vlm/base/fnv.h"
#include "vlm/base/json.h"
#include "vlm/base/number.h"

static uint64_t hash_text(const char *text)
{
    return fnv_bytes(FNV_START, text, strlen(text));
}

static int kind_of(const cJSON *value)
{
    return value->type & 0xff; /* without cJSON's flags */
}

uint64_t json_equal_hash(const cJSON *value)
{
    uint64_t h = fnv_add(FNV_START, (uint64_t)kind_of(value));
    if (cJSON_IsString(value)) return fnv_add(h, hash_text(value->valuestring));
    if (cJSON_IsNumber(value))
        return fnv_add(h, number_hash(json_number(value)));
    uint64_t sum = 0; /* members of an object come in any order */
    for (const cJSON *child = value->child; child; child = child->next) {
        if (cJSON_IsArray(value))
            h = fnv_add(h, json_equal_hash(child));
        else
            sum += fnv_add(hash_text(child->string), json_equal_hash(child));
    }
    return fnv_add(h, sum);
}

static bool equal_objects(const cJSON *a, const cJSON *b)
{
    if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b)) return false;
    const cJSON *y = b->child; /* most objects are written in one order */
    for (const cJSON *x = a->child; x; x = x->next) {
        const cJSON *twin =
            y && !strcmp(x->string, y->string) ? y : json_get(b, x->string);
        if (!twin || !json_equal(x, twin)) return false;
        y = y ? y->next : NULL;
    }
    return true;
}

bool json_equal(const cJSON *a, const cJSON *b)
{
    if (kind_of(a) != kind_of(b)) return false;
    if (cJSON_IsString(a)) return !strcmp(a->valuestring, b->valuestring);
    if (cJSON_IsNumber(a))
        return number_compare(json_number(a), json_number(b)) == 0;
    if (cJSON_IsObject(a)) return equal_objects(a, b);
    if (!cJSON_IsArray(a)) return true;
    const cJSON *x = a->child, *y = b->child;
    while (x && y && json_equal(x, y)) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}
