/* heads_test.c - the file that says which heads of a model point. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stages/engine/retrieval_heads.h"

static const char hash[] =
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void what_was_found_is_read_again(void **state)
{
    (void)state;
    struct retrieval_heads found = {.head = {{7, 2, 0.9954}, {5, 0, 0.8101}},
                                    .n_head = 2,
                                    .n_page = 12,
                                    .n_token = 660,
                                    .chance = 0.034};
    char folder[] = "/tmp/platen-heads-XXXXXX", model[64], beside[64];
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/some.gguf", folder);
    snprintf(beside, sizeof beside, "%s/some.heads.json", folder);
    struct arena *arena = arena_new();
    const char *path = retrieval_heads_path(folder, hash, arena);
    struct buf text = buf_limit(10000);
    retrieval_heads_print(&found, hash, &text);
    assert_int_equal(retrieval_heads_load(folder, model, hash).n_head, 0);

    for (int i = 0; i < 2; i++) { /* in the cache folder, beside the model */
        write_text(i ? beside : path, text.data);
        struct retrieval_heads got =
            retrieval_heads_load(i ? "" : folder, model, hash);
        assert_int_equal(got.n_head, 2);
        assert_int_equal(got.head[0].layer, 7);
        assert_int_equal(got.head[1].head, 0);
        assert_true(got.head[0].hits > 0.995 && got.chance > 0.03);
        assert_int_equal(got.n_page, 12);
        unlink(i ? beside : path);
    }
    buf_free(&text);
    arena_free(arena);
    rmdir(folder);
}

#define BEGIN "{\"format\":\"platen-heads/1\",\"model\":\"%s\",\"heads\":"

/* Files that name no head to go by. */
static const char *const none[] = {
    "",
    "{",
    "[1]",
    BEGIN "[]}",
    BEGIN "7}",
    BEGIN "[{\"layer\":3,\"head\":1,\"hits\":0.5}]}",
    BEGIN "[{\"layer\":-1,\"head\":1,\"hits\":0.9}]}",
    BEGIN "[{\"layer\":3,\"head\":1e9,\"hits\":0.9}]}",
    BEGIN "[{\"layer\":3,\"head\":1,\"hits\":90}]}",
    BEGIN "[{\"layer\":\"3\",\"head\":1,\"hits\":0.9}]}",
    "{\"format\":\"platen-heads/2\",\"model\":\"%s\",\"heads\":[{\"layer\":3,"
    "\"head\":1,\"hits\":0.9}]}",
    "{\"format\":\"platen-heads/"
    "1\",\"model\":\"other\",\"of\":\"%s\",\"heads\":"
    "[{\"layer\":3,\"head\":1,\"hits\":0.9}]}",
};

static void a_file_that_is_not_the_models_counts_as_none(void **state)
{
    (void)state;
    char folder[] = "/tmp/platen-heads-XXXXXX", text[400];
    assert_non_null(mkdtemp(folder));
    struct arena *arena = arena_new();
    const char *path = retrieval_heads_path(folder, hash, arena);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *at = strstr(none[i], "%s");
        size_t n = at ? (size_t)(at - none[i]) : strlen(none[i]);
        snprintf(text, sizeof text, "%.*s%s%s", (int)n, none[i], at ? hash : "",
                 at ? at + 2 : "");
        write_text(path, text);
        if (retrieval_heads_load(folder, "", hash).n_head)
            fail_msg("taken for heads: %s", text);
    }
    write_text(path, "{\"format\":\"platen-heads/1\",\"model\":\"00112233445566"
                     "778899aabbccddeeff00112233445566778899aabbccddeeff\","
                     "\"heads\":[{\"layer\":3,\"head\":1,\"hits\":0.9}]}");
    assert_int_equal(retrieval_heads_load(folder, "", hash).n_head, 1);
    unlink(path);
    rmdir(folder);
    arena_free(arena);
}

TEST_GROUP(heads, cmocka_unit_test(what_was_found_is_read_again),
           cmocka_unit_test(a_file_that_is_not_the_models_counts_as_none))
