/* field.c - see field.h. */
#include "stages/field.h"

#include <stdio.h>

#include "vlm/base/json.h"

static cJSON *rounded(double p)
{
    char text[40];
    snprintf(text, sizeof text, "%.4f", p);
    return json_new_number(text);
}

static cJSON *keep(const struct field *f, size_t cut)
{
    cJSON *entry = cJSON_CreateArray();
    cJSON_AddItemToArray(entry, cJSON_CreateString(f->pointer + cut));
    cJSON_AddItemToArray(entry, json_new_exact(f->p));
    cJSON_AddItemToArray(entry, json_new_exact(f->p_legal));
    return entry;
}

static bool is_below(const char *pointer, struct span top)
{
    return !strncmp(pointer, top.data, top.size) &&
           (!pointer[top.size] || pointer[top.size] == '/');
}

cJSON *field_keep_below(const struct field *field, int n_field, struct span top,
                        size_t cut)
{
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < n_field; i++)
        if (is_below(field[i].pointer, top))
            cJSON_AddItemToArray(all, keep(&field[i], cut));
    return all;
}

struct field field_kept(const cJSON *entry)
{
    const cJSON *p = entry->child->next;
    return (struct field){.pointer = entry->child->valuestring,
                          .p = p->valuedouble,
                          .p_legal = p->next->valuedouble};
}

cJSON *field_of_record(const struct field *f)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToObject(o, "p", rounded(f->p));
    cJSON_AddItemToObject(o, "p_legal", rounded(f->p_legal));
    return o;
}
