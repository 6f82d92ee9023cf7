/* model_faults.c - see model_faults.h. */
#include "vlm/model/model_faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMED_MAX = 8, LIST_BYTES_MAX = 330 };

struct model_faults model_faults_begin(void)
{
    return (struct model_faults){.list = buf_limit(LIST_BYTES_MAX + 64)};
}

void model_faults_add(struct model_faults *m, const char *name, const char *fmt,
                      ...)
{
    char text[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    size_t size = m->list.size + strlen(name) + strlen(text) + 3;
    m->n++;
    if (m->n_named == NAMED_MAX || size > LIST_BYTES_MAX) return;
    buf_print(&m->list, "%s%s %s", m->n_named++ ? "; " : "", name, text);
}

void model_faults_report(struct model_faults *m, const char *path,
                         const char *what, const char *remedy,
                         enum err_kind kind, struct err *err)
{
    if (m->n > 0 && !err_failed(err))
        err_set(err, kind, "%s: %d %s%s not fit: %s%s: %s", path, m->n, what,
                m->n == 1 ? " does" : "s do", m->list.data,
                m->n > m->n_named ? "; and more" : "", remedy);
    buf_free(&m->list);
}
