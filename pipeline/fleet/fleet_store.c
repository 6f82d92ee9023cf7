/* fleet_store.c - see fleet_store.h. */
#define _GNU_SOURCE
#include "pipeline/fleet/fleet_store.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vlm/base/atomic_file.h"
#include "vlm/base/hash.h"

/* --- fleet s3 ---------------------------------------------------------- */

/* Objects of an S3 bucket (libcurl, SigV4). */

enum { CONNECT_S = 20, STALL_S = 60, TRIES = 3 };

/* One request. */
struct s3_request {
    const struct fleet_store *store;
    const char *hex;
    struct span up; /* of a put; data NULL: a get */
    size_t n_up;
    int fd; /* of a get */
    int sys;
    long status;
    char why[CURL_ERROR_SIZE];
};

static size_t give_bytes(char *to, size_t size, size_t n, void *arg)
{
    struct s3_request *r = arg;
    size_t left = r->up.size - r->n_up,
           take = size * n < left ? size * n : left;
    memcpy(to, r->up.data + r->n_up, take);
    r->n_up += take;
    return take;
}

/* The body of an error is ignored: its status is enough. */
static size_t take_bytes(char *data, size_t size, size_t n, void *arg)
{
    struct s3_request *r = arg;
    size_t left = size * n;
    while (left > 0 && r->fd >= 0) {
        ssize_t put = write(r->fd, data + size * n - left, left);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            r->sys = put < 0 ? errno : ENOSPC;
            return 0;
        }
        left -= (size_t)put;
    }
    return size * n;
}

static void set_names(CURL *curl, const struct s3_request *r)
{
    const struct fleet_store *s = r->store;
    char text[1024];
    snprintf(text, sizeof text, "%s/%s/%.2s/%s", s->endpoint, s->bucket, r->hex,
             r->hex);
    curl_easy_setopt(curl, CURLOPT_URL, text);
    snprintf(text, sizeof text, "aws:amz:%s:s3", s->region);
    curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, text);
    curl_easy_setopt(curl, CURLOPT_USERNAME, s->key);
    curl_easy_setopt(curl, CURLOPT_PASSWORD, s->secret);
}

static struct curl_slist *headers_of(const struct s3_request *r)
{
    /* libcurl signs this; without a body it is the hash of no bytes */
    static const char none[] =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    char text[2400];
    snprintf(text, sizeof text, "x-amz-content-sha256: %s",
             r->up.data ? r->hex : none);
    struct curl_slist *list = curl_slist_append(NULL, text);
    if (*r->store->session) {
        snprintf(text, sizeof text, "x-amz-security-token: %.2000s",
                 r->store->session);
        list = curl_slist_append(list, text);
    }
    return curl_slist_append(list, "Expect:");
}

static CURLcode ask(struct s3_request *r)
{
    CURL *curl = curl_easy_init();
    if (!curl) return CURLE_FAILED_INIT;
    struct curl_slist *headers = headers_of(r);
    set_names(curl, r);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, r->why);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, r);
    if (r->up.data) {
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_bytes);
        curl_easy_setopt(curl, CURLOPT_READDATA, r);
        curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE,
                         (curl_off_t)r->up.size);
    }
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &r->status);
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    return code;
}

static bool rewind_file(const struct s3_request *r, struct err *err)
{
    if (r->fd < 0) return true;
    if (ftruncate(r->fd, 0) == 0 && lseek(r->fd, 0, SEEK_SET) == 0) return true;
    err_errno(err, "cannot write");
    return false;
}

static void ask_some_times(struct s3_request *r, struct err *err)
{
    CURLcode code = CURLE_OK;
    for (int n = 0; n < TRIES && rewind_file(r, err); n++) {
        if (n) sleep((unsigned)n);
        r->n_up = 0;
        code = ask(r);
        /* a refused request would be refused again */
        if (code == CURLE_OK || r->sys || (r->status >= 400 && r->status < 500))
            break;
    }
    if (err_failed(err) || code == CURLE_OK) return;
    bool gone = r->status == 404 && !r->up.data;
    if (r->sys) {
        errno = r->sys;
        err_errno(err, "cannot write");
    } else {
        err_reason(err, ERR_REMOTE,
                   gone ? "store-damaged" : "store-unreachable",
                   "%s/%s/%.2s/%s: %s", r->store->endpoint, r->store->bucket,
                   r->hex, r->hex, *r->why ? r->why : curl_easy_strerror(code));
    }
}

/* Puts an object; the server checks its SHA-256. FAIL: [store-unreachable]. */
static void fleet_s3_put(const struct fleet_store *s, const char *hex,
                         struct span bytes, struct err *err)
{
    if (err_failed(err)) return;
    struct s3_request r = {.store = s,
                           .hex = hex,
                           .up = {bytes.data ? bytes.data : "", bytes.size},
                           .fd = -1};
    ask_some_times(&r, err);
}

/* Writes the object to `fd`, from its start. FAIL: [store-unreachable],
 * [store-damaged] if it does not exist. */
static void fleet_s3_get(const struct fleet_store *s, const char *hex, int fd,
                         struct err *err)
{
    if (err_failed(err)) return;
    struct s3_request r = {.store = s, .hex = hex, .fd = fd};
    ask_some_times(&r, err);
}

/* --- fleet store ------------------------------------------------------- */

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
