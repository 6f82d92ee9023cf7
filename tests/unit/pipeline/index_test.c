/* index_test.c - what the index of a spool finds. */
#include "pipeline/spool/spool_index.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/spool/event.h"
#include "tests/unit/pipeline/spool_box.h"

static const char *const ids[] = {
    "20260101T100000Z-0000000000000001", "20260102T100000Z-0000000000000002",
    "20260103T100000Z-0000000000000003", "20260103T110000Z-0000000000000004"};

static struct spool_index *open_with_four(struct spool_box *b)
{
    static const struct {
        const char *name, *schema, *code;
        bool review;
    } row[] = {{"S\xc3\xbc"
                "dwind.pdf",
                "receipt", "", false},
               {"Nordwind.pdf", "invoice", "", true},
               {"north.png", "receipt", "encrypted", false},
               {"last.png", "receipt", "empty", false}};
    char twin[SPOOL_ID_SIZE];
    struct spool_index *ix = spool_index_open(&b->spool, false);
    assert_non_null(ix);
    for (int i = 0; i < 4; i++) {
        struct event e = {.kind = *row[i].code ? EVENT_FAILED : EVENT_DONE,
                          .review = row[i].review};
        snprintf(e.id, sizeof e.id, "%s", ids[i]);
        snprintf(e.name, sizeof e.name, "%s", row[i].name);
        snprintf(e.folder, sizeof e.folder, "%s", row[i].schema);
        snprintf(e.schema, sizeof e.schema, "%s", row[i].schema);
        snprintf(e.code, sizeof e.code, "%s", row[i].code);
        spool_index_put(ix, &e, twin);
    }
    spool_index_set_values(ix, ids[0], "muller\n16.71\n");
    spool_index_set_values(ix, ids[1], "maier\n1.50\n");
    return ix;
}

/* The numbers of the rows that are found, in their order. */
static void add_number(void *arg, const struct spool_index_row *row)
{
    char *out = arg;
    size_t n = strlen(out);
    out[n] = row->id[strlen(row->id) - 1];
    out[n + 1] = '\0';
}

static void finds(struct spool_index *ix, struct spool_index_query q,
                  const char *wanted)
{
    char found[16] = "";
    if (!q.most) q.most = 10;
    spool_index_find(ix, &q, add_number, found);
    assert_string_equal(found, wanted);
}

#define FINDS(wanted, ...) \
    finds(ix, (struct spool_index_query){__VA_ARGS__}, wanted)
#define WORD(text) .n_word = 1, .word = {{text, "", ""}}

static void each_condition(void **state)
{
    struct spool_index *ix = open_with_four(*state);
    FINDS("4321", .most = 10);
    FINDS("43", .most = 2);
    FINDS("21", .before = ids[2]);
    FINDS("1", .state = "done");
    FINDS("2", .state = "review");
    FINDS("43", .state = "failed");
    FINDS("", .state = "dismissed");
    FINDS("431", .schema = "receipt");
    FINDS("3", .code = "encrypted");
    FINDS("1", .name = "sudwind");
    FINDS("21", .name = "wind");
    FINDS("1", .value = "muller");
    FINDS("", .value = "mull\nx");
    FINDS("432", .from = "20260102T000000");
    FINDS("21", .to = "20260103T000000");
    FINDS("2", .id = ids[1]);
    spool_index_close(ix);
}

static void words_are_found_anywhere_and_all_of_them(void **state)
{
    struct spool_index *ix = open_with_four(*state);
    FINDS("1", WORD("sudwind"));
    FINDS("3", WORD("encrypted"));
    FINDS("431", WORD("receipt"));
    FINDS("1", WORD("16.7"));
    FINDS("", WORD("zzz"));
    FINDS("1", .n_word = 2, .word = {{"wind", "", ""}, {"receipt", "", ""}});
    FINDS("", .n_word = 2, .word = {{"wind", "", ""}, {"empty", "", ""}});
    FINDS("43", .n_word = 1,
          .word = {{"2026-01-03", "20260103T000000", "20260104T000000"}});
    FINDS("3", .state = "failed", .n_word = 2,
          .word = {{"2026-01-03", "20260103T000000", "20260104T000000"},
                   {"nor", "", ""}});
    spool_index_close(ix);
}

static void counts(void **state)
{
    struct spool_index *ix = open_with_four(*state);
    struct spool_index_counts n;
    spool_index_count(ix, "20260101T000000", &n);
    assert_int_equal(n.done, 1);
    assert_int_equal(n.today, 1);
    assert_int_equal(n.review, 1);
    assert_int_equal(n.failed, 2);
    spool_index_count(ix, "20260101T100001", &n);
    assert_int_equal(n.today, 0);
    spool_index_close(ix);
}

#define ON_BOX(f) \
    cmocka_unit_test_setup_teardown(f, spool_box_open, spool_box_close)

TEST_GROUP(index, ON_BOX(each_condition),
           ON_BOX(words_are_found_anywhere_and_all_of_them), ON_BOX(counts))
