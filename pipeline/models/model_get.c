/* model_get.c - see model_get.h. */
#include "pipeline/models/model_get.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/config/config.h"
#include "pipeline/config/hub_paths.h"
#include "pipeline/models/model_fetch.h"
#include "pipeline/models/model_hub.h"
#include "pipeline/models/model_named.h"
#include "pipeline/models/model_ocr.h"
#include "vlm/base/arena.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/base/make_folders.h"
#include "vlm/base/memory_limit.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"

/* --- model use ------------------------------------------------------------- */

/* Update of the platen.conf lines that name a model. */

enum { FILE_MOST = 1 << 20, PATH_MOST = 4096 };

/* Does the line set this key? */
static bool sets_key(const char *line, const char *key)
{
    size_t n = strlen(key);
    line += strspn(line, " \t");
    if (strncmp(line, key, n) != 0) return false;
    line += n + strspn(line + n, " \t");
    return *line == '=' || *line == ':';
}

/* What is written: lines instead of those that set a key, below a heading if
 * there are none. */
struct use {
    const char *const *key; /* up to NULL */
    const char *heading, *lines;
};

static bool sets_any(const char *line, const char *const *key)
{
    while (*key && !sets_key(line, *key))
        key++;
    return *key;
}

/* Copies the text with the lines that set a key replaced at the place of the
 * first; sections of schemas stay. */
static void rewrite(struct buf *out, char *text, const struct use *use)
{
    bool written = false, of_schema = false;
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *next = text + n + (text[n] == '\n');
        text[n] = 0;
        const char *first = text + strspn(text, " \t");
        if (*first == '[') of_schema = !strncmp(first, "[schema.", 8);
        bool ours = !of_schema && sets_any(text, use->key);
        if (ours && !written) buf_add_text(out, use->lines);
        written |= ours;
        if (!ours) buf_print(out, "%s\n", text);
        text = next;
    }
    if (written) return;
    buf_print(out, "%s[%s]\n%s", out->size ? "\n" : "", use->heading,
              use->lines);
}

static bool fits_line(const char *path)
{
    return !strpbrk(path, "\n;#") && strlen(path) <= 180;
}

/* Writes to the file, which is created if missing; all other lines stay. It is
 * replaced atomically. FAIL: ERR_SYSTEM, ERR_CONFIG (a path that does not fit in
 * such a file). */
static void model_use(const char *file, const char *model, const char *mmproj,
                      const struct use *use, struct err *err)
{
    if (err_failed(err)) return;
    if (!fits_line(model) || !fits_line(mmproj) || strlen(file) >= PATH_MOST) {
        err_set(err, ERR_CONFIG,
                "%s: this path does not fit in platen.conf (180 characters, no "
                "; or #): choose another folder with --dir",
                model);
        return;
    }
    struct arena *arena = arena_new();
    struct buf out = buf_limit(2 * FILE_MOST);
    char *text = arena_alloc(arena, 1);
    if (access(file, F_OK) == 0) {
        struct span old = file_map_read(file, FILE_MOST, arena, err);
        if (!err_failed(err)) text = arena_copy(arena, old);
    } else {
        make_folders_above(file, 0755, err);
    }
    if (!err_failed(err)) {
        rewrite(&out, text, use);
        atomic_file_write(file, buf_span(&out), err);
    }
    buf_free(&out);
    arena_free(arena);
}

/* --- model store ----------------------------------------------------------- */

/* List and rm of model_get.h: the models in the cache
 * folder. */

enum { DEPTH_MOST = 8 };

static bool is_model(const char *path)
{
    const char *dot = strrchr(path, '.');
    return model_hub_is_gguf(path) || (dot && !strcmp(dot, ".onnx"));
}

/* A walk over the model files below a folder, in alphabetical order. */
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
        if (there && is_model(path) && stat(path, &s) == 0 &&
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
    what = model_named_resolve(what, arena);
    size_t n = err_failed(err) ? 0 : strlen(p.folder);
    const char *folder = NULL;
    if (n && !strncmp(what, "hf:", 3)) {
        folder = repository_folder(what, &p, arena, &w.quant);
        if (folder) walk_folder(&w, folder, 0);
    } else if (n && !strcmp(what, "ocr")) {
        walk_folder(&w, model_ocr_folder(&p, arena), 0);
    } else if (n && !strncmp(what, p.folder, n) && what[n] == '/' &&
               !strstr(what, "/../") && is_model(what) && stat(what, &s) == 0) {
        w.n++;
        remove_one(what, (int64_t)s.st_size, err);
    }
    if (!err_failed(err) && w.n == 0)
        err_set(err, ERR_ARGS, "%s: no such model in %s: see platen model list",
                what, p.folder);
    arena_free(arena);
}

/* --- model get ------------------------------------------------------------- */

enum { ANSWER_MOST = 16 << 20, PAGES_MOST = 40, OFFERS_MOST = 200 };

struct get {
    const struct command_line *line;
    struct hub_paths paths;
    struct model_fetch_from from;
    struct arena *arena;
    const char *repo, *quant, *commit; /* of hf:OWNER/REPO[:QUANT] */
    const struct model_named *named;   /* its quantisation is chosen, or NULL */
    const char *folder;                /* destination of its files */
    struct err *err;
};

static bool is_url(const char *what)
{
    return !strncmp(what, "https://", 8) || !strncmp(what, "http://", 7);
}

static const char *absolute_path(const char *path, struct arena *arena)
{
    char full[PATH_MAX];
    return realpath(path, full) ? arena_copy(arena, span_of(full)) : path;
}

static const char *fetch_file(struct get *g, const char *url, const char *below,
                              int64_t size, const char *sha256)
{
    char *path = arena_text(g->arena, "%s/%s", g->folder, below);
    make_folders_above(path, 0755, g->err);
    struct model_fetch_file f = {url, path, below, size, sha256};
    model_fetch_file(&g->from, &f, g->err);
    return err_failed(g->err) ? NULL : absolute_path(path, g->arena);
}

/* --- a repository -------------------------------------------------------- */

/* hf:OWNER/REPO[:QUANT] */
static void parse_name(struct get *g, const char *what)
{
    const char *name = what + 3, *colon = strchr(name, ':');
    size_t n = colon ? (size_t)(colon - name) : strlen(name);
    g->repo = arena_copy(g->arena, (struct span){name, n});
    g->quant = colon ? colon + 1 : "";
    const char *slash = strchr(g->repo, '/');
    if (!slash || strchr(slash + 1, '/') || !model_hub_path_is_safe(g->repo) ||
        strpbrk(g->quant, "/: ") || (colon && !*g->quant))
        err_set(g->err, ERR_ARGS,
                "%s: expected hf:OWNER/REPO or hf:OWNER/REPO:QUANT", what);
}

/* Resolves `main` to a commit, so that all files are of one revision. */
static void read_commit(struct get *g)
{
    char next[MODEL_FETCH_URL_MOST];
    struct buf answer = buf_limit(ANSWER_MOST);
    model_fetch_text(&g->from,
                     arena_text(g->arena, "%s/api/models/%s/revision/main",
                                g->paths.endpoint,
                                model_fetch_escape(g->arena, g->repo)),
                     &answer, next, g->err);
    struct err inner = {0};
    cJSON *root =
        err_failed(g->err) ? NULL : json_parse(buf_span(&answer), &inner);
    const char *sha = json_get_text_or_empty(root, "sha");
    if (!err_failed(g->err) &&
        (strlen(sha) < 7 || strspn(sha, "0123456789abcdef") != strlen(sha)))
        err_set(g->err, ERR_REMOTE, "%s: %s: no commit in the hub's response",
                g->paths.endpoint, g->repo);
    g->commit = arena_copy(g->arena, span_of(sha));
    cJSON_Delete(root);
    buf_free(&answer);
}

static struct model_hub *read_files(struct get *g)
{
    struct model_hub *hub = model_hub_new(g->arena);
    char url[MODEL_FETCH_URL_MOST], next[MODEL_FETCH_URL_MOST];
    snprintf(url, sizeof url, "%s/api/models/%s/tree/%s?recursive=true",
             g->paths.endpoint, model_fetch_escape(g->arena, g->repo),
             g->commit);
    for (int page = 0; *url && !err_failed(g->err); page++) {
        struct buf answer = buf_limit(ANSWER_MOST);
        if (page == PAGES_MOST)
            err_set(g->err, ERR_LIMIT, "%s: file list of more than %d pages",
                    g->repo, PAGES_MOST);
        model_fetch_text(&g->from, url, &answer, next, g->err);
        model_hub_add(hub, buf_span(&answer), g->arena, g->err);
        buf_free(&answer);
        memcpy(url, next, sizeof url);
    }
    return hub;
}

/* For the weights alone; the context needs more (`model plan`). */
static const char *memory_note(int64_t bytes)
{
    double have = (double)memory_limit_available();
    return have <= 0               ? ""
           : (double)bytes <= have ? ""
                                   : "  more than this machine's memory";
}

static void print_offers(FILE *out, const struct model_hub *hub,
                         const struct model_hub_model *model, int n)
{
    for (int i = 0; i < n; i++) {
        const struct model_hub_file *f = &hub->file[model[i].first];
        fprintf(out, "%3d  %8.2f GB  %s", i + 1, (double)model[i].size / 1e9,
                f->path);
        if (model[i].n_part > 1) fprintf(out, "  (%d parts)", model[i].n_part);
        fprintf(out, "%s\n", memory_note(model[i].size));
    }
}

static int ask_choice(int n)
{
    char answer[32];
    fprintf(stderr, "Which one (1 to %d)? ", n);
    if (!fgets(answer, sizeof answer, stdin)) return -1;
    long i = strtol(answer, NULL, 10);
    return i >= 1 && i <= n ? (int)i - 1 : -1;
}

/* Of a model with a name, the file for this machine's memory. */
static const struct model_hub_model *choose_for_memory(
    struct get *g, const struct model_hub *hub,
    const struct model_hub_model *model, int n)
{
    int eye = model_hub_mmproj(hub);
    int64_t have = (int64_t)memory_limit_available();
    int i = model_named_choose(g->named, hub, model, n,
                               eye < 0 ? 0 : hub->file[eye].size, have);
    if (i >= 0) return &model[i];
    print_offers(stdout, hub, model, n);
    err_set(g->err, ERR_ARGS,
            "%s does not fit into the %.1f GB of free memory: choose a smaller "
            "model (%s), or a file, for example %s:%s",
            g->named->name, (double)have / 1e9, model_named_list(g->arena),
            g->named->name, g->named->type);
    return NULL;
}

static const struct model_hub_model *choose_model(struct get *g,
                                                  const struct model_hub *hub)
{
    struct model_hub_model *model =
        arena_array(g->arena, OFFERS_MOST, sizeof *model);
    if (err_failed(g->err)) return NULL;
    int n = model_hub_models(hub, g->quant, model, OFFERS_MOST);
    if (n > OFFERS_MOST) n = OFFERS_MOST;
    if (g->named && n > 0) return choose_for_memory(g, hub, model, n);
    if (n == 1) return model;
    if (n == 0) {
        int all = model_hub_models(hub, "", model, OFFERS_MOST);
        print_offers(stdout, hub, model, all < OFFERS_MOST ? all : OFFERS_MOST);
        err_set(g->err, ERR_ARGS, "hf:%s: %s%s", g->repo,
                all ? "no model of type " : "holds no GGUF model",
                all ? g->quant : "");
        return NULL;
    }
    bool interactive = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
    print_offers(interactive ? stderr : stdout, hub, model, n);
    int i = interactive ? ask_choice(n) : -1;
    if (i < 0)
        err_set(g->err, ERR_ARGS,
                "hf:%s: %d models match: choose one, for example "
                "hf:%s:Q4_K_M",
                g->repo, n, g->repo);
    return i < 0 ? NULL : &model[i];
}

static const char *fetch_from_repository(struct get *g,
                                         const struct model_hub_file *f)
{
    const char *url =
        arena_text(g->arena, "%s/%s/resolve/%s/%s", g->paths.endpoint,
                   model_fetch_escape(g->arena, g->repo), g->commit,
                   model_fetch_escape(g->arena, f->path));
    return fetch_file(g, url, f->path, f->size, f->sha256);
}

/* Sets the folder where Hugging Face's own tools cache this commit's files. */
static void set_folder(struct get *g)
{
    const char *dir = command_value(g->line, "dir");
    const char *slash = strchr(g->repo, '/');
    if (err_failed(g->err)) return;
    g->folder = dir ? dir
                    : arena_text(g->arena, "%s/models--%.*s--%s/snapshots/%s",
                                 g->paths.folder, (int)(slash - g->repo),
                                 g->repo, slash + 1, g->commit);
}

static struct model_got get_repository(struct get *g, const char *what)
{
    struct model_got got = {0};
    parse_name(g, what);
    if (err_failed(g->err)) return got;
    read_commit(g);
    struct model_hub *hub = read_files(g);
    set_folder(g);
    const struct model_hub_model *m = choose_model(g, hub);
    int mmproj = model_hub_mmproj(hub);
    if (!m) return got;
    log_note("%s: %.2f GB%s%s", hub->file[m->first].path, (double)m->size / 1e9,
             mmproj < 0 ? "" : ", and ",
             mmproj < 0 ? "" : hub->file[mmproj].path);
    for (int i = 0; i < m->n_part; i++) {
        const char *path = fetch_from_repository(g, &hub->file[m->first + i]);
        if (i == 0) got.model = path;
    }
    if (mmproj >= 0) got.mmproj = fetch_from_repository(g, &hub->file[mmproj]);
    if (mmproj < 0 && !err_failed(g->err))
        log_warn("hf:%s has no vision file: add one with --mmproj FILE",
                 g->repo);
    return got;
}

/* --- an address ---------------------------------------------------------- */

static const char *get_url(struct get *g, const char *url)
{
    const char *host = strstr(url, "://") + 3;
    size_t end = strcspn(url, "?#"), n_host = strcspn(host, "/:?#@");
    char *name = arena_copy(g->arena, (struct span){url, end});
    name = strrchr(name, '/') + 1;
    if (!model_hub_path_is_safe(name) || !text_stem(name, ".gguf") ||
        strpbrk(name, "%") || !n_host) {
        err_set(g->err, ERR_ARGS, "%s: expected the URL of a .gguf file", url);
        return NULL;
    }
    const char *dir = command_value(g->line, "dir");
    g->folder =
        dir ? dir
            : arena_text(g->arena, "%s/models--url--%.*s/snapshots/main",
                         g->paths.folder, (int)n_host, host);
    const char *sha256 = command_value(g->line, "sha256");
    if (sha256 && !model_hub_is_sha256(sha256))
        err_set(g->err, ERR_ARGS, "--sha256 %s: expected 64 hex digits",
                sha256);
    return fetch_file(g, url, name, -1, sha256 ? sha256 : "");
}

struct model_got model_get(const struct command_line *line, const char *what,
                           struct arena *arena, struct err *err)
{
    struct model_got got = {0};
    struct get g = {.line = line, .arena = arena, .err = err};
    g.paths = hub_paths_read(arena, err);
    if (err_failed(err)) return got;
    g.from = (struct model_fetch_from){g.paths.endpoint, g.paths.token};
    const char *mmproj = command_value(line, "mmproj");
    const struct model_named *named = model_named_find(what);
    if (named && !strchr(what, ':')) g.named = named;
    if (named)
        log_note("%s is hf:%s; it was not tested with this version of platen",
                 named->name, named->repo);
    what = model_named_resolve(what, arena);
    if (!strncmp(what, "hf:", 3))
        got = get_repository(&g, what);
    else if (is_url(what))
        got.model = get_url(&g, what);
    else
        err_set(err, ERR_ARGS,
                "%s: expected %s, hf:OWNER/REPO[:QUANT] or an http(s) URL",
                what, model_named_list(arena));
    if (mmproj && !err_failed(err)) got.mmproj = absolute_path(mmproj, arena);
    return got;
}

static void write_use(const struct command_line *line, const char *path,
                      const char *second, const struct use *use,
                      struct arena *arena, struct err *err)
{
    struct hub_paths p = hub_paths_read(arena, err);
    const char *file = *line->config->file ? line->config->file : p.conf;
    if (!err_failed(err) && !*file)
        err_set(err, ERR_CONFIG,
                "no platen.conf to write to: add --config FILE");
    model_use(file, path, second, use, err);
    if (!err_failed(err)) log_note("%s: set to use this model", file);
}

void model_get_use(const struct command_line *line, struct model_got got,
                   struct err *err)
{
    static const char *const keys[] = {"model", "mmproj", "model_sha256", NULL};
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    const char *mmproj = got.mmproj ? got.mmproj : "";
    const char *lines =
        arena_text(arena, "model  = %s\n%s%s%s", got.model,
                   *mmproj ? "mmproj = " : "", mmproj, *mmproj ? "\n" : "");
    write_use(line, got.model, mmproj, &(struct use){keys, "model", lines},
              arena, err);
    arena_free(arena);
}

void model_get_use_ocr(const struct command_line *line, const char *folder,
                       struct err *err)
{
    static const char *const keys[] = {"ocr_models", NULL};
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    const char *lines = arena_text(arena, "ocr_models = %s\n", folder);
    write_use(line, folder, "", &(struct use){keys, "ocr", lines}, arena, err);
    arena_free(arena);
}
