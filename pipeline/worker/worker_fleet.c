/* worker_fleet.c - see worker_fleet.h. */
#include "pipeline/worker/worker_fleet.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "pipeline/fleet/fleet.h"
#include "stages/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"

enum { QUERY_MOST_S = 30 };

struct worker_fleet {
    struct fleet *fleet;
    struct arena *arena; /* for the present document */
};

struct worker_fleet *worker_fleet_new(const struct config *config)
{
    if (!*config->fleet) return NULL;
    struct worker_fleet *w = mem_alloc(1, sizeof *w);
    w->fleet = fleet_new(config, config->fleet);
    w->arena = arena_new();
    return w;
}

void worker_fleet_free(struct worker_fleet *w)
{
    if (!w) return;
    fleet_free(w->fleet);
    arena_free(w->arena);
    mem_free(w);
}

/* --- outcomes ------------------------------------------------------------ */

/* record.json is written last: it makes the outcome valid (F5). */
static void write_record(struct worker_fleet *w, struct folder *f,
                         const struct fleet_outcome *outcome, struct err *err)
{
    size_t most = (size_t)w->fleet->config->stage.max_record_bytes;
    fleet_learn(w->fleet, err);
    struct span xml = {"", 0};
    if (*outcome->xml.hash)
        xml = fleet_file_get(w->fleet, &outcome->xml, w->arena, err);
    struct span record =
        fleet_file_get(w->fleet, &outcome->record, w->arena, err);
    if (xml.size) spool_write(f, "record.xml", xml, err);
    spool_write(f, "record.json", record, err);
    const char *fault = err_failed(err)
                            ? NULL
                            : document_folder_record_fault(f->fd, f->id, most);
    if (!fault) return;
    spool_remove(f, "record.json", err);
    err_reason(err, ERR_REMOTE, "fleet-refused", "the fleet's result: %s",
               fault);
}

/* If no worker wrote a reason, makes one from the database row. */
static void write_reason(struct folder *f,
                         const struct document_folder_state *state,
                         const struct fleet_outcome *outcome, struct err *err)
{
    bool known = reason_find(outcome->code) != NULL;
    struct document_folder_end end = {.outcome = "reject",
                                      .code =
                                          known ? outcome->code : "internal",
                                      .stage = "fleet",
                                      .text = outcome->why};
    struct document_folder_reason reason = {.state = state,
                                            .end = &end,
                                            .sha256 = "",
                                            .schema = state->folder,
                                            .model = "",
                                            .model_sha256 = ""};
    if (*outcome->reason)
        spool_write(f, "reason.json", span_of(outcome->reason), err);
    if (!err_failed(err) && document_folder_reason_fault(f->fd, f->id))
        document_folder_set_reason(f, &reason, err);
}

/* When to query again: the longer the document was handed over, the later. */
static long long next_query(const struct folder *f)
{
    struct stat st;
    long long now = clock_utc(), age = 0;
    if (fstatat(f->fd, SPOOL_FLEET, &st, AT_SYMLINK_NOFOLLOW) == 0)
        age = now - (long long)st.st_mtim.tv_sec;
    age = age < 0 ? 0 : age / 4;
    return now + (age < 1 ? 1 : age > QUERY_MOST_S ? QUERY_MOST_S : age);
}

bool worker_fleet_waits(struct worker_fleet *w, struct folder *f,
                        struct document_folder_state *state,
                        long long *not_before, struct err *err)
{
    if (err_failed(err) || !w || state->has_record || state->has_reason ||
        !spool_exists(f->fd, SPOOL_FLEET))
        return false;
    arena_reset(w->arena);
    struct fleet_outcome outcome =
        fleet_queue_outcome(w->fleet->db, f->id, w->arena, err);
    if (err_failed(err)) return false;
    switch (outcome.state) {
    case FLEET_READY:
    case FLEET_LEASE: *not_before = next_query(f); return true;
    case FLEET_RESULT: write_record(w, f, &outcome, err); break;
    case FLEET_DEAD: write_reason(f, state, &outcome, err); break;
    case FLEET_UNKNOWN: spool_remove(f, SPOOL_FLEET, err); return false;
    }
    if (err_failed(err)) return false;
    state->has_record = outcome.state == FLEET_RESULT;
    state->has_reason = !state->has_record;
    /* the outcome is durable here; the database can forget it */
    struct err late = {0};
    fleet_queue_collect(w->fleet->db, f->id, &late);
    return false;
}

/* --- handing over -------------------------------------------------------- */

static const char *read_text(const struct folder *f, const char *name,
                             struct arena *arena)
{
    struct span text = spool_read(f->fd, name, SPOOL_JSON_MAX, arena);
    return text.data ? text.data : "";
}

bool worker_fleet_hand(struct worker_fleet *w, struct folder *f,
                       struct spool_seal *seal, struct err *err)
{
    struct stat st;
    char path[32];
    const struct settings *s = &w->fleet->config->stage;
    if (err_failed(err)) return true;
    if (fstat(seal->fd, &st) != 0 || st.st_size == 0 ||
        st.st_size > s->max_document_bytes)
        return false;
    arena_reset(w->arena);
    snprintf(path, sizeof path, "/proc/self/fd/%d", seal->fd);
    struct span bytes = file_map_open(path, err);
    struct hash hash = hash_bytes(bytes);
    spool_seal_check(seal, hash.hex, err);
    spool_seal_end(seal, err);
    struct fleet_job job = {
        .name = read_text(f, "name.json", w->arena),
        .part = read_text(f, "part.json", w->arena),
        .feeder =
            arena_text(w->arena, "%s:%s", w->fleet->host, f->spool->path)};
    snprintf(job.id, sizeof job.id, "%s", f->id);
    fleet_hand_in(w->fleet, &job, bytes, err);
    file_map_close(bytes);
    spool_mark(f, SPOOL_FLEET, err);
    return true;
}

void worker_fleet_probe(const struct config *config, struct err *err)
{
    if (err_failed(err) || !*config->fleet) return;
    struct fleet *f = fleet_new(config, config->fleet);
    struct hash nothing = hash_bytes((struct span){"", 0});
    fleet_learn(f, err);
    fleet_store_put(&f->store, (struct span){"", 0}, &nothing, err);
    fleet_free(f);
}
