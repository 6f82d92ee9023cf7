/* sibling_schema.c - see sibling_schema.h. */
#include "vlm/schema/sibling_schema.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "vlm/base/file_map.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"
#include "vlm/schema/uri.h"

/* Limits of the search of a folder for a file by its $id. */
enum { FILES_MAX = 1000, BYTES_MOST = 32 << 20 };

static const char TAIL[] = ".json";

void sibling_schema_set_base(struct schema *s, const cJSON *root)
{
    const char *fragment, *id = json_get_text(root, "$id");
    if (!s->options.folder || s->options.folder_base || !id) return;
    const char *uri = uri_resolve(s->arena, SIBLING_SCHEMA_BASE, id, &fragment);
    const char *slash = strrchr(uri, '/');
    if (!slash || (slash > uri && slash[-1] == '/')) return; /* only a host */
    s->options.folder_base =
        arena_copy(s->arena, (struct span){uri, (size_t)(slash - uri) + 1});
}

/* The path if it is a file inside the folder after resolving links, else
 * NULL. */
static const char *file_inside(struct schema *s, const char *path)
{
    char folder[PATH_MAX], real[PATH_MAX];
    struct stat st;
    if (!realpath(s->options.folder, folder) || !realpath(path, real) ||
        stat(real, &st) != 0 || !S_ISREG(st.st_mode))
        return NULL;
    size_t n = strcmp(folder, "/") ? strlen(folder) : 0;
    return !strncmp(real, folder, n) && real[n] == '/' ? path : NULL;
}

/* Finds a file by its path; the URI can omit the ".json". */
static const char *find_by_path(struct schema *s, const char *uri,
                                const char *base)
{
    size_t n = base ? strlen(base) : 0;
    if (!base || strncmp(uri, base, n) != 0 || !uri[n]) return NULL;
    const char *path =
        arena_text(s->arena, "%s/%s", s->options.folder, uri + n);
    const char *found = file_inside(s, path);
    if (found) return found;
    return file_inside(s, arena_text(s->arena, "%s%s", path, TAIL));
}

static int is_json_file(const struct dirent *e)
{
    return text_stem(e->d_name, TAIL) > 0;
}

/* The URI in a file's own $id; "" for none. */
static const char *read_id(struct schema *s, const char *path, size_t *left)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    struct span text = file_map_read(path, *left, arena, &err);
    const char *fragment, *uri = "";
    *left -= text.size;
    struct json_rules rules = {.depth_max = NODE_DEPTH_MAX, .nul = true};
    cJSON *root = err_failed(&err) ? NULL : json_parse_rules(text, rules, &err);
    const char *id = json_get_text(root, "$id");
    if (!id) id = json_get_text(root, "id");
    if (id) uri = uri_resolve(s->arena, SIBLING_SCHEMA_BASE, id, &fragment);
    cJSON_Delete(root);
    arena_free(arena);
    return uri;
}

/* Reads the $id of each file in the folder, once, in alphabetical order. */
static void read_ids(struct schema *s)
{
    struct dirent **entry = NULL;
    size_t left = BYTES_MOST;
    int n = scandir(s->options.folder, &entry, is_json_file, alphasort);
    for (int i = 0; i < n; i++) {
        char *path =
            arena_text(s->arena, "%s/%s", s->options.folder, entry[i]->d_name);
        if (i < FILES_MAX && left > 0 && file_inside(s, path)) {
            const char *id = read_id(s, path, &left);
            if (*id && !text_table_find(&s->sibling, id))
                text_table_put(&s->sibling, s->arena, id, path);
        }
        free(entry[i]);
    }
    free(entry);
    s->siblings_read = true;
}

const char *sibling_schema_find(struct schema *s, const char *uri)
{
    if (!s->options.folder) return NULL;
    const char *path = find_by_path(s, uri, SIBLING_SCHEMA_BASE);
    if (!path) path = find_by_path(s, uri, s->options.folder_base);
    if (path) return path;
    if (!s->siblings_read) read_ids(s);
    return text_table_find(&s->sibling, uri);
}
