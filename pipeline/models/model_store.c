/* model_store.c - list and rm of model_get.h: the models in the cache
 * folder. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/models/hub_paths.h"
#include "pipeline/models/model_get.h"
#include "pipeline/models/model_hub.h"
#include "vlm/base/log.h"

enum { DEPTH_MOST = 8 };

/* A walk over the GGUF files below a folder, in alphabetical order. */
struct store_walk {
    const char *quant; /* only files of this type; "": all */
    void (*each)(const char *path, int64_t bytes, struct err *err);
    struct err *err;
    int n;
};

static int is_visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void walk_folder(struct store_walk *w, const char *folder, int depth)
{
    struct dirent **entry = NULL;
    int n =
        depth > DEPTH_MOST ? 0 : scandir(folder, &entry, is_visible, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct stat own, s;
        int length =
            snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        bool there = length < (int)sizeof path && lstat(path, &own) == 0;
        if (there && S_ISDIR(own.st_mode)) walk_folder(w, path, depth + 1);
        if (there && model_hub_is_gguf(path) && stat(path, &s) == 0 &&
            S_ISREG(s.st_mode) && model_hub_is_of(path, w->quant) &&
            !err_failed(w->err)) {
            w->n++;
            w->each(path, (int64_t)s.st_size, w->err);
        }
        free(entry[i]);
    }
    free(entry);
}

static void print_one(const char *path, int64_t bytes, struct err *err)
{
    (void)err;
    printf("%8.2f GB  %s\n", (double)bytes / 1e9, path);
}

void model_get_list(struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct hub_paths p = hub_paths_read(arena, err);
    struct store_walk w = {"", print_one, err, 0};
    if (!err_failed(err)) walk_folder(&w, p.folder, 0);
    if (!err_failed(err) && w.n == 0)
        log_note("no models in %s: download one with platen model get",
                 p.folder);
    arena_free(arena);
}

/* Removes the file, and its link target if that is in the same repository's
 * cache. */
static void remove_one(const char *path, int64_t bytes, struct err *err)
{
    char target[PATH_MAX];
    const char *store = strstr(path, "/models--");
    size_t n = store ? (size_t)(store + 1 - path) : 0;
    n += store ? strcspn(store + 1, "/") + 1 : 0;
    bool own = n && realpath(path, target) && strcmp(target, path) != 0 &&
               !strncmp(target, path, n);
    if (unlink(path) != 0 || (own && unlink(target) != 0))
        err_errno(err, "%s", path);
    else
        log_note("%s: removed, %.2f GB", path, (double)bytes / 1e9);
}

/* The folder of hf:OWNER/REPO[:QUANT], or NULL; *quant is "" without QUANT. */
static const char *repository_folder(const char *what,
                                     const struct hub_paths *p,
                                     struct arena *arena, const char **quant)
{
    const char *name = what + 3, *slash = strchr(name, '/');
    size_t n = strcspn(name, ":");
    if (!slash || slash > name + n) return NULL;
    *quant = name[n] ? name + n + 1 : "";
    const char *repo = arena_copy(
        arena, (struct span){slash + 1, n - (size_t)(slash + 1 - name)});
    if (strchr(repo, '/') || !model_hub_path_is_safe(repo) || *name == '.')
        return NULL;
    return arena_text(arena, "%s/models--%.*s--%s", p->folder,
                      (int)(slash - name), name, repo);
}

void model_get_remove(const char *what, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct hub_paths p = hub_paths_read(arena, err);
    struct store_walk w = {"", remove_one, err, 0};
    struct stat s;
    size_t n = err_failed(err) ? 0 : strlen(p.folder);
    const char *folder = NULL;
    if (n && !strncmp(what, "hf:", 3)) {
        folder = repository_folder(what, &p, arena, &w.quant);
        if (folder) walk_folder(&w, folder, 0);
    } else if (n && !strncmp(what, p.folder, n) && what[n] == '/' &&
               !strstr(what, "/../") && model_hub_is_gguf(what) &&
               stat(what, &s) == 0) {
        w.n++;
        remove_one(what, (int64_t)s.st_size, err);
    }
    if (!err_failed(err) && w.n == 0)
        err_set(err, ERR_ARGS, "%s: no such model in %s: see platen model list",
                what, p.folder);
    arena_free(arena);
}
