/* command_init.c - platen init: a new spool with a folder for each schema. */
#include <stdio.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "stages/ask/schema_names.h"
#include "stages/document/reason.h"
#include "stages/stages.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
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
        stages_load_schema(name, &context, arena, &prompt, &none);
    if (schema) title = schema_title(schema);
    if (title && !strcmp(title, name)) title = NULL;
    buf_print(out, "  %s/in/%s/%s%s\n", s->path, name, title ? "   " : "",
              title ? title : "");
    schema_free(schema);
    arena_free(arena);
}

/* Creates in/NAME/ for each schema of the schemas folder, and appends to `out`
 * what to drop where. FAIL: ERR_CONFIG if there is no schema, "disk". */
static void make_folders(struct spool *s, const struct config *config,
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

static int init_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    struct buf out = buf_limit(1 << 20);
    spool_open(&spool, line->operand[0], true, err);
    make_folders(&spool, line->config, &out, err);
    if (!err_failed(err))
        printf("%sTo process them as they arrive: platen watch %s\n",
               buf_span(&out).data, spool.path);
    buf_free(&out);
    spool_close(&spool);
    return EXIT_OK;
}

const struct command command_init_row = {
    .name = "init",
    .usage = "SPOOL",
    .summary = "create a spool with a folder for each schema",
    .help = "Creates SPOOL with in/ work/ done/ failed/ out/, and in/NAME/ for "
            "each schema NAME of the schemas folder, and prints which files "
            "belong where. Existing folders are kept, so it can be repeated "
            "after adding a schema.\n"
            "\n"
            "  platen init /srv/scans\n"
            "  platen init /srv/scans --schemas /etc/platen/schemas",
    .least = 1,
    .most = 1,
    .run = init_command,
};
