/* spool_upload.c - see spool_upload.h. */
#define _GNU_SOURCE
#include "pipeline/spool/spool_upload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool_json.h"
#include "vlm/base/hash.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"

static const char uploads_name[] = "uploads";

enum { KEY_NAME = 80 };

static int open_uploads(struct spool *s, struct err *err)
{
    if (err_failed(err)) return -1;
    if (mkdirat(s->root, uploads_name, 0700) == 0)
        durable_sync(s, s->root, s->path, err);
    int fd = durable_open_folder(s->root, uploads_name);
    if (fd < 0) durable_fail(err, "cannot open", uploads_name);
    return fd;
}

/* --- looking at one --- */

/* What name.json says; false if it is not complete. */
static bool read_name(int folder_fd, struct spool_upload *u)
{
    struct spool_source from;
    cJSON *o = spool_read_json(folder_fd, "name.json", SPOOL_JSON_MAX);
    bool whole = spool_source_read(o, &from);
    snprintf(u->name, sizeof u->name, "%s", from.name);
    snprintf(u->folder, sizeof u->folder, "%s", from.folder);
    snprintf(u->who, sizeof u->who, "%s",
             json_get_text_or_empty(o, "uploaded_by"));
    u->bytes = json_get(o, "bytes") ? json_get_integer(o, "bytes") : -1;
    cJSON_Delete(o);
    return whole;
}

static long long size_of_doc(int folder_fd)
{
    struct stat st;
    bool there = fstatat(folder_fd, "doc", &st, AT_SYMLINK_NOFOLLOW) == 0;
    return there ? (long long)st.st_size : -1;
}

/* Is it a document already? Its bytes may have been pruned. */
static bool find_document(const struct spool *s, struct spool_upload *u)
{
    static const enum spool_place places[] = {SPOOL_WORK, SPOOL_DONE,
                                              SPOOL_FAILED};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int fd = spool_folder_fd(s, places[i], u->id);
        if (fd < 0) continue;
        u->complete = read_name(fd, u);
        long long size = size_of_doc(fd);
        u->offset = u->bytes >= 0 ? u->bytes : size;
        close(fd);
        return u->complete;
    }
    return false;
}

/* Opens the folder of an upload and locks it: a finished one is found in work/,
 * under the same lock. */
static enum spool_upload_end lock_upload(struct spool *s,
                                         struct spool_upload *u,
                                         struct folder *f)
{
    struct spool_upload there = *u;
    struct err none = {0};
    int at = open_uploads(s, &none);
    *f = (struct folder){.spool = s, .fd = -1};
    snprintf(f->id, sizeof f->id, "%s", u->id);
    if (at >= 0) f->fd = durable_open_folder(at, u->id);
    bool held = f->fd >= 0 && flock(f->fd, LOCK_EX | LOCK_NB) != 0;
    bool here = f->fd >= 0 && !held && spool_exists(at, u->id);
    if (at >= 0) close(at);
    bool known = here ? read_name(f->fd, &there) : find_document(s, &there);
    bool theirs = known && !strcmp(there.who, u->who);
    if (theirs && here) there.offset = size_of_doc(f->fd);
    if (theirs) *u = there;
    if (here && theirs && u->offset >= 0) return SPOOL_UPLOAD_OK;
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
    if (held) return SPOOL_UPLOAD_BUSY;
    return theirs && u->complete ? SPOOL_UPLOAD_OK : SPOOL_UPLOAD_MISSING;
}

static void unlock_upload(struct folder *f)
{
    if (f->fd >= 0) close(f->fd);
}

enum spool_upload_end spool_upload_find(struct spool *s, struct spool_upload *u)
{
    struct folder f;
    struct err none = {0};
    enum spool_upload_end end = lock_upload(s, u, &f);
    /* what is told must be on disk */
    int doc = f.fd >= 0 ? spool_open_file(f.fd, "doc") : -1;
    if (doc >= 0) durable_sync(s, doc, u->id, &none);
    if (doc >= 0) close(doc);
    unlock_upload(&f);
    return err_failed(&none) ? SPOOL_UPLOAD_BUSY : end;
}

/* --- beginning --- */

/* A client's key, and the client: two have different keys for the same text. */
static void name_key(const struct spool_upload *u, const char *key,
                     char name[static KEY_NAME])
{
    struct buf text = buf_limit(1024);
    buf_add(&text, u->who, strlen(u->who) + 1);
    buf_add_text(&text, key);
    snprintf(name, KEY_NAME, "%s.key", hash_bytes(buf_span(&text)).hex);
    buf_free(&text);
}

/* The id that the key stands for; made, durably, if it is new. */
static void find_key(struct spool *s, int at, struct spool_upload *u,
                     const char *key, bool *known, struct err *err)
{
    char name[KEY_NAME], tmp[SPOOL_ID_SIZE + 8];
    struct arena *arena = arena_new();
    struct folder f = {.spool = s, .fd = at};
    name_key(u, key, name);
    for (int i = 0; i < 2 && !err_failed(err); i++) {
        struct span id = spool_read(at, name, SPOOL_ID_SIZE, arena);
        *known = id.data && spool_is_id(id.data);
        if (*known) snprintf(u->id, sizeof u->id, "%s", id.data);
        if (*known) break;
        snprintf(tmp, sizeof tmp, "%s.tmp", u->id);
        durable_write_new(&f, tmp, span_of(u->id), err);
        if (err_failed(err)) break;
        if (durable_rename_shared(at, tmp, name)) break;
        unlinkat(at, tmp, 0); /* another process was faster, or damage */
        if (errno != EEXIST) durable_fail(err, "cannot make", name);
    }
    durable_sync(s, at, uploads_name, err);
    arena_free(arena);
}

/* The folder with name.json and an empty doc; also if a crash left a part. */
static void make_upload(struct spool *s, int at, struct spool_upload *u,
                        struct err *err)
{
    struct folder f = {.spool = s, .fd = -1};
    if (err_failed(err)) return;
    snprintf(f.id, sizeof f.id, "%s", u->id);
    if (mkdirat(at, u->id, 0700) != 0 && errno != EEXIST)
        durable_fail(err, "cannot make a folder for", u->id);
    else
        f.fd = durable_open_folder(at, u->id);
    if (f.fd < 0) durable_fail(err, "cannot open", u->id);
    if (err_failed(err)) return;
    cJSON *o = cJSON_CreateObject();
    spool_json_add_name(o, "name", u->name);
    spool_json_add_name(o, "folder", u->folder);
    json_add_now(o, "claimed");
    if (u->bytes >= 0) json_add_integer(o, "bytes", u->bytes);
    cJSON_AddStringToObject(o, "uploaded_by", u->who);
    spool_json_write(&f, "name.json", o, err);
    int doc =
        openat(f.fd, "doc", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (doc < 0) durable_fail(err, "cannot make", "doc");
    if (doc >= 0) close(doc);
    durable_sync(s, f.fd, u->id, err);
    durable_sync(s, at, uploads_name, err);
    close(f.fd);
}

static bool is_same(const struct spool_upload *a, const struct spool_upload *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->folder, b->folder) &&
           a->bytes == b->bytes;
}

enum spool_upload_end spool_upload_begin(struct spool *s,
                                         struct spool_upload *u,
                                         const char *key, bool *fresh,
                                         struct err *err)
{
    enum spool_upload_end end = SPOOL_UPLOAD_MISSING;
    struct spool_upload before;
    bool known = false;
    *fresh = false;
    if (err_failed(err)) return SPOOL_UPLOAD_BUSY;
    int at = open_uploads(s, err);
    spool_make_id(u->id);
    if (*key) find_key(s, at, u, key, &known, err);
    before = *u;
    if (known && !err_failed(err)) end = spool_upload_find(s, &before);
    if (end == SPOOL_UPLOAD_OK && !is_same(u, &before))
        end = SPOOL_UPLOAD_REUSED;
    if (end == SPOOL_UPLOAD_OK) *u = before;
    if (end == SPOOL_UPLOAD_MISSING) {
        make_upload(s, at, u, err);
        u->offset = 0;
        *fresh = true;
        end = SPOOL_UPLOAD_OK;
    }
    if (at >= 0) close(at);
    return end;
}

/* --- going on --- */

static void write_piece(int doc, struct span piece, long long offset,
                        struct err *err)
{
    for (size_t n = 0; n < piece.size && !err_failed(err);) {
        ssize_t put = pwrite(doc, piece.data + n, piece.size - n,
                             (off_t)offset + (off_t)n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) durable_fail(err, "cannot write", "doc");
        if (put > 0) n += (size_t)put;
    }
}

enum spool_upload_end spool_upload_add(struct spool *s, struct spool_upload *u,
                                       long long offset, struct span piece,
                                       bool durably, bool anew, struct err *err)
{
    struct folder f;
    if (err_failed(err)) return SPOOL_UPLOAD_BUSY;
    enum spool_upload_end end = lock_upload(s, u, &f);
    if (end != SPOOL_UPLOAD_OK) return end;
    if (f.fd < 0 || (offset != u->offset && !anew)) {
        unlock_upload(&f);
        return SPOOL_UPLOAD_OFFSET;
    }
    int doc = openat(f.fd, "doc", O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (doc < 0) durable_fail(err, "cannot open", "doc");
    if (anew && !err_failed(err) && ftruncate(doc, 0) != 0)
        durable_fail(err, "cannot cut", "doc");
    write_piece(doc, piece, offset, err);
    /* what a failed write left is no part of it */
    if (err_failed(err) && doc >= 0 && ftruncate(doc, (off_t)offset) != 0)
        s->unsure = true;
    if (durably) durable_sync(s, doc, u->id, err);
    if (!err_failed(err)) u->offset = offset + (long long)piece.size;
    if (doc >= 0) close(doc);
    unlock_upload(&f);
    return SPOOL_UPLOAD_OK;
}

enum spool_upload_end spool_upload_finish(struct spool *s,
                                          struct spool_upload *u,
                                          struct err *err)
{
    struct folder f;
    if (err_failed(err)) return SPOOL_UPLOAD_BUSY;
    enum spool_upload_end end = lock_upload(s, u, &f);
    if (end != SPOOL_UPLOAD_OK || f.fd < 0) return end;
    int at = open_uploads(s, err), doc = spool_open_file(f.fd, "doc");
    if (doc < 0) durable_fail(err, "cannot open", "doc");
    if (doc >= 0) durable_sync(s, doc, u->id, err);
    if (doc >= 0) close(doc); /* the seal's lease: nobody may have it open */
    durable_sync(s, f.fd, u->id, err);
    durable_rename(at, u->id, s->place[SPOOL_WORK], u->id, err);
    durable_sync(s, s->place[SPOOL_WORK], "work", err);
    durable_sync(s, at, uploads_name, err);
    u->complete = !err_failed(err);
    if (at >= 0) close(at);
    unlock_upload(&f);
    return SPOOL_UPLOAD_OK;
}

/* --- removing --- */

static bool is_of_upload(const char *name)
{
    return spool_is_temporary(name) || !strcmp(name, "name.json") ||
           !strcmp(name, "doc");
}

static void remove_folder(int at, int folder_fd, const char *id)
{
    durable_sweep(folder_fd, is_of_upload);
    unlinkat(at, id, AT_REMOVEDIR);
}

enum spool_upload_end spool_upload_drop(struct spool *s, struct spool_upload *u)
{
    struct folder f;
    struct err none = {0};
    enum spool_upload_end end = lock_upload(s, u, &f);
    if (end != SPOOL_UPLOAD_OK) return end;
    if (f.fd < 0) return SPOOL_UPLOAD_OFFSET; /* it is complete */
    int at = open_uploads(s, &none);
    if (at >= 0) remove_folder(at, f.fd, u->id);
    if (at >= 0) close(at);
    unlock_upload(&f);
    return SPOOL_UPLOAD_OK;
}

/* Was it changed since? A folder's own time is that of its last new name. */
static bool is_old(int at, const char *name, long long before)
{
    char doc[300];
    struct stat st;
    snprintf(doc, sizeof doc, "%.255s/doc", name);
    if (fstatat(at, doc, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
        fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    return (long long)st.st_mtim.tv_sec < before;
}

void spool_upload_sweep(struct spool *s, long long before)
{
    struct err none = {0};
    int at = open_uploads(s, &none);
    DIR *d = at >= 0 ? fdopendir(dup(at)) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *name = e->d_name;
        bool is_key = text_stem(name, ".key") > 0 || spool_is_temporary(name);
        if ((!is_key && !spool_is_id(name)) || !is_old(at, name, before))
            continue;
        int fd = is_key ? -1 : durable_open_folder(at, name);
        if (is_key) unlinkat(at, name, 0);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_folder(at, fd, name);
        if (fd >= 0) close(fd);
    }
    if (d) closedir(d);
    if (at >= 0) close(at);
}
