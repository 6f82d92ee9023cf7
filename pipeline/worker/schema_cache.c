/* schema_cache.c - see schema_cache.h. */
#include "pipeline/worker/schema_cache.h"

#include <stdio.h>
#include <string.h>

#include "stages/record/record.h"
#include "stages/record/record_schema.h"
#include "stages/stages.h"
#include "vlm/base/clock.h"
#include "vlm/schema/schema.h"

/* Ends loading or learning when asked to stop, or after document_timeout. */
struct schema_cache_timeout {
    bool (*stop)(void *arg);
    void *stop_arg;
    int timeout_s;
    double until; /* clock_seconds; 0: not running */
    bool late;
};

static bool must_end(void *arg)
{
    struct schema_cache_timeout *p = arg;
    p->late = p->until > 0 && clock_seconds() > p->until;
    return p->late || (p->stop && p->stop(p->stop_arg));
}

static void timeout_begin(struct schema_cache_timeout *p)
{
    p->until = clock_seconds() + p->timeout_s;
    p->late = false;
}

static void timeout_end(struct schema_cache_timeout *p, struct err *err)
{
    p->until = 0;
    if (!p->late || err->kind != ERR_CANCELLED) return;
    *err = (struct err){0};
    err_reason(err, ERR_CHILD, "resource-time",
               "the schema took longer than %d s (document_timeout)",
               p->timeout_s);
}

static void free_schema(struct schema_cache_schema *s)
{
    schema_free(s->record);
    schema_free(s->schema);
    arena_free(s->arena);
}

void schema_cache_clear(struct schema_cache *s)
{
    for (int i = 0; i < s->n; i++)
        free_schema(&s->schema[i]);
    s->n = 0;
}

static struct schema_cache_timeout *timeout_new(const struct schema_cache *s,
                                                int timeout_s,
                                                struct arena *arena)
{
    struct schema_cache_timeout *p = arena_alloc(arena, sizeof *p);
    *p = (struct schema_cache_timeout){s->stop, s->stop_arg, timeout_s, 0,
                                       false};
    return p;
}

static void load(struct schema_cache_schema *new, const struct config *config,
                 struct err *err)
{
    struct run_context context = {
        .settings = &config->stage, .stop = must_end, .stop_arg = new->timeout};
    timeout_begin(new->timeout);
    new->schema =
        stages_load_schema(new->name, &context, new->arena, &new->prompt, err);
    /* checked before the document is read: all formats or none */
    if (config->formats & FORMAT_XML) record_check_xml(new->schema, err);
    if (!err_failed(err)) new->record = record_schema_new(new->schema, err);
    timeout_end(new->timeout, err);
}

static struct schema_cache_schema *known_schema(struct schema_cache *s,
                                                const char *name)
{
    for (int i = 0; i < s->n; i++) {
        if (strcmp(s->schema[i].name, name) != 0) continue;
        s->schema[i].used = ++s->clock;
        return &s->schema[i];
    }
    return NULL;
}

/* A full cache drops the least recently used schema. */
static struct schema_cache_schema *free_place(struct schema_cache *s)
{
    if (s->n < SCHEMA_CACHE_MAX) return &s->schema[s->n++];
    struct schema_cache_schema *oldest = &s->schema[0];
    for (int i = 1; i < s->n; i++)
        if (s->schema[i].used < oldest->used) oldest = &s->schema[i];
    free_schema(oldest);
    return oldest;
}

struct schema_cache_schema *schema_cache_find(struct schema_cache *s,
                                              const char *folder,
                                              const struct config *config,
                                              void (*loads)(void *arg),
                                              void *arg, struct err *err)
{
    if (err_failed(err)) return NULL;
    const char *name = *folder ? folder : config->default_schema;
    if (!*name) {
        err_reason(
            err, ERR_CONFIG, "no-schema",
            "the file is directly in in/, and default_schema is not set");
        return NULL;
    }
    struct schema_cache_schema *known = known_schema(s, name);
    if (known) return known;
    struct schema_cache_schema new = {.arena = arena_new()};
    snprintf(new.name, sizeof new.name, "%s", name);
    new.timeout = timeout_new(s, config->stage.document_timeout_s, new.arena);
    /* a sub-folder is a plain name, never a path or a file */
    if (*folder && (strchr(name, '/') || strstr(name, ".json")))
        err_reason(err, ERR_CONFIG, "unknown-schema",
                   "no schema has this name");
    if (loads) loads(arg);
    load(&new, config, err);
    if (err_failed(err)) {
        free_schema(&new);
        return NULL;
    }
    new.used = ++s->clock;
    struct schema_cache_schema *place = free_place(s);
    *place = new;
    return place;
}

void schema_cache_prefer(struct schema_cache_schema *s, struct engine *engine,
                         struct err *err)
{
    if (err_failed(err)) return;
    timeout_begin(s->timeout);
    engine_learn(engine, s->schema, s->prompt, err);
    timeout_end(s->timeout, err);
    s->learnt = !err_failed(err);
}
