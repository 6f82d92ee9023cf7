/* notes.c - see notes.h. */
#include "vlm/grammar/notes.h"

#include "vlm/schema/schema.h"

void notes_add(struct notes *n, const cJSON *schema, const char *keyword,
               const char *why)
{
    for (int i = 0; i < n->n; i++)
        if (n->note[i].schema == schema && !strcmp(n->note[i].keyword, keyword))
            return;
    if (n->n < NOTES_MAX)
        n->note[n->n++] = (struct note){schema, keyword, why};
    else
        n->n_more++;
}

static const char *note_pointer(const struct notes *n, const cJSON *schema)
{
    const char *pointer = schema_pointer(n->schema, schema);
    return pointer ? pointer : "(unknown)";
}

void notes_print(const struct notes *n, struct buf *out)
{
    for (int i = 0; i < n->n; i++) {
        const struct note *note = &n->note[i];
        const char *pointer = note_pointer(n, note->schema);
        buf_print(out, "%s: %s: %s\n", *pointer ? pointer : "/", note->keyword,
                  note->why);
    }
    if (n->n_more) buf_print(out, "and %d more\n", n->n_more);
}

bool notes_refuse(const struct notes *n, const cJSON *schema,
                  const char *keyword, const char *why, struct err *err)
{
    return err_reason(err, ERR_CONFIG, "schema-refused", "%s#%.200s: %s%s%s",
                      schema_name(n->schema),
                      schema ? note_pointer(n, schema) : "", keyword,
                      *keyword ? ": " : "", why);
}
