/* worker_steps_test.c - every state of a document's folder in work/, and a kill
 * between any two durable operations: the document is then exactly once in done/
 * or failed/, with a record that was checked. */
#define _GNU_SOURCE
#include "tests/unit/pipeline/spool_box.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/spool/deferral.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/worker/worker.h"
#include "stages/children/spawner.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"

/* --- a kill at a durable operation ------------------------------------------- */

enum { KILLED = 99, OPERATIONS_MOST = 200 };

/* Of a forked worker: operations until its death; 0: it lives. */
static int left;

static void maybe_die(void)
{
    if (left > 0 && --left == 0) _exit(KILLED);
}

/* These take the place of libc's in the whole program. */
int fsync(int fd);
int fsync(int fd)
{
    maybe_die();
    return (int)syscall(SYS_fsync, fd);
}

int renameat(int from, const char *old, int to, const char *new);
int renameat(int from, const char *old, int to, const char *new)
{
    maybe_die();
    return (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

int renameat2(int from, const char *old, int to, const char *new,
              unsigned flags);
int renameat2(int from, const char *old, int to, const char *new,
              unsigned flags)
{
    maybe_die();
    return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int unlinkat(int at, const char *name, int flags);
int unlinkat(int at, const char *name, int flags)
{
    maybe_die();
    return (int)syscall(SYS_unlinkat, at, name, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags);
int linkat(int from, const char *old, int to, const char *new, int flags)
{
    maybe_die();
    return (int)syscall(SYS_linkat, from, old, to, new, flags);
}

/* --- states -------------------------------------------------------------------- */

enum what { NONE, GOOD, FOREIGN, DAMAGED };

struct state {
    const char *called;
    enum what record, reason;
    bool lacks_doc, retried, unreleased, unseen; /* unseen: record.json.tmp */
    bool parts, rows, deferred, stale_xml;
    int n_attempt; /* without an end */
    int n_crash;   /* with one, before those */
    bool early;    /* the last crash is fresh */
    /* what happens */
    enum event_kind end;
    const char *code;
    bool again; /* the document is read: its record is new */
};

static const struct state states[] = {
    {"nothing", .end = EVENT_DONE, .code = "", .again = true},
    {"no doc", .lacks_doc = true, .end = EVENT_SKIPPED, .code = ""},
    {"no doc, record", .lacks_doc = true, .record = GOOD, .end = EVENT_SKIPPED,
     .code = ""},
    {"record", .record = GOOD, .end = EVENT_DONE, .code = ""},
    {"record, open attempt", .record = GOOD, .n_attempt = 1, .end = EVENT_DONE,
     .code = ""},
    {"record, attempts that crashed", .record = GOOD, .n_crash = 2,
     .early = true, .end = EVENT_DONE, .code = ""},
    {"record and reason", .record = GOOD, .reason = GOOD, .end = EVENT_DONE,
     .code = ""},
    {"foreign record", .record = FOREIGN, .end = EVENT_DONE, .code = "",
     .again = true},
    {"damaged record", .record = DAMAGED, .end = EVENT_DONE, .code = "",
     .again = true},
    {"damaged record, reason", .record = DAMAGED, .reason = GOOD,
     .end = EVENT_FAILED, .code = "damaged"},
    {"foreign record, poison", .record = FOREIGN, .n_crash = 2,
     .end = EVENT_FAILED, .code = "raster-crash"},
    {"unseen record", .unseen = true, .end = EVENT_DONE, .code = "",
     .again = true},
    {"unseen record, open attempt", .unseen = true, .n_attempt = 1,
     .end = EVENT_DONE, .code = "", .again = true},
    {"unseen record, poison", .unseen = true, .n_crash = 2, .end = EVENT_FAILED,
     .code = "raster-crash"},
    {"unseen and damaged record", .unseen = true, .record = DAMAGED,
     .end = EVENT_DONE, .code = "", .again = true},
    {"reason", .reason = GOOD, .end = EVENT_FAILED, .code = "damaged"},
    {"reason, unseen record", .reason = GOOD, .unseen = true,
     .end = EVENT_FAILED, .code = "damaged"},
    {"foreign reason", .reason = FOREIGN, .end = EVENT_DONE, .code = "",
     .again = true},
    {"damaged reason", .reason = DAMAGED, .end = EVENT_DONE, .code = "",
     .again = true},
    {"retried", .retried = true, .end = EVENT_DONE, .code = "", .again = true},
    {"retried, reason", .retried = true, .reason = GOOD, .n_crash = 2,
     .end = EVENT_DONE, .code = "", .again = true},
    {"retried, deferred, early", .retried = true, .deferred = true,
     .n_crash = 1, .early = true, .end = EVENT_DONE, .code = "", .again = true},
    {"unreleased", .unreleased = true, .end = EVENT_DONE, .code = "",
     .again = true},
    {"unreleased, retried, reason", .unreleased = true, .retried = true,
     .reason = GOOD, .end = EVENT_DONE, .code = "", .again = true},
    {"unreleased, record", .unreleased = true, .record = GOOD,
     .end = EVENT_DONE, .code = ""},
    {"open attempt", .n_attempt = 1, .end = EVENT_DONE, .code = "",
     .again = true},
    {"crash", .n_crash = 1, .end = EVENT_DONE, .code = "", .again = true},
    {"crash, early", .n_crash = 1, .early = true, .end = EVENT_RETRY,
     .code = "raster-crash"},
    {"poison", .n_crash = 2, .end = EVENT_FAILED, .code = "raster-crash"},
    {"poison, early", .n_crash = 2, .early = true, .end = EVENT_FAILED,
     .code = "raster-crash"},
    {"parts", .parts = true, .end = EVENT_DONE, .code = "", .again = true},
    {"parts, open attempt, rows", .parts = true, .rows = true, .n_attempt = 2,
     .end = EVENT_DONE, .code = "", .again = true},
    {"deferred", .deferred = true, .end = EVENT_DONE, .code = "",
     .again = true},
    {"deferred, crash", .deferred = true, .n_crash = 1, .rows = true,
     .end = EVENT_DONE, .code = "", .again = true},
    {"record.xml of an earlier attempt", .stale_xml = true, .n_attempt = 1,
     .end = EVENT_DONE, .code = "", .again = true},
};

enum { N_STATE = sizeof states / sizeof *states };

/* --- a scene --------------------------------------------------------------------- */

struct scene {
    struct spool_box *box;
    struct process_server *spawner;
    char id[SPOOL_ID_SIZE];
    char sha256[65];
};

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static void keep_last(void *arg, const struct event *event)
{
    if (event_is_last(event)) *(struct event *)arg = *event;
}

static struct event take(struct scene *s)
{
    struct event last = {0};
    struct worker_job job = {.alone = false};
    snprintf(job.id, sizeof job.id, "%s", s->id);
    struct worker *w = worker_new(&(struct worker_options){
        &s->box->spool, s->box->config, never, keep_last, &last});
    worker_process(w, &job);
    worker_free(w);
    return last;
}

static void set_up(struct scene *s, void **state)
{
    char schemas[4096];
    struct spool_box *b = *state;
    *s = (struct scene){.box = b};
    config_set(b->config, "schemas", test_path(schemas, "tests/faults"), "test",
               &b->err);
    config_set(b->config, "format", "json", "test", &b->err);
    config_finish(b->config, &b->err);
    test_ok(&b->err);
    s->spawner = spawner_new(&b->config->stage, &b->err);
    process_server_ensure(s->spawner);
    b->config->stage.spawner_door = process_server_door(s->spawner);
}

static void put(int folder, const char *name, const char *text)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void put_document(struct scene *s)
{
    char path[4096], to[256];
    struct err err = {0};
    struct arena *arena = arena_new();
    spool_box_claim(s->box, "faults", "a.png", s->id);
    struct span bytes = file_map_read(test_path(path, "tests/faults/good.png"),
                                      1 << 20, arena, &err);
    test_ok(&err);
    snprintf(to, sizeof to, "%s/work/%s/doc", s->box->path, s->id);
    FILE *f = fopen(to, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, f), bytes.size);
    fclose(f);
    snprintf(s->sha256, sizeof s->sha256, "%s", hash_bytes(bytes).hex);
    arena_free(arena);
}

/* `from`: the document it says it is of. */
static void put_outcome(const struct scene *s, int fd, const char *name,
                        enum what what, const char *rest)
{
    char text[1024];
    const char *id =
        what == FOREIGN ? "20260101T000000Z-0123456789abcdef" : s->id;
    if (what == NONE) return;
    snprintf(text, sizeof text,
             "{\"id\": \"%s\", \"source\": {\"sha256\": \"%s\"}, %s}\n", id,
             s->sha256, rest);
    if (what == DAMAGED) text[strlen(text) / 2] = '\0';
    put(fd, name, text);
}

static void put_attempts(struct scene *s, const struct state *t)
{
    struct folder f;
    struct err err = {0};
    assert_true(spool_lock(&s->box->spool, SPOOL_WORK, s->id, &f, &err));
    for (int n = 1; n <= t->n_crash + t->n_attempt; n++) {
        bool early = t->early && n == t->n_crash;
        struct document_folder_end end = {
            .outcome = "crash",
            .code = "raster-crash",
            .stage = "rasterise",
            .text = "why",
            .not_before = early ? clock_utc() + WORKER_CRASH_WAIT_S : 0};
        document_folder_begin(&f, n, false, &err);
        if (n <= t->n_crash) document_folder_end(&f, n, &end, &err);
    }
    struct deferral d = {.text = "why"};
    if (t->deferred) deferral_add(&f, &d, "disk", &err);
    spool_unlock(&f);
    test_ok(&err);
}

static void put_state(struct scene *s, const struct state *t)
{
    put_document(s);
    put_attempts(s, t);
    int fd = spool_folder_fd(&s->box->spool, SPOOL_WORK, s->id);
    put_outcome(s, fd, "record.json", t->record,
                "\"data\": {\"text\": \"old\"}");
    put_outcome(s, fd, "reason.json", t->reason, "\"code\": \"damaged\"");
    if (t->unseen)
        put_outcome(s, fd, "record.json.tmp", GOOD,
                    "\"data\": {\"text\": \"planted\"}");
    if (t->stale_xml) put(fd, "record.xml", "<record>old</record>");
    if (t->retried) put(fd, "retry", "");
    if (t->unreleased) put(fd, "taken.json", "{}");
    if (t->rows) put(fd, "rows", "rows");
    if (t->parts) {
        assert_int_equal(mkdirat(fd, "parts.tmp", 0700), 0);
        assert_int_equal(mkdirat(fd, "parts", 0700), 0);
    }
    if (t->lacks_doc) assert_int_equal(unlinkat(fd, "doc", 0), 0);
    close(fd);
}

/* --- what must hold ------------------------------------------------------------------ */

static bool is_in(const struct scene *s, enum spool_place place)
{
    int fd = spool_folder_fd(&s->box->spool, place, s->id);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static void check_once(const struct scene *s, enum spool_place place,
                       const char *called)
{
    for (int p = SPOOL_WORK; p <= SPOOL_FAILED; p++)
        if (p != SPOOL_IN && is_in(s, (enum spool_place)p) != (p == (int)place))
            fail_msg("%s: the document is not only in %s/", called,
                     spool_place_name(place));
}

static void check_record(const struct scene *s, const struct state *t)
{
    struct arena *arena = arena_new();
    int fd = spool_folder_fd(&s->box->spool, SPOOL_DONE, s->id);
    struct span text = spool_read(fd, "record.json", 1 << 20, arena);
    assert_true(text.size > 0);
    if (strstr(text.data, "planted"))
        fail_msg("%s: a record that no checker has seen is published",
                 t->called);
    if (!strstr(text.data, "\"old\"") != t->again)
        fail_msg("%s: the record is %s", t->called,
                 t->again ? "an old one" : "not the one that was there");
    const char *fault = document_folder_record_fault(fd, s->id, 1 << 20);
    if (fault) fail_msg("%s: %s", t->called, fault);
    if (spool_exists(fd, "record.json.tmp") || spool_exists(fd, "parts.tmp") ||
        spool_exists(fd, "rows") || spool_exists(fd, "retry"))
        fail_msg("%s: something is left", t->called);
    close(fd);
    arena_free(arena);
}

static enum spool_place place_of(enum event_kind end)
{
    return end == EVENT_DONE     ? SPOOL_DONE
           : end == EVENT_FAILED ? SPOOL_FAILED
                                 : SPOOL_WORK;
}

static void check_end(const struct scene *s, const struct state *t,
                      const struct event *e)
{
    if (e->kind != t->end || strcmp(e->code, t->code) != 0)
        fail_msg("%s: event %d [%s] '%s', not %d [%s]", t->called, (int)e->kind,
                 e->code, e->text, (int)t->end, t->code);
    check_once(s, place_of(t->end), t->called);
    if (t->end == EVENT_DONE) check_record(s, t);
    if (t->end == EVENT_FAILED) {
        int fd = spool_folder_fd(&s->box->spool, SPOOL_FAILED, s->id);
        assert_null(document_folder_reason_fault(fd, s->id));
        close(fd);
    }
}

static void every_state_has_its_step(void **state)
{
    struct scene s;
    set_up(&s, state);
    for (int i = 0; i < N_STATE; i++) {
        put_state(&s, &states[i]);
        struct event e = take(&s);
        check_end(&s, &states[i], &e);
    }
    process_server_free(s.spawner);
}

/* A worker that dies at operation n. False: it lived. */
static bool take_and_die(struct scene *s, int n)
{
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        left = n;
        take(s);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return false;
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == KILLED);
    return true;
}

/* The operator's view: the document has the outcome that it would have had. */
static void settle(struct scene *s, const struct state *t, int n)
{
    char called[128];
    struct err err = {0};
    snprintf(called, sizeof called, "%s, killed at operation %d", t->called, n);
    if (is_in(s, SPOOL_WORK)) take(s);
    check_once(s, place_of(t->end), called);
    if (t->end != EVENT_DONE) return;
    struct arena *arena = arena_new();
    int fd = spool_folder_fd(&s->box->spool, SPOOL_DONE, s->id);
    struct span text = spool_read(fd, "record.json", 1 << 20, arena);
    const char *fault = document_folder_record_fault(fd, s->id, 1 << 20);
    if (fault || strstr(text.data, "planted"))
        fail_msg("%s: %s", called, fault ? fault : "it was never checked");
    test_ok(&err);
    close(fd);
    arena_free(arena);
}

static bool is_killed(const struct state *t)
{
    static const char *const name[] = {
        "nothing",    "record",          "damaged record", "unseen record",
        "reason",     "retried, reason", "parts",          "poison",
        "unreleased", "deferred, crash", "foreign record"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(t->called, name[i])) return true;
    return false;
}

/* Every STEP-th operation of a state, each state from another one on: all of them
 * with PLATEN_ALL_STEPS. */
static void a_kill_between_two_operations_changes_nothing(void **state)
{
    struct scene s;
    int step = getenv("PLATEN_ALL_STEPS") ? 1 : 4, n_kill = 0;
    set_up(&s, state);
    for (int i = 0; i < N_STATE; i++) {
        const struct state *t = &states[i];
        bool dies = is_killed(t);
        for (int n = 1 + i % step; dies && n < OPERATIONS_MOST; n += step) {
            put_state(&s, t);
            dies = take_and_die(&s, n);
            settle(&s, t, n);
            n_kill += dies;
        }
    }
    assert_true(n_kill >= 100 / step);
    process_server_free(s.spawner);
}

TEST_GROUP(worker_steps,
           cmocka_unit_test_setup_teardown(every_state_has_its_step,
                                           spool_box_open, spool_box_close),
           cmocka_unit_test_setup_teardown(
               a_kill_between_two_operations_changes_nothing, spool_box_open,
               spool_box_close))
