/* queue_test.c - what is next, and what has to wait. */
#include "tests/unit/pipeline/spool_box.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/config/config_schema.h"
#include "pipeline/spool/deferral.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/supervisor/queue.h"
#include "vlm/base/clock.h"

struct desk {
    struct queue *queue;
    struct worker_pool *crew; /* idle: nothing is ever started */
};

static struct desk begin(struct spool_box *b, bool patient)
{
    struct desk d = {queue_new(&b->spool, b->config, patient),
                     worker_pool_new(&b->spool, b->config, 1)};
    queue_scan(d.queue, &b->err);
    test_ok(&b->err);
    return d;
}

static void end(struct desk *d)
{
    queue_free(d->queue);
    worker_pool_free(d->crew);
}

/* The next one, or "". */
static struct worker_job next(struct spool_box *b, struct desk *d)
{
    struct worker_job order;
    bool there = queue_next(d->queue, d->crew, &order, &b->err);
    test_ok(&b->err);
    assert_int_equal(there, *order.id != '\0');
    return order;
}

static void hear(struct desk *d, const char *id, enum event_kind kind,
                 long long not_before)
{
    struct event e = {.kind = kind, .not_before = not_before};
    snprintf(e.id, sizeof e.id, "%s", id);
    snprintf(e.code, sizeof e.code, "endpoint-failed");
    queue_event(d->queue, d->crew, &e);
}

static void defer(struct spool_box *b, const char *id, int times)
{
    struct folder f;
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
    struct deferral d = {.times = 0};
    for (int i = 0; i < times; i++)
        deferral_add(&f, &d, "endpoint-failed", &b->err);
    spool_unlock(&f);
    test_ok(&b->err);
}

/* platen vanished `times` times while it was read. */
static void let_die(struct spool_box *b, const char *id, int times)
{
    struct folder f;
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
    for (int i = 1; i <= times; i++)
        document_folder_begin(&f, i, false, &b->err);
    spool_unlock(&f);
    test_ok(&b->err);
}

static void only_what_has_settled_is_claimed(void **state)
{
    struct spool_box *b = *state;
    spool_box_drop(b, "", "fresh.pdf", "x");
    config_set(b->config, "stable_for", "60", "test", &b->err);
    struct desk d = begin(b, true);
    assert_string_equal(next(b, &d).id, "");
    assert_int_equal(queue_left(d.queue, d.crew).n_unstable, 1);
    assert_true(queue_due(d.queue, d.crew) > 50);
    end(&d);
    config_set(b->config, "stable_for", "0", "test", &b->err);
    d = begin(b, true);
    struct worker_job order = next(b, &d);
    assert_true(spool_box_has(b, SPOOL_WORK, order.id, "doc"));
    end(&d);
}

static void an_empty_file_waits_longer(void **state)
{
    struct spool_box *b = *state;
    spool_box_drop(b, "", "fresh.pdf", "");
    struct desk d = begin(b, true);
    assert_string_equal(next(b, &d).id, "");
    assert_true(queue_due(d.queue, d.crew) > 50);
    spool_box_drop(b, "", "fresh.pdf", "x");
    queue_scan(d.queue, &b->err);
    assert_string_not_equal(next(b, &d).id, "");
    end(&d);
}

static void what_was_set_back_goes_last(void **state)
{
    struct spool_box *b = *state;
    char first[SPOOL_ID_SIZE], second[SPOOL_ID_SIZE], third[SPOOL_ID_SIZE];
    spool_box_claim(b, "", "1", first);
    spool_box_claim(b, "", "2", second);
    spool_box_claim(b, "", "3", third);
    defer(b, first, 2);
    defer(b, second, 1);
    spool_box_drop(b, "", "4", "x");
    struct desk d = begin(b, false);
    assert_string_equal(next(b, &d).id, third);
    hear(&d, third, EVENT_DONE, 0);
    struct worker_job fourth = next(b, &d);
    assert_string_not_equal(fourth.id, first);
    assert_string_not_equal(fourth.id, second);
    hear(&d, fourth.id, EVENT_DONE, 0);
    assert_string_equal(next(b, &d).id, second);
    hear(&d, second, EVENT_DEFERRED, clock_utc() + 20);
    assert_string_equal(next(b, &d).id, first);
    hear(&d, first, EVENT_FAILED, 0);
    /* a run tries it once */
    assert_string_equal(next(b, &d).id, "");
    struct queue_left left = queue_left(d.queue, d.crew);
    assert_int_equal(left.n_deferred, 1);
    assert_int_equal(left.n_waiting, 0);
    assert_true(queue_due(d.queue, d.crew) < 0);
    end(&d);
}

static void a_watch_waits_until_it_is_due(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    spool_box_claim(b, "", "1", id);
    defer(b, id, 3); /* 40 s */
    struct desk d = begin(b, true);
    assert_string_equal(next(b, &d).id, "");
    double due = queue_due(d.queue, d.crew);
    assert_true(due > 35 && due < 41);
    queue_undefer(d.queue, "disk");
    assert_string_equal(next(b, &d).id, "");
    queue_undefer(d.queue, "endpoint-failed");
    assert_string_equal(next(b, &d).id, id);
    hear(&d, id, EVENT_DEFERRED, clock_utc() + 80);
    assert_string_equal(next(b, &d).id, "");
    queue_undefer(d.queue, NULL);
    assert_string_equal(next(b, &d).id, id);
    end(&d);
}

static void nor_does_it_wait_for_ever(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE], name[16];
    spool_box_claim(b, "", "1", id);
    defer(b, id, 1);
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "f%d", i);
        spool_box_drop(b, "", name, "x");
    }
    struct desk d = begin(b, true);
    queue_undefer(d.queue, NULL);
    int turn = 0;
    for (int i = 1; i <= 6 && !turn; i++) {
        struct worker_job order = next(b, &d);
        if (!strcmp(order.id, id)) turn = i;
        hear(&d, order.id, EVENT_DONE, 0);
    }
    assert_int_equal(turn, 4);
    end(&d);
}

static void suspects_go_alone_and_last(void **state)
{
    struct spool_box *b = *state;
    char suspect[SPOOL_ID_SIZE], other[SPOOL_ID_SIZE];
    spool_box_claim(b, "", "1", suspect);
    spool_box_claim(b, "", "2", other);
    let_die(b, suspect, WORKER_SUSPECT);
    let_die(b, other, WORKER_SUSPECT - 1);
    struct desk d = begin(b, false);
    struct worker_job order = next(b, &d);
    assert_string_equal(order.id, other);
    assert_false(order.alone);
    hear(&d, other, EVENT_RETRY, clock_utc() + 30);
    order = next(b, &d);
    assert_string_equal(order.id, suspect);
    assert_true(order.alone);
    end(&d);
    /* a watch keeps a distance from what it may have died of */
    d = begin(b, true);
    assert_string_equal(next(b, &d).id, other);
    hear(&d, other, EVENT_DONE, 0);
    assert_string_equal(next(b, &d).id, "");
    assert_true(queue_due(d.queue, d.crew) > 5);
    end(&d);
}

static void an_outcome_is_not_given_out_again(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    spool_box_claim(b, "", "1", id);
    struct desk d = begin(b, true);
    assert_string_equal(next(b, &d).id, id);
    hear(&d, id, EVENT_RETRY, clock_utc() + 30);
    assert_string_equal(next(b, &d).id, "");
    double due = queue_due(d.queue, d.crew);
    assert_true(due > 25 && due < 31);
    hear(&d, id, EVENT_SKIPPED, 0);
    assert_int_equal(queue_left(d.queue, d.crew).n_elsewhere, 1);
    hear(&d, id, EVENT_DONE, 0);
    assert_true(queue_due(d.queue, d.crew) < 0);
    end(&d);
}

static void a_deferral_is_bounded_whatever_it_says(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    static const char *const noise[] = {"", "{", "[]", "{\"times\":-1}",
                                        "{\"times\":\"x\",\"reason\":7}"};
    struct folder f;
    struct deferral d;
    spool_box_claim(b, "", "1", id);
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
        spool_write(&f, "attempt.deferred", span_of(noise[i]), &b->err);
        deferral_read(f.fd, &d);
        assert_int_equal(d.times, 0);
    }
    spool_write(&f, "attempt.deferred",
                span_of("{\"times\":99999999999,\"not_before\":"
                        "999999999999999,\"reason\":\"nonsense\"}"),
                &b->err);
    spool_unlock(&f);
    test_ok(&b->err);
    struct desk desk = begin(b, true);
    assert_true(queue_due(desk.queue, desk.crew) < 901);
    end(&desk);
    assert_true(deferral_wait(1) >= 10 && deferral_wait(1000000) <= 900);
    assert_true(deferral_wait(2) > deferral_wait(1));
}

/* Two endpoints: one that fails holds up its own schemas. */
static void an_endpoint_that_fails_holds_up_its_schemas(void **state)
{
    struct spool_box *b = *state;
    char own[SPOOL_ID_SIZE], other[SPOOL_ID_SIZE];
    config_schema_set(b->config, "a", "endpoint", "http://127.0.0.1:9/v1",
                      "test", &b->err);
    config_finish(b->config, &b->err);
    test_ok(&b->err);
    spool_box_claim(b, "a", "1", own);
    spool_box_claim(b, "b", "2", other);
    spool_box_drop(b, "a", "3", "x");
    for (int patient = 0; patient < 2; patient++) {
        struct desk d = begin(b, patient);
        assert_int_equal(worker_pool_backends(d.crew), 2);
        assert_string_equal(next(b, &d).id, own);
        struct event e = {.kind = EVENT_WAIT};
        snprintf(e.id, sizeof e.id, "%s", own);
        snprintf(e.code, sizeof e.code, "disk");
        assert_false(queue_hold(d.queue, d.crew, &e)); /* is for all */
        snprintf(e.code, sizeof e.code, "endpoint-failed");
        assert_true(queue_hold(d.queue, d.crew, &e));
        struct worker_job job = next(b, &d);
        assert_string_equal(job.id, other);
        assert_string_equal(job.schema, "b");
        assert_int_equal(queue_left(d.queue, d.crew).n_failed, patient ? 0 : 2);
        hear(&d, other, EVENT_DONE, 0);
        assert_string_equal(next(b, &d).id, "");
        double due = queue_due(d.queue, d.crew);
        assert_true(patient ? due > 4 && due <= 5 : due < 0);
        queue_configure(d.queue, b->config); /* SIGHUP may have mended it */
        assert_string_equal(next(b, &d).id, own);
        end(&d);
    }
}

#define IN_BOX(test) \
    cmocka_unit_test_setup_teardown(test, spool_box_open, spool_box_close)

TEST_GROUP(queue, IN_BOX(only_what_has_settled_is_claimed),
           IN_BOX(an_empty_file_waits_longer),
           IN_BOX(what_was_set_back_goes_last),
           IN_BOX(a_watch_waits_until_it_is_due),
           IN_BOX(nor_does_it_wait_for_ever),
           IN_BOX(suspects_go_alone_and_last),
           IN_BOX(an_outcome_is_not_given_out_again),
           IN_BOX(a_deferral_is_bounded_whatever_it_says),
           IN_BOX(an_endpoint_that_fails_holds_up_its_schemas))
