/* spool_names.c - see spool_names.h. */
#include "pipeline/spool/spool_names.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"

/* A name can have the characters of a pattern, and then means itself. */
static bool matches(const char *what, const char *name)
{
    return !strcmp(what, name) || fnmatch(what, name, 0) == 0;
}

static bool is_called(const struct spool *s, enum spool_place place,
                      const char *id, const char *what)
{
    char path[SPOOL_PATH_SIZE + FILE_NAME_BYTES_MAX + 2];
    struct document_folder_state state;
    int fd = spool_folder_fd(s, place, id);
    if (fd < 0) return false;
    document_folder_read_name(fd, id, &state);
    close(fd);
    snprintf(path, sizeof path, "%s/%s", state.path, state.name);
    return matches(what, state.name) || matches(what, path);
}

char **spool_named(const struct spool *s, enum spool_place place,
                   const char *what, struct arena *arena, struct err *err)
{
    if (err_failed(err)) return arena_array(arena, 1, sizeof(char *));
    char **id = spool_list(s, place, arena, NULL, err);
    size_t n = 0;
    bool is_id = spool_is_id(what);
    for (size_t i = 0; id[i] && !err_failed(err); i++)
        if (is_id ? !strcmp(id[i], what) : is_called(s, place, id[i], what))
            id[n++] = id[i];
    id[n] = NULL;
    if (!n && !err_failed(err))
        err_set(err, ERR_ARGS,
                "no document in %s/ has the id or name %s (platen status %s "
                "--%s lists them)",
                spool_place_name(place), what, s->path,
                place == SPOOL_FAILED ? "failed" : "review");
    return id;
}
