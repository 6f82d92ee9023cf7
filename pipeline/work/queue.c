/* queue.c - see queue.h. */
#include "pipeline/work/queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/folder.h"
#include "vlm/base/log.h"
#include "vlm/base/now.h"

/* How long a producer that keeps the file open is believed to be at work,
 * although not a byte changes. */
static const double writer_patience_s = 60;
static const double writer_look_s = 0.25, blocked_wait_s = 30;
static const double elsewhere_wait_s = 0.5;
static const double death_wait_s = 10, death_wait_most_s = 900;
enum { REPORT_MAX = 1000 };

struct arrival { /* a name in in/ */
    struct drop drop;
    double seen, due; /* monotonic; due: may be claimed then */
    bool blocked;
};

struct ticket { /* a folder in work/ */
    char id[SPOOL_ID_SIZE];
    double due;
    int n_wait; /* how often the environment was to blame */
    bool suspect, elsewhere;
};

struct queue {
    struct spool *spool;
    const struct config *config;
    bool patient;
    struct arena *arena; /* of the last look */
    struct arrival *arrival;
    size_t n_arrival, n_ignored, n_unlisted;
    struct ticket *ticket;
    size_t n_ticket;
    struct arena *reported;
    const char *report[REPORT_MAX];
    int n_report;
};

struct queue *queue_new(struct spool *s, const struct config *config,
                        bool patient)
{
    struct queue *q = mem_take(1, sizeof *q);
    q->spool = s;
    queue_configure(q, config);
    q->patient = patient;
    q->arena = arena_new();
    q->reported = arena_new();
    return q;
}

void queue_free(struct queue *q)
{
    if (!q) return;
    arena_free(q->arena);
    arena_free(q->reported);
    mem_give(q->ticket);
    mem_give(q);
}

void queue_configure(struct queue *q, const struct config *config)
{
    q->config = config;
    q->spool->limits = (struct spool_limits){config->stage.document_bytes_max,
                                             config->free_bytes};
}

/* Already escaped. */
static void report_line(struct queue *q, const char *line)
{
    bool known = q->n_report == REPORT_MAX;
    for (int i = 0; i < q->n_report && !known; i++)
        known = !strcmp(q->report[i], line);
    if (known) return;
    log_warn("%s", line);
    q->report[q->n_report++] = arena_copy(q->reported, span_of(line));
}

/* Says a thing about a name once, not at every look. */
static void report_once(struct queue *q, const char *folder, const char *name,
                        const char *what)
{
    struct buf text = buf_limit(4096);
    buf_add_text(&text, "in/");
    name_escape(folder, &text);
    if (*folder) buf_add_text(&text, "/");
    name_escape(name, &text);
    buf_print(&text, ": %s", what);
    report_line(q, buf_span(&text).data);
    buf_free(&text);
}

static void report_object(void *arg, const char *folder, const char *name,
                          const char *what)
{
    char text[128];
    snprintf(text, sizeof text, "is %s and is left alone", what);
    report_once(arg, folder, name, text);
}

/* A folder whose contents nobody knows: an error of the whole run. */
static void report_unlisted(struct queue *q, const char *where,
                            const char *name)
{
    struct buf text = buf_limit(4096);
    buf_print(&text, "%s/%s; what lies in it is not read", where, name);
    report_line(q, buf_span(&text).data);
    buf_free(&text);
    q->n_unlisted++;
}

/* --- in/ ---------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct drop *x = &((const struct arrival *)a)->drop;
    const struct drop *y = &((const struct arrival *)b)->drop;
    int c = strcmp(x->folder, y->folder);
    return c ? c : strcmp(x->name, y->name);
}

static int by_due(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->due < y->due || x->due > y->due) return x->due < y->due ? -1 : 1;
    return by_name(a, b);
}

static bool unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev &&
           a->st_size == b->st_size && a->st_mode == b->st_mode &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Quiet since its last change; a change in the future (the clock was set
 * back) counts as one of now. */
static double quiet_since(const struct stat *st, double now)
{
    double changed =
        (double)st->st_ctim.tv_sec + 1e-9 * (double)st->st_ctim.tv_nsec;
    double age = now_utc_fine() - changed;
    return age > 0 ? now - age : now;
}

static void look_into_in(struct queue *q, struct arena *arena, struct err *err)
{
    double now = now_seconds();
    struct drops drops = spool_scan(q->spool, arena, report_object, q, err);
    if (err_failed(err)) return;
    for (size_t i = 0; i < drops.n_unlisted; i++)
        report_unlisted(q, "in", drops.unlisted[i]);
    struct arrival *list = arena_array(arena, drops.n_drop + 1, sizeof *list);
    struct arrival *old = q->arrival;
    if (q->n_arrival) qsort(old, q->n_arrival, sizeof *old, by_name);
    for (size_t i = 0; i < drops.n_drop; i++) {
        struct arrival *a = &list[i];
        a->drop = drops.drop[i];
        const struct arrival *known =
            q->n_arrival ? bsearch(a, old, q->n_arrival, sizeof *old, by_name)
                         : NULL;
        if (known && unchanged(&known->drop.stat, &a->drop.stat)) {
            a->seen = known->seen;
            a->due = known->due;
            a->blocked = known->blocked;
        } else {
            a->seen = known ? known->seen : now;
            a->due = quiet_since(&a->drop.stat, now) + q->config->settle_s;
        }
    }
    q->arrival = list;
    q->n_arrival = drops.n_drop;
    q->n_ignored = drops.n_ignored;
    if (drops.n_drop) qsort(list, drops.n_drop, sizeof *list, by_due);
}

/* --- work/ -------------------------------------------------------------- */

static struct ticket *find_ticket(struct queue *q, const char *id)
{
    for (size_t i = 0; i < q->n_ticket; i++)
        if (!strcmp(q->ticket[i].id, id)) return &q->ticket[i];
    return NULL;
}

static void drop_ticket(struct queue *q, struct ticket *t)
{
    *t = q->ticket[--q->n_ticket];
}

static struct ticket *add_ticket(struct queue *q, const char *id)
{
    q->ticket = mem_grow(q->ticket, q->n_ticket + 1, sizeof *q->ticket);
    struct ticket *t = &q->ticket[q->n_ticket++];
    *t = (struct ticket){0};
    snprintf(t->id, sizeof t->id, "%s", id);
    return t;
}

/* Deaths of platen itself: 10 s, doubling to 15 min. */
static double back_off(int n_death)
{
    double wait = death_wait_s;
    for (int i = 1; i < n_death && wait < death_wait_most_s; i++)
        wait *= 2;
    return wait < death_wait_most_s ? wait : death_wait_most_s;
}

static void judge(struct queue *q, struct ticket *t,
                  const struct folder_state *state)
{
    double now = now_seconds();
    long long utc = now_utc();
    t->suspect = state->n_death >= WORKER_SUSPECT;
    t->due = now;
    /* bounded, should the clock have jumped */
    if (state->not_before > utc)
        t->due = now + (double)(state->not_before - utc < 60
                                    ? state->not_before - utc
                                    : 60);
    if (t->suspect && q->patient)
        t->due = now + back_off(state->n_death - WORKER_SUSPECT);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Gone and foreign things aside: a folder of ours that is closed to us. */
static void look_denied(struct queue *q, const char *id)
{
    char text[160];
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return;
    snprintf(text, sizeof text, "%.39s: %s", id, strerror(errno));
    report_unlisted(q, "work", text);
}

static void look_into_work(struct queue *q, struct arena *arena,
                           struct err *err)
{
    struct folder_state state;
    char **id = spool_list(q->spool, SPOOL_WORK, arena, NULL, err);
    if (err_failed(err)) return;
    size_t n = 0;
    while (id[n])
        n++;
    /* both once: work/ may hold tens of thousands */
    bool *known = arena_array(arena, n + 1, sizeof *known);
    for (size_t i = q->n_ticket; i-- > 0;) {
        const char *key = q->ticket[i].id;
        char **at = n ? bsearch(&key, id, n, sizeof *id, by_text) : NULL;
        if (at)
            known[at - id] = true;
        else
            drop_ticket(q, &q->ticket[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (known[i]) continue;
        int fd = spool_folder_fd(q->spool, SPOOL_WORK, id[i]);
        if (fd < 0) {
            look_denied(q, id[i]);
            continue;
        }
        folder_read(fd, id[i], &state);
        close(fd);
        if (state.has_doc) judge(q, add_ticket(q, id[i]), &state);
    }
}

void queue_look(struct queue *q, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    q->n_unlisted = 0;
    look_into_work(q, arena, err);
    look_into_in(q, arena, err);
    if (err_failed(err)) {
        arena_free(arena);
        return;
    }
    arena_free(q->arena);
    q->arena = arena;
}

/* --- choosing ----------------------------------------------------------- */

static struct ticket *pick_ticket(struct queue *q, const struct crew *crew,
                                  bool suspects)
{
    struct ticket *best = NULL;
    double now = now_seconds();
    for (size_t i = 0; i < q->n_ticket; i++) {
        struct ticket *t = &q->ticket[i];
        if (t->suspect != suspects || t->due > now || crew_holds(crew, t->id))
            continue;
        if (!best || t->n_wait < best->n_wait ||
            (t->n_wait == best->n_wait && strcmp(t->id, best->id) < 0))
            best = t;
    }
    return best;
}

/* Mostly the first one goes, which must not cost a move of 50,000. */
static void take_out(struct queue *q, size_t i)
{
    if (i == 0)
        q->arrival++;
    else
        memmove(&q->arrival[i], &q->arrival[i + 1],
                (q->n_arrival - i - 1) * sizeof *q->arrival);
    q->n_arrival--;
}

/* Not now: the file changes, or somebody holds it open. */
static bool still_in_work(struct queue *q, struct arrival *a, double now)
{
    double patience = 12 * q->config->settle_s;
    if (patience < writer_patience_s) patience = writer_patience_s;
    if (!spool_is_written(q->spool, &a->drop)) return false;
    if (now - a->seen > patience) return false;
    double wait = q->config->settle_s;
    a->due = now + (wait > writer_look_s ? wait : writer_look_s);
    return true;
}

/* What one entry is to blame for does not hold up the others. */
static bool only_this_one(struct queue *q, struct arrival *a, double now,
                          struct err *err)
{
    char what[600];
    if (!spool_is_of_entry(err)) return false;
    snprintf(what, sizeof what, "cannot be taken out of in/: %s", err->text);
    report_once(q, a->drop.folder, a->drop.name, what);
    a->blocked = true;
    a->due = now + blocked_wait_s;
    *err = (struct err){0};
    return true;
}

static bool claim_next(struct queue *q, char id[static SPOOL_ID_SIZE],
                       struct err *err)
{
    double now = now_seconds();
    struct folder f;
    for (size_t i = 0; i < q->n_arrival && !err_failed(err);) {
        struct arrival *a = &q->arrival[i];
        if (a->due > now || still_in_work(q, a, now)) {
            i++;
            continue;
        }
        if (!spool_has_room(q->spool, q->config->free_bytes)) {
            err_reason(err, ERR_SYSTEM, "disk",
                       "less than %lld bytes are free in %s (free_space)",
                       (long long)q->config->free_bytes, q->spool->path);
            return false;
        }
        bool taken = spool_claim(q->spool, &a->drop, &f, err);
        if (taken) {
            snprintf(id, SPOOL_ID_SIZE, "%s", f.id);
            add_ticket(q, f.id)->due = now;
            spool_unlock(&f);
            take_out(q, i);
            return true;
        }
        if (!err_failed(err))
            take_out(q, i); /* gone, or the next look will say */
        else if (only_this_one(q, a, now, err))
            i++;
    }
    return false;
}

static bool some_due_soon(const struct queue *q)
{
    double now = now_seconds();
    for (size_t i = 0; i < q->n_arrival; i++)
        if (q->arrival[i].due <= now) return true;
    return false;
}

bool queue_next(struct queue *q, const struct crew *crew,
                char id[static SPOOL_ID_SIZE], bool *alone, struct err *err)
{
    *alone = false;
    if (err_failed(err)) return false;
    struct ticket *t = pick_ticket(q, crew, false);
    if (t) {
        snprintf(id, SPOOL_ID_SIZE, "%s", t->id);
        return true;
    }
    if (claim_next(q, id, err)) return true;
    /* the suspects' lane: when nothing else is in flight or could be */
    if (err_failed(err) || crew_busy(crew) || some_due_soon(q)) return false;
    t = pick_ticket(q, crew, true);
    if (!t) return false;
    snprintf(id, SPOOL_ID_SIZE, "%s", t->id);
    *alone = true;
    return true;
}

void queue_heard(struct queue *q, const struct event *event)
{
    struct ticket *t = find_ticket(q, event->id);
    if (!t || !event_is_last(event)) return;
    double now = now_seconds();
    switch (event->kind) {
    case EVENT_DONE:
    case EVENT_FAILED: drop_ticket(q, t); return;
    case EVENT_RETRY: {
        long long wait = event->not_before - now_utc();
        t->due = now + (double)(wait < 0 ? 0 : wait > 60 ? 60 : wait);
        return;
    }
    case EVENT_WAIT: t->n_wait++; return;
    case EVENT_SKIPPED:
        t->elsewhere = true;
        t->due = now + elsewhere_wait_s;
        return;
    case EVENT_STOPPED:
    case EVENT_BEGIN:
    case EVENT_PROGRESS: return;
    }
}

double queue_due(const struct queue *q, const struct crew *crew)
{
    double soonest = -1, now = now_seconds();
    for (size_t i = 0; i < q->n_arrival; i++)
        if (soonest < 0 || q->arrival[i].due < soonest)
            soonest = q->arrival[i].due;
    for (size_t i = 0; i < q->n_ticket; i++) {
        const struct ticket *t = &q->ticket[i];
        if (crew_holds(crew, t->id) || (t->suspect && crew_busy(crew)))
            continue;
        if (soonest < 0 || t->due < soonest) soonest = t->due;
    }
    if (soonest < 0) return -1;
    return soonest > now ? soonest - now : 0;
}

struct queue_left queue_left(const struct queue *q)
{
    struct queue_left left = {.n_ignored = q->n_ignored,
                              .n_unlisted = q->n_unlisted};
    for (size_t i = 0; i < q->n_arrival; i++) {
        left.n_blocked += q->arrival[i].blocked;
        left.n_unsettled += !q->arrival[i].blocked;
    }
    for (size_t i = 0; i < q->n_ticket; i++) {
        left.n_elsewhere += q->ticket[i].elsewhere;
        left.n_waiting += !q->ticket[i].elsewhere;
    }
    return left;
}
