/* log_once.c - see log_once.h. */
#include "pipeline/process/log_once.h"

#include <string.h>

#include "pipeline/spool/file_name.h"
#include "vlm/base/buf.h"
#include "vlm/base/log.h"

void log_once_open(struct log_once *o)
{
    *o = (struct log_once){.arena = arena_new()};
}

void log_once_close(struct log_once *o)
{
    arena_free(o->arena);
}

/* Logs a warning, unless it was logged before or LOG_ONCE_MAX others were.
 * `line` is escaped. */
static void log_once_warn(struct log_once *o, const char *line)
{
    bool known = o->n == LOG_ONCE_MAX;
    for (int i = 0; i < o->n && !known; i++)
        known = !strcmp(o->logged[i], line);
    if (known) return;
    log_warn("%s", line);
    o->logged[o->n++] = arena_copy(o->arena, span_of(line));
}

void log_once_warn_name(struct log_once *o, const char *folder,
                        const char *name, const char *what)
{
    struct buf text = buf_limit(4096);
    buf_add_text(&text, "in/");
    file_name_escape(folder, &text);
    if (*folder) buf_add_text(&text, "/");
    file_name_escape(name, &text);
    buf_print(&text, ": %s", what);
    log_once_warn(o, buf_span(&text).data);
    buf_free(&text);
}

void log_once_warn_unlisted(struct log_once *o, const char *where,
                            const char *name)
{
    struct buf text = buf_limit(4096);
    buf_print(&text, "%s/%s; its files are not read", where, name);
    log_once_warn(o, buf_span(&text).data);
    buf_free(&text);
}
