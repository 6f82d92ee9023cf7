/* corrections_test.c - review.jsonl: added to durably, a torn tail is nobody's,
 * the corrected record takes its place in out/. */
#include "tests/unit/pipeline/spool_box.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/corrected_files.h"
#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/fsck.h"
#include "vlm/json/json.h"

static const char LINE[] = "{\"pointer\":\"/a\",\"old\":1,\"new\":2,\"who\":"
                           "\"w\",\"when\":\"2026-11-22T08:00:00Z\"}";

/* A document in done/ whose record is in out/. */
static void make_done(struct spool_box *b, struct folder *f)
{
    char id[SPOOL_ID_SIZE], text[512];
    spool_box_claim(b, "kind", "x.pdf", id);
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, f, &b->err));
    snprintf(text, sizeof text,
             "{\n  \"format\": \"platen-record/2\",\n  \"id\": \"%s\",\n"
             "  \"review\": true, \"fields\": {\"/a\": {\"p\": 0.5}},\n"
             "  \"data\": {\"a\": 1}\n}\n",
             id);
    spool_write(f, "record.json", span_of(text), &b->err);
    spool_commit(f, SPOOL_DONE, &b->err);
    spool_deliver(f, "kind", "x.pdf", 1, &b->err);
    test_ok(&b->err);
}

static void say(struct spool_box *b, struct folder *f, const char *text)
{
    struct corrections c;
    cJSON *lines = json_parse(span_of(text), &b->err);
    corrections_read(f->fd, &c, &b->err);
    corrections_add(f, &c, lines, false, &b->err);
    test_ok(&b->err);
    corrections_free(&c);
    cJSON_Delete(lines);
}

static int n_lines(struct folder *f, bool torn)
{
    struct corrections c;
    struct err err = {0};
    corrections_read(f->fd, &c, &err);
    test_ok(&err);
    assert_int_equal(c.torn, torn);
    int n = cJSON_GetArraySize(c.line);
    corrections_free(&c);
    return n;
}

static void tear(struct folder *f, const char *tail)
{
    int fd = openat(f->fd, CORRECTIONS_FILE, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, tail, strlen(tail)), strlen(tail));
    close(fd);
}

static void a_torn_tail_is_nobodys(void **state)
{
    struct spool_box *b = *state;
    struct folder f;
    char two[400];
    make_done(b, &f);
    snprintf(two, sizeof two, "[%s,%s]", LINE, LINE);
    say(b, &f, two);
    assert_int_equal(n_lines(&f, false), 2);
    tear(&f, "{\"pointer\":\"/a\",\"ne");
    assert_int_equal(n_lines(&f, true), 2);
    say(b, &f, two);
    assert_int_equal(n_lines(&f, false), 4);
    /* half of what belongs together counts as none of it */
    tear(&f,
         "{\"pointer\":\"/a\",\"who\":\"w\",\"when\":\"x\",\"more\":true}\n");
    assert_int_equal(n_lines(&f, true), 4);
    spool_unlock(&f);
}

static void keep_line(void *arg, bool fault, const char *line)
{
    char *kept = arg;
    if (fault) snprintf(kept, 256, "%s", line);
}

static void garbage_between_lines_is_a_fault(void **state)
{
    struct spool_box *b = *state;
    struct folder f;
    char one[300], kept[256] = "";
    make_done(b, &f);
    snprintf(one, sizeof one, "[%s]", LINE);
    say(b, &f, one);
    tear(&f, "noise\n");
    spool_unlock(&f);
    fsck_spool(&b->spool, 1 << 20, false, keep_line, kept, &b->err);
    /* the record of this test is bound to no bytes, and that is said first */
    struct corrections c;
    struct err err = {0};
    int fd = spool_folder_fd(&b->spool, SPOOL_DONE, f.id);
    corrections_read(fd, &c, &err);
    close(fd);
    assert_true(err_failed(&err));
    assert_non_null(strstr(err.text, "line 2"));
    corrections_free(&c);
}

static void read_out(const struct spool_box *b, const char *name,
                     char text[static 1024])
{
    char path[256];
    snprintf(path, sizeof path, "%s/out/kind/%s", b->path, name);
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, 1023, file) : 0;
    text[n] = '\0';
    if (file) fclose(file);
}

static void the_corrected_record_takes_the_place_in_out(void **state)
{
    struct spool_box *b = *state;
    struct folder f;
    char one[300], text[1024];
    struct err why;
    make_done(b, &f);
    snprintf(one, sizeof one, "[%s]", LINE);
    say(b, &f, one);
    assert_true(delivery_is_due(f.fd));
    spool_unlock(&f);
    assert_int_equal(delivery_retry(&b->spool, 1, false, &why), 1);
    corrected_files_begin(&b->spool, b->config);
    assert_int_equal(delivery_retry(&b->spool, 1, false, &why), 0);
    read_out(b, "x.json", text);
    assert_non_null(strstr(text, "\"a\": 2"));
    assert_non_null(strstr(text, "\"source\": \"person\""));
    assert_non_null(strstr(text, "\"review\": false"));
    char path[300];
    snprintf(path, sizeof path, "%s/done/%s/delivered", b->path, f.id);
    assert_int_equal(access(path, F_OK), 0);
    /* collected: the next one comes under the name that is free */
    snprintf(path, sizeof path, "%s/out/kind/x.json", b->path);
    assert_int_equal(unlink(path), 0);
    char id[SPOOL_ID_SIZE];
    memcpy(id, f.id, sizeof id);
    assert_true(spool_lock(&b->spool, SPOOL_DONE, id, &f, &b->err));
    say(b, &f,
        "[{\"pointer\":\"/a\",\"old\":2,\"new\":5,\"who\":\"w\","
        "\"when\":\"x\"}]");
    spool_unlock(&f);
    assert_int_equal(delivery_retry(&b->spool, 1, false, &why), 0);
    read_out(b, "x.json", text);
    assert_non_null(strstr(text, "\"a\": 5"));
}

static void another_documents_record_is_not_replaced(void **state)
{
    struct spool_box *b = *state;
    struct folder f;
    char one[300], path[300], text[1024], name[80];
    struct err why;
    make_done(b, &f);
    snprintf(path, sizeof path, "%s/out/kind/x.json", b->path);
    assert_int_equal(unlink(path), 0);
    FILE *other = fopen(path, "w");
    fputs("{\"id\": \"somebody else\"}", other);
    fclose(other);
    snprintf(one, sizeof one, "[%s]", LINE);
    say(b, &f, one);
    spool_unlock(&f);
    corrected_files_begin(&b->spool, b->config);
    assert_int_equal(delivery_retry(&b->spool, 1, false, &why), 0);
    read_out(b, "x.json", text);
    assert_string_equal(text, "{\"id\": \"somebody else\"}");
    snprintf(name, sizeof name, "x.%s.json", f.id);
    read_out(b, name, text);
    assert_non_null(strstr(text, "\"a\": 2"));
}

#define ON_BOX(f) \
    cmocka_unit_test_setup_teardown(f, spool_box_open, spool_box_close)

TEST_GROUP(corrections, ON_BOX(a_torn_tail_is_nobodys),
           ON_BOX(garbage_between_lines_is_a_fault),
           ON_BOX(the_corrected_record_takes_the_place_in_out),
           ON_BOX(another_documents_record_is_not_replaced))
