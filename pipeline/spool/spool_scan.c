/* spool_scan.c - lists in/: which files wait, and which names are ignored. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

enum { DEPTH_MAX = 32 }; /* of folders whose files are only counted */

struct scan {
    const struct spool *spool;
    struct arena *arena;
    const char *folder; /* of in/, that is being listed, or "" */
    struct drop *drop;
    size_t n, n_ignored, n_nested;
    const char **unlisted, **ignored;
    size_t n_unlisted;
    const char *unknown; /* the last folder whose names cannot be looked up */
    void (*report)(void *arg, const char *folder, const char *name,
                   const char *what);
    void *arg;
};

static const char *kind_of(mode_t mode)
{
    if (S_ISFIFO(mode)) return "a FIFO";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

static void add_drop(struct scan *s, const char *path, const char *name,
                     const struct stat *st)
{
    *MEM_ADD(s->drop, s->n) = (struct drop){
        s->folder, path, arena_copy(s->arena, span_of(name)), *st};
}

/* The other folders are listed all the same; the caller reports these. */
static void add_unlisted(struct scan *s, const char *path,
                         const struct err *err)
{
    struct buf text = buf_limit(4096);
    file_name_escape(path, &text);
    buf_print(&text, ": %s", strerror(err->sys));
    *MEM_ADD(s->unlisted, s->n_unlisted) =
        arena_copy(s->arena, buf_span(&text));
    buf_free(&text);
}

static void scan_folder(struct scan *s, int at, const char *path,
                        struct err *err);

/* Scans a folder of `path`; its failure does not affect others. */
static void scan_below(struct scan *s, int at, const char *path,
                       const char *name)
{
    struct err err = {0};
    int fd = durable_open_folder(at, name);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return; /* gone meanwhile */
    if (fd < 0) durable_fail(&err, "cannot list", name);
    const char *below =
        arena_text(s->arena, "%s%s%s", path, *path ? "/" : "", name);
    if (!*path) s->folder = below;
    if (fd >= 0) scan_folder(s, fd, below, &err);
    if (!*path) s->folder = "";
    if (err_failed(&err)) add_unlisted(s, below, &err);
}

/* Can a folder of in/NAME/ be read? out/ needs its escaped name. */
static bool is_read(const struct scan *s, const char *path, const char *name)
{
    struct buf escaped = buf_limit(4096);
    file_name_escape(name, &escaped);
    bool fits = escaped.size <= FILE_NAME_BYTES_MAX &&
                strlen(path) + 1 + strlen(name) <= FILE_NAME_PATH_MAX;
    buf_free(&escaped);
    return fits && !s->spool->flat;
}

static bool is_ignored(const struct scan *s, const char *name)
{
    return file_name_ignored(name, s->spool->ignore);
}

/* Counts files in and below a folder that is not read; a folder that cannot be
 * opened, or is too deep, counts as one. Closes the descriptor. */
static size_t count_files(const struct scan *s, int at, int depth)
{
    size_t n = 0;
    struct stat st;
    DIR *d = fdopendir(at);
    if (!d) close(at);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (is_ignored(s, e->d_name)) continue;
        if (fstatat(at, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        int below = S_ISDIR(st.st_mode) && depth < DEPTH_MAX
                        ? durable_open_folder(at, e->d_name)
                        : -1;
        n += below >= 0 ? count_files(s, below, depth + 1) : 1;
    }
    if (d) closedir(d);
    return n;
}

/* Reports a folder whose files are not read. */
static void note_nested(struct scan *s, int at, const char *path,
                        const char *name)
{
    int fd = durable_open_folder(at, name);
    size_t n = fd >= 0 ? count_files(s, fd, 0) : 1;
    char what[128];
    s->n_nested += n;
    if (!n || !s->report) return;
    snprintf(what, sizeof what, "holds %zu file%s: %s; move %s up one level", n,
             n == 1 ? "" : "s",
             s->spool->flat ? "nested folders are not read (recursive = no)"
                            : "the path is too long and is not read",
             n == 1 ? "it" : "them");
    s->report(s->arg, path, name, what);
}

static void note_ignored(struct scan *s, const char *path, const char *name,
                         const char *what)
{
    struct buf text = buf_limit(4096);
    if (s->n_ignored++ >= DROPS_IGNORED) return;
    file_name_escape(path, &text);
    if (*path) buf_add_text(&text, "/");
    file_name_escape(name, &text);
    buf_add_text(&text, what);
    s->ignored[s->n_ignored - 1] = arena_copy(s->arena, buf_span(&text));
    buf_free(&text);
}

/* A FIFO, a socket or a device. */
static void note_special(struct scan *s, const char *path, const char *name,
                         mode_t mode)
{
    char what[64];
    snprintf(what, sizeof what, " (%s)", kind_of(mode));
    note_ignored(s, path, name, what);
    snprintf(what, sizeof what, "is %s and is not read", kind_of(mode));
    if (s->report) s->report(s->arg, path, name, what);
}

/* A folder without the permission to search it, once. */
static void note_unknown(struct scan *s, const char *path)
{
    struct err err = {0};
    if (errno == ENOENT || s->unknown == path) return;
    durable_fail(&err, "cannot look into", path);
    add_unlisted(s, path, &err);
    s->unknown = path;
}

static void scan_name(struct scan *s, int at, const char *path,
                      const char *name)
{
    struct stat st;
    if (!strcmp(name, ".") || !strcmp(name, "..")) return;
    if (!*path && !strcmp(name, spool_mount_mark_name)) return;
    bool ignored = is_ignored(s, name);
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        note_unknown(s, path);
    else if (ignored)
        note_ignored(s, path, name, S_ISDIR(st.st_mode) ? "/" : "");
    else if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
        add_drop(s, path, name, &st);
    else if (S_ISDIR(st.st_mode) && (!*path || is_read(s, path, name)))
        scan_below(s, at, path, name);
    else if (S_ISDIR(st.st_mode))
        note_nested(s, at, path, name);
    else
        note_special(s, path, name, st.st_mode);
}

/* Closes the descriptor. */
static void scan_folder(struct scan *s, int at, const char *path,
                        struct err *err)
{
    DIR *d = fdopendir(at);
    if (!d) durable_fail(err, "cannot list", path);
    if (!d) close(at);
    for (struct dirent *e; (e = durable_next(d, path, err));)
        scan_name(s, at, path, e->d_name);
    if (d) closedir(d);
}

static int by_time(const void *a, const void *b)
{
    const struct drop *x = a, *y = b;
    const struct timespec *s = &x->stat.st_mtim, *t = &y->stat.st_mtim;
    if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
    if (s->tv_nsec != t->tv_nsec) return s->tv_nsec < t->tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

struct drops spool_scan(const struct spool *s, struct arena *arena,
                        void (*report)(void *arg, const char *folder,
                                       const char *name, const char *what),
                        void *arg, struct err *err)
{
    struct scan scan = {
        .spool = s, .arena = arena, .folder = "", .report = report, .arg = arg};
    if (err_failed(err)) return (struct drops){0};
    scan.ignored = arena_array(arena, DROPS_IGNORED, sizeof *scan.ignored);
    int at = spool_mount_open(s);
    if (at < 0 && errno == ENODEV)
        err_reason(err, ERR_SYSTEM, "disk",
                   "%s/in is not mounted: its mark .platen is missing (remove "
                   "in.mounted if it is a plain folder now)",
                   s->path);
    if (at < 0) {
        durable_fail(err, "cannot list", "in");
        return (struct drops){0};
    }
    scan_folder(&scan, at, "", err);
    struct drops drops = {.n_drop = scan.n,
                          .ignored = scan.ignored,
                          .n_ignored = scan.n_ignored,
                          .n_nested = scan.n_nested,
                          .n_unlisted = scan.n_unlisted};
    drops.drop = arena_array(arena, scan.n + 1, sizeof *drops.drop);
    if (scan.n) memcpy(drops.drop, scan.drop, scan.n * sizeof *drops.drop);
    drops.unlisted = arena_array(arena, scan.n_unlisted + 1, sizeof(char *));
    for (size_t i = 0; i < scan.n_unlisted; i++)
        drops.unlisted[i] = scan.unlisted[i];
    mem_free(scan.drop);
    mem_free(scan.unlisted);
    qsort(drops.drop, drops.n_drop, sizeof *drops.drop, by_time);
    return drops;
}
