/* folder_test.c - what a folder says of its history, whatever lies in it. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_prune.h"

struct scratch {
    char path[64];
    struct spool spool;
    struct folder folder;
    struct err err;
};

/* A spool with one claimed document. */
static int claim_one(void **state)
{
    struct scratch *s = calloc(1, sizeof *s);
    char file[160];
    *state = s;
    snprintf(s->path, sizeof s->path, "/tmp/platen-folder.XXXXXX");
    if (!mkdtemp(s->path)) return -1;
    spool_open(&s->spool, s->path, true, &s->err);
    snprintf(file, sizeof file, "%s/in/a\nb.pdf", s->path);
    FILE *f = fopen(file, "w");
    if (!f) return -1;
    fputs("bytes", f);
    fclose(f);
    struct arena *arena = arena_new();
    struct drops drops = spool_scan(&s->spool, arena, NULL, NULL, &s->err);
    bool claimed = drops.n_drop == 1 &&
                   spool_claim(&s->spool, &drops.drop[0], &s->folder, &s->err);
    arena_free(arena);
    return claimed ? 0 : -1;
}

static int clean_up(void **state)
{
    struct scratch *s = *state;
    char command[128];
    spool_unlock(&s->folder);
    spool_close(&s->spool);
    snprintf(command, sizeof command, "rm -rf '%s'", s->path);
    int code = system(command);
    free(s);
    return code;
}

static struct document_folder_state look(struct scratch *s)
{
    struct document_folder_state state;
    document_folder_read(s->folder.fd, s->folder.id, &state);
    return state;
}

static void a_claim_keeps_the_name(void **state)
{
    struct document_folder_state now = look(*state);
    assert_true(now.has_doc);
    assert_string_equal(now.name, "a\nb.pdf");
    assert_int_equal(now.n_attempt, 0);
}

static void deaths_crashes_and_retries_are_told_apart(void **state)
{
    struct scratch *s = *state;
    struct document_folder_end crash = {.outcome = "crash",
                                        .code = "raster-crash"};
    struct document_folder_end retry = {.outcome = "retry",
                                        .code = "model-loop"};
    document_folder_begin(&s->folder, 1, false, &s->err);
    document_folder_end(&s->folder, 1, &crash, &s->err);
    document_folder_begin(&s->folder, 2, false, &s->err);
    document_folder_end(&s->folder, 2, &retry, &s->err);
    document_folder_begin(&s->folder, 3, true, &s->err);
    test_ok(&s->err);
    struct document_folder_state now = look(s);
    assert_int_equal(now.n_attempt, 3);
    assert_int_equal(now.n_crash, 1);
    assert_string_equal(now.last_code, "raster-crash");
    assert_int_equal(now.n_model, 1);
    assert_int_equal(now.n_death, 1);
    assert_int_equal(now.n_death_alone, 1);
    document_folder_uncharge(&s->folder, 3, &s->err);
    assert_int_equal(look(s).n_death, 0);
}

static void two_workers_cannot_hold_one_folder(void **state)
{
    struct scratch *s = *state;
    struct folder other;
    assert_false(
        spool_lock(&s->spool, SPOOL_WORK, s->folder.id, &other, &s->err));
    test_ok(&s->err);
    spool_unlock(&s->folder);
    assert_true(
        spool_lock(&s->spool, SPOOL_WORK, s->folder.id, &other, &s->err));
    spool_unlock(&other);
}

/* C-14: the folder moved on between another worker's look and its lock. */
static void a_committed_folder_cannot_be_locked(void **state)
{
    struct scratch *s = *state;
    struct folder other;
    spool_commit(&s->folder, SPOOL_FAILED, &s->err);
    spool_unlock(&s->folder);
    assert_false(
        spool_lock(&s->spool, SPOOL_WORK, s->folder.id, &other, &s->err));
    test_ok(&s->err);
}

static void noise_is_no_reason_to_fall(void **state)
{
    struct scratch *s = *state;
    static const char *const noise[] = {
        "", "{", "[]", "{\"name\":7}", "\xff\xfe", "{\"name\":\"%zz\"}"};
    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
        struct span text = span_of(noise[i]);
        spool_write(&s->folder, "name.json", text, &s->err);
        spool_write(&s->folder, "attempt.1", text, &s->err);
        spool_write(&s->folder, "attempt.1.end", text, &s->err);
        spool_write(&s->folder, "reason.json", text, &s->err);
        spool_write(&s->folder, "record.json", text, &s->err);
        test_ok(&s->err);
        struct document_folder_state now = look(s);
        assert_int_equal(now.n_attempt, 1);
        assert_string_equal(now.name, s->folder.id);
        assert_non_null(
            document_folder_record_fault(s->folder.fd, s->folder.id, 1 << 20));
        assert_non_null(
            document_folder_reason_fault(s->folder.fd, s->folder.id));
    }
}

enum { LINES = 20000 };

struct lines {
    bool fails; /* behind the last of them */
};

static void print_lines(void *arg, struct buf *out, struct err *err)
{
    const struct lines *lines = arg;
    for (int i = 0; i < LINES; i++)
        buf_print(out, "line %d\n", i);
    if (lines->fails) err_reason(err, ERR_SYSTEM, "internal", "no more lines");
    if (out->full && !err_failed(err))
        err_reason(err, ERR_LIMIT, "too-large", "too long");
}

static bool is_there(const struct scratch *s, const char *name)
{
    return spool_exists(s->folder.fd, name);
}

static void a_long_file_is_there_whole_or_not_at_all(void **state)
{
    struct scratch *s = *state;
    struct buf want = buf_limit(1 << 20);
    struct lines lines = {.fails = true};
    spool_write_long(&s->folder, "long", 1 << 20, false, print_lines, &lines,
                     &s->err);
    assert_string_equal(s->err.reason, "internal");
    s->err = (struct err){0};
    lines.fails = false;
    spool_write_long(&s->folder, "long", 1 << 17, false, print_lines, &lines,
                     &s->err);
    assert_string_equal(s->err.reason, "too-large");
    assert_false(is_there(s, "long") || is_there(s, "long.tmp"));
    assert_false(s->spool.reserve_spent);
    s->err = (struct err){0};
    for (int i = 0; i < 2; i++) {
        struct arena *arena = arena_new();
        if (i == 0)
            spool_write_long(&s->folder, "long", 1 << 20, false, print_lines,
                             &lines, &s->err);
        else
            spool_write_again(&s->folder, "long", &s->err);
        test_ok(&s->err);
        if (i == 0) print_lines(&lines, &want, &s->err);
        struct span text = spool_read(s->folder.fd, "long", 1 << 20, arena);
        assert_true(want.size > 200000);
        assert_true(span_equal(text, buf_span(&want)));
        assert_false(is_there(s, "long.tmp"));
        arena_free(arena);
    }
    buf_free(&want);
}

/* Prunes and restores the document as fast as it can. */
static void *prune_and_restore(void *arg)
{
    struct scratch *s = arg;
    int fd = s->folder.fd;
    for (int i = 0; i < 20000; i++) {
        renameat(fd, "doc", fd, "elsewhere");
        renameat(fd, "elsewhere", fd, "doc");
    }
    return NULL;
}

static void a_document_pruned_meanwhile_costs_no_descriptor(void **state)
{
    struct scratch *s = *state;
    pthread_t thread;
    spool_mark(&s->folder, SPOOL_PRUNED, &s->err);
    int before = dup(s->folder.fd);
    assert_int_equal(pthread_create(&thread, NULL, prune_and_restore, s), 0);
    for (int i = 0; i < 20000; i++)
        document_folder_hash(s->folder.fd);
    pthread_join(thread, NULL);
    close(before);
    int after = dup(s->folder.fd);
    close(after);
    assert_int_equal(before, after);
}

/* A failure of the system is none of the document: it is not "in use". */
static void a_folder_that_cannot_be_opened_is_not_in_use(void **state)
{
    struct scratch *s = *state;
    struct folder f;
    struct rlimit files, few;
    char *id[] = {s->folder.id, NULL};
    spool_commit(&s->folder, SPOOL_FAILED, &s->err);
    assert_false(spool_lock(&s->spool, SPOOL_FAILED, *id, &f, &s->err));
    test_ok(&s->err);
    spool_unlock(&s->folder);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    few = files;
    few.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    bool locked = spool_lock(&s->spool, SPOOL_FAILED, *id, &f, &s->err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    assert_false(locked);
    assert_int_equal(s->err.sys, EMFILE);
}

#define IN_SPOOL(test) \
    cmocka_unit_test_setup_teardown(test, claim_one, clean_up)

static void folder_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("folder", folder_fuzz) > 100);
}

TEST_GROUP(folder, IN_SPOOL(a_claim_keeps_the_name),
           IN_SPOOL(deaths_crashes_and_retries_are_told_apart),
           IN_SPOOL(two_workers_cannot_hold_one_folder),
           IN_SPOOL(a_committed_folder_cannot_be_locked),
           IN_SPOOL(noise_is_no_reason_to_fall),
           IN_SPOOL(a_long_file_is_there_whole_or_not_at_all),
           IN_SPOOL(a_document_pruned_meanwhile_costs_no_descriptor),
           IN_SPOOL(a_folder_that_cannot_be_opened_is_not_in_use),
           cmocka_unit_test(folder_seeds_hold))
