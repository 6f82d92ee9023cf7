/* fsck_test.c - the checker beside a platen that moves documents, and places
 * that an operator moves away. */
#include "tests/unit/pipeline/spool_box.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/spool/fsck.h"

enum { N = 300 };

struct moving {
    struct spool_box *box;
    char id[N][SPOOL_ID_SIZE];
    atomic_bool ended;
};

static void put(const struct spool_box *b, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", b->path, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* In work/, and complete: only the commit is missing. */
static void make_document(const struct spool_box *b, const char *id)
{
    char name[128], reason[160];
    snprintf(name, sizeof name, "%s/work/%.39s", b->path, id);
    assert_int_equal(mkdir(name, 0700), 0);
    snprintf(name, sizeof name, "work/%.39s/doc", id);
    put(b, name, id);
    snprintf(reason, sizeof reason, "{\"id\":\"%.39s\",\"code\":\"empty\"}",
             id);
    snprintf(name, sizeof name, "work/%.39s/reason.json", id);
    put(b, name, reason);
}

static void *move_all(void *arg)
{
    static const struct timespec moment = {.tv_nsec = 1000 * 1000};
    struct moving *m = arg;
    for (int i = 0; i < N; i++) {
        char from[128], to[128];
        snprintf(from, sizeof from, "%s/work/%.39s", m->box->path, m->id[i]);
        snprintf(to, sizeof to, "%s/failed/%.39s", m->box->path, m->id[i]);
        rename(from, to);
        nanosleep(&moment, NULL);
    }
    m->ended = true;
    return NULL;
}

static void keep_line(void *arg, bool fault, const char *line)
{
    if (fault) snprintf(arg, 200, "%.199s", line);
}

static void documents_that_move_meanwhile_are_no_faults(void **state)
{
    struct spool_box *b = *state;
    static struct moving m;
    char line[200] = "";
    pthread_t mover;
    m.box = b;
    m.ended = false;
    for (int i = 0; i < N; i++) {
        spool_make_id(m.id[i]);
        make_document(b, m.id[i]);
    }
    assert_int_equal(pthread_create(&mover, NULL, move_all, &m), 0);
    for (bool ended = false; !ended;) {
        ended = m.ended;
        struct fsck_result r =
            fsck_spool(&b->spool, 1 << 20, false, keep_line, line, &b->err);
        test_ok(&b->err);
        assert_string_equal(line, "");
        assert_int_equal(r.n_fault, 0);
    }
    pthread_join(mover, NULL);
}

static void move_away(const struct spool_box *b, const char *place,
                      const char *to)
{
    char from[128], away[128];
    snprintf(from, sizeof from, "%s/%s", b->path, place);
    snprintf(away, sizeof away, "%s/%s", b->path, to);
    assert_int_equal(rename(from, away), 0);
}

static void a_commit_goes_to_the_folder_that_has_the_name_now(void **state)
{
    struct spool_box *b = *state;
    char id[SPOOL_ID_SIZE], path[160];
    struct folder f;
    spool_box_claim(b, "receipt", "a.png", id);
    assert_null(spool_moved_away(&b->spool));
    move_away(b, "failed", "archive");
    assert_string_equal(spool_moved_away(&b->spool), "failed");
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, &f, &b->err));
    spool_commit(&f, SPOOL_FAILED, &b->err);
    spool_unlock(&f);
    test_ok(&b->err);
    snprintf(path, sizeof path, "%s/failed/%.39s/doc", b->path, id);
    assert_int_equal(access(path, F_OK), 0);
    assert_null(spool_moved_away(&b->spool));
    move_away(b, "done", "archive2");
    move_away(b, "pending", "archive3");
    assert_true(spool_follow_all(&b->spool, &b->err));
    assert_false(spool_follow_all(&b->spool, &b->err));
    assert_null(spool_moved_away(&b->spool));
    test_ok(&b->err);
}

#define IN_BOX(test) \
    cmocka_unit_test_setup_teardown(test, spool_box_open, spool_box_close)

TEST_GROUP(fsck, IN_BOX(documents_that_move_meanwhile_are_no_faults),
           IN_BOX(a_commit_goes_to_the_folder_that_has_the_name_now))
