/* reask_nulls.c - see reask_nulls.h. */
#include "stages/ask/reask_nulls.h"

#include <string.h>

#include "vlm/base/buf.h"
#include "vlm/json/json_pointer.h"

enum { NAMES_BYTES_MAX = 16000 };

const char *reask_nulls_names(const struct field *field, int n_field,
                              struct arena *arena)
{
    struct buf text = buf_limit(NAMES_BYTES_MAX);
    for (int i = 0; i < n_field; i++)
        if (field[i].verdict == FIELD_OVERLOOKED)
            buf_print(&text, "- %s\n", field[i].pointer);
    const char *copy = text.size ? arena_copy(arena, buf_span(&text)) : NULL;
    buf_free(&text);
    return copy;
}

/* The null at the pointer and, in *other, what the other value has there: a
 * scalar. *parent is what the null is in. NULL: there is none, or an array on
 * the way to it has another length there, so that its rows may be others. */
static cJSON *null_at(cJSON *value, const char *pointer, cJSON **parent,
                      const cJSON **other)
{
    struct span token;
    while (value && *other && json_pointer_next(&pointer, &token)) {
        if (cJSON_IsArray(value) &&
            cJSON_GetArraySize(value) != cJSON_GetArraySize(*other))
            return NULL;
        *parent = value;
        value = (cJSON *)json_pointer_step(value, token);
        *other = json_pointer_step(*other, token);
    }
    bool scalar = cJSON_IsString(*other) || cJSON_IsNumber(*other) ||
                  cJSON_IsBool(*other);
    return scalar && cJSON_IsNull(value) ? value : NULL;
}

static int field_at(const struct reask_nulls_answer *answer,
                    const char *pointer)
{
    for (int i = 0; i < answer->n_field; i++)
        if (!strcmp(answer->field[i].pointer, pointer)) return i;
    return -1;
}

int reask_nulls_fill(struct reask_nulls_answer *first,
                     const struct reask_nulls_answer *late, bool measured)
{
    int n = 0;
    for (int i = 0; i < first->n_field; i++) {
        struct field *f = &first->field[i];
        cJSON *parent = NULL;
        const cJSON *found = late->value;
        if (f->verdict != FIELD_OVERLOOKED) continue;
        int at = field_at(late, f->pointer);
        cJSON *null = null_at(first->value, f->pointer, &parent, &found);
        if (!null || !parent || (measured && at < 0)) continue;
        cJSON_ReplaceItemViaPointer(parent, null, cJSON_Duplicate(found, true));
        if (at >= 0) *f = late->field[at];
        n++;
    }
    return n;
}
