/* spool_retry.c - moves failed/<id> back to work/<id>, often hundreds at once
 * after a repair. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/failure_note.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_json.h"
#include "vlm/json/json.h"

enum { BATCH = 200 }; /* descriptors held at once */

/* The mark tells the next worker to remove the old reason first, so it must be
 * durable before the rename: one syncfs for the whole batch. */
static void put_mark(struct spool *s, const char *id, struct folder *f,
                     struct err *err)
{
    if (err_failed(err)) return;
    *f = (struct folder){.spool = s};
    snprintf(f->id, sizeof f->id, "%s", id);
    f->fd = spool_folder_fd(s, SPOOL_FAILED, id);
    if (f->fd < 0 || flock(f->fd, LOCK_EX) != 0) {
        err_set(err, ERR_ARGS, "%s is not in failed/", id);
        spool_unlock(f);
        return;
    }
    int mark = openat(f->fd, "retry",
                      O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (mark < 0) durable_fail(err, "cannot mark", id);
    if (mark >= 0) close(mark);
    if (err_failed(err)) spool_unlock(f);
}

static void sync_all(struct spool *s, struct err *err)
{
    if (err_failed(err) || syncfs(s->root) == 0) return;
    s->unsure = true;
    durable_fail(err, "cannot make durable:", s->path);
}

/* Moves those before the first failure. */
static size_t move_batch(struct spool *s, char **id, size_t n, struct err *err)
{
    struct folder f[BATCH];
    struct err own = {0}, late = {0};
    size_t marked = 0, moved = 0;
    while (marked < n && !err_failed(&own)) {
        put_mark(s, id[marked], &f[marked], &own);
        marked += !err_failed(&own);
    }
    if (marked) sync_all(s, &late);
    for (; moved < marked && !err_failed(&late); moved++)
        durable_rename(s->place[SPOOL_FAILED], id[moved], s->place[SPOOL_WORK],
                       id[moved], &late);
    moved -= moved && err_failed(&late);
    if (moved) sync_all(s, &late);
    for (size_t i = 0; i < marked; i++)
        spool_unlock(&f[i]);
    *err = err_failed(&late) ? late : own;
    return moved;
}

size_t spool_retry(struct spool *s, char **id, struct err *err)
{
    size_t n = 0, moved = 0;
    if (err_failed(err)) return 0;
    while (id[n])
        n++;
    while (moved < n && !err_failed(err))
        moved += move_batch(s, id + moved,
                            n - moved < BATCH ? n - moved : BATCH, err);
    return moved;
}

/* --- what a person says of what failed --- */

static bool lock_failed(struct spool *s, const char *id, struct folder *f,
                        struct err *err)
{
    if (spool_is_id(id) && spool_lock(s, SPOOL_FAILED, id, f, err)) return true;
    if (!err_failed(err))
        err_set(err, ERR_ARGS, "%s is not in failed/, or is in use", id);
    return false;
}

/* Replaces a member of name.json; takes over the value. */
static void set_member(struct spool *s, const char *id, const char *key,
                       cJSON *value, struct err *err)
{
    struct folder f;
    if (!lock_failed(s, id, &f, err)) {
        cJSON_Delete(value);
        return;
    }
    cJSON *o = spool_read_json(f.fd, "name.json", SPOOL_JSON_MAX);
    if (!json_get(o, "folder"))
        err_set(err, ERR_ARGS, "failed/%s/name.json is not complete", id);
    cJSON_DeleteItemFromObjectCaseSensitive(o, key);
    if (!cJSON_AddItemToObject(o, key, value)) cJSON_Delete(value);
    spool_json_write(&f, "name.json", o, err);
    spool_unlock(&f);
}

void spool_set_folder(struct spool *s, const char *id, const char *folder,
                      struct err *err)
{
    if (err_failed(err)) return;
    struct buf name = buf_limit(SPOOL_JSON_MAX);
    file_name_escape(folder, &name);
    set_member(s, id, "folder", cJSON_CreateString(buf_span(&name).data), err);
    buf_free(&name);
}

void spool_set_turns(struct spool *s, const char *id, int turns,
                     struct err *err)
{
    if (err_failed(err)) return;
    set_member(s, id, "turns", json_new_integer(turns), err);
}

void spool_dismiss(struct spool *s, const char *id, bool dismissed,
                   struct err *err)
{
    struct folder f;
    if (err_failed(err) || !lock_failed(s, id, &f, err)) return;
    if (dismissed) failure_note_drop(&f, err);
    if (!dismissed && s->notes) spool_pending_add(s, id, SPOOL_NOTE, err);
    if (!dismissed)
        spool_remove(&f, SPOOL_DISMISSED, err);
    else if (!spool_exists(f.fd, SPOOL_DISMISSED))
        spool_mark(&f, SPOOL_DISMISSED, err);
    if (!dismissed && s->notes) failure_note_put(&f, err);
    spool_unlock(&f);
}

bool spool_is_dismissed(const struct spool *s, const char *id)
{
    return spool_has_file(s, SPOOL_FAILED, id, SPOOL_DISMISSED);
}
