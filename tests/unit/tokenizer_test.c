/* tokenizer_test.c - encoding against the reference's vectors, and pitfalls. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/clock.h"
#include "vlm/json/json.h"
#include "vlm/model/gguf.h"
#include "vlm/text/bpe.h"
#include "vlm/text/pretoken.h"
#include "vlm/text/tokenizer.h"

struct fixture {
    struct gguf *g;
    struct tokenizer *t;
    struct arena *arena;
};

static struct fixture open_fixture(void)
{
    char path[4096];
    struct err err = {0};
    struct fixture f = {.arena = arena_new()};
    f.g = gguf_open(test_path(path, "tests/vectors/micro-f32.gguf"), &err);
    f.t = tokenizer_open(f.g, &err);
    test_ok(&err);
    return f;
}

static void close_fixture(struct fixture *f)
{
    tokenizer_close(f->t);
    gguf_close(f->g);
    arena_free(f->arena);
}

static struct span from_hex(const char *hex, struct arena *arena)
{
    size_t n = strlen(hex) / 2;
    char *out = arena_alloc(arena, n + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (char)byte;
    }
    return (struct span){out, n};
}

static void expect_ids(const struct fixture *f, const cJSON *c, bool special)
{
    struct err err = {0};
    const cJSON *want = json_get(c, special ? "ids" : "ids_plain");
    const char *hex = json_get(c, "hex")->valuestring;
    struct tokens got = tokenizer_encode(f->t, from_hex(hex, f->arena), special,
                                         f->arena, &err);
    test_ok(&err);
    if (got.n != cJSON_GetArraySize(want))
        fail_msg("%s: %d ids, not %d", hex, got.n, cJSON_GetArraySize(want));
    const cJSON *id = want->child;
    for (int i = 0; i < got.n; i++, id = id->next)
        if (got.id[i] != (int32_t)id->valuedouble)
            fail_msg("%s: id %d is %d, not %d", hex, i, got.id[i],
                     (int32_t)id->valuedouble);
}

static void all_vectors_are_equal(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    struct err err = {0};
    char path[4096];
    size_t size;
    char *data =
        test_read(test_path(path, "tests/vectors/tokenizer.json"), &size);
    cJSON *all = json_parse((struct span){data, size}, &err);
    test_ok(&err);
    int n = 0;
    const cJSON *c;
    cJSON_ArrayForEach(c, json_get(all, "cases"))
    {
        expect_ids(&f, c, true);
        expect_ids(&f, c, false);
        n++;
    }
    assert_true(n > 50);
    cJSON_Delete(all);
    test_give(data);
    close_fixture(&f);
}

/* The bytes of the ids are the text again. */
static void expect_round_trip(const struct fixture *f, const char *text,
                              bool special)
{
    struct err err = {0};
    struct tokens got =
        tokenizer_encode(f->t, span_of(text), special, f->arena, &err);
    test_ok(&err);
    size_t at = 0;
    for (int i = 0; i < got.n; i++) {
        struct span s = tokenizer_bytes(f->t, got.id[i]);
        assert_true(at + s.size <= strlen(text));
        assert_memory_equal(s.data, text + at, s.size);
        at += s.size;
    }
    assert_int_equal(at, strlen(text));
}

static void bytes_of_ids_are_the_text(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    const char *text[] = {"a", "Rechnung Nr. 4711\r\n\tSumme \xe2\x82\xac  ",
                          "<|im_start|>user\nx<|im_end|>", "\x01\x7f\xc2\x85",
                          "\xf0\x9f\xa7\xbe\xe1\xa0\x8e x"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        expect_round_trip(&f, text[i], true);
        expect_round_trip(&f, text[i], false);
    }
    close_fixture(&f);
}

/* Types 3 and 4 both stay plain in text from outside. */
static void markup_in_untrusted_text_is_inert(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    struct err err = {0};
    const char *text = "a<|im_end|>b<think>c</tool_call><|image_pad|>";
    struct tokens got =
        tokenizer_encode(f.t, span_of(text), false, f.arena, &err);
    for (int i = 0; i < got.n; i++)
        assert_int_equal(tokenizer_type(f.t, got.id[i]), TOKEN_NORMAL);
    got = tokenizer_encode(f.t, span_of(text), true, f.arena, &err);
    int n_added = 0;
    for (int i = 0; i < got.n; i++)
        n_added += tokenizer_type(f.t, got.id[i]) != TOKEN_NORMAL;
    assert_int_equal(n_added, 4);
    test_ok(&err);
    close_fixture(&f);
}

static void specials_are_found_by_text(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    int32_t end = tokenizer_special(f.t, "<|im_end|>");
    assert_true(end >= 0);
    assert_true(tokenizer_is_end(f.t, end));
    assert_true(tokenizer_is_end(f.t, tokenizer_special(f.t, "<|endoftext|>")));
    assert_false(tokenizer_is_end(f.t, tokenizer_special(f.t, "<think>")));
    assert_int_equal(tokenizer_special(f.t, "<|im_en"), -1);
    assert_int_equal(tokenizer_special(f.t, "a"), -1);
    assert_int_equal(tokenizer_special(f.t, ""), -1);
    int32_t last = tokenizer_size(f.t) - 1;
    assert_int_equal(tokenizer_type(f.t, last), TOKEN_UNUSED);
    assert_int_equal(tokenizer_bytes(f.t, last).size, 0);
    assert_int_equal(tokenizer_bytes(f.t, last + 1).size, 0);
    assert_int_equal(tokenizer_bytes(f.t, -1).size, 0);
    close_fixture(&f);
}

static void bad_utf8_is_refused_with_its_place(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    const char *text[] = {"ab\xff", "\xc0\xaf", "\xed\xa0\x80", "x\xe2\x82",
                          "\xf4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct err err = {0};
        tokenizer_encode(f.t, span_of(text[i]), true, f.arena, &err);
        assert_int_equal(err.kind, ERR_INPUT);
        assert_non_null(strstr(err.text, "byte"));
    }
    close_fixture(&f);
}

/* Long runs must take neither quadratic time nor the stack. */
static void long_runs_are_quick(void **state)
{
    (void)state;
    struct fixture f = open_fixture();
    const char *run[] = {"a", " ",   "the total ", "\xc3\xa9",
                         "=", "\n ", "e\xcc\x81"};
    enum { SIZE = 1 << 20 };
    char *text = mem_alloc(SIZE, 1);
    for (size_t r = 0; r < sizeof run / sizeof *run; r++) {
        size_t n = strlen(run[r]), size = SIZE / n * n;
        for (size_t i = 0; i < size; i += n)
            memcpy(text + i, run[r], n);
        struct err err = {0};
        double start = clock_seconds();
        struct tokens got = tokenizer_encode(f.t, (struct span){text, size},
                                             true, f.arena, &err);
        test_ok(&err);
        assert_true(got.n > 0);
        assert_true(clock_seconds() - start < 20);
        arena_reset(f.arena);
    }
    memset(text, 0, SIZE);
    for (size_t i = 0; i + 2 < 4096; i += 2)
        memcpy(text + i, i % 4 ? "\xcc\x81" : "\xcc\xa3", 2);
    struct err err = {0};
    tokenizer_encode(f.t, (struct span){text, 4000}, true, f.arena, &err);
    assert_int_equal(err.kind, ERR_INPUT);
    mem_free(text);
    close_fixture(&f);
}

static void merges_go_by_rank_and_from_the_left(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct bpe *b = bpe_new(a, 3);
    bpe_add(b, 1, 2, 10, 5);
    bpe_add(b, 2, 2, 11, 3);
    bpe_add(b, 11, 11, 12, 4);
    int32_t id[] = {1, 2, 2, 2, 2, 2, 1, 2};
    char *scratch = arena_alloc(a, bpe_scratch_bytes(8));
    int n = bpe_merge(b, id, 8, scratch);
    const int32_t want[] = {1, 12, 2, 10};
    assert_int_equal(n, 4);
    assert_memory_equal(id, want, sizeof want);

    struct bpe *none = bpe_new(a, 0);
    assert_int_equal(bpe_merge(none, id, 4, scratch), 4);
    arena_free(a);
}

/* Digits stand alone and letters together, also those of Unicode 15, which the
 * system's PCRE2 may not know yet. */
static void characters_of_unicode_15_are_what_they_are(void **state)
{
    (void)state;
    struct err err = {0};
    struct arena *arena = arena_new();
    struct pretoken *p = pretoken_open(arena, &err);
    /* Kawi KA KA vowel sign, Kawi digits 1 and 2, Nag Mundari digit 1, two
     * ideographs of extension H behind a comma, a mark of Nag Mundari */
    static const char text[] =
        "\xf0\x91\xbc\x92\xf0\x91\xbc\x92\xf0\x91\xbc\xb6"
        "\xf0\x91\xbd\x91\xf0\x91\xbd\x92\xf0\x9e\x93\xb1"
        ",\xf0\xb1\x8d\x90\xf0\xb1\x8d\x91\xf0\x9e\x93\xac!";
    static const size_t want[] = {12, 4, 4, 4, 13, 1};
    struct pretoken_walk *w = pretoken_begin(p, span_of(text), arena);
    struct span piece;
    test_ok(&err);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(pretoken_next(w, &piece, &err));
        assert_int_equal(piece.size, want[i]);
    }
    assert_false(pretoken_next(w, &piece, &err));
    test_ok(&err);
    arena_free(arena);
}

TEST_GROUP(tokenizer,
           cmocka_unit_test(characters_of_unicode_15_are_what_they_are),
           cmocka_unit_test(all_vectors_are_equal),
           cmocka_unit_test(bytes_of_ids_are_the_text),
           cmocka_unit_test(markup_in_untrusted_text_is_inert),
           cmocka_unit_test(specials_are_found_by_text),
           cmocka_unit_test(bad_utf8_is_refused_with_its_place),
           cmocka_unit_test(long_runs_are_quick),
           cmocka_unit_test(merges_go_by_rank_and_from_the_left))
