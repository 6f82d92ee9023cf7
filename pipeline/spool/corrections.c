/* corrections.c - see corrections.h. */
#include "pipeline/spool/corrections.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/durable.h"
#include "vlm/json/json.h"

static bool is_line(const cJSON *line)
{
    const char *pointer = json_get_text(line, "pointer");
    const cJSON *box = json_get(line, "box");
    return pointer && (!*pointer || *pointer == '/') &&
           json_get_text(line, "who") && json_get_text(line, "when") &&
           (!box || cJSON_IsNull(box) || cJSON_GetArraySize(box) == 4);
}

/* The end of the next line, after its '\n'; NULL: it is incomplete. */
static const char *line_end(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop + 1 : NULL;
}

/* Adds the group of lines at `at` to `group`. Returns the end of the group;
 * NULL if it is incomplete. */
static const char *read_group(const char *at, const char *end, cJSON *group,
                              struct err *err)
{
    for (const char *next; (next = line_end(at, end)); at = next) {
        cJSON *line =
            json_parse((struct span){at, (size_t)(next - at - 1)}, err);
        if (!line) return NULL;
        cJSON_AddItemToArray(group, line);
        if (!is_line(line))
            err_set(err, ERR_INPUT, "not a correction: members are missing");
        if (err_failed(err)) return NULL;
        if (!cJSON_IsTrue(json_get(line, "more"))) return next;
    }
    return NULL;
}

static void move_all(cJSON *from, cJSON *to)
{
    while (from->child)
        cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, from->child));
}

static void read_lines(struct span text, struct corrections *c, struct err *err)
{
    const char *at = text.data, *end = at + text.size, *next = at;
    while (next && at < end && !err_failed(err)) {
        cJSON *group = cJSON_CreateArray();
        next = read_group(at, end, group, err);
        if (next) move_all(group, c->line);
        if (next) at = next;
        cJSON_Delete(group);
    }
    c->whole = at - text.data;
    c->torn = at < end;
    err_context(err, "%s, line %d", CORRECTIONS_FILE,
                cJSON_GetArraySize(c->line) + 1);
}

void corrections_read(int folder_fd, struct corrections *c, struct err *err)
{
    *c = (struct corrections){0};
    if (err_failed(err)) return;
    c->line = cJSON_CreateArray();
    c->is_there = spool_exists(folder_fd, CORRECTIONS_FILE);
    if (!c->is_there) return;
    struct arena *arena = arena_new();
    struct span text =
        spool_read(folder_fd, CORRECTIONS_FILE, CORRECTIONS_BYTES_MAX, arena);
    if (text.data)
        read_lines(text, c, err);
    else
        err_set(err, ERR_INPUT, "%s is not a readable file", CORRECTIONS_FILE);
    arena_free(arena);
}

void corrections_free(struct corrections *c)
{
    cJSON_Delete(c->line);
    *c = (struct corrections){0};
}

static void print_lines(const cJSON *lines, struct buf *out)
{
    const cJSON *line = NULL;
    cJSON_ArrayForEach(line, lines)
    {
        cJSON *one = cJSON_Duplicate(line, true);
        cJSON_DeleteItemFromObjectCaseSensitive(one, "more");
        if (line->next) cJSON_AddTrueToObject(one, "more");
        json_print(out, one, 0);
        buf_add_text(out, "\n");
        cJSON_Delete(one);
    }
}

/* Appends after the complete lines; cuts off an incomplete one. */
static void append_lines(int fd, int64_t whole, struct span text,
                         struct err *err)
{
    if (ftruncate(fd, whole) != 0)
        durable_fail(err, "cannot cut", CORRECTIONS_FILE);
    for (size_t n = 0; n < text.size && !err_failed(err);) {
        ssize_t put =
            pwrite(fd, text.data + n, text.size - n, (off_t)whole + (off_t)n);
        if (put > 0)
            n += (size_t)put;
        else if (put == 0 || errno != EINTR)
            durable_fail(err, "cannot write", CORRECTIONS_FILE);
    }
    if (err_failed(err) && ftruncate(fd, whole) != 0)
        err_context(err, "an incomplete last line was ignored");
}

/* Removes the mark `delivered` first, so that a record with a new line is never
 * marked as delivered. */
void corrections_add(struct folder *f, const struct corrections *c,
                     const cJSON *lines, bool anew, struct err *err)
{
    if (err_failed(err)) return;
    struct buf text = buf_limit(CORRECTIONS_BYTES_MAX);
    print_lines(lines, &text);
    if (text.full || c->whole + (int64_t)text.size > CORRECTIONS_BYTES_MAX)
        err_set(err, ERR_LIMIT, "%s would grow beyond %d bytes",
                CORRECTIONS_FILE, CORRECTIONS_BYTES_MAX);
    if (c->is_there && anew) spool_write_again(f, CORRECTIONS_FILE, err);
    spool_pending_add(f->spool, f->id, SPOOL_DELIVER, err);
    if (spool_exists(f->fd, "delivered")) spool_remove(f, "delivered", err);
    spool_mark_hook(f, SPOOL_DONE, err);
    int fd = err_failed(err)
                 ? -1
                 : openat(f->fd, CORRECTIONS_FILE,
                          O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) durable_fail(err, "cannot open", CORRECTIONS_FILE);
    if (!err_failed(err)) append_lines(fd, c->whole, buf_span(&text), err);
    if (fd >= 0) durable_sync(f->spool, fd, CORRECTIONS_FILE, err);
    if (fd >= 0) close(fd);
    if (!c->is_there) durable_sync(f->spool, f->fd, f->id, err);
    buf_free(&text);
}
