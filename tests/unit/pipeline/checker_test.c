/* checker_test.c - a record that a reader changed, or wrote of another document,
 * is refused before it is committed. */
#include "tests/unit/pipeline/spool_box.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "pipeline/worker/checker.h"
#include "pipeline/worker/schema_cache.h"
#include "pipeline/worker/worker.h"
#include "stages/children/spawner.h"
#include "vlm/base/file_map.h"

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static void keep_last(void *arg, const struct event *event)
{
    *(struct event *)arg = *event;
}

/* A document that was read, with both forms of its record, in done/. */
struct scene {
    struct spool_box *box;
    struct folder f;
    struct schema_cache schemas;
    struct schema *record;
    struct process_server *spawner;
    struct arena *arena;
    struct span json, xml; /* as written */
    char sha256[65];
};

static void drop_sample(struct spool_box *b, char id[static SPOOL_ID_SIZE])
{
    char path[4096], to[256];
    struct err err = {0};
    struct arena *arena = arena_new();
    spool_box_claim(b, "receipt", "a.png", id);
    struct span bytes = file_map_read(test_path(path, "samples/good/kiosk.png"),
                                      1 << 20, arena, &err);
    snprintf(to, sizeof to, "%s/work/%s/doc", b->path, id);
    FILE *f = fopen(to, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, f), bytes.size);
    fclose(f);
    arena_free(arena);
}

static void begin(struct scene *s, void **state)
{
    char schemas[4096], id[SPOOL_ID_SIZE];
    struct event last = {0};
    *s = (struct scene){.box = *state, .arena = arena_new()};
    struct spool_box *b = s->box;
    config_set(b->config, "schemas", test_path(schemas, "schemas"), "test",
               &b->err);
    config_set(b->config, "format", "json,xml", "test", &b->err);
    config_finish(b->config, &b->err);
    test_ok(&b->err);
    drop_sample(b, id);
    s->spawner = spawner_new(&b->config->stage, &b->err);
    process_server_ensure(s->spawner);
    b->config->stage.spawner_door = process_server_door(s->spawner);
    struct worker *w = worker_new(&(struct worker_options){
        &b->spool, b->config, never, keep_last, &last});
    struct worker_job job = {.alone = false};
    snprintf(job.id, sizeof job.id, "%s", id);
    worker_process(w, &job);
    worker_free(w);
    snprintf(s->sha256, sizeof s->sha256, "%s", last.sha256);
    assert_int_equal(strlen(s->sha256), 64);
    assert_string_equal(last.text, "");
    assert_int_equal(last.kind, EVENT_DONE);
    s->f.fd = spool_folder_fd(&b->spool, SPOOL_DONE, id);
    snprintf(s->f.id, sizeof s->f.id, "%s", id);
    s->record = schema_cache_find(&s->schemas, "receipt", b->config, NULL, NULL,
                                  &b->err)
                    ->record;
    s->json = spool_read(s->f.fd, "record.json", 1 << 20, s->arena);
    s->xml = spool_read(s->f.fd, "record.xml", 1 << 20, s->arena);
    assert_true(s->json.size && s->xml.size);
}

static void end(struct scene *s)
{
    close(s->f.fd);
    process_server_free(s->spawner);
    schema_cache_clear(&s->schemas);
    arena_free(s->arena);
}

/* Writes the file with `from`, which it has, replaced by `to`. */
static void change(const struct scene *s, const char *name, struct span text,
                   const char *from, const char *to)
{
    const char *at = strstr(text.data, from);
    assert_non_null(at);
    int fd = openat(s->f.fd, name, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    dprintf(fd, "%.*s%s%s", (int)(at - text.data), text.data, to,
            at + strlen(from));
    close(fd);
}

static void finds_with(struct scene *s, const char *sha256, const char *fault)
{
    struct checker_result result;
    struct err err = {0};
    checker_run(&s->f, "record.json", s->record, sha256, &s->box->config->stage,
                &result, &err);
    test_ok(&err);
    if (*fault ? !strstr(result.fault, fault) : *result.fault)
        fail_msg("'%s', want '%s'", result.fault, fault);
}

static void finds(struct scene *s, const char *fault)
{
    finds_with(s, "", fault);
}

static void what_a_reader_wrote_is_compared(void **state)
{
    struct scene s;
    begin(&s, state);
    finds(&s, "");
    finds_with(&s, s.sha256, "");
    change(&s, "record.json", s.json, s.f.id,
           "20260101T000000Z-0000000000000000");
    finds(&s, "another document");
    change(&s, "record.json", s.json, "\"sha256\": \"", "\"sha256\": \"0");
    finds(&s, "SHA-256");
    finds_with(&s, s.sha256, "SHA-256");
    change(&s, "record.json", s.json, "\"data\": {",
           "\"data\": {\"planted\": 1,");
    finds(&s, "not valid at /data");
    change(&s, "record.json", s.json, "\"pages\"", "\"sheets\"");
    finds(&s, "not valid");
    change(&s, "record.json", s.json, "{", "{{");
    finds(&s, "not complete");
    change(&s, "record.json", s.json, "{", "{");
    finds(&s, "");
    change(&s, "record.xml", s.xml, "<data>", "<data><planted>1</planted>");
    finds(&s, "record.xml is another record");
    change(&s, "record.xml", s.xml, "</record>", "</record><!-- more -->");
    finds(&s, "record.xml is another record");
    end(&s);
}

static void on_alarm(int signal)
{
    (void)signal;
}

/* As SIGTERM arrives at a worker: its record was written, and is charged to the
 * document as a crash if the check counts as one. */
static void a_signal_does_not_end_the_check(void **state)
{
    struct scene s;
    struct sigaction action = {.sa_handler = on_alarm}, before;
    const struct itimerval often = {{0, 500}, {0, 500}}, off = {{0, 0}, {0, 0}};
    begin(&s, state);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    finds(&s, "");
    setitimer(ITIMER_REAL, &off, NULL);
    sigaction(SIGALRM, &before, NULL);
    end(&s);
}

TEST_GROUP(checker,
           cmocka_unit_test_setup_teardown(what_a_reader_wrote_is_compared,
                                           spool_box_open, spool_box_close),
           cmocka_unit_test_setup_teardown(a_signal_does_not_end_the_check,
                                           spool_box_open, spool_box_close))
