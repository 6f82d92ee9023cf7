/* config_schema.c - see config_schema.h. */
#include "pipeline/config/config_schema.h"

#include <string.h>
#include <unistd.h>

#include "pipeline/config/config_table.h"
#include "stages/ask/schema_names.h"
#include "vlm/base/memory_limit.h"

static size_t row_of(const char *key)
{
    size_t row = 0;
    while (strcmp(config_key_at(row)->key, key) != 0)
        row++;
    return row;
}

const char *config_schema_place(const struct config_schema *s)
{
    size_t row = 0;
    while (!s->origin[row])
        row++;
    return s->origin[row];
}

static struct config_schema *find(const struct config *c, const char *name)
{
    struct config_schema *s = c->schema;
    while (s && strcmp(s->name, name) != 0)
        s = s->next;
    return s;
}

static struct config_schema *add(struct config *c, const char *name,
                                 struct err *err)
{
    struct config_schema **at = &c->schema;
    int n = 0;
    for (; *at; n++)
        at = &(*at)->next;
    if (n == CONFIG_SCHEMAS_MAX)
        err_set(err, ERR_CONFIG, "[schema.%s]: more than %d such sections",
                name, CONFIG_SCHEMAS_MAX);
    *at = arena_alloc(c->arena, sizeof **at);
    (*at)->name = arena_copy(c->arena, span_of(name));
    return *at;
}

static void refuse_key(const char *key, struct err *err)
{
    struct buf list = buf_limit(1 << 10);
    for (size_t i = 0; config_key_at(i); i++)
        if (config_key_of_schema(config_key_at(i)))
            buf_print(&list, "%s%s", list.size ? ", " : "",
                      config_key_at(i)->key);
    err_set(err, ERR_CONFIG, "%s cannot be set for a schema, only %s can", key,
            buf_span(&list).data);
    buf_free(&list);
}

void config_schema_set(struct config *c, const char *name, const char *key,
                       const char *value, const char *origin, struct err *err)
{
    struct config trial = *c;
    if (err_failed(err)) return;
    if (!*name) err_set(err, ERR_CONFIG, "must be [schema.NAME]");
    config_set(&trial, key, value, origin, err);
    if (err_failed(err)) return;
    size_t row = 0; /* config_set has found it */
    while (trial.origin[row] == c->origin[row])
        row++;
    if (!config_key_of_schema(config_key_at(row))) {
        refuse_key(key, err);
        return;
    }
    struct config_schema *s = find(c, name);
    if (!s) s = add(c, name, err);
    if (s->value[row])
        err_set(err, ERR_CONFIG, "%s is already set in %s", key,
                s->origin[row]);
    s->value[row] = trial.value[row];
    s->origin[row] = trial.origin[row];
}

/* --- the configuration of a section ---------------------------------------- */

static bool is_overridden(const struct config *c, const char *key)
{
    const char *origin = c->origin[row_of(key)];
    return !strcmp(origin, "flag") ||
           (!strncmp(origin, "PLATEN_", 7) && !strchr(origin, ':'));
}

static bool model_is_overridden(const struct config *c)
{
    return is_overridden(c, "engine") || is_overridden(c, "model") ||
           is_overridden(c, "endpoint");
}

bool config_schema_uses(const struct config *c, const struct config_schema *s,
                        size_t row)
{
    const struct config_key *k = config_key_at(row);
    bool over = config_key_of_schema(k) == KEY_CHOOSES_MODEL
                    ? model_is_overridden(c)
                    : is_overridden(c, k->key);
    return s->value[row] && !over;
}

/* Does the section set it? */
static bool sets(const struct config_schema *s, const char *key)
{
    return s->value[row_of(key)] != NULL;
}

/* What belongs to the model of `c` does not belong to the section's. */
static void set_model(struct config *own, const struct config_schema *s,
                      struct err *err)
{
    static const char *const beside[] = {"mmproj", "mtp", "model_sha256"};
    for (size_t i = 0; i < 3; i++)
        if (!sets(s, beside[i]) &&
            strcmp(config_value(own, beside[i]), "off") != 0)
            config_set(own, beside[i], "", "default", err);
    if (!sets(s, "engine") && !settings_have_model(&own->stage))
        config_set(own, "engine", "native", config_origin(own, "model"), err);
}

/* The key of another endpoint is not sent to it. */
static void set_endpoint(struct config *own, const struct config_schema *s,
                         struct err *err)
{
    const char *origin = config_origin(own, "endpoint");
    if (!sets(s, "endpoint_key_file"))
        config_set(own, "endpoint_key_file", "", origin, err);
    if (!sets(s, "engine")) config_set(own, "engine", "endpoint", origin, err);
    own->environment_key_fd = 0;
}

static void close_key(const struct config *c, const struct config_schema *s)
{
    int fd = s->config ? s->config->stage.endpoint_key_fd : 0;
    if (s->reads_key && fd > 0 && fd != c->environment_key_fd) close(fd);
}

static void derive_one(struct config *c, struct config_schema *s,
                       struct err *err)
{
    struct config *own = arena_alloc(c->arena, sizeof *own);
    close_key(c, s); /* it was derived before */
    s->reads_key = false;
    *own = *c;
    own->schema = NULL;
    own->of_schema = s->name;
    s->config = own;
    for (size_t i = 0; config_key_at(i); i++)
        if (config_schema_uses(c, s, i))
            config_set(own, config_key_at(i)->key, s->value[i], s->origin[i],
                       err);
    if (model_is_overridden(c) || err_failed(err)) return;
    if (sets(s, "model") && sets(s, "endpoint") && !sets(s, "engine"))
        err_set(err, ERR_CONFIG,
                "model and endpoint: remove one, or add engine = native or "
                "endpoint");
    if (sets(s, "model")) set_model(own, s, err);
    if (sets(s, "endpoint")) set_endpoint(own, s, err);
    s->reads_key = sets(s, "endpoint") || sets(s, "endpoint_key_file");
    if (s->reads_key) own->stage.endpoint_key_fd = 0;
}

int64_t config_model_memory(const struct config *c)
{
    return c->model_memory ? c->model_memory
                           : (int64_t)memory_limit_available();
}

bool config_same_model(const struct config *a, const struct config *b)
{
    const struct settings *x = &a->stage, *y = &b->stage;
    return settings_have_model(x) && settings_have_model(y) &&
           !strcmp(x->model, y->model) && !strcmp(x->mmproj, y->mmproj) &&
           !strcmp(x->mtp, y->mtp);
}

void config_schema_derive(struct config *c, struct err *err)
{
    if (err_failed(err)) return;
    for (struct config_schema *s = c->schema; s && !err_failed(err);
         s = s->next) {
        derive_one(c, s, err);
        err_context(err, "%s: [schema.%s]", config_schema_place(s), s->name);
    }
}

void config_schema_compare(struct config *c)
{
    const struct config *model = settings_have_model(&c->stage) ? c : NULL;
    bool several = false;
    for (struct config_schema *s = c->schema; s; s = s->next) {
        bool has = settings_have_model(&s->config->stage);
        several |= has && model && !config_same_model(model, s->config);
        if (has && !model) model = s->config;
    }
    c->several_models = several;
    for (struct config_schema *s = c->schema; s; s = s->next)
        s->config->several_models = several;
}

void config_check_schemas(const struct config *c, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    const char *folder = c->stage.schemas;
    for (struct config_schema *s = c->schema; s && !err_failed(err);
         s = s->next) {
        const char *path =
            arena_text(arena, "%s/%s.schema.json", folder, s->name);
        if (strchr(s->name, '/') || access(path, F_OK) != 0)
            err_set(err, ERR_CONFIG,
                    "%s: [schema.%s]: no schema %s in %s%s; see platen schema "
                    "list",
                    config_schema_place(s), s->name, s->name, folder,
                    schema_names_hint(folder, s->name, arena));
    }
    arena_free(arena);
}

void config_schema_close(struct config *c)
{
    for (const struct config_schema *s = c->schema; s; s = s->next)
        close_key(c, s);
    c->schema = NULL;
}
