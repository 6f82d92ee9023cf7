/* worker_engine.c - see worker_engine.h. */
#include "pipeline/worker/worker_engine.h"

#include <string.h>

#include "vlm/base/clock.h"

enum { SERVER_TRIES = 2 };
static const double alone_s = 60;

static void close_engine(struct worker_engine *w)
{
    engine_close(w->engine);
    w->engine = NULL;
}

void worker_engine_next(struct worker_engine *w)
{
    bool alone = w->n_lost >= SERVER_TRIES;
    if (alone && clock_seconds() < w->alone_until) return;
    if (alone) close_engine(w);
    w->n_lost = 0;
}

void worker_engine_open(struct worker_engine *w,
                        const struct settings *settings, struct err *err)
{
    if (err_failed(err) || w->engine) return;
    w->settings = *settings;
    if (w->n_lost >= SERVER_TRIES) w->settings.model_server_fd = 0;
    w->engine = engine_open(&w->settings, err);
}

bool worker_engine_renew(struct worker_engine *w,
                         const struct settings *settings, struct err *why)
{
    *why = (struct err){0};
    close_engine(w);
    worker_engine_open(w, settings, why);
    return !err_failed(why);
}

bool worker_engine_lost(struct worker_engine *w, struct err *err)
{
    if (!err_failed(err) || !err->reason ||
        strcmp(err->reason, "model-server-lost") != 0)
        return false;
    close_engine(w);
    w->n_lost++;
    w->alone_until = clock_seconds() + alone_s;
    *err = (struct err){0};
    return true;
}
