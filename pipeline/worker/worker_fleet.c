/* worker_fleet.c - see worker_fleet.h. */
#include "pipeline/worker/worker_fleet.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/fleet/fleet.h"
#include "pipeline/fleet/fleet_sql.h"
#include "pipeline/worker/checker.h"
#include "stages/document/reason.h"
#include "stages/process/process.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"

/* --- messages ------------------------------------------------------------- */

/* With the document's id, the descriptor of its locked folder, and to hand over
 * that of the bytes. The process closes them. */
enum request_type {
    REQUEST_OUTCOME = 1, /* writes the outcome, if there is one */
    REQUEST_COLLECT,     /* it is durable here; the database can forget it */
    REQUEST_HAND,
    REQUEST_PROBE,
    REQUEST_DOOR, /* statements come through the descriptor, after the reply */
    N_REQUEST
};

#define REQUEST                                                 \
    {                                                           \
        .least = SPOOL_ID_SIZE, .most = SPOOL_ID_SIZE, .fds = 2 \
    }
static const struct message_type request[N_REQUEST] = {
    {.least = 1}, REQUEST, REQUEST, REQUEST, REQUEST, REQUEST};

struct fleet_reply {
    struct reason_message reason;
    enum fleet_state state; /* of the document */
    bool unsure;            /* an fsync failed */
};

enum { REPLY = 1 };

static const struct message_type reply[REPLY + 1] = {
    {.least = 1},
    {.least = sizeof(struct fleet_reply), .most = sizeof(struct fleet_reply)}};

static const struct message_types requests = {request, N_REQUEST};
static const struct message_types replies = {reply, REPLY + 1};

/* --- the process ------------------------------------------------------------ */

struct fleet_process {
    struct fleet *fleet;
    struct spool *spool;
    struct arena *arena; /* for the present request */
};

/* record.json is written last: it makes the outcome valid (F5). */
static void write_record(struct fleet_process *p, struct folder *f,
                         const struct fleet_outcome *outcome, struct err *err)
{
    fleet_learn(p->fleet, err);
    struct span xml = {"", 0};
    if (*outcome->xml.hash)
        xml = fleet_file_get(p->fleet, &outcome->xml, p->arena, err);
    struct span record =
        fleet_file_get(p->fleet, &outcome->record, p->arena, err);
    if (xml.size) spool_write(f, "record.xml", xml, err);
    spool_write(f, "record.json", record, err);
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

static enum fleet_state find_outcome(struct fleet_process *p, struct folder *f,
                                     struct err *err)
{
    struct document_folder_state state;
    struct fleet_outcome outcome =
        fleet_queue_outcome(p->fleet->db, f->id, p->arena, err);
    if (err_failed(err)) return FLEET_UNKNOWN;
    document_folder_read(f->fd, f->id, &state);
    if (outcome.state == FLEET_RESULT) write_record(p, f, &outcome, err);
    if (outcome.state == FLEET_DEAD) write_reason(f, &state, &outcome, err);
    return outcome.state;
}

static const char *read_text(const struct folder *f, const char *name,
                             struct arena *arena)
{
    struct span text = spool_read(f->fd, name, SPOOL_JSON_MAX, arena);
    return text.data ? text.data : "";
}

static void hand_in(struct fleet_process *p, const struct folder *f,
                    int bytes_fd, struct err *err)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", bytes_fd);
    struct span bytes = file_map_open(path, err);
    struct fleet_job job = {
        .name = read_text(f, "name.json", p->arena),
        .part = read_text(f, "part.json", p->arena),
        .feeder =
            arena_text(p->arena, "%s:%s", p->fleet->host, f->spool->path)};
    snprintf(job.id, sizeof job.id, "%s", f->id);
    fleet_hand_in(p->fleet, &job, bytes, err);
    file_map_close(bytes);
}

static void probe(struct fleet_process *p, struct err *err)
{
    struct hash nothing = hash_bytes((struct span){"", 0});
    fleet_queue_setting(p->fleet->db, "store", p->arena, err);
    fleet_learn(p->fleet, err);
    fleet_store_put(&p->fleet->store, (struct span){"", 0}, &nothing, err);
}

static struct fleet_reply reply_to(struct fleet_process *p,
                                   const struct message *q)
{
    struct err err = {0};
    struct fleet_reply told = {.state = FLEET_UNKNOWN};
    struct folder f = {.spool = p->spool, .fd = q->n_fd > 0 ? q->fd[0] : -1};
    snprintf(f.id, sizeof f.id, "%.*s", SPOOL_ID_SIZE - 1, q->body.text);
    arena_reset(p->arena);
    if (q->type == REQUEST_OUTCOME) told.state = find_outcome(p, &f, &err);
    if (q->type == REQUEST_COLLECT)
        fleet_queue_collect(p->fleet->db, f.id, &err);
    if (q->type == REQUEST_HAND && q->n_fd == 2) hand_in(p, &f, q->fd[1], &err);
    if (q->type == REQUEST_PROBE) probe(p, &err);
    reason_pack(&err, &told.reason);
    told.unsure = p->spool->unsure;
    return told;
}

struct fleet_process_start {
    struct spool *spool;
    const struct config *config;
};

static void run_process(void *arg, int fd)
{
    const struct fleet_process_start *start = arg;
    prctl(PR_SET_DUMPABLE, 0);
    struct fleet_process p = {.fleet = fleet_new(start->config),
                              .spool = start->spool,
                              .arena = arena_new()};
    struct message m;
    while (message_receive(fd, &requests, true, &m) == MESSAGE_RECEIVED) {
        const struct fleet_reply told = reply_to(&p, &m);
        const struct span body = {(const char *)&told, sizeof told};
        bool sent = message_send(fd, REPLY, body, (struct span){"", 0});
        if (m.type == REQUEST_DOOR && m.n_fd)
            fleet_sql_serve(p.fleet->db, m.fd[0]);
        for (int i = 0; i < m.n_fd; i++)
            close(m.fd[i]);
        if (!sent) break;
    }
}

/* --- the worker --------------------------------------------------------------- */

enum { QUERY_MOST_S = 30 };

struct worker_fleet {
    struct process process;
    struct spool *spool;
    const struct settings *settings;
};

struct worker_fleet *worker_fleet_new(struct spool *spool,
                                      const struct config *config)
{
    struct err err = {0};
    struct fleet_process_start start = {spool, config};
    if (!*config->fleet) return NULL;
    struct worker_fleet *w = mem_alloc(1, sizeof *w);
    w->spool = spool;
    w->settings = &config->stage;
    /* without it all requests fail */
    process_start(&w->process,
                  &(struct process_options){.name = "platen-fleet",
                                            .run = run_process,
                                            .arg = &start},
                  &err);
    return w;
}

void worker_fleet_free(struct worker_fleet *w)
{
    if (!w) return;
    process_end(&w->process);
    mem_free(w);
}

/* FAIL: the process's failure; [fleet-unreachable] if it has ended: the next
 * worker has another. */
static enum fleet_state ask(struct worker_fleet *w, enum request_type type,
                            const char *id, const int *fd, int n_fd,
                            struct err *err)
{
    char which[SPOOL_ID_SIZE] = "";
    struct message m;
    struct fleet_reply told;
    snprintf(which, sizeof which, "%s", id);
    if (err_failed(err)) return FLEET_UNKNOWN;
    if (!w->process.pid ||
        !message_send_fds(w->process.fd, type,
                          (struct span){which, sizeof which}, fd, n_fd) ||
        message_receive(w->process.fd, &replies, true, &m) !=
            MESSAGE_RECEIVED) {
        process_end(&w->process);
        err_reason(err, ERR_REMOTE, "fleet-unreachable",
                   "the process that talks to the fleet ended");
        return FLEET_UNKNOWN;
    }
    memcpy(&told, &m.body, sizeof told);
    w->spool->unsure |= told.unsure;
    reason_unpack(&told.reason, err);
    return told.state;
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

/* The checker parses it: it comes from the content of the document. */
static void check_record(struct worker_fleet *w, struct folder *f,
                         struct err *err)
{
    struct checker_result result;
    struct err own = {0};
    if (err_failed(err)) return;
    checker_run(f, "record.json", NULL, "", w->settings, &result, &own);
    if (!err_failed(&own) && !*result.fault) return;
    spool_remove(f, "record.json", err);
    err_reason(err, ERR_REMOTE, "fleet-refused", "the fleet's result: %s",
               err_failed(&own) ? own.text : result.fault);
}

bool worker_fleet_waits(struct worker_fleet *w, struct folder *f,
                        struct document_folder_state *state,
                        long long *not_before, struct err *err)
{
    if (err_failed(err) || !w || !spool_exists(f->fd, SPOOL_FLEET))
        return false;
    if (!state->has_record && !state->has_reason) {
        enum fleet_state found = ask(w, REQUEST_OUTCOME, f->id, &f->fd, 1, err);
        if (err_failed(err)) return false;
        if (found == FLEET_READY || found == FLEET_LEASE) {
            *not_before = next_query(f);
            return true;
        }
        if (found == FLEET_UNKNOWN) spool_remove(f, SPOOL_FLEET, err);
        state->has_record = found == FLEET_RESULT;
        state->has_reason = found == FLEET_DEAD;
        if (found == FLEET_UNKNOWN) return false;
    } /* else a worker died after it had written the outcome */
    if (state->has_record) check_record(w, f, err);
    if (err_failed(err)) return false;
    struct err late = {0};
    ask(w, REQUEST_COLLECT, f->id, NULL, 0, &late);
    if (!w->process.pid) *err = late; /* the next worker does it */
    return false;
}

bool worker_fleet_hand(struct worker_fleet *w, struct folder *f,
                       struct spool_seal *seal, struct err *err)
{
    struct stat st;
    char path[32];
    const int fd[] = {f->fd, seal->fd};
    if (err_failed(err)) return true;
    if (fstat(seal->fd, &st) != 0 || st.st_size == 0 ||
        st.st_size > w->settings->max_document_bytes)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", seal->fd);
    struct span bytes = file_map_open(path, err);
    struct hash hash = hash_bytes(bytes);
    file_map_close(bytes);
    spool_seal_check(seal, hash.hex, err);
    spool_seal_end(seal, err);
    ask(w, REQUEST_HAND, f->id, fd, 2, err);
    spool_mark(f, SPOOL_FLEET, err);
    return true;
}

int worker_fleet_door(struct worker_fleet *w, struct err *err)
{
    int end[2] = {-1, -1};
    if (err_failed(err)) return -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) != 0)
        err_errno(err, "socketpair");
    ask(w, REQUEST_DOOR, "", &end[1], 1, err);
    if (end[1] >= 0) close(end[1]);
    if (!err_failed(err)) return end[0];
    if (end[0] >= 0) close(end[0]);
    return -1;
}

void worker_fleet_probe(struct worker_fleet *w, struct err *err)
{
    if (w) ask(w, REQUEST_PROBE, "", NULL, 0, err);
}
