/* worker_window.c - see worker_window.h. */
#include "pipeline/work/worker_window.h"

#include <fcntl.h>
#include <unistd.h>

#include "stages/engine/answers.h"

static int number_of(const cJSON *o, const char *key)
{
    const cJSON *n = json_get(o, key);
    return cJSON_IsNumber(n) && n->valuedouble > 0 ? n->valueint : 0;
}

void worker_window_begin(struct worker_window *w, const struct folder *f)
{
    cJSON *o = folder_json(f->fd, WORKER_WINDOW, SPOOL_JSON_MAX);
    *w = (struct worker_window){
        .is = o != NULL,
        .pages = {.from = number_of(o, "from"),
                  .until = number_of(o, "until"),
                  .least = number_of(o, "least"),
                  .begun = cJSON_IsTrue(json_get(o, "begun"))},
        .from = -1,
        .to = -1};
    cJSON_Delete(o);
}

void worker_window_open(struct worker_window *w, const struct folder *f,
                        struct desk *desk, struct err *err)
{
    if (err_failed(err) || !w->is) return;
    w->from = openat(f->fd, WORKER_ANSWERS, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (w->pages.until)
        w->to =
            openat(f->fd, WORKER_ANSWERS_NEW,
                   O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    w->engine = answers_open(desk->engine, desk->settings, w->from, w->to, err);
    if (w->engine) desk->engine = w->engine;
    desk->window = &w->pages;
}

void worker_window_close(struct worker_window *w, struct folder *f,
                         const struct document *doc)
{
    struct err late = {0};
    engine_close(w->engine);
    w->engine = NULL;
    if (w->from >= 0) close(w->from);
    if (w->to >= 0) close(w->to);
    w->from = w->to = -1;
    if (w->is && doc->window_read) spool_mark(f, WORKER_WINDOW_READ, &late);
}
