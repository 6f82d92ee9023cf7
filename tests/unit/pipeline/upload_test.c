/* upload_test.c - documents that arrive in pieces: offsets, keys, and what is left. */
#include "pipeline/spool/spool_upload.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "tests/unit/pipeline/spool_box.h"
#include "vlm/base/clock.h"

static struct spool_upload begin(struct spool_box *b, const char *name,
                                 const char *who, const char *key,
                                 enum spool_upload_end wanted, bool new)
{
    bool fresh = false;
    struct spool_upload u = {.bytes = 6};
    snprintf(u.name, sizeof u.name, "%s", name);
    snprintf(u.folder, sizeof u.folder, "x");
    snprintf(u.who, sizeof u.who, "%s", who);
    assert_int_equal(spool_upload_begin(&b->spool, &u, key, &fresh, &b->err),
                     wanted);
    assert_false(err_failed(&b->err));
    if (wanted == SPOOL_UPLOAD_OK) assert_int_equal(fresh, new);
    return u;
}

static void add(struct spool_box *b, struct spool_upload *u, long long at,
                const char *piece, enum spool_upload_end wanted)
{
    assert_int_equal(spool_upload_add(&b->spool, u, at, span_of(piece), true,
                                      false, &b->err),
                     wanted);
    assert_false(err_failed(&b->err));
}

static void finish(struct spool_box *b, struct spool_upload *u,
                   enum spool_upload_end wanted)
{
    assert_int_equal(spool_upload_finish(&b->spool, u, &b->err), wanted);
    assert_false(err_failed(&b->err));
}

static bool is_upload(const struct spool_box *b, const char *id)
{
    char path[200];
    snprintf(path, sizeof path, "%s/uploads/%s", b->path, id);
    return access(path, F_OK) == 0;
}

static void pieces_become_a_document(void **state)
{
    struct spool_box *b = *state;
    char bytes[8] = "";
    struct spool_upload u = begin(b, "a.png", "ann", "", SPOOL_UPLOAD_OK, true);
    add(b, &u, 0, "abc", SPOOL_UPLOAD_OK);
    assert_int_equal(u.offset, 3);
    assert_false(spool_exists(b->spool.place[SPOOL_WORK], u.id));
    add(b, &u, 3, "def", SPOOL_UPLOAD_OK);
    finish(b, &u, SPOOL_UPLOAD_OK);
    assert_true(u.complete);
    assert_false(is_upload(b, u.id));
    int fd = spool_folder_fd(&b->spool, SPOOL_WORK, u.id);
    int doc = openat(fd, "doc", O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(doc, bytes, sizeof bytes), 6);
    assert_string_equal(bytes, "abcdef");
    struct document_folder_state s;
    document_folder_read(fd, u.id, &s);
    assert_string_equal(s.name, "a.png");
    assert_string_equal(s.folder, "x");
    close(doc);
    close(fd);
}

static void a_piece_begins_where_the_last_one_ended(void **state)
{
    struct spool_box *b = *state;
    struct spool_upload u = begin(b, "a.png", "ann", "", SPOOL_UPLOAD_OK, true);
    add(b, &u, 0, "abc", SPOOL_UPLOAD_OK);
    add(b, &u, 2, "x", SPOOL_UPLOAD_OFFSET);
    assert_int_equal(u.offset, 3);
    add(b, &u, 4, "x", SPOOL_UPLOAD_OFFSET);
    struct spool_upload other = u;
    snprintf(other.who, sizeof other.who, "bob");
    assert_int_equal(spool_upload_find(&b->spool, &other),
                     SPOOL_UPLOAD_MISSING);
    add(b, &other, 3, "x", SPOOL_UPLOAD_MISSING);
    assert_int_equal(spool_upload_find(&b->spool, &u), SPOOL_UPLOAD_OK);
    assert_int_equal(u.offset, 3);
}

static void a_key_stands_for_one_document(void **state)
{
    struct spool_box *b = *state;
    struct spool_upload u =
        begin(b, "a.png", "ann", "key", SPOOL_UPLOAD_OK, true);
    add(b, &u, 0, "abc", SPOOL_UPLOAD_OK);
    struct spool_upload v =
        begin(b, "a.png", "ann", "key", SPOOL_UPLOAD_OK, false);
    assert_string_equal(v.id, u.id);
    assert_int_equal(v.offset, 3);
    begin(b, "b.png", "ann", "key", SPOOL_UPLOAD_REUSED, false);
    struct spool_upload w =
        begin(b, "b.png", "bob", "key", SPOOL_UPLOAD_OK, true);
    assert_string_not_equal(w.id, u.id);
    add(b, &v, 3, "def", SPOOL_UPLOAD_OK);
    finish(b, &v, SPOOL_UPLOAD_OK);
    v = begin(b, "a.png", "ann", "key", SPOOL_UPLOAD_OK, false);
    assert_true(v.complete);
    assert_string_equal(v.id, u.id);
}

static void what_nobody_ends_goes(void **state)
{
    struct spool_box *b = *state;
    struct spool_upload u =
        begin(b, "a.png", "ann", "k", SPOOL_UPLOAD_OK, true);
    spool_upload_sweep(&b->spool, clock_utc() - 60);
    assert_true(is_upload(b, u.id));
    spool_upload_sweep(&b->spool, clock_utc() + 60);
    assert_false(is_upload(b, u.id));
    assert_int_equal(spool_upload_find(&b->spool, &u), SPOOL_UPLOAD_MISSING);
    u = begin(b, "b.png", "ann", "k", SPOOL_UPLOAD_OK, true);
    assert_int_equal(spool_upload_drop(&b->spool, &u), SPOOL_UPLOAD_OK);
    assert_false(is_upload(b, u.id));
    finish(b, &u, SPOOL_UPLOAD_MISSING);
}

#define ON_BOX(f) \
    cmocka_unit_test_setup_teardown(f, spool_box_open, spool_box_close)

TEST_GROUP(upload, ON_BOX(pieces_become_a_document),
           ON_BOX(a_piece_begins_where_the_last_one_ended),
           ON_BOX(a_key_stands_for_one_document), ON_BOX(what_nobody_ends_goes))
