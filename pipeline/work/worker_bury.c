/* worker_bury.c - what the supervisor files for a worker that died. */
#include <stdio.h>

#include "pipeline/spool/deferral.h"
#include "pipeline/spool/folder.h"
#include "pipeline/work/worker.h"
#include "vlm/base/now.h"

/* Nobody knows why it was killed: it comes again, after others. */
static long long set_back(struct folder *f, const char *why, struct err *err)
{
    struct deferral d;
    deferral_read(f->fd, &d);
    snprintf(d.code, sizeof d.code, "cancelled");
    snprintf(d.text, sizeof d.text, "%s", why);
    *d.stage = '\0';
    deferral_add(f, &d, err);
    return d.not_before;
}

long long worker_bury(struct spool *s, const char *id,
                      const struct worker_death *death)
{
    struct folder f;
    struct folder_state state;
    struct err err = {0};
    long long not_before = 0;
    if (!spool_lock(s, id, &f, &err)) return 0;
    folder_read(f.fd, id, &state);
    char name[32];
    snprintf(name, sizeof name, "attempt.%d.end", state.n_attempt);
    bool open = state.n_attempt > 0 && !spool_exists(f.fd, name) &&
                !state.has_record && !state.has_reason;
    if (open && death->code) {
        struct folder_end end = {
            .outcome = "crash",
            .code = death->code,
            .text = death->why,
            .signal = death->signal,
            .not_before = not_before = now_utc() + WORKER_CRASH_WAIT_S,
        };
        folder_end(&f, state.n_attempt, &end, &err);
    } else if (open) {
        folder_uncharge(&f, state.n_attempt, &err);
        if (death->set_back) not_before = set_back(&f, death->why, &err);
    }
    spool_unlock(&f);
    return not_before;
}
