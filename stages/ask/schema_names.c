/* schema_names.c - see schema_names.h. */
#include "stages/ask/schema_names.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/suggest.h"

enum { NAMES_MAX = 10000 };

static const char suffix[] = ".schema.json";

/* Length of NAME in NAME.schema.json; 0 for any other file. */
static size_t stem_of(const char *file)
{
    size_t n = strlen(file), m = sizeof suffix - 1;
    if (*file == '.' || n <= m || strcmp(file + n - m, suffix) != 0) return 0;
    return n - m;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **schema_names(const char *folder, struct arena *arena)
{
    size_t n = 0, capacity = 0;
    const char **list = NULL;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && n < NAMES_MAX && (e = readdir(d));) {
        size_t stem = stem_of(e->d_name);
        if (!stem) continue;
        if (n == capacity)
            list = mem_grow(list, capacity = 2 * capacity + 16, sizeof *list);
        list[n++] = arena_copy(arena, (struct span){e->d_name, stem});
    }
    if (d) closedir(d);
    if (n) qsort(list, n, sizeof *list, by_text);
    const char **kept = arena_array(arena, n + 1, sizeof *kept);
    if (n) memcpy(kept, list, n * sizeof *kept);
    mem_free(list);
    return kept;
}

const char *schema_names_hint(const char *folder, const char *name,
                              struct arena *arena)
{
    struct suggest near = suggest_begin(name);
    for (const char **one = schema_names(folder, arena); *one; one++)
        suggest_try(&near, *one);
    return near.best ? arena_text(arena, " (did you mean %s?)", near.best) : "";
}
