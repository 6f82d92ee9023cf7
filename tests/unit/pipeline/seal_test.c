/* seal_test.c - the bytes that were read are the bytes that are kept. */
#include "pipeline/spool/spool.h"
#include "tests/unit/pipeline/spool_box.h"

static void begin(struct spool_box *b, struct folder *f,
                  struct spool_seal *seal)
{
    char id[SPOOL_ID_SIZE];
    spool_box_claim(b, "receipt", "a.pdf", id);
    assert_true(spool_lock(&b->spool, SPOOL_WORK, id, f, &b->err));
    spool_seal_begin(f, seal, &b->err);
    assert_int_equal(b->err.kind, ERR_NONE);
}

static void is_still_written(struct spool_box *b, struct folder *f,
                             struct spool_seal *seal)
{
    assert_string_equal(b->err.reason, "still-written");
    spool_seal_drop(seal);
    spool_unlock(f);
}

/* Through a mapping, bytes change and no time does. */
static void other_bytes_of_the_same_age_are_found(void **state)
{
    struct spool_box *b = *state;
    struct folder f;
    struct spool_seal seal;
    begin(b, &f, &seal);
    spool_seal_check(&seal, "", &b->err);
    assert_int_equal(b->err.kind, ERR_NONE);
    spool_seal_check(&seal, "not the hash that was read", &b->err);
    is_still_written(b, &f, &seal);
}

static void a_seal_that_ends_looks_once_more(void **state)
{
    struct spool_box *b = *state;
    struct folder f;
    struct spool_seal seal;
    begin(b, &f, &seal);
    seal.before.st_size++; /* as if it had had another size */
    spool_seal_end(&seal, &b->err);
    is_still_written(b, &f, &seal);
}

#define IN_BOX(test) \
    cmocka_unit_test_setup_teardown(test, spool_box_open, spool_box_close)

TEST_GROUP(seal, IN_BOX(other_bytes_of_the_same_age_are_found),
           IN_BOX(a_seal_that_ends_looks_once_more))
