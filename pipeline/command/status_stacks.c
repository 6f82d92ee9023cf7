/* status_stacks.c - see status_stacks.h. */
#include "pipeline/command/status_stacks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_part.h"
#include "vlm/json/json.h"

static void add_name(cJSON *o, int fd, const char *id)
{
    struct document_folder_state state;
    struct buf name = buf_limit(4096);
    document_folder_read(fd, id, &state);
    file_name_escape(state.name, &name);
    cJSON_AddStringToObject(o, "name", buf_span(&name).data);
    buf_free(&name);
}

static void add_count(cJSON *o, const char *key, int n)
{
    cJSON_AddItemToObject(o, key, json_new_integer(n));
}

/* Counts the parts by their ids, which derive from the id of the stack. */
static cJSON *count_parts(const struct spool *s, const char *id, int fd,
                          int n_part)
{
    cJSON *o = cJSON_CreateObject();
    int done = 0, failed = 0;
    for (int i = 1; i <= n_part; i++) {
        char part[SPOOL_ID_SIZE];
        spool_part_id(id, i, part);
        done += spool_exists(s->place[SPOOL_DONE], part);
        failed += spool_exists(s->place[SPOOL_FAILED], part);
    }
    cJSON_AddStringToObject(o, "id", id);
    add_name(o, fd, id);
    add_count(o, "parts", n_part);
    add_count(o, "done", done);
    add_count(o, "failed", failed);
    return o;
}

cJSON *status_stacks_one(const struct spool *s, const char *id, size_t most)
{
    int fd = spool_folder_fd(s, SPOOL_DONE, id);
    if (fd < 0) return NULL;
    cJSON *record = spool_part_is_stack(fd)
                        ? document_folder_json(fd, "record.json", most)
                        : NULL;
    const cJSON *parts = json_get(record, "parts");
    cJSON *stack =
        parts ? count_parts(s, id, fd, cJSON_GetArraySize(parts)) : NULL;
    cJSON_Delete(record);
    close(fd);
    return stack;
}

static int member_count(const cJSON *stack, const char *key)
{
    const cJSON *n = json_get(stack, key);
    return n ? n->valueint : 0;
}

static bool is_waiting(const cJSON *stack)
{
    return member_count(stack, "done") + member_count(stack, "failed") <
           member_count(stack, "parts");
}

void status_stacks_add(const struct spool *s, const char *id, size_t most,
                       cJSON *list)
{
    const cJSON *known = NULL;
    cJSON_ArrayForEach(known, list)
    {
        if (!strcmp(json_get_text_or_empty(known, "id"), id)) return;
    }
    cJSON *stack = status_stacks_one(s, id, most);
    if (stack && is_waiting(stack))
        cJSON_AddItemToArray(list, stack);
    else
        cJSON_Delete(stack);
}

void status_stacks_print(const cJSON *stack)
{
    int n_part = member_count(stack, "parts"),
        failed = member_count(stack, "failed");
    printf("%d of %d part%s done", member_count(stack, "done"), n_part,
           n_part == 1 ? "" : "s");
    if (failed) printf(", %d failed", failed);
}
