/* spool_test.c - claims, copies, seals, deliveries and the checker, each with
 * what may go wrong around it. */
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/delivery.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/fsck.h"
#include "pipeline/supervisor/queue.h"
#include "stages/document/settings.h"
#include "vlm/base/clock.h"
#include "vlm/base/hash.h"

struct scratch {
    char path[64], away[64]; /* away: another file system, where there is one */
    struct spool spool;
    struct err err;
};

static int make_spool(void **state)
{
    struct scratch *s = calloc(1, sizeof *s);
    *state = s;
    snprintf(s->path, sizeof s->path, "/tmp/platen-spool.XXXXXX");
    snprintf(s->away, sizeof s->away, "/dev/shm/platen-spool.XXXXXX");
    if (!mkdtemp(s->path) || !mkdtemp(s->away)) return -1;
    spool_open(&s->spool, s->path, true, &s->err);
    return err_failed(&s->err);
}

static int clean_up(void **state)
{
    struct scratch *s = *state;
    char command[256];
    spool_close(&s->spool);
    snprintf(command, sizeof command, "rm -rf '%s' '%s'", s->path, s->away);
    int code = system(command);
    free(s);
    return code;
}

static const char *path_of(const struct scratch *s, const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", s->path, name);
    return path;
}

static void put(const struct scratch *s, const char *name, const char *text)
{
    FILE *f = fopen(path_of(s, name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* The only file in in/, claimed or not. */
static bool claim(struct scratch *s, struct folder *f)
{
    struct arena *arena = arena_new();
    struct drops drops = spool_scan(&s->spool, arena, NULL, NULL, &s->err);
    assert_int_equal(drops.n_drop, 1);
    bool taken = spool_claim(&s->spool, &drops.drop[0], f, &s->err);
    arena_free(arena);
    return taken;
}

static struct stat stat_of(const struct folder *f, const char *name)
{
    struct stat st;
    assert_int_equal(fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
    return st;
}

static size_t names_in(struct scratch *s, enum spool_place place)
{
    struct arena *arena = arena_new();
    size_t n = 0;
    char **id = spool_list(&s->spool, place, arena, NULL, &s->err);
    while (id[n])
        n++;
    arena_free(arena);
    return n;
}

/* A document with a record that fits it, committed to done/. */
static void finish(struct scratch *s, struct folder *f)
{
    char record[512];
    int doc = openat(f->fd, "doc", O_RDONLY | O_CLOEXEC);
    struct hash hash = hash_fd(doc, &s->err);
    close(doc);
    snprintf(record, sizeof record,
             "{\"format\":\"platen-record/2\",\"id\":\"%s\",\"source\":"
             "{\"sha256\":\"%s\"},\"data\":{}}",
             f->id, hash.hex);
    spool_write(f, "record.json", span_of(record), &s->err);
    spool_commit(f, SPOOL_DONE, &s->err);
    assert_false(err_failed(&s->err));
}

static void done_document(struct scratch *s, struct folder *f, const char *name,
                          const char *text)
{
    put(s, name, text);
    assert_true(claim(s, f));
    finish(s, f);
}

/* --- the bytes are ours ------------------------------------------------- */

static void a_file_that_nobody_writes_is_kept(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    struct spool_seal seal;
    put(s, "in/a", "bytes");
    assert_true(claim(s, &f));
    ino_t inode = stat_of(&f, "doc").st_ino;
    spool_seal_begin(&f, &seal, &s->err);
    assert_true(seal.leased && seal.dropped < 0);
    spool_seal_end(&seal, &s->err);
    spool_seal_drop(&seal);
    assert_false(err_failed(&s->err));
    assert_int_equal(stat_of(&f, "doc").st_ino, inode);
    spool_unlock(&f);
}

static void a_writer_gets_a_copy_made_of_it(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    struct spool_seal seal;
    put(s, "in/a", "bytes");
    int writer = open(path_of(s, "in/a"), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(claim(s, &f));
    spool_seal_begin(&f, &seal, &s->err);
    assert_true(seal.fd >= 0 && seal.dropped >= 0 && !seal.leased);
    spool_seal_check(&seal, "", &s->err);
    spool_seal_end(&seal, &s->err);
    spool_seal_drop(&seal);
    assert_false(err_failed(&s->err));
    assert_int_equal(write(writer, "more", 4), 4);
    assert_int_equal(stat_of(&f, "doc").st_size, 5);
    assert_int_equal(stat_of(&f, "doc").st_mode & 07777, 0600);
    assert_false(spool_exists(f.fd, "doc.tmp"));
    /* private from here on: no further copy */
    ino_t inode = stat_of(&f, "doc").st_ino;
    spool_seal_found(&f, &s->err);
    assert_int_equal(stat_of(&f, "doc").st_ino, inode);
    close(writer);
    spool_unlock(&f);
}

static void bytes_that_come_meanwhile_are_waited_for(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    struct spool_seal seal;
    put(s, "in/a", "bytes");
    int writer = open(path_of(s, "in/a"), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(claim(s, &f));
    spool_seal_begin(&f, &seal, &s->err);
    struct hash hash = hash_fd(seal.fd, &s->err);
    assert_int_equal(write(writer, "more", 4), 4);
    spool_seal_check(&seal, hash.hex, &s->err);
    assert_string_equal(s->err.reason, "still-written");
    spool_seal_drop(&seal);
    /* nothing was lost: the next try reads all of it */
    s->err = (struct err){0};
    assert_int_equal(stat_of(&f, "doc").st_size, 9);
    assert_false(spool_exists(f.fd, "doc.tmp"));
    close(writer);
    spool_unlock(&f);
}

static void bytes_that_an_fsync_failed_for_are_written_anew(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    put(s, "in/a", "bytes");
    assert_true(claim(s, &f));
    ino_t inode = stat_of(&f, "doc").st_ino;
    spool_mark(&f, "unsynced", &s->err);
    spool_seal_found(&f, &s->err);
    assert_int_not_equal(stat_of(&f, "doc").st_ino, inode);
    assert_false(spool_exists(f.fd, "unsynced"));
    spool_unlock(&f);
}

/* --- the claim ---------------------------------------------------------- */

static void a_second_name_is_left_alone(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    char second[512];
    struct stat there;
    put(s, "in/a", "bytes");
    snprintf(second, sizeof second, "%s/second", s->path);
    assert_int_equal(link(path_of(s, "in/a"), second), 0);
    assert_true(claim(s, &f));
    assert_int_equal(stat(second, &there), 0);
    assert_int_equal(there.st_nlink, 1);
    assert_int_not_equal(stat_of(&f, "doc").st_ino, there.st_ino);
    assert_true(spool_exists(f.fd, "released"));
    struct arena *arena = arena_new();
    assert_null(
        spool_pending_list(&s->spool, SPOOL_RELEASE, arena, &s->err)[0]);
    arena_free(arena);
    spool_unlock(&f);
}

static void a_copy_keeps_to_the_limits(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    char second[512];
    put(s, "in/a", "bytes");
    snprintf(second, sizeof second, "%s/second", s->path);
    assert_int_equal(link(path_of(s, "in/a"), second), 0);
    s->spool.limits.doc_bytes = 4;
    assert_false(claim(s, &f));
    assert_true(spool_is_of_entry(&s->err));
    assert_string_equal(s->err.reason, "too-large");
    assert_int_equal(names_in(s, SPOOL_WORK), 0);
    s->err = (struct err){0};
    s->spool.limits = (struct spool_limits){.free_bytes = INT64_C(1) << 60};
    assert_false(claim(s, &f));
    assert_true(spool_is_of_entry(&s->err));
    s->err = (struct err){0};
    assert_int_equal(names_in(s, SPOOL_WORK), 0);
    assert_int_equal(access(path_of(s, "in/a"), F_OK), 0);
}

static void a_copy_that_a_crash_cut_off_is_not_taken_twice(void **state)
{
    struct scratch *s = *state;
    struct folder f, again;
    char second[512];
    put(s, "in/a", "bytes");
    snprintf(second, sizeof second, "%s/second", s->path);
    assert_int_equal(link(path_of(s, "in/a"), second), 0);
    assert_true(claim(s, &f));
    /* as if killed before the dropped name was removed */
    assert_int_equal(link(second, path_of(s, "in/a")), 0);
    spool_remove(&f, "released", &s->err);
    assert_true(spool_clean_up(&s->spool, &s->err)); /* a start finds it */
    assert_false(claim(s, &again));
    assert_false(err_failed(&s->err));
    spool_release(&f, &s->err);
    assert_int_not_equal(access(path_of(s, "in/a"), F_OK), 0);
    spool_unlock(&f);
}

/* --- out/ --------------------------------------------------------------- */

static void records_of_one_name_do_not_meet(void **state)
{
    struct scratch *s = *state;
    struct folder one, two;
    done_document(s, &one, "in/a.png", "one");
    done_document(s, &two, "in/a.jpg", "two");
    put(s, "out/a.json", "somebody else's");
    spool_deliver(&one, "", "a.png", FORMAT_JSON, &s->err);
    spool_deliver(&one, "", "a.png", FORMAT_JSON, &s->err); /* once more */
    spool_deliver(&two, "", "a.jpg", FORMAT_JSON, &s->err);
    assert_false(err_failed(&s->err));
    char name[128];
    snprintf(name, sizeof name, "out/a.%s.json", one.id);
    assert_int_equal(access(path_of(s, name), F_OK), 0);
    snprintf(name, sizeof name, "out/a.%s.json", two.id);
    assert_int_equal(access(path_of(s, name), F_OK), 0);
    struct stat foreign;
    assert_int_equal(stat(path_of(s, "out/a.json"), &foreign), 0);
    assert_int_equal(foreign.st_size, strlen("somebody else's"));
    spool_unlock(&one);
    spool_unlock(&two);
}

static void undelivered_is_a_state(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    struct err why;
    char away[512];
    done_document(s, &f, "in/a.png", "one");
    snprintf(away, sizeof away, "%s/away", s->path);
    assert_int_equal(rename(path_of(s, "out"), away), 0);
    spool_deliver(&f, "", "a.png", FORMAT_JSON, &s->err);
    assert_true(err_failed(&s->err));
    assert_true(delivery_is_due(f.fd));
    spool_unlock(&f);
    s->err = (struct err){0};
    assert_int_equal(delivery_retry(&s->spool, FORMAT_JSON, false, &why), 1);
    assert_true(err_failed(&why));
    /* out/ made anew, beside the old one */
    assert_int_equal(mkdir(path_of(s, "out"), 0777), 0);
    assert_int_equal(delivery_retry(&s->spool, FORMAT_JSON, false, &why), 0);
    assert_int_equal(access(path_of(s, "out/a.json"), F_OK), 0);
    assert_int_equal(delivery_retry(&s->spool, FORMAT_JSON, true, &why), 0);
}

/* in/a.json/b.png beside in/a.png, in each order. */
static void a_folder_with_the_name_of_a_record_gets_another(void **state)
{
    struct scratch *s = *state;
    struct folder one, two, three;
    struct err why;
    done_document(s, &one, "in/a.png", "one");
    spool_deliver(&one, "", "a.png", FORMAT_JSON, &s->err);
    spool_unlock(&one);
    assert_int_equal(mkdir(path_of(s, "in/a.json"), 0777), 0);
    assert_int_equal(mkdir(path_of(s, "in/c.json"), 0777), 0);
    done_document(s, &two, "in/a.json/b.png", "two");
    spool_unlock(&two);
    assert_int_equal(delivery_retry(&s->spool, FORMAT_JSON, false, &why), 0);
    assert_int_equal(access(path_of(s, "out/a.json.folder/b.json"), F_OK), 0);
    done_document(s, &one, "in/c.json/b.png", "three");
    spool_unlock(&one);
    done_document(s, &three, "in/c.png", "four");
    spool_unlock(&three);
    assert_int_equal(delivery_retry(&s->spool, FORMAT_JSON, false, &why), 0);
    assert_int_equal(access(path_of(s, "out/c.json/b.json"), F_OK), 0);
    char name[80];
    snprintf(name, sizeof name, "out/c.%s.json", three.id);
    assert_int_equal(access(path_of(s, name), F_OK), 0);
}

/* One record that cannot be delivered does not stop the others. */
static void a_blocked_sub_folder_is_its_own_problem(void **state)
{
    struct scratch *s = *state;
    struct folder one, two;
    struct err why;
    assert_int_equal(mkdir(path_of(s, "in/kind"), 0777), 0);
    put(s, "out/kind", "a file where a folder should be");
    done_document(s, &one, "in/kind/a.png", "one");
    spool_unlock(&one);
    done_document(s, &two, "in/b.png", "two");
    spool_unlock(&two);
    assert_int_equal(delivery_retry(&s->spool, FORMAT_JSON, true, &why), 1);
    assert_int_equal(access(path_of(s, "out/b.json"), F_OK), 0);
}

/* --- the checker -------------------------------------------------------- */

struct lines {
    char text[8192];
};

static void keep_line(void *arg, bool fault, const char *line)
{
    struct lines *l = arg;
    size_t n = strlen(l->text);
    snprintf(l->text + n, sizeof l->text - n, "%s: %s\n",
             fault ? "fault" : "note", line);
}

static struct fsck_result check(struct scratch *s, struct lines *lines)
{
    *lines = (struct lines){""};
    return fsck_spool(&s->spool, 1 << 20, false, keep_line, lines, &s->err);
}

static void the_checker_names_what_is_wrong(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    struct lines lines;
    char name[128];
    done_document(s, &f, "in/a.png", "one");
    struct fsck_result r = check(s, &lines); /* a live platen holds it */
    assert_int_equal(r.n_fault + r.n_undelivered, 0);
    spool_unlock(&f);
    r = check(s, &lines);
    assert_int_equal(r.n_undelivered, 1);
    assert_non_null(strstr(lines.text, "note: done/"));
    snprintf(name, sizeof name, "done/%s/record.json.tmp", f.id);
    put(s, name, "half");
    assert_int_equal(check(s, &lines).n_fault, 0);
    assert_non_null(strstr(lines.text, "left by a crash"));
    snprintf(name, sizeof name, "done/%s/doc", f.id);
    put(s, name, "other bytes");
    assert_int_equal(check(s, &lines).n_fault, 1);
    assert_non_null(strstr(lines.text, "another SHA-256"));
    snprintf(name, sizeof name, "work/%s", f.id);
    assert_int_equal(mkdir(path_of(s, name), 0700), 0);
    assert_int_equal(check(s, &lines).n_fault, 2);
    assert_non_null(strstr(lines.text, "in two places"));
}

static void what_failed_comes_back_by_hundreds(void **state)
{
    enum { N = 450 };
    struct scratch *s = *state;
    char *id[N + 1] = {0}, text[N][SPOOL_ID_SIZE], name[128];
    for (int i = 0; i < N; i++) {
        spool_make_id(text[i]);
        id[i] = text[i];
        snprintf(name, sizeof name, "failed/%.39s", text[i]);
        assert_int_equal(mkdir(path_of(s, name), 0700), 0);
        snprintf(name, sizeof name, "failed/%.39s/doc", text[i]);
        put(s, name, "x");
    }
    assert_int_equal(spool_retry(&s->spool, id, &s->err), N);
    assert_int_equal(names_in(s, SPOOL_WORK), N);
    snprintf(name, sizeof name, "work/%.39s/retry", text[N - 1]);
    assert_int_equal(access(path_of(s, name), F_OK), 0);
    char *gone[] = {text[0], NULL};
    assert_int_equal(spool_retry(&s->spool, gone, &s->err), 0);
    assert_int_equal(s->err.kind, ERR_ARGS);
}

/* A look costs what work/ holds, and not its square: 12,000 documents that are
 * known already are looked at in no time. */
static void a_look_at_a_full_work_is_linear(void **state)
{
    enum { N = 12000 };
    struct scratch *s = *state;
    char id[SPOOL_ID_SIZE], name[128];
    struct config *config = config_open(NULL, &s->err);
    config_finish(config, &s->err);
    spool_close(&s->spool);
    char first[64];
    memcpy(first, s->path, sizeof first);
    memcpy(s->path, s->away, sizeof s->path); /* memory, if possible */
    memcpy(s->away, first, sizeof s->away);   /* goes as well */
    spool_open(&s->spool, s->path, true, &s->err);
    for (int i = 0; i < N; i++) {
        spool_make_id(id);
        snprintf(name, sizeof name, "work/%.39s", id);
        assert_int_equal(mkdir(path_of(s, name), 0700), 0);
        snprintf(name, sizeof name, "work/%.39s/doc", id);
        put(s, name, "x");
    }
    struct queue *q = queue_new(&s->spool, config, false);
    struct worker_pool *pool = worker_pool_new(&s->spool, config, 1);
    queue_scan(q, &s->err);
    assert_int_equal(queue_left(q, pool).n_waiting, N);
    double before = clock_cpu_seconds();
    queue_scan(q, &s->err);
    assert_true(clock_cpu_seconds() - before < 0.2);
    assert_int_equal(queue_left(q, pool).n_waiting, N);
    assert_false(err_failed(&s->err));
    queue_free(q);
    worker_pool_free(pool);
    config_close(config);
}

#define SPOOL_TEST(name) \
    cmocka_unit_test_setup_teardown(name, make_spool, clean_up)

TEST_GROUP(spool, SPOOL_TEST(a_file_that_nobody_writes_is_kept),
           SPOOL_TEST(a_writer_gets_a_copy_made_of_it),
           SPOOL_TEST(bytes_that_come_meanwhile_are_waited_for),
           SPOOL_TEST(bytes_that_an_fsync_failed_for_are_written_anew),
           SPOOL_TEST(a_second_name_is_left_alone),
           SPOOL_TEST(a_copy_keeps_to_the_limits),
           SPOOL_TEST(a_copy_that_a_crash_cut_off_is_not_taken_twice),
           SPOOL_TEST(records_of_one_name_do_not_meet),
           SPOOL_TEST(undelivered_is_a_state),
           SPOOL_TEST(a_folder_with_the_name_of_a_record_gets_another),
           SPOOL_TEST(a_blocked_sub_folder_is_its_own_problem),
           SPOOL_TEST(the_checker_names_what_is_wrong),
           SPOOL_TEST(a_look_at_a_full_work_is_linear),
           SPOOL_TEST(what_failed_comes_back_by_hundreds))
