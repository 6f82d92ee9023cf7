/* worker_test.c - the next step for one document, and who is to blame. */
#include "tests/unit/pipeline/spool_box.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/deferral.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/worker/worker.h"
#include "vlm/base/clock.h"

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static void keep_last(void *arg, const struct event *event)
{
    if (event_is_last(event)) *(struct event *)arg = *event;
}

/* Takes the document once, in a fresh worker. */
static struct event take(struct spool_box *b, const char *id, const char *probe)
{
    struct event last = {0};
    struct worker_job order = {0};
    snprintf(order.id, sizeof order.id, "%s", id);
    snprintf(order.probe, sizeof order.probe, "%s", probe);
    struct worker *w = worker_new(&(struct worker_options){
        &b->spool, b->config, never, keep_last, &last});
    worker_process(w, &order);
    worker_free(w);
    return last;
}

static void is_event(struct event e, enum event_kind kind, const char *code)
{
    assert_string_equal(e.code, code);
    assert_int_equal(e.kind, kind);
}

/* A folder where a file is to be written: an error of this document alone. */
static void obstacle(struct spool_box *b, const char *id, bool there)
{
    char path[256], inner[300];
    snprintf(path, sizeof path, "%s/work/%s/attempt.1.tmp", b->path, id);
    snprintf(inner, sizeof inner, "%s/x", path);
    if (there)
        assert_int_equal(mkdir(path, 0700) || mkdir(inner, 0700), 0);
    else
        assert_int_equal(rmdir(inner) || rmdir(path), 0);
}

static struct deferral deferral_of(const struct spool_box *b, const char *id)
{
    struct deferral d;
    int fd = spool_folder_fd(&b->spool, SPOOL_WORK, id);
    deferral_read(fd, &d);
    if (fd >= 0) close(fd);
    return d;
}

static void a_bad_document_fails_for_its_own_reason(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    spool_box_claim(b, "receipt", "empty.pdf", id);
    is_event(take(b, id, ""), EVENT_FAILED, "empty");
    assert_true(spool_box_has(b, SPOOL_FAILED, id, "reason.json"));
    assert_false(spool_box_has(b, SPOOL_FAILED, id, "attempt.deferred"));
    is_event(take(b, id, ""), EVENT_SKIPPED, "");
}

/* Another byte arrives after the worker has begun to read. */
static void write_on(void *arg, const struct event *event)
{
    struct spool_box *b = arg;
    int *fd = b->more;
    if (event->kind == EVENT_PROGRESS && *fd >= 0) {
        assert_int_equal(write(*fd, "x", 1), 1);
        close(*fd);
        *fd = -1;
    }
    if (event_is_last(event)) b->last = *event;
}

static struct event take_while_it_is_written(struct spool_box *b,
                                             const char *id)
{
    char path[256];
    struct worker_job order = {0};
    snprintf(path, sizeof path, "%s/work/%s/doc", b->path, id);
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    b->more = &fd;
    snprintf(order.id, sizeof order.id, "%s", id);
    struct worker *w = worker_new(
        &(struct worker_options){&b->spool, b->config, never, write_on, b});
    worker_process(w, &order);
    worker_free(w);
    assert_int_equal(fd, -1);
    return b->last;
}

/* A verdict over bytes that are not whole yet is none. */
static void half_a_document_is_waited_for_and_charged_nothing(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    spool_box_claim(b, "receipt", "a.pdf", id);
    for (int n = 0; n < 2; n++) {
        struct event e = take_while_it_is_written(b, id);
        is_event(e, EVENT_RETRY, "still-written");
        assert_true(e.not_before > clock_utc());
        assert_false(spool_box_has(b, SPOOL_WORK, id, "attempt.1"));
    }
    is_event(take(b, id, ""), EVENT_FAILED, "unknown-type");
}

/* A record or a reason that is not whole is no outcome: it is made anew. */
static void half_an_outcome_is_none(void **state)
{
    static const char *const file[] = {"record.json", "reason.json"};
    struct spool_box *b = *state;
    for (size_t i = 0; i < 2; i++) {
        char id[SPOOL_ID_SIZE];
        struct folder f;
        spool_box_claim(b, "receipt", "a.pdf", id);
        assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
        spool_write(&f, file[i], span_of("{\"data\": {\"tot"), &b->err);
        spool_unlock(&f);
        test_ok(&b->err);
        is_event(take(b, id, ""), EVENT_FAILED, "empty");
        assert_false(spool_box_has(b, SPOOL_DONE, id, "doc"));
        assert_true(spool_box_has(b, SPOOL_FAILED, id, "attempt.1.end"));
    }
}

static void an_unknown_schema_fails_it(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    spool_box_claim(b, "nosuch", "a.pdf", id);
    is_event(take(b, id, ""), EVENT_FAILED, "unknown-schema");
    spool_box_claim(b, "", "b.pdf", id);
    is_event(take(b, id, ""), EVENT_FAILED, "no-schema");
}

static void a_missing_model_is_nobodys_fault(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    config_set(b->config, "engine", "native", "test", &b->err);
    config_set(b->config, "model", "/nonexistent", "test", &b->err);
    config_set(b->config, "mmproj", "/nonexistent", "test", &b->err);
    config_finish(b->config, &b->err);
    spool_box_claim(b, "receipt", "a.pdf", id);
    is_event(take(b, id, ""), EVENT_WAIT, "model-missing");
    assert_false(spool_box_has(b, SPOOL_WORK, id, "attempt.1"));
    assert_int_equal(deferral_of(b, id).times, 0);
}

static void what_no_probe_confirms_sets_it_back(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    spool_box_claim(b, "receipt", "a.pdf", id);
    obstacle(b, id, true);
    struct event e = take(b, id, "");
    is_event(e, EVENT_DEFERRED, "disk");
    struct deferral d = deferral_of(b, id);
    assert_int_equal(d.times, 1);
    assert_string_equal(d.code, "disk");
    assert_true(e.not_before == d.not_before && d.not_before > clock_utc() + 8);
    long long since = d.since;
    take(b, id, "");
    d = deferral_of(b, id);
    assert_int_equal(d.times, 2);
    assert_true(d.since == since && d.not_before > clock_utc() + 18);
    assert_false(spool_box_has(b, SPOOL_WORK, id, "attempt.1"));
    obstacle(b, id, false);
    is_event(take(b, id, ""), EVENT_FAILED, "empty");
    assert_false(spool_box_has(b, SPOOL_FAILED, id, "attempt.deferred"));
}

static void what_a_probe_confirms_does_not(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    spool_box_claim(b, "receipt", "a.pdf", id);
    obstacle(b, id, true);
    config_set(b->config, "min_free_space", "900T", "test", &b->err);
    is_event(take(b, id, ""), EVENT_WAIT, "disk");
    assert_int_equal(deferral_of(b, id).times, 0);
    obstacle(b, id, false);
    /* and before the document is touched, when the queue asks for it */
    is_event(take(b, id, "disk"), EVENT_WAIT, "disk");
    assert_true(spool_box_has(b, SPOOL_WORK, id, "doc"));
    config_set(b->config, "min_free_space", "1", "test", &b->err);
    is_event(take(b, id, "disk"), EVENT_FAILED, "empty");
}

static void begin_attempt(struct spool_box *b, const char *id, int n)
{
    struct folder f;
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
    document_folder_begin(&f, n, false, &b->err);
    spool_unlock(&f);
    test_ok(&b->err);
}

static void two_crashes_condemn_it(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    struct worker_death death = {.signal = 11, .code = "internal", .why = "x"};
    spool_box_claim(b, "receipt", "a.pdf", id);
    for (int n = 1; n <= WORKER_CRASH_MAX; n++) {
        begin_attempt(b, id, n);
        long long due = worker_report_death(&b->spool, id, &death);
        assert_true(due >= clock_utc() + WORKER_CRASH_WAIT_S - 1);
    }
    is_event(take(b, id, ""), EVENT_FAILED, "internal");
}

static void a_kill_from_outside_only_sets_it_back(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    struct worker_death death = {.signal = 9, .defer = true, .why = "why"};
    spool_box_claim(b, "receipt", "a.pdf", id);
    for (int n = 1; n <= 5; n++) {
        begin_attempt(b, id, 1);
        assert_true(worker_report_death(&b->spool, id, &death) >
                    clock_utc() + 8);
        assert_int_equal(deferral_of(b, id).times, n);
    }
    assert_string_equal(deferral_of(b, id).text, "why");
    is_event(take(b, id, ""), EVENT_FAILED, "empty");
    /* and a stop leaves no trace at all */
    death.defer = false;
    spool_box_claim(b, "receipt", "b.pdf", id);
    begin_attempt(b, id, 1);
    assert_true(worker_report_death(&b->spool, id, &death) == 0);
    assert_false(spool_box_has(b, SPOOL_WORK, id, "attempt.1"));
    assert_int_equal(deferral_of(b, id).times, 0);
}

/* A worker that is stopped between its record and the commit. */
static void a_stop_before_the_commit_charges_nothing(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    struct folder f;
    struct worker_death death = {.signal = 9, .why = "why"};
    spool_box_claim(b, "receipt", "a.pdf", id);
    begin_attempt(b, id, 1);
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
    spool_write(&f, "record.json", span_of("{}"), &b->err);
    spool_unlock(&f);
    assert_true(worker_report_death(&b->spool, id, &death) == 0);
    assert_false(spool_box_has(b, SPOOL_WORK, id, "attempt.1"));
    assert_true(spool_box_has(b, SPOOL_WORK, id, "record.json"));
}

static void deaths_alone_condemn_it_at_last(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    struct folder f;
    spool_box_claim(b, "receipt", "a.pdf", id);
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
    for (int n = 1; n <= WORKER_DEATH_MAX; n++)
        document_folder_begin(&f, n, true, &b->err);
    spool_unlock(&f);
    is_event(take(b, id, ""), EVENT_FAILED, "crash-loop");
}

#define IN_BOX(test) \
    cmocka_unit_test_setup_teardown(test, spool_box_open, spool_box_close)

TEST_GROUP(worker, IN_BOX(a_bad_document_fails_for_its_own_reason),
           IN_BOX(half_a_document_is_waited_for_and_charged_nothing),
           IN_BOX(half_an_outcome_is_none), IN_BOX(an_unknown_schema_fails_it),
           IN_BOX(a_missing_model_is_nobodys_fault),
           IN_BOX(what_no_probe_confirms_sets_it_back),
           IN_BOX(what_a_probe_confirms_does_not),
           IN_BOX(two_crashes_condemn_it),
           IN_BOX(a_kill_from_outside_only_sets_it_back),
           IN_BOX(a_stop_before_the_commit_charges_nothing),
           IN_BOX(deaths_alone_condemn_it_at_last))
