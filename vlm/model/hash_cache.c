/* hash_cache.c - see hash_cache.h. */
#include "vlm/model/hash_cache.h"

#include <string.h>
#include <sys/stat.h>

#include "vlm/base/arena.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/file_map.h"
#include "vlm/base/own_folder.h"
#include "vlm/model/gguf.h"

/* Path of this file's cached hash, or NULL. */
static const char *place(const struct gguf *g, const char *folder,
                         struct arena *arena)
{
    struct stat st;
    if (!folder || !*folder || strstr(gguf_path(g), "-00001-of-") ||
        stat(gguf_path(g), &st))
        return NULL;
    const char *key = arena_text(
        arena, "%llu %llu %lld %lld.%09ld", (unsigned long long)st.st_dev,
        (unsigned long long)st.st_ino, (long long)st.st_size,
        (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
    struct hash name = hash_bytes(span_of(key));
    return arena_text(arena, "%s/%.24s.sha256", folder, name.hex);
}

static bool read_hash(const char *path, struct arena *arena, struct hash *h)
{
    struct err quiet = {0};
    struct span text = file_map_read(path, 64, arena, &quiet);
    if (err_failed(&quiet) || text.size != 64 ||
        strspn(text.data, "0123456789abcdef") != 64)
        return false;
    memcpy(h->hex, text.data, 64);
    h->hex[64] = '\0';
    return true;
}

struct hash hash_cache(const struct gguf *g, const char *folder,
                       struct err *err)
{
    struct hash h = {{0}};
    struct err quiet = {0}; /* recomputed next time */
    if (err_failed(err)) return h;
    struct arena *arena = arena_new();
    const char *path = place(g, folder, arena);
    if (!path || !own_folder_is(folder) || !read_hash(path, arena, &h)) {
        h = gguf_hash(g, err);
        if (path) own_folder_make(folder, &quiet);
        if (path && !err_failed(err))
            atomic_file_write(path, (struct span){h.hex, 64}, &quiet);
    }
    arena_free(arena);
    return h;
}
