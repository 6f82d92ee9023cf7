/* fleet.c - see fleet.h. */
#include "pipeline/fleet/fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_settings.h"
#include "vlm/base/clock.h"
#include "vlm/base/hash.h"

static const double again_s = 3600;

struct fleet *fleet_new(const struct config *config)
{
    struct arena *arena = arena_new();
    struct fleet *f = arena_alloc(arena, sizeof *f);
    f->arena = arena;
    f->config = config;
    f->secrets = arena_alloc(arena, sizeof *f->secrets);
    fleet_secrets_read(config->fleet_fd, f->secrets);
    if (*f->secrets->password) setenv("PGPASSWORD", f->secrets->password, 1);
    f->db = fleet_db_new(f->secrets->conninfo);
    gethostname(f->host, sizeof f->host - 1);
    return f;
}

void fleet_free(struct fleet *f)
{
    if (!f) return;
    fleet_db_free(f->db);
    arena_free(f->arena);
}

void fleet_learn(struct fleet *f, struct err *err)
{
    if (err_failed(err) || f->knows_store) return;
    const char *where = fleet_queue_setting(f->db, "store", f->arena, err);
    f->store.endpoint =
        fleet_queue_setting(f->db, "s3_endpoint", f->arena, err);
    f->store.region = fleet_queue_setting(f->db, "s3_region", f->arena, err);
    f->store.key = f->secrets->s3_key;
    f->store.secret = f->secrets->s3_secret;
    f->store.session = f->secrets->s3_session;
    f->store.host = f->host;
    fleet_store_place(&f->store, where, err);
    f->knows_store = !err_failed(err);
}

struct fleet_can fleet_can_of(const struct config *config)
{
    return (struct fleet_can){.model = config->fleet_model,
                              .model_sha256 = config->stage.model_sha256,
                              .gpu = config->fleet_gpu,
                              .memory = config->fleet_memory};
}

struct fleet_file fleet_file_put(struct fleet *f, struct span bytes,
                                 struct err *err)
{
    struct fleet_file file = {.bytes = bytes};
    if (err_failed(err)) return file;
    struct hash hash = hash_bytes(bytes);
    snprintf(file.hash, sizeof file.hash, "%s", hash.hex);
    file.stored = bytes.size > FLEET_ROW_BYTES;
    if (file.stored) fleet_store_put(&f->store, bytes, &hash, err);
    return file;
}

struct span fleet_file_get(struct fleet *f, const struct fleet_file *file,
                           struct arena *arena, struct err *err)
{
    if (!file->stored || err_failed(err)) return file->bytes;
    size_t most = (size_t)f->config->stage.max_record_bytes;
    return fleet_store_read(&f->store, file->hash, most, arena, err);
}

/* Puts the schemas again once an hour, so that files of a job are not removed
 * from the store as old. */
static void put_schemas(struct fleet *f, struct err *err)
{
    double now = clock_seconds();
    if (err_failed(err) || (*f->schemas && now - f->schemas_put < again_s))
        return;
    struct hash list =
        fleet_settings_put(&f->store, f->config->stage.schemas, err);
    if (err_failed(err)) return;
    snprintf(f->schemas, sizeof f->schemas, "%s", list.hex);
    f->schemas_put = now;
}

void fleet_hand_in(struct fleet *f, struct fleet_job *job, struct span bytes,
                   struct err *err)
{
    if (err_failed(err)) return;
    struct buf options = buf_limit(1 << 16);
    struct fleet_can needs = fleet_can_of(f->config);
    struct hash hash = hash_bytes(bytes);
    fleet_learn(f, err);
    put_schemas(f, err);
    fleet_store_put(&f->store, bytes, &hash, err);
    fleet_settings_print(f->config, &options);
    snprintf(job->document, sizeof job->document, "%s", hash.hex);
    snprintf(job->schemas, sizeof job->schemas, "%s", f->schemas);
    job->bytes = (int64_t)bytes.size;
    job->options = buf_span(&options).data;
    /* an outcome from before an operator's retry */
    if (!fleet_queue_add(f->db, job, &needs, err) &&
        fleet_queue_collect(f->db, job->id, err))
        fleet_queue_add(f->db, job, &needs, err);
    buf_free(&options);
}
