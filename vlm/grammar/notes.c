/* notes.c - see notes.h. */
#include "vlm/grammar/notes.h"

#include "vlm/base/pointer.h"
#include "vlm/schema/schema.h"

enum { POINTER_MAX = 1 << 16 };

void notes_add(struct notes *n, const cJSON *schema, const char *keyword,
               const char *why)
{
    for (int i = 0; i < n->n; i++)
        if (n->note[i].schema == schema && !strcmp(n->note[i].keyword, keyword))
            return;
    if (n->n < NOTES_MAX) n->note[n->n++] = (struct note){schema, keyword, why};
}

/* Appends the pointer of `want` below `at`; false, and nothing, when it does
 * not lie there. */
static bool find(const cJSON *at, const cJSON *want, struct buf *out)
{
    if (at == want) return true;
    size_t size = out->size;
    int i = 0;
    for (const cJSON *child = at->child; child; child = child->next, i++) {
        pointer_add_child(out, at, child, i);
        if (find(child, want, out)) return true;
        buf_cut(out, size);
    }
    return false;
}

void notes_print(const struct notes *n, struct buf *out)
{
    struct buf pointer = buf_limit(POINTER_MAX);
    for (int i = 0; i < n->n; i++) {
        const struct note *note = &n->note[i];
        buf_cut(&pointer, 0);
        if (!find(schema_root(n->schema), note->schema, &pointer))
            buf_add_text(&pointer, "(another file)");
        buf_print(out, "%s: %s: %s\n", pointer.size ? pointer.data : "/",
                  note->keyword, note->why);
    }
    buf_free(&pointer);
}

bool notes_refuse(const struct notes *n, const cJSON *schema,
                  const char *keyword, const char *why, struct err *err)
{
    struct buf pointer = buf_limit(POINTER_MAX);
    if (schema) find(schema_root(n->schema), schema, &pointer);
    err_reason(err, ERR_CONFIG, "schema-refused", "%s#%s: %s%s%s",
               schema_name(n->schema), buf_span(&pointer).data, keyword,
               *keyword ? ": " : "", why);
    buf_free(&pointer);
    return false;
}
