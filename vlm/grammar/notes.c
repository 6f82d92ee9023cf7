/* notes.c - see notes.h. */
#include "vlm/grammar/notes.h"

#include <stdio.h>

#include "vlm/schema/schema.h"

enum { POINTER_MAX = 400 };

void notes_add(struct notes *n, const cJSON *schema, const char *keyword,
               const char *why)
{
    for (int i = 0; i < n->n; i++)
        if (n->note[i].schema == schema && !strcmp(n->note[i].keyword, keyword))
            return;
    if (n->n < NOTES_MAX) n->note[n->n++] = (struct note){schema, keyword, why};
}

/* Writes the pointer of `want` below `at`; false when it does not lie there. */
static bool find(const cJSON *at, const cJSON *want, char *out, size_t room)
{
    if (at == want) return true;
    int i = 0;
    for (const cJSON *child = at->child; child; child = child->next, i++) {
        int n = cJSON_IsArray(at) ? snprintf(out, room, "/%d", i)
                                  : snprintf(out, room, "/%s", child->string);
        if (n < 0 || (size_t)n >= room) continue;
        if (find(child, want, out + n, room - (size_t)n)) return true;
    }
    *out = '\0';
    return false;
}

void notes_print(const struct notes *n, struct buf *out)
{
    for (int i = 0; i < n->n; i++) {
        char pointer[POINTER_MAX] = "";
        const struct note *note = &n->note[i];
        if (!find(schema_root(n->schema), note->schema, pointer,
                  sizeof pointer))
            snprintf(pointer, sizeof pointer, "(another file)");
        buf_print(out, "%s: %s: %s\n", *pointer ? pointer : "/", note->keyword,
                  note->why);
    }
}

bool notes_refuse(const struct notes *n, const cJSON *schema,
                  const char *keyword, const char *why, struct err *err)
{
    char pointer[POINTER_MAX] = "";
    if (schema) find(schema_root(n->schema), schema, pointer, sizeof pointer);
    return err_reason(err, ERR_CONFIG, "schema-refused", "%s#%s: %s%s%s",
                      schema_name(n->schema), pointer, keyword,
                      *keyword ? ": " : "", why);
}
