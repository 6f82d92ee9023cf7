/* spool_json.c - see spool_json.h. */
#include "pipeline/spool/spool_json.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/spool/durable.h"
#include "vlm/json/json.h"

cJSON *spool_read_json(int folder_fd, const char *name, size_t most)
{
    struct arena *arena = arena_new();
    struct err err = {0};
    struct span text = spool_read(folder_fd, name, most, arena);
    cJSON *o = text.data ? json_parse(text, &err) : NULL;
    arena_free(arena);
    return o;
}

static void write_json(struct folder *f, const char *name, cJSON *o,
                       void (*write)(struct folder *f, const char *name,
                                     struct span text, struct err *err),
                       struct err *err)
{
    struct buf text = buf_limit(SPOOL_JSON_MAX);
    json_print(&text, o, 2);
    buf_add_text(&text, "\n");
    cJSON_Delete(o);
    write(f, name, buf_span(&text), err);
    buf_free(&text);
}

void spool_json_write(struct folder *f, const char *name, cJSON *o,
                      struct err *err)
{
    write_json(f, name, o, spool_write, err);
}

void spool_json_write_new(struct folder *f, const char *name, cJSON *o,
                          struct err *err)
{
    write_json(f, name, o, durable_write_new, err);
}

void spool_json_add_name(cJSON *o, const char *key, const char *raw)
{
    struct buf text = buf_limit(4096);
    file_name_escape(raw, &text);
    cJSON_AddStringToObject(o, key, buf_span(&text).data);
    buf_free(&text);
}

bool spool_json_number_is(const cJSON *o, const char *key, long long value)
{
    const cJSON *n = json_get(o, key);
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    return cJSON_IsNumber(n) && !strcmp(json_number(n), text);
}

bool spool_source_read(const cJSON *o, struct spool_source *from)
{
    char sub[FILE_NAME_PATH_MAX + 1];
    const char *folder = json_get_text_or_empty(o, "folder");
    const char *below = json_get_text_or_empty(o, SPOOL_SUBFOLDER);
    *from = (struct spool_source){.name = ""};
    bool named =
        file_name_unescape(json_get_text_or_empty(o, "name"), from->name);
    bool placed = !*folder || file_name_unescape(folder, from->folder);
    if (!named) *from->name = '\0';
    if (!placed) *from->folder = '\0';
    snprintf(from->path, sizeof from->path, "%s", from->folder);
    if (!*below) return named && placed;
    placed = *from->folder && file_name_unescape_path(below, sub);
    if (placed)
        snprintf(from->path, sizeof from->path, "%s/%s", from->folder, sub);
    return named && placed;
}
