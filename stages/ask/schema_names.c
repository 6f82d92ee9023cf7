/* schema_names.c - see schema_names.h. */
#include "stages/ask/schema_names.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/sort.h"
#include "vlm/base/suggest.h"
#include "vlm/base/text.h"

enum { NAMES_MAX = 10000 };

const char **schema_names(const char *folder, struct arena *arena)
{
    size_t n = 0;
    const char **list = NULL;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && n < NAMES_MAX && (e = readdir(d));) {
        size_t stem = text_stem(e->d_name, ".schema.json");
        if (!stem || *e->d_name == '.') continue;
        *ARENA_ADD(arena, list, n) =
            arena_copy(arena, (struct span){e->d_name, stem});
    }
    if (d) closedir(d);
    if (n) qsort(list, n, sizeof *list, sort_by_text);
    *ARENA_ADD(arena, list, n) = NULL;
    return list;
}

const char *schema_names_hint(const char *folder, const char *name,
                              struct arena *arena)
{
    struct suggest near = suggest_begin(name);
    for (const char **one = schema_names(folder, arena); *one; one++)
        suggest_try(&near, *one);
    return near.best ? arena_text(arena, " (did you mean %s?)", near.best) : "";
}
