/* spool_seal.c - makes the claimed bytes private (S6).
 *
 * A claim by rename takes the dropped inode, and a program that has it open for
 * writing keeps it open. If a lease proves that none has, the inode is kept:
 * its only name is now in a folder of mode 0700, where no one else can open it.
 * Otherwise the bytes are copied to doc.tmp and read from there. The dropped
 * inode keeps its name meanwhile, so that bytes which still arrive are noticed,
 * until doc.tmp is renamed to doc just before the outcome is written.
 *
 * A stack is sealed before its parts are linked to its bytes, so all names of a
 * shared inode are in our folders.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_json.h"
#include "pipeline/spool/spool_part.h"
#include "vlm/base/hash.h"
#include "vlm/json/json.h"

static const char copy_name[] = "doc.tmp";
/* S7: an fsync of doc failed, so its bytes must be copied to a new file. */
static const char unsynced_name[] = "unsynced";

/* Is doc a copy, not the dropped inode? */
static bool is_private(struct folder *f, const struct stat *doc)
{
    cJSON *o = spool_read_json(f->fd, "name.json", SPOOL_JSON_MAX);
    bool known = cJSON_IsNumber(json_get(o, "inode")) &&
                 cJSON_IsNumber(json_get(o, "device"));
    bool same = spool_json_number_is(o, "inode", (long long)doc->st_ino) &&
                spool_json_number_is(o, "device", (long long)doc->st_dev);
    cJSON_Delete(o);
    return known && !same && doc->st_uid == geteuid() && doc->st_nlink == 1;
}

/* Takes a lease, which is granted only if the file is not open for writing, and
 * kept until it is closed. The owner could still reopen it through /proc. */
static bool take_lease(int fd, const struct stat *st)
{
    return st->st_uid == geteuid() && st->st_nlink == 1 &&
           fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
}

static bool is_sealed(struct folder *f, const struct stat *doc)
{
    return doc->st_uid == geteuid() &&
           (spool_exists(f->fd, "part.json") || spool_part_is_stack(f->fd));
}

static bool strip_bits(int fd, const struct stat *st)
{
    return !(st->st_mode & 07000) ||
           (st->st_nlink == 1 && fchmod(fd, st->st_mode & 0777) == 0);
}

static void open_doc(struct folder *f, struct spool_seal *seal, struct err *err)
{
    /* NONBLOCK: do not wait for another process's lease */
    seal->fd =
        openat(f->fd, "doc", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (seal->fd < 0 && errno != ELOOP && errno != ENXIO)
        durable_fail(err, "cannot open", "the document");
    else if (seal->fd < 0 || fstat(seal->fd, &seal->before) != 0 ||
             !S_ISREG(seal->before.st_mode))
        err_reason(err, ERR_INPUT, "not-regular",
                   "a link or special file; its target was not opened");
}

/* Adapts the failure of a copy for a document that is in work/ already. */
static void reword(struct err *err)
{
    if (!err_failed(err) || !err->reason) return;
    if (!strcmp(err->reason, "unreadable")) err->reason = "disk";
    if (!strcmp(err->reason, "disk")) err->kind = ERR_SYSTEM;
}

static void read_from_copy(struct folder *f, struct spool_seal *seal,
                           struct err *err)
{
    int dropped = seal->fd;
    seal->fd = durable_copy(f, copy_name, dropped, &seal->before, err);
    seal->dropped = dropped;
    reword(err);
}

void spool_seal_begin(struct folder *f, struct spool_seal *seal,
                      struct err *err)
{
    *seal = (struct spool_seal){.folder = f, .fd = -1, .dropped = -1};
    if (err_failed(err)) return;
    assert(f->fd >= 0);
    open_doc(f, seal, err);
    if (!err_failed(err)) {
        int64_t most = f->spool->limits.doc_bytes;
        bool stripped = strip_bits(seal->fd, &seal->before);
        bool synced = !spool_exists(f->fd, unsynced_name);
        seal->shared = synced && is_sealed(f, &seal->before);
        bool huge = most && seal->before.st_size > most;
        seal->leased = !seal->shared && stripped && synced &&
                       !is_private(f, &seal->before) &&
                       take_lease(seal->fd, &seal->before);
        if (fstat(seal->fd, &seal->before) != 0)
            durable_fail(err, "cannot access", "the document");
        else if (!huge && !seal->leased && !seal->shared &&
                 !(stripped && synced && is_private(f, &seal->before)))
            read_from_copy(f, seal, err);
    }
    if (!err_failed(err) && spool_exists(f->fd, SPOOL_UNLOCKED))
        seal->unlocked = spool_open_file(f->fd, SPOOL_UNLOCKED);
    if (err_failed(err)) spool_seal_drop(seal);
}

static bool has_hash(int fd, const char *sha256, struct err *err)
{
    struct hash hash = hash_fd(fd, err);
    return !err_failed(err) && !strcmp(hash.hex, sha256);
}

void spool_seal_check(struct spool_seal *seal, const char *sha256,
                      struct err *err)
{
    struct stat now;
    if (err_failed(err) || seal->fd < 0) return;
    int fd = seal->dropped >= 0 ? seal->dropped : seal->fd;
    if (fstat(fd, &now) != 0) {
        durable_fail(err, "cannot access", "the document");
        return;
    }
    /* links to it change its ctime */
    if (seal->shared) now.st_ctim = seal->before.st_ctim;
    bool same = durable_same(&now, &seal->before) &&
                (!*sha256 || has_hash(fd, sha256, err));
    /* broken: a program opens it for writing */
    if (seal->leased && fcntl(fd, F_GETLEASE) != F_RDLCK) same = false;
    if (!same)
        err_reason(err, ERR_SYSTEM, "still-written",
                   "the file changed while it was read");
}

/* Keeps the dropped inode, and fsyncs it: its producer may not have done so. */
static void keep_dropped(struct spool_seal *seal, struct err *err)
{
    struct folder *f = seal->folder;
    struct err late = {0};
    durable_sync(f->spool, seal->fd, "the document", err);
    if (err_failed(err)) spool_mark(f, unsynced_name, &late);
}

static void keep_copy(struct spool_seal *seal, struct err *err)
{
    struct folder *f = seal->folder;
    if (renameat(f->fd, copy_name, f->fd, "doc") != 0) {
        durable_fail(err, "cannot rename", copy_name);
        return;
    }
    unlinkat(f->fd, unsynced_name, 0);
    close(seal->dropped);
    seal->dropped = -1;
    durable_sync(f->spool, f->fd, f->id, err);
    if (fstat(seal->fd, &seal->before) != 0)
        durable_fail(err, "cannot access", "the document");
}

void spool_seal_end(struct spool_seal *seal, struct err *err)
{
    if (err_failed(err) || seal->fd < 0) return;
    spool_seal_check(seal, "", err);
    if (err_failed(err)) return;
    if (seal->dropped >= 0)
        keep_copy(seal, err);
    else
        keep_dropped(seal, err);
}

void spool_seal_drop(struct spool_seal *seal)
{
    if (seal->dropped >= 0 && seal->folder)
        unlinkat(seal->folder->fd, copy_name, 0);
    if (seal->dropped >= 0) close(seal->dropped);
    if (seal->fd >= 0) close(seal->fd);
    if (seal->unlocked > 0) close(seal->unlocked);
    *seal = (struct spool_seal){.fd = -1, .dropped = -1};
}

void spool_seal_found(struct folder *f, struct err *err)
{
    struct spool_seal seal;
    struct err own = {0};
    if (err_failed(err)) return;
    spool_seal_begin(f, &seal, &own);
    spool_seal_end(&seal, &own);
    spool_seal_drop(&seal);
    if (err_failed(&own) && own.kind == ERR_SYSTEM) *err = own;
}
