/* schema_file.c - see schema_file.h. */
#include "pipeline/local/schema_file.h"

#include <unistd.h>

#include "pipeline/config/config.h"
#include "pipeline/process/signals.h"
#include "stages/ask/classify.h"
#include "stages/ask/schema_names.h"
#include "stages/confidence/checks.h"
#include "stages/record/record.h"
#include "stages/record/record_schema.h"
#include "stages/stages.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"

enum { OWN_MOST = 1 << 20 };

static void report_unknown(const char *name, const char *folder,
                           struct arena *arena, struct err *err)
{
    err_reason(err, ERR_CONFIG, "unknown-schema",
               "no schema %s in %s and no such file%s; see platen schema list",
               name, folder, schema_names_hint(folder, name, arena));
}

const char *schema_file_path(const struct command_line *line, const char *name,
                             struct arena *arena, struct err *err)
{
    if (err_failed(err)) return NULL;
    const char *folder = line->config->stage.schemas;
    const char *known = arena_text(arena, "%s/%s.schema.json", folder, name);
    bool is_file = strchr(name, '/') || strstr(name, ".json");
    if (!is_file && *name != '.' && file_map_can_read(known)) return known;
    if (*name && !access(name, F_OK)) return name;
    report_unknown(name, folder, arena, err);
    return NULL;
}

bool schema_file_is_own(const struct command_line *line, const char *name,
                        struct buf *out)
{
    static const char prefix[] = "platen-";
    size_t n = sizeof prefix - 1;
    if (!strncmp(name, prefix, n)) return record_schema_print(name + n, out);
    if (!record_schema_print(name, NULL)) return false;
    struct arena *arena = arena_new();
    const char *users = arena_text(arena, "%s/%s.schema.json",
                                   line->config->stage.schemas, name);
    bool own = !file_map_can_read(users);
    arena_free(arena);
    return own && record_schema_print(name, out);
}

static struct schema *open_schema(const struct command_line *line,
                                  const char *name,
                                  const struct schema_options *options,
                                  struct err *err)
{
    struct arena *arena = arena_new();
    struct buf own = buf_limit(OWN_MOST);
    struct schema *s = NULL;
    if (schema_file_is_own(line, name, &own)) {
        s = schema_parse(buf_span(&own), name, options, err);
    } else {
        const char *path = schema_file_path(line, name, arena, err);
        s = path ? schema_load(path, options, err) : NULL;
    }
    buf_free(&own);
    arena_free(arena);
    return s;
}

static struct schema *load_schema(const struct command_line *line,
                                  const char *name, bool asserts, bool closes,
                                  struct err *err)
{
    const char *catalogue = command_value(line, "catalogue");
    if (!catalogue) catalogue = line->config->stage.schema_catalogue;
    struct schema_options options = {
        .catalogue = *catalogue ? catalogue : NULL,
        .format_asserts = asserts,
        .for_generation = closes,
        .lenient = command_value(line, "allow-unknown") != NULL};
    dialect_of_name(line->config->stage.draft, &options.dialect);
    struct schema *s = open_schema(line, name, &options, err);
    for (int i = 0; s && schema_note(s, i); i++)
        log_warn("%s", schema_note(s, i));
    checks_free(checks_new(s, err)); /* reports errors in the checks */
    if (!err_failed(err)) return s;
    schema_free(s);
    return NULL;
}

struct schema *schema_file_open(const struct command_line *line,
                                const char *name, bool judges, struct err *err)
{
    if (err_failed(err)) return NULL;
    bool asserts = command_value(line, "format-asserts") != NULL;
    return load_schema(line, name, asserts, !judges, err);
}

struct schema *schema_file_open_asserting(const struct command_line *line,
                                          const char *name, struct err *err)
{
    if (err_failed(err)) return NULL;
    return load_schema(line, name, true, true, err);
}

void schema_file_check_default(const struct config *config, struct err *err)
{
    if (err_failed(err)) return;
    const char *prompt;
    bool xml = config->formats & FORMAT_XML;
    if (!strcmp(config->default_schema, CLASSIFY_AUTO)) {
        classify_check(&config->stage, err);
        err_context(err, "default_schema = " CLASSIFY_AUTO);
        return;
    }
    if (!xml || !*config->default_schema) return;
    struct arena *arena = arena_new();
    struct run_context context = {.settings = &config->stage,
                                  .stop = signals_pending};
    struct schema *s = stages_load_schema(config->default_schema, &context,
                                          arena, &prompt, err);
    record_check_xml(s, err);
    err_context(err, "default_schema");
    schema_free(s);
    arena_free(arena);
}
