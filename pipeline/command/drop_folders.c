/* drop_folders.c - see drop_folders.h. */
#include "pipeline/command/drop_folders.h"

#include <stdio.h>
#include <string.h>

#include "stages/ask/schema_names.h"
#include "stages/stage.h"
#include "vlm/base/arena.h"
#include "vlm/schema/schema.h"

/* Appends in/NAME/ and the title of its schema. */
static void add_folder(const struct spool *s, const struct config *config,
                       const char *name, struct buf *out)
{
    struct err none = {0};
    struct arena *arena = arena_new();
    struct run_context context = {.settings = &config->stage};
    const char *prompt, *title = NULL;
    struct schema *schema =
        stage_load_schema(name, &context, arena, &prompt, &none);
    if (schema) title = schema_title(schema);
    if (title && !strcmp(title, name)) title = NULL;
    buf_print(out, "  %s/in/%s/%s%s\n", s->path, name, title ? "   " : "",
              title ? title : "");
    schema_free(schema);
    arena_free(arena);
}

void drop_folders_make(struct spool *s, const struct config *config,
                       struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    const char **name = schema_names(config->stage.schemas, arena);
    if (!*name)
        err_set(err, ERR_CONFIG, "no schema in %s (key schemas)",
                config->stage.schemas);
    spool_make_folders(s, name, err);
    if (!err_failed(err)) {
        buf_add_text(out, "Drop PDF files and images into the folder of their "
                          "schema:\n");
        for (; *name; name++)
            add_folder(s, config, *name, out);
        buf_print(out, "Records appear in %s/out/NAME/.\n", s->path);
    }
    arena_free(arena);
}
