/* shelf.c - see shelf.h. */
#include "pipeline/work/shelf.h"

#include <stdio.h>
#include <string.h>

#include "stages/record/record.h"
#include "stages/stage.h"
#include "vlm/schema/schema.h"

static void drop(struct shelf_schema *s)
{
    schema_free(s->schema);
    arena_free(s->arena);
}

void shelf_clear(struct shelf *s)
{
    for (int i = 0; i < s->n; i++)
        drop(&s->schema[i]);
    s->n = 0;
}

struct shelf_schema *shelf_find(struct shelf *s, const char *folder,
                                const struct config *config,
                                void (*loads)(void *arg), void *arg,
                                struct err *err)
{
    if (err_failed(err)) return NULL;
    const char *name = *folder ? folder : config->default_schema;
    if (!*name) {
        err_reason(err, ERR_CONFIG, "no-schema",
                   "it lies directly in in/, and default_schema is not set");
        return NULL;
    }
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->schema[i].name, name)) return &s->schema[i];
    struct shelf_schema new = {.arena = arena_new()};
    snprintf(new.name, sizeof new.name, "%s", name);
    /* a sub-folder is a plain name, never a path or a file */
    if (*folder && (strchr(name, '/') || strstr(name, ".json")))
        err_reason(err, ERR_CONFIG, "unknown-schema",
                   "no schema has this name");
    if (loads) loads(arg);
    new.schema =
        stage_load_schema(name, &config->stage, new.arena, &new.prompt, err);
    /* before the document is looked at: all its formats or none */
    if (config->formats & FORMAT_XML) record_check_xml(new.schema, err);
    if (err_failed(err)) {
        drop(&new);
        return NULL;
    }
    if (s->n == SHELF_MAX) drop(&s->schema[--s->n]);
    s->schema[s->n] = new;
    return &s->schema[s->n++];
}
