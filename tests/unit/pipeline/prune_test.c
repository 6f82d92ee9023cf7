/* prune_test.c - what may go and what stays, one document at a time. */
#include "pipeline/spool/spool_prune.h"

#include <stdio.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/fsck.h"
#include "pipeline/supervisor/hooks.h"
#include "tests/unit/pipeline/spool_box.h"
#include "vlm/base/clock.h"

/* A claimed document with what makes it done. */
static void make_done(struct spool_box *b, char id[static SPOOL_ID_SIZE],
                      bool delivered)
{
    struct folder f;
    spool_box_claim(b, "x", "a.png", id);
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
    spool_write(&f, "record.json", span_of("{}"), &b->err);
    spool_commit(&f, SPOOL_DONE, &b->err);
    if (delivered) spool_mark(&f, "delivered", &b->err);
    spool_unlock(&f);
    assert_false(err_failed(&b->err));
}

static void count_why(void *arg, const char *id, const char *what,
                      const char *why)
{
    (void)id;
    (void)what;
    if (why) ++*(int *)arg;
}

static size_t prune(struct spool_box *b, long long age, bool keep, bool dry)
{
    int stays = 0;
    struct spool_prune how = {.before = clock_utc() - age,
                              .keep_records = keep,
                              .dry_run = dry,
                              .most = 1 << 20,
                              .tell = count_why,
                              .arg = &stays};
    size_t n = spool_prune(&b->spool, &how, &b->err);
    assert_false(err_failed(&b->err));
    return n + 100 * (size_t)stays;
}

static void the_old_and_delivered_goes_whole(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    make_done(b, id, true);
    assert_int_equal(prune(b, 60, false, false), 0);
    assert_int_equal(prune(b, -60, false, true), 1);
    assert_true(spool_box_has(b, SPOOL_DONE, id, "doc"));
    assert_int_equal(prune(b, -60, false, false), 1);
    assert_false(spool_exists(b->spool.place[SPOOL_DONE], id));
    assert_int_equal(prune(b, -60, false, false), 0);
}

static void the_undelivered_and_the_held_stay(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    struct folder f;
    make_done(b, id, false);
    assert_int_equal(prune(b, -60, false, false), 0);
    assert_true(spool_lock(&b->spool, SPOOL_DONE, id, &f, &b->err));
    spool_mark(&f, "delivered", &b->err);
    assert_int_equal(prune(b, -60, false, false), 0);
    spool_mark(&f, "notes", &b->err);
    spool_unlock(&f);
    assert_int_equal(prune(b, -60, false, false), 100);
    assert_true(spool_box_has(b, SPOOL_DONE, id, "doc"));
}

static void what_owes_a_hook_stays_while_there_is_one(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    b->config->on_done = "/bin/true";
    hooks_arm(&b->spool, b->config);
    make_done(b, id, true);
    assert_true(spool_box_has(b, SPOOL_DONE, id, SPOOL_HOOK_FILE));
    assert_int_equal(prune(b, -60, false, false), 0);
    b->config->on_done = "";
    hooks_arm(&b->spool, b->config);
    assert_int_equal(prune(b, -60, false, false), 1);
}

static void only_the_bytes_go_and_the_mark_says_so(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE];
    make_done(b, id, true);
    assert_int_equal(prune(b, -60, true, false), 1);
    assert_false(spool_box_has(b, SPOOL_DONE, id, "doc"));
    assert_true(spool_box_has(b, SPOOL_DONE, id, "record.json"));
    assert_true(spool_box_has(b, SPOOL_DONE, id, SPOOL_PRUNED));
    assert_int_equal(prune(b, -60, true, false), 0);
}

static void what_was_begun_is_ended_whatever_its_age(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE], from[200], to[200];
    make_done(b, id, true);
    snprintf(from, sizeof from, "%s/done/%s", b->path, id);
    snprintf(to, sizeof to, "%s/pending/%s.prune", b->path, id);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(prune(b, 3600, false, false), 0);
    assert_int_equal(access(to, F_OK), -1);
}

#define ON_BOX(f) \
    cmocka_unit_test_setup_teardown(f, spool_box_open, spool_box_close)

TEST_GROUP(prune, ON_BOX(the_old_and_delivered_goes_whole),
           ON_BOX(the_undelivered_and_the_held_stay),
           ON_BOX(what_owes_a_hook_stays_while_there_is_one),
           ON_BOX(only_the_bytes_go_and_the_mark_says_so),
           ON_BOX(what_was_begun_is_ended_whatever_its_age))
