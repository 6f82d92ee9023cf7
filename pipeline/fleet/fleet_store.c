/* fleet_store.c - see fleet_store.h. */
#define _GNU_SOURCE
#include "pipeline/fleet/fleet_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_s3.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/hash.h"

void fleet_store_place(struct fleet_store *s, const char *where,
                       struct err *err)
{
    if (err_failed(err)) return;
    s->folder = s->bucket = NULL;
    if (!strncmp(where, "s3://", 5))
        s->bucket = where + 5;
    else
        s->folder = where;
    if (!*where || (s->bucket && !*s->bucket))
        err_set(err, ERR_ARGS,
                "the fleet has no store: platen fleet init --store DIR or "
                "s3://BUCKET/PREFIX");
    else if (s->bucket && (!*s->key || !*s->secret))
        err_set(err, ERR_ARGS,
                "%s needs S3 keys: fleet_key_file, or "
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                where);
}

static void away(struct err *err, const char *path)
{
    int sys = errno;
    err_reason(err, ERR_REMOTE, "store-unreachable",
               "the fleet's store: %s: %s", path, strerror(sys));
}

/* --- a folder ------------------------------------------------------------ */

enum { PATH_MOST = 4096 };

struct blob_path {
    char folder[PATH_MOST], file[PATH_MOST + 80], tmp[PATH_MOST + 200];
};

static void name_paths(const struct fleet_store *s, const char *hex,
                       struct blob_path *p)
{
    snprintf(p->folder, sizeof p->folder, "%.4000s/%.2s", s->folder, hex);
    snprintf(p->file, sizeof p->file, "%s/%s", p->folder, hex);
    snprintf(p->tmp, sizeof p->tmp, "%s.%.60s.%ld.tmp", p->file, s->host,
             (long)getpid());
}

/* A file of the wrong size is damaged; the hash is not checked here, since that
 * would read all of it. */
static bool is_there(const struct blob_path *p, size_t size)
{
    struct stat st;
    return stat(p->file, &st) == 0 && (size_t)st.st_size == size &&
           utimensat(AT_FDCWD, p->file, NULL, 0) == 0;
}

/* Writes all of it to the file; false: errno says why. */
static bool fleet_store_write(int fd, struct span bytes)
{
    for (size_t n = 0; n < bytes.size;) {
        ssize_t put = write(fd, bytes.data + n, bytes.size - n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        n += (size_t)put;
    }
    return true;
}

static bool write_blob(const struct blob_path *p, struct span bytes)
{
    if (mkdir(p->folder, 0770) == 0) {
        if (!atomic_file_keep_name(p->folder)) return false;
    } else if (errno != EEXIST) {
        return false;
    }
    unlink(p->tmp);
    int fd = open(p->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd < 0) return false;
    bool ok = fleet_store_write(fd, bytes) && fsync(fd) == 0;
    /* NFS reports write errors at close */
    ok = close(fd) == 0 && ok && rename(p->tmp, p->file) == 0;
    if (!ok) {
        int sys = errno;
        unlink(p->tmp);
        errno = sys;
    }
    return ok && atomic_file_keep_name(p->file);
}

static void copy_blob(const char *path, int to, struct err *err)
{
    char chunk[1 << 16];
    ssize_t got = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        err_reason(err, ERR_REMOTE, "store-damaged",
                   "the fleet's store: %sis missing", path);
    else if (fd < 0)
        away(err, path);
    while (fd >= 0 && (got = read(fd, chunk, sizeof chunk)) > 0)
        if (!fleet_store_write(to, (struct span){chunk, (size_t)got})) {
            err_errno(err, "cannot write");
            break;
        }
    if (got < 0) away(err, path);
    if (fd >= 0) close(fd);
}

/* --- either -------------------------------------------------------------- */

void fleet_store_put(const struct fleet_store *s, struct span bytes,
                     const struct hash *hash, struct err *err)
{
    struct blob_path p;
    if (err_failed(err)) return;
    if (s->bucket) {
        fleet_s3_put(s, hash->hex, bytes, err);
        return;
    }
    name_paths(s, hash->hex, &p);
    if (!is_there(&p, bytes.size) && !write_blob(&p, bytes)) away(err, p.file);
}

static void check_hash(const char *hex, int fd, struct err *err)
{
    if (err_failed(err)) return;
    struct hash hash = hash_fd(fd, err);
    if (err_failed(err) || !strcmp(hash.hex, hex)) return;
    err_reason(err, ERR_REMOTE, "store-damaged",
               "the fleet's store: %shas the wrong hash", hex);
}

void fleet_store_get(const struct fleet_store *s, const char *hex, int fd,
                     struct err *err)
{
    struct blob_path p;
    if (err_failed(err)) return;
    if (s->bucket) {
        fleet_s3_get(s, hex, fd, err);
    } else {
        name_paths(s, hex, &p);
        copy_blob(p.file, fd, err);
    }
    check_hash(hex, fd, err);
}

struct span fleet_store_read(const struct fleet_store *s, const char *hex,
                             size_t most, struct arena *arena, struct err *err)
{
    struct span none = {"", 0};
    struct stat st;
    if (err_failed(err)) return none;
    int fd = memfd_create("platen", MFD_CLOEXEC);
    if (fd < 0) err_errno(err, "cannot make a file in memory");
    fleet_store_get(s, hex, fd, err);
    if (!err_failed(err) && (fstat(fd, &st) != 0 || (size_t)st.st_size > most))
        err_reason(err, ERR_LIMIT, "too-large", "%s: longer than %zu bytes",
                   hex, most);
    char *data = NULL;
    size_t size = err_failed(err) ? 0 : (size_t)st.st_size;
    if (!err_failed(err)) {
        data = arena_alloc(arena, size + 1);
        if (pread(fd, data, size, 0) != (ssize_t)size)
            err_errno(err, "cannot read");
    }
    if (fd >= 0) close(fd);
    return err_failed(err) ? none : (struct span){data, size};
}
