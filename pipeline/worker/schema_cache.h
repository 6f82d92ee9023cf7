/* schema_cache.h - the schemas that a worker has loaded, by name. */
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
    struct arena *arena;
    struct schema_cache_timeout
        *patience;           /* in the arena, as the schema polls it */
    bool learnt;             /* by the worker's engine */
    unsigned long long used; /* shelf.clock at its last use */
};

struct schema_cache {
    struct schema_cache_schema schema[SCHEMA_CACHE_MAX];
    int n;
    unsigned long long clock; /* counts uses */
    bool (*stop)(void *arg);  /* polled while a schema loads, or NULL */
    void *stop_arg;
};

/* The schema of a document from the sub-folder `folder` of in/ ("" for none:
 * default_schema). `loads` (with arg) is called before one is read that is not
 * here yet, which may take long. NULL on failure. The shelf keeps ownership; what it
 * returned is valid until the next call, which may drop the schema that was used
 * longest ago.
 * FAIL: [no-schema], [unknown-schema], [schema-refused]; [cancelled] when it
 * was asked to stop, [resource-time] after document_timeout. */
struct schema_cache_schema *schema_cache_find(struct schema_cache *s,
                                              const char *folder,
                                              const struct config *config,
                                              void (*loads)(void *arg),
                                              void *arg, struct err *err);

/* The engine learns the schema, once; it takes as long at most as loading, and
 * fails so too. FAIL also: as engine_learn. */
void schema_cache_prefer(struct schema_cache_schema *s, struct engine *engine,
                         struct err *err);

/* Frees all schemas, with what schema_cache_find gave out; the shelf is empty. */
void schema_cache_clear(struct schema_cache *s);

#endif
