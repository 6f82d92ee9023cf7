/* schema_cache.h - the schemas that a worker has loaded. */
#ifndef PIPELINE_WORKER_SCHEMA_CACHE_H
#define PIPELINE_WORKER_SCHEMA_CACHE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/file_name.h"

struct engine;

enum { SCHEMA_CACHE_MAX = 16 };

struct schema_cache_schema {
    char name[FILE_NAME_BYTES_MAX + 1];
    struct schema *schema;
    const char *prompt;
    struct schema *record; /* of its records (record_schema.h) */
    struct arena *arena;
    struct schema_cache_timeout
        *timeout;            /* in the arena; polled by the schema */
    bool learnt;             /* by the worker's engine */
    unsigned long long used; /* schema_cache.clock at its last use */
};

struct schema_cache {
    struct schema_cache_schema schema[SCHEMA_CACHE_MAX];
    int n;
    unsigned long long clock; /* counts uses */
    bool (*stop)(void *arg);  /* polled while a schema loads, or NULL */
    void *stop_arg;
};

/* The schema for documents from the sub-folder `folder` of in/ ("":
 * default_schema). `loads` (with arg) is called before a schema is loaded,
 * which can take long. The cache owns the result, which is valid until the next
 * call: that can drop the least recently used schema. NULL on failure. FAIL:
 * [no-schema], [unknown-schema], [schema-refused]; [cancelled] if stopped,
 * [resource-time] after document_timeout. */
struct schema_cache_schema *schema_cache_find(struct schema_cache *s,
                                              const char *folder,
                                              const struct config *config,
                                              void (*loads)(void *arg),
                                              void *arg, struct err *err);

/* Lets the engine learn the schema; with the same time limit and failures
 * as loading. FAIL also: as engine_learn. */
void schema_cache_prefer(struct schema_cache_schema *s, struct engine *engine,
                         struct err *err);

/* Frees all schemas, including those that schema_cache_find returned. */
void schema_cache_clear(struct schema_cache *s);

#endif
