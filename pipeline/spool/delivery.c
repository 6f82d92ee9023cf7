/* delivery.c - see delivery.h. */
#include "pipeline/spool/delivery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "pipeline/spool/corrections.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/failure_note.h"
#include "vlm/base/log.h"

enum { RECORD_MOST = 1 << 30 };

bool delivery_is_due(int folder_fd)
{
    return spool_exists(folder_fd, "record.json") &&
           !spool_exists(folder_fd, "delivered");
}

/* Delivers a locked folder of done/. */
static void deliver_one(struct folder *f, unsigned formats, struct err *err)
{
    struct document_folder_state state;
    document_folder_read(f->fd, f->id, &state);
    spool_pending_add(f->spool, f->id, SPOOL_DELIVER, err);
    spool_deliver(f, state.path, state.name, formats, err);
}

/* A crash may have interrupted the commit: is the record complete, and its
 * place durable (S7)? */
static bool verify(struct folder *f, struct err *err)
{
    struct spool *s = f->spool;
    const char *fault = document_folder_record_fault(f->fd, f->id, RECORD_MOST);
    if (fault)
        log_warn("done/%s: %s; it is not delivered (platen fsck)", f->id,
                 fault);
    if (fault) return false;
    durable_sync(s, f->fd, f->id, err);
    durable_sync(s, s->place[SPOOL_DONE], "done", err);
    durable_sync(s, s->place[SPOOL_WORK], "work", err);
    return !err_failed(err);
}

/* Delivers a document. A process that holds its lock delivers it, or leaves the
 * entry. */
static void deliver_id(struct spool *s, const char *id, unsigned formats,
                       bool all, struct err *err)
{
    struct folder f;
    if (!spool_lock(s, SPOOL_DONE, id, &f, err)) return;
    if (!delivery_is_due(f.fd))
        spool_pending_remove(s, id, SPOOL_DELIVER);
    else if (!all || verify(&f, err))
        deliver_one(&f, formats, err);
    spool_unlock(&f);
}

/* An entry that no document needs, left by a crash before the commit, or
 * between the delivery and the removal of the entry. */
static bool is_stale(const struct spool *s, const char *id)
{
    if (spool_exists(s->place[SPOOL_WORK], id)) return false;
    return !spool_exists(s->place[SPOOL_DONE], id) || spool_is_delivered(s, id);
}

/* Does the failure concern out/ itself, and so every record? */
static bool is_of_out(const struct spool *s, const struct err *err)
{
    static const int all[] = {ENOSPC, EDQUOT, EROFS, EIO, EMFILE, ENFILE};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (err_failed(err) && err->sys == all[i]) return true;
    return s->unsure;
}

static bool out_is_there(const struct spool *s, struct err *why)
{
    int out = openat(s->root, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out < 0) durable_fail(why, "cannot open", "out");
    if (out >= 0) close(out);
    return out >= 0;
}

/* Counts undelivered documents: the entries, or all of done/. */
static size_t wait_for_out(struct spool *s, char **id, bool all)
{
    size_t n = 0;
    struct err late = {0};
    for (; *id; id++) {
        if (all ? spool_is_delivered(s, *id) : is_stale(s, *id)) continue;
        if (all && !spool_has_file(s, SPOOL_DONE, *id, "record.json")) continue;
        if (all) spool_pending_add(s, *id, SPOOL_DELIVER, &late);
        n++;
    }
    return n;
}

static size_t try_each(struct spool *s, char **id, unsigned formats, bool all,
                       struct err *why)
{
    size_t n = 0;
    bool away =
        false; /* the fleet's database, which corrections are noted in */
    for (; *id; id++) {
        struct err err = {0};
        if (all ? spool_is_delivered(s, *id) : is_stale(s, *id)) {
            spool_pending_remove(s, *id, SPOOL_DELIVER);
            continue;
        }
        if (spool_exists(s->place[SPOOL_WORK], *id)) continue;
        if (away && spool_has_file(s, SPOOL_DONE, *id, CORRECTIONS_FILE)) {
            n++;
            continue;
        }
        deliver_id(s, *id, formats, all, &err);
        n += err_failed(&err);
        away |= err.kind == ERR_REMOTE;
        if (err_failed(&err) && !err_failed(why)) *why = err;
        if (is_of_out(s, &err)) return n + wait_for_out(s, id + 1, all);
    }
    return n;
}

/* With `all`: is there a note to write, whatever pending/ says? */
static bool note_is_due(const struct spool *s, const char *id)
{
    return s->notes && !spool_has_file(s, SPOOL_FAILED, id, SPOOL_NOTED) &&
           !spool_is_dismissed(s, id);
}

/* Writes the notes that have an entry, or with `all` those of all of failed/. A
 * note that cannot be written is left to the next call. */
static void write_notes(struct spool *s, bool all)
{
    struct err list = {0};
    struct arena *arena = arena_new();
    char **id = all ? spool_list(s, SPOOL_FAILED, arena, NULL, &list)
                    : spool_pending_list(s, SPOOL_NOTE, arena, &list);
    for (; *id; id++) {
        struct err err = {0};
        struct folder f;
        if (all && !note_is_due(s, *id)) continue;
        if (spool_lock(s, SPOOL_FAILED, *id, &f, &err)) {
            failure_note_put(&f, &err);
            spool_unlock(&f);
        } else if (!spool_exists(s->place[SPOOL_WORK], *id) &&
                   !spool_exists(s->place[SPOOL_FAILED], *id)) {
            spool_pending_remove(s, *id, SPOOL_NOTE);
        }
    }
    arena_free(arena);
}

size_t delivery_retry(struct spool *s, unsigned formats, bool all,
                      struct err *why)
{
    *why = (struct err){0};
    write_notes(s, all);
    struct arena *arena = arena_new();
    char **id = all ? spool_list(s, SPOOL_DONE, arena, NULL, why)
                    : spool_pending_list(s, SPOOL_DELIVER, arena, why);
    size_t n = err_failed(why)        ? 0
               : out_is_there(s, why) ? try_each(s, id, formats, all, why)
                                      : wait_for_out(s, id, all);
    arena_free(arena);
    return n;
}
