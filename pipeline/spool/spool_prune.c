/* spool_prune.c - see spool_prune.h. */
#define _GNU_SOURCE
#include "pipeline/spool/spool_prune.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/failure_note.h"
#include "pipeline/spool/spool_archive.h"
#include "pipeline/spool/spool_part.h"
#include "stages/document/record_files.h"
#include "vlm/json/json.h"

struct prune {
    struct spool *s;
    const struct spool_prune *how;
    struct spool_archive *archive; /* NULL: nothing is kept */
    size_t n;
};

static void report_document(struct prune *p, const char *id, const char *why)
{
    p->n += why == NULL;
    p->how->tell(p->how->arg, id, p->how->keep_records ? "bytes" : "document",
                 why);
}

/* --- may it go? --------------------------------------------------------- */

static bool is_dot(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

/* A folder with a file that platen did not make is kept. */
static bool holds_foreign(int folder_fd)
{
    bool foreign = false;
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        foreign |= !is_dot(e->d_name) && !document_folder_is_ours(e->d_name) &&
                   !spool_is_temporary(e->d_name);
    if (d) closedir(d);
    return !d || foreign;
}

/* Was the document delivered before the limit, and is no hook due? */
static bool is_old(const struct prune *p, const struct folder *f)
{
    struct stat delivered;
    return fstatat(f->fd, "delivered", &delivered, AT_SYMLINK_NOFOLLOW) == 0 &&
           (long long)delivered.st_mtime < p->how->before &&
           spool_exists(f->fd, "record.json") &&
           !(p->s->hook[SPOOL_DONE] && spool_exists(f->fd, SPOOL_HOOK_FILE));
}

/* Locks a document that can be pruned; false: it is kept. */
static bool lock_prunable(struct prune *p, const char *id, struct folder *f,
                          struct err *err)
{
    if (!spool_lock(p->s, SPOOL_DONE, id, f, err)) return false;
    bool old = is_old(p, f), foreign = old && holds_foreign(f->fd);
    if (foreign) report_document(p, id, "has a file that is not platen's");
    if (old && !foreign) return true;
    spool_unlock(f);
    return false;
}

/* --- going -------------------------------------------------------------- */

static bool every(const char *name)
{
    return !is_dot(name);
}

/* Deletes pending/<id>.prune with the remaining files. */
static void delete_pending(struct prune *p, const char *id, struct err *err)
{
    char name[SPOOL_PENDING_NAME];
    if (err_failed(err)) return;
    spool_pending_name(name, id, SPOOL_PRUNE);
    int fd = durable_open_folder(p->s->pending, name);
    if (fd >= 0) {
        durable_sweep(fd, every);
        unlinkat(fd, "parts", AT_REMOVEDIR);
        close(fd);
    }
    if (unlinkat(p->s->pending, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        durable_fail(err, "cannot remove from pending/:", name);
}

/* The rename is durable before the first file is deleted. */
static void remove_whole(struct prune *p, enum spool_place place,
                         struct folder *f, struct err *err)
{
    struct spool *s = p->s;
    char name[SPOOL_PENDING_NAME];
    if (p->archive) spool_archive_keep(p->archive, f, err);
    if (err_failed(err)) return;
    spool_pending_name(name, f->id, SPOOL_PRUNE);
    if (spool_pending_folder(s) < 0)
        durable_fail(err, "cannot open", "pending");
    durable_rename(s->place[place], f->id, s->pending, name, err);
    durable_sync(s, s->pending, "pending", err);
    durable_sync(s, s->place[place], spool_place_name(place), err);
    delete_pending(p, f->id, err);
}

/* The searchable PDF has the document's pages, too. */
static void remove_bytes(struct folder *f, struct err *err)
{
    if (!spool_exists(f->fd, SPOOL_PRUNED)) spool_mark(f, SPOOL_PRUNED, err);
    spool_remove(f, record_files_of(FORMAT_PDF)->name, err);
    spool_remove(f, SPOOL_UNLOCKED, err);
    spool_remove(f, SPOOL_WORDS, err);
    spool_remove(f, "doc", err);
}

/* --- a stack ------------------------------------------------------------ */

/* Calls back for each part that the stack's record lists, until one returns
 * false. */
static bool each_part(struct prune *p, const struct folder *stack,
                      bool (*one)(struct prune *p, const struct folder *stack,
                                  const char *id, struct err *err),
                      struct err *err)
{
    cJSON *record = spool_read_json(stack->fd, "record.json", p->how->most);
    const cJSON *part = NULL, *parts = json_get(record, "parts");
    bool all = cJSON_IsArray(parts) && !err_failed(err);
    cJSON_ArrayForEach(part, parts)
    {
        const char *id = json_get_text_or_empty(part, "id");
        all = all && spool_is_id(id) && one(p, stack, id, err);
    }
    cJSON_Delete(record);
    return all;
}

static bool part_may_go(struct prune *p, const struct folder *stack,
                        const char *id, struct err *err)
{
    struct folder f;
    if (spool_exists(stack->fd, SPOOL_PRUNING) &&
        !spool_exists(p->s->place[SPOOL_DONE], id) &&
        !spool_exists(p->s->place[SPOOL_WORK], id) &&
        !spool_exists(p->s->place[SPOOL_FAILED], id))
        return true; /* deleted before */
    bool may = lock_prunable(p, id, &f, err);
    if (may) spool_unlock(&f);
    return may;
}

/* A part that was corrected recently is kept, and so is its stack. */
static bool remove_part(struct prune *p, const struct folder *stack,
                        const char *id, struct err *err)
{
    struct folder f;
    (void)stack;
    if (!spool_exists(p->s->place[SPOOL_DONE], id)) return true;
    if (!lock_prunable(p, id, &f, err)) return false;
    remove_whole(p, SPOOL_DONE, &f, err);
    spool_unlock(&f);
    if (!err_failed(err)) report_document(p, id, NULL);
    return !err_failed(err);
}

static bool tell_part(struct prune *p, const struct folder *stack,
                      const char *id, struct err *err)
{
    (void)stack;
    (void)err;
    if (spool_exists(p->s->place[SPOOL_DONE], id)) report_document(p, id, NULL);
    return true;
}

/* True: no part is left. */
static bool remove_parts(struct prune *p, struct folder *stack, struct err *err)
{
    if (!each_part(p, stack, part_may_go, err)) return false;
    if (p->how->dry_run) return each_part(p, stack, tell_part, err);
    if (!spool_exists(stack->fd, SPOOL_PRUNING))
        spool_mark(stack, SPOOL_PRUNING, err);
    return each_part(p, stack, remove_part, err);
}

/* --- one document ------------------------------------------------------- */

static void prune_whole(struct prune *p, struct folder *f, struct err *err)
{
    if (spool_part_is_stack(f->fd) && !remove_parts(p, f, err)) return;
    if (!p->how->dry_run) remove_whole(p, SPOOL_DONE, f, err);
    if (!err_failed(err)) report_document(p, f->id, NULL);
}

static void prune_bytes(struct prune *p, struct folder *f, struct err *err)
{
    if (!spool_exists(f->fd, "doc")) return;
    if (!p->how->dry_run) remove_bytes(f, err);
    if (!err_failed(err)) report_document(p, f->id, NULL);
}

static void prune_one(struct prune *p, const char *id, struct err *err)
{
    struct folder f;
    struct spool_part part;
    if (!lock_prunable(p, id, &f, err)) return;
    if (p->how->keep_records)
        prune_bytes(p, &f, err);
    else if (!spool_part_read(f.fd, &part)) /* deleted with their stack */
        prune_whole(p, &f, err);
    spool_unlock(&f);
}

size_t spool_prune(struct spool *s, const struct spool_prune *how,
                   struct err *err)
{
    struct prune p = {.s = s, .how = how};
    if (err_failed(err)) return 0;
    if (how->config) p.archive = spool_archive_new(s, how->config, false);
    struct arena *arena = arena_new();
    char **begun = spool_pending_list(s, SPOOL_PRUNE, arena, err);
    for (; *begun && !how->dry_run && !err_failed(err); begun++)
        delete_pending(&p, *begun, err);
    char **id = spool_list(s, SPOOL_DONE, arena, NULL, err);
    for (; *id && !err_failed(err); id++)
        prune_one(&p, *id, err);
    spool_archive_free(p.archive);
    arena_free(arena);
    return p.n;
}

/* --- at once ------------------------------------------------------------ */

enum spool_prune_end spool_prune_delete(struct spool *s, const char *id,
                                        struct err *err)
{
    static const enum spool_place places[] = {SPOOL_WORK, SPOOL_DONE,
                                              SPOOL_FAILED};
    struct prune p = {.s = s};
    struct spool_part part;
    enum spool_prune_end end = SPOOL_PRUNE_MISSING;
    for (size_t i = 0; i < 3 && !err_failed(err); i++) {
        struct folder f;
        if (!spool_exists(s->place[places[i]], id)) continue;
        end = SPOOL_PRUNE_BUSY;
        if (!spool_lock(s, places[i], id, &f, err)) continue;
        bool whole =
            places[i] != SPOOL_WORK ||
            (spool_exists(f.fd, "doc") && (!spool_exists(f.fd, "taken.json") ||
                                           spool_exists(f.fd, "released")));
        if (spool_part_is_stack(f.fd) || spool_part_read(f.fd, &part)) {
            end = SPOOL_PRUNE_PART;
        } else if (whole) {
            if (places[i] == SPOOL_FAILED) failure_note_drop(&f, err);
            spool_pending_remove(s, id, SPOOL_DELIVER);
            remove_whole(&p, places[i], &f, err);
            end = SPOOL_PRUNE_DELETED;
        }
        spool_unlock(&f);
        if (end != SPOOL_PRUNE_BUSY) break;
    }
    return end;
}
