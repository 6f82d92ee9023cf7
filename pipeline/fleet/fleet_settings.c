/* fleet_settings.c - see fleet_settings.h. */
#include "pipeline/fleet/fleet_settings.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vlm/base/file_map.h"
#include "vlm/base/text.h"

enum {
    FILES_MOST = 1000,
    FILE_BYTES_MOST = 16 << 20,
    LIST_BYTES_MOST = 1 << 18
};

static const char *const travels[] = {"default_schema",
                                      "format",
                                      "prompt_style",
                                      "temperature",
                                      "seed",
                                      "max_tokens",
                                      "review_threshold",
                                      "classify_threshold",
                                      "pages",
                                      "split",
                                      "archive_prefix",
                                      "dpi",
                                      "max_pixels",
                                      "deskew",
                                      "crop",
                                      "skip_blank",
                                      "lenient",
                                      "ocr",
                                      "ocr_languages",
                                      "ground",
                                      "auto_rotate",
                                      "draft",
                                      "max_document_bytes",
                                      "max_pages",
                                      "max_decoded_pixels",
                                      "max_record_bytes"};

enum { N_TRAVELS = sizeof travels / sizeof *travels };

void fleet_settings_print(const struct config *config, struct buf *out)
{
    for (size_t i = 0; i < N_TRAVELS; i++)
        buf_print(out, "%s = %s\n", travels[i],
                  config_value(config, travels[i]));
}

static bool may_travel(const char *key)
{
    for (size_t i = 0; i < N_TRAVELS; i++)
        if (!strcmp(travels[i], key)) return true;
    return false;
}

static void apply_line(struct config *c, char *line, struct err *err)
{
    char *value = strstr(line, " = ");
    if (!value) return;
    *value = '\0';
    if (may_travel(line))
        config_set(c, line, value + 3, "fleet", err);
    else
        err_set(err, ERR_CONFIG, "a job must not set %s", line);
}

struct config *fleet_settings_apply(const struct config *own, const char *lines,
                                    const char *schemas, struct err *err)
{
    struct config *c = config_reload(own, err);
    if (err_failed(err)) return c;
    char *text = arena_copy(c->arena, span_of(lines)), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        apply_line(c, line, err);
    config_set(c, "schemas", schemas, "fleet", err);
    config_finish(c, err);
    config_leave_fleet(c);
    return c;
}

/* --- schemas ------------------------------------------------------------- */

/* Is it the plain name of a file to submit? */
static bool is_of_schemas(const char *name)
{
    return *name != '.' && !strchr(name, '/') &&
           (text_stem(name, ".schema.json") || text_stem(name, ".prompt.md"));
}

static int pick(const struct dirent *e)
{
    return is_of_schemas(e->d_name);
}

static void put_file(const struct fleet_store *s, const char *folder,
                     const char *name, struct buf *list, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    const char *path = arena_text(arena, "%s/%s", folder, name);
    if (file_map_can_read(path)) {
        struct span text = file_map_read(path, FILE_BYTES_MOST, arena, err);
        struct hash hash = hash_bytes(text);
        fleet_store_put(s, text, &hash, err);
        buf_print(list, "%s  %s\n", hash.hex, name);
    }
    arena_free(arena);
}

struct hash fleet_settings_put(const struct fleet_store *s, const char *folder,
                               struct err *err)
{
    struct dirent **entry = NULL;
    struct hash hash = {""};
    if (err_failed(err)) return hash;
    struct buf list = buf_limit(LIST_BYTES_MOST);
    int n = scandir(folder, &entry, pick, alphasort);
    if (n < 0 || n > FILES_MOST)
        err_set(err, ERR_CONFIG, "schemas: %s: %s", folder,
                n < 0 ? "cannot be listed" : "too many files for a fleet");
    for (int i = 0; i < n; i++) {
        put_file(s, folder, entry[i]->d_name, &list, err);
        free(entry[i]);
    }
    free(entry);
    hash = hash_bytes(buf_span(&list));
    fleet_store_put(s, buf_span(&list), &hash, err);
    buf_free(&list);
    return hash;
}

static void get_file(const struct fleet_store *s, const char *folder,
                     const char *line, struct err *err)
{
    char hex[65], path[4400];
    const char *name = line + 66;
    if (err_failed(err)) return;
    if (strlen(line) < 67 || strspn(line, "0123456789abcdef") != 64 ||
        !is_of_schemas(name)) {
        err_reason(err, ERR_REMOTE, "store-damaged",
                   "the list of schemas is not valid");
        return;
    }
    snprintf(hex, sizeof hex, "%.64s", line);
    snprintf(path, sizeof path, "%.4000s/%.255s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) err_errno(err, "%s", path);
    fleet_store_get(s, hex, fd, err);
    if (fd >= 0) close(fd);
}

void fleet_settings_get(const struct fleet_store *s, const char *hex,
                        const char *folder, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct span list = fleet_store_read(s, hex, LIST_BYTES_MOST, arena, err);
    char *rest = NULL, *text = arena_copy(arena, list);
    for (char *line = strtok_r(text, "\n", &rest); line && !err_failed(err);
         line = strtok_r(NULL, "\n", &rest))
        get_file(s, folder, line, err);
    arena_free(arena);
}
