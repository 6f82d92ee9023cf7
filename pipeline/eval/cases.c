/* cases.c - see cases.h. */
#include "pipeline/eval/cases.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pipeline/spool/file_name.h"
#include "vlm/base/log.h"
#include "vlm/base/sort.h"
#include "vlm/base/text.h"

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;
    return b && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* The names in a folder, sorted, NULL after the last. */
static char **list_names(const char *folder, struct arena *arena,
                         struct err *err)
{
    DIR *dir = opendir(folder);
    size_t n = 0;
    char **name = NULL;
    if (!dir)
        err_reason(err, ERR_INPUT, "unreadable", "%s: %s", folder,
                   strerror(errno));
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (file_name_ignored(e->d_name, NULL)) continue;
        *ARENA_ADD(arena, name, n) = arena_copy(arena, span_of(e->d_name));
    }
    if (dir) closedir(dir);
    if (n) qsort(name, n, sizeof *name, sort_by_text);
    *ARENA_ADD(arena, name, n) = NULL;
    return name;
}

static const char *stem_of(const char *name, struct arena *arena)
{
    struct buf stem = buf_limit(4096);
    file_name_stem(name, &stem);
    const char *kept = arena_copy(arena, buf_span(&stem));
    buf_free(&stem);
    return kept;
}

static void add_case(struct cases *all, struct cases_one one,
                     struct arena *arena)
{
    *ARENA_ADD(arena, all->one, all->n) = one;
}

/* The case with this expected file, from the case `first` on, or NULL. */
static const struct cases_one *case_of_file(const struct cases *all, int first,
                                            const char *expected)
{
    for (int i = first; i < all->n; i++)
        if (!strcmp(all->one[i].expected, expected)) return &all->one[i];
    return NULL;
}

static const char *path_in(const char *folder, const char *name,
                           struct arena *arena)
{
    return arena_text(arena, "%s/%s", folder, name);
}

/* The current folder. */
struct cases_folder {
    const char *path, *name;
    int first; /* index of its first case */
};

static const char *shown_name(const struct cases_folder *f, const char *name,
                              struct arena *arena)
{
    return *f->name ? path_in(f->name, name, arena) : name;
}

static void add_document(struct cases *all, const struct cases_folder *f,
                         const char *name, struct arena *arena, struct err *err)
{
    size_t n = strlen(name) - strlen(strrchr(name, '.'));
    const char *own = arena_text(arena, "%s/%s.json", f->path, name);
    const char *expected =
        arena_text(arena, "%s/%.*s.json", f->path, (int)n, name);
    if (is_file(own)) expected = own;
    if (!is_file(expected)) {
        log_warn("%s/%s skipped: no expected values (%s)", f->path, name,
                 expected);
        return;
    }
    const struct cases_one *other = case_of_file(all, f->first, expected);
    if (other) {
        err_set(err, ERR_ARGS,
                "%s belongs to both %s and %s: rename one to %s.json", expected,
                other->name, name, name);
        return;
    }
    add_case(all,
             (struct cases_one){.name = shown_name(f, name, arena),
                                .document = path_in(f->path, name, arena),
                                .expected = expected,
                                .folder = f->name,
                                .stem = stem_of(name, arena)},
             arena);
}

static void add_expected(struct cases *all, const struct cases_folder *f,
                         const char *name, struct arena *arena)
{
    const char *path = path_in(f->path, name, arena);
    int n = (int)strlen(name) - 5;
    if (case_of_file(all, f->first, path)) return;
    add_case(all,
             (struct cases_one){.name = shown_name(f, name, arena),
                                .expected = path,
                                .folder = f->name,
                                .stem = arena_text(arena, "%.*s", n, name)},
             arena);
}

static void list_one(struct cases *all, const struct cases_folder *f,
                     bool without_document, struct arena *arena,
                     struct err *err)
{
    if (err_failed(err)) return;
    char **names = list_names(f->path, arena, err);
    for (char **name = names; *name && !err_failed(err); name++)
        if (file_name_is_document(*name) &&
            is_file(path_in(f->path, *name, arena)))
            add_document(all, f, *name, arena, err);
    for (char **name = names; without_document && *name; name++)
        if (text_stem(*name, ".json")) add_expected(all, f, *name, arena);
}

struct cases cases_list(const char *folder, const char *but,
                        bool without_document, struct arena *arena,
                        struct err *err)
{
    struct cases all = {0};
    if (err_failed(err)) return all;
    struct cases_folder top = {folder, "", 0};
    list_one(&all, &top, without_document, arena, err);
    char **names = list_names(folder, arena, err);
    for (char **name = names; *name && !err_failed(err); name++) {
        const char *path = path_in(folder, *name, arena);
        struct cases_folder below = {path, *name, all.n};
        if (is_folder(path) && !is_same(path, but))
            list_one(&all, &below, without_document, arena, err);
    }
    if (!all.n && !err_failed(err))
        err_set(err, ERR_ARGS,
                "%s has no documents with expected values: x.pdf (or .png, "
                ".jpg, .tif, .webp) and x.json next to it",
                folder);
    return all;
}

const char *cases_record(const struct cases_one *one, const char *records,
                         struct arena *arena)
{
    const char *below =
        arena_text(arena, "%s/%s/%s.json", records, one->folder, one->stem);
    const char *path = arena_text(arena, "%s/%s.json", records, one->stem);
    const char *done =
        arena_text(arena, "%s/done/%s/record.json", records, one->stem);
    if (one->reviewed && is_file(done)) return done;
    if (*one->folder && is_file(below)) return below;
    return is_file(path) ? path : NULL;
}
