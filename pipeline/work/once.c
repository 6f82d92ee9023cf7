/* once.c - see once.h. */
#include "pipeline/work/once.h"

#include <string.h>

#include "pipeline/spool/name.h"
#include "vlm/base/buf.h"
#include "vlm/base/log.h"

void once_open(struct once *o)
{
    *o = (struct once){.arena = arena_new()};
}

void once_close(struct once *o)
{
    arena_free(o->arena);
}

/* A warning; lines that were said before, or come after ONCE_MAX others, are
 * swallowed. `line` is escaped. */
static void once_warn(struct once *o, const char *line)
{
    bool known = o->n == ONCE_MAX;
    for (int i = 0; i < o->n && !known; i++)
        known = !strcmp(o->said[i], line);
    if (known) return;
    log_warn("%s", line);
    o->said[o->n++] = arena_copy(o->arena, span_of(line));
}

void once_warn_name(struct once *o, const char *folder, const char *name,
                    const char *what)
{
    struct buf text = buf_limit(4096);
    buf_add_text(&text, "in/");
    name_escape(folder, &text);
    if (*folder) buf_add_text(&text, "/");
    name_escape(name, &text);
    buf_print(&text, ": %s", what);
    once_warn(o, buf_span(&text).data);
    buf_free(&text);
}

void once_warn_unlisted(struct once *o, const char *where, const char *name)
{
    struct buf text = buf_limit(4096);
    buf_print(&text, "%s/%s; what lies in it is not read", where, name);
    once_warn(o, buf_span(&text).data);
    buf_free(&text);
}
