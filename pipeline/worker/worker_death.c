/* worker_death.c - records deaths of workers, and applies the limits of
 * attempts; see worker.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/spool/deferral.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/worker/worker.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"

enum { WAIT_TRIES = 40, WAIT_MS = 25 };

/* Defers the document, since the cause of the kill is not known. */
static long long defer(struct folder *f, const char *why, struct err *err)
{
    struct deferral d;
    deferral_read(f->fd, &d);
    snprintf(d.text, sizeof d.text, "%s", why);
    *d.stage = '\0';
    deferral_add(f, &d, "cancelled", err);
    return d.not_before;
}

static void wait_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
}

/* Does the supervisor of an attempt without an end still run? It may be about
 * to record the end. */
static bool supervisor_runs(const struct spool *s,
                            const struct document_folder_state *state)
{
    pid_t pid = (pid_t)state->supervisor;
    return pid > 1 && pid == state->supervisor && pid != s->supervisor &&
           pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM);
}

bool worker_await_death(struct folder *f, struct document_folder_state *state)
{
    char id[SPOOL_ID_SIZE];
    struct spool *s = f->spool;
    struct err err = {0};
    snprintf(id, sizeof id, "%s", f->id);
    for (int i = 0; i < WAIT_TRIES && supervisor_runs(s, state); i++) {
        spool_unlock(f);
        wait_a_moment();
        if (!spool_lock(s, SPOOL_WORK, id, f, &err)) return false;
        document_folder_read(f->fd, id, state);
    }
    return true;
}

/* Another platen may hold the lock for a moment. */
static bool lock_soon(struct spool *s, const char *id, struct folder *f,
                      struct err *err)
{
    for (int i = 0; i < WAIT_TRIES; i++) {
        if (spool_lock(s, SPOOL_WORK, id, f, err) || err_failed(err)) break;
        if (!spool_exists(s->place[SPOOL_WORK], id)) break;
        wait_a_moment();
    }
    return f->fd >= 0;
}

long long worker_report_death(struct spool *s, const char *id,
                              const struct worker_death *death)
{
    struct folder f;
    struct document_folder_state state;
    struct err err = {0};
    long long not_before = 0;
    if (!lock_soon(s, id, &f, &err)) return 0;
    document_folder_read(f.fd, id, &state);
    char name[32];
    snprintf(name, sizeof name, "attempt.%d.end", state.n_attempt);
    bool open = state.n_attempt > 0 && !spool_exists(f.fd, name);
    bool settled = state.has_record || state.has_reason; /* not committed */
    if (open && death->code && !settled) {
        struct document_folder_end end = {
            .outcome = "crash",
            .code = death->code,
            .text = death->why,
            .signal = death->signal,
            .not_before = not_before = clock_utc() + WORKER_CRASH_WAIT_S,
        };
        document_folder_end(&f, state.n_attempt, &end, &err);
    } else if (open && !death->code) {
        document_folder_uncharge(&f, state.n_attempt, &err);
        if (death->defer && !settled) not_before = defer(&f, death->why, &err);
    }
    spool_unlock(&f);
    return not_before;
}

bool worker_death_is_poison(const struct document_folder_state *state,
                            struct document_folder_end *end)
{
    *end = (struct document_folder_end){.outcome = "reject", .stage = "spool"};
    if (state->n_crash_same >= WORKER_CRASH_MAX) {
        end->code = *state->last_code ? state->last_code : "internal";
        end->text =
            *state->last_text ? state->last_text : "a worker died on it";
    } else if (state->n_death_alone >= WORKER_DEATH_MAX ||
               state->n_attempt >= DOCUMENT_FOLDER_ATTEMPT_MAX) {
        end->code = "crash-loop";
        end->text = "platen itself died each time it read this document alone";
    }
    return end->code != NULL;
}

bool worker_death_again(const struct document_folder_state *state,
                        const struct reason *row, int n_try)
{
    if (row->fate != FATE_RETRY) return false;
    if (reason_is_crash(row))
        return document_folder_crashes(state, row->code) + 1 < WORKER_CRASH_MAX;
    /* the stages have made the second try themselves */
    bool asked_twice = n_try >= WORKER_MODEL_MAX;
    return !asked_twice && state->n_model + 1 < WORKER_MODEL_MAX;
}
