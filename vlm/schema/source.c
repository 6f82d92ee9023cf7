/* source.c - finds the texts of references; see node.h. Never on a network: a
 * URI is built in, or is a file of the catalogue or of the schema's folder
 * (sibling_schema.h), or is refused. */
#include <unistd.h>

#include "vlm/base/file_map.h"
#include "vlm/json/json.h"
#include "vlm/schema/node.h"
#include "vlm/schema/sibling_schema.h"
#include "vlm/schema/uri.h"

/* Base URI of the catalogue folder itself. Its catalogue.json, an object, can
 * map further base URIs to subfolders. */
static const char CATALOGUE_BASE[] = "http://localhost:1234/";
static const char CATALOGUE_MAP[] = "catalogue.json";

static void delete_tree(void *root)
{
    cJSON_Delete(root);
}

/* The draft of a text, given by its "$schema" or by that metaschema's. */
static enum dialect read_dialect(struct schema *s, const cJSON *root)
{
    enum dialect dialect = s->options.dialect;
    const char *fragment, *named = json_get_text(root, "$schema");
    if (!named || dialect_of_uri(named, &dialect)) return dialect;
    struct err err = {0}; /* node.c reports it */
    const struct source *meta =
        source_find(s, uri_resolve(s->arena, "", named, &fragment), &err);
    return meta ? meta->dialect : dialect;
}

struct source *source_add(struct schema *s, const char *uri, const char *name,
                          struct span text, struct err *err)
{
    if (err_failed(err)) return NULL;
    int n = 0;
    for (struct source *x = s->source; x; x = x->next)
        n++;
    struct json_rules rules = {.depth_max = NODE_DEPTH_MAX, .nul = true};
    cJSON *root = json_parse_rules(json_unmarked(text, err), rules, err);
    if (n >= NODE_SOURCE_MAX)
        err_set(err, ERR_CONFIG, "references to more than %d schema files",
                NODE_SOURCE_MAX);
    if (err_failed(err)) {
        cJSON_Delete(root);
        err->kind = ERR_CONFIG;
        err->reason = "schema-refused";
        err_context(err, "%s", name);
        return NULL;
    }
    arena_defer(s->arena, delete_tree, root);
    struct source *source = arena_alloc(s->arena, sizeof *source);
    *source = (struct source){
        .next = s->source, .uri = uri, .name = name, .root = root};
    s->source = source;
    source->dialect = read_dialect(s, root);
    dialect_translate(root, source->dialect);
    return source;
}

/* The rest of `uri` after `base`, or NULL. */
static const char *after_base(const char *uri, const char *base)
{
    size_t n = strlen(base);
    return strncmp(uri, base, n) ? NULL : uri + n;
}

/* Does the path stay below the folder it is joined to? */
static bool is_inside(const char *path)
{
    if (*path == '/' || strpbrk(path, "\\%?")) return false;
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (!strncmp(at, "..", 2) && (at[2] == '/' || !at[2])) return false;
    }
    return true;
}

/* The path that the catalogue gives for the URI, or NULL. */
static const char *catalogue_path(struct schema *s, const char *uri,
                                  struct err *err)
{
    const char *folder = s->options.catalogue;
    if (!folder) return NULL;
    const char *map_path = arena_text(s->arena, "%s/%s", folder, CATALOGUE_MAP);
    const char *best = after_base(uri, CATALOGUE_BASE), *below = "";
    if (!access(map_path, R_OK)) {
        struct span text =
            file_map_read(map_path, NODE_FILE_MOST, s->arena, err);
        cJSON *map = json_parse(text, err);
        for (const cJSON *m = map ? map->child : NULL; m; m = m->next) {
            const char *rest = m->string ? after_base(uri, m->string) : NULL;
            if (!rest || !cJSON_IsString(m) || (best && best >= rest)) continue;
            best = rest;
            below = arena_copy(s->arena, span_of(m->valuestring));
        }
        cJSON_Delete(map);
        err_context(err, "%s", map_path);
    }
    if (err_failed(err) || !best || !is_inside(best) || !is_inside(below))
        return NULL;
    return arena_text(s->arena, "%s/%s%s%s", folder, below, *below ? "/" : "",
                      best);
}

static void report_missing(const struct schema *s, const char *uri,
                           struct err *err)
{
    const char *name = after_base(uri, SIBLING_SCHEMA_BASE);
    const char *folder = s->options.folder;
    err_reason(
        err, ERR_CONFIG, "schema-refused",
        "%s not found; nothing is downloaded: save it%s%s%s in a folder set "
        "with schema_catalogue (--catalogue), whose catalogue.json maps "
        "addresses to folders",
        name ? name : uri, folder ? " beside the schema, in " : "",
        folder ? folder : "", folder ? ", or" : "");
}

struct source *source_find(struct schema *s, const char *uri, struct err *err)
{
    if (err_failed(err)) return NULL;
    for (struct source *x = s->source; x; x = x->next)
        if (!strcmp(x->uri, uri)) return x;
    const char *text = metaschema_find(uri);
    if (text) return source_add(s, uri, uri, span_of(text), err);
    const char *path = catalogue_path(s, uri, err);
    if (path && access(path, R_OK)) path = NULL;
    if (!path && !err_failed(err)) path = sibling_schema_find(s, uri);
    if (!path) {
        s->missing = !err_failed(err);
        report_missing(s, uri, err);
        return NULL;
    }
    struct span file = file_map_read(path, NODE_FILE_MOST, s->arena, err);
    if (err_failed(err)) return NULL;
    return source_add(s, uri, path, file, err);
}

bool source_is_address(const char *uri)
{
    static const char ours[] = "platen:///"; /* start of SIBLING_SCHEMA_BASE */
    return strncmp(uri, ours, sizeof ours - 1) != 0;
}
