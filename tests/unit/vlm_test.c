/* vlm_test.c - what the engine promises as exact: any cut, company, number of
 * threads, point, copy and file give the same bits. */
#include "vlm/vlm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/golden.h"
#include "tests/support/test.h"
#include "vlm/base/cpu.h"
#include "vlm/text/tokenizer.h"

enum { CHUNK = 32, PROMPT = 80 };

static int threads = 1;
static bool plain, q8, f32; /* options of the next model */
static unsigned off;        /* instruction sets that it may not use */

static void set(struct vlm_options *o)
{
    o->n_thread = threads;
    o->exact = plain;
    o->kv_q8 = q8;
    o->kv_f32 = f32;
    o->n_batch_max = 5;
    o->n_ctx = 512;
    o->features_off = off;
}

static const char *const models[] = {"micro-q8_0", "micro-moe-q8_0",
                                     "tiny-q4_k_m"};

enum { N_MODEL = sizeof models / sizeof models[0] };

static int n_model = N_MODEL; /* how many of them a test takes */

static struct vlm *model(const char *name)
{
    char file[128], path[4096];
    snprintf(file, sizeof file, "tests/vectors/%s.gguf", name);
    return golden_open(test_path(path, file), NULL, set);
}

static struct vlm_session *session(struct vlm *v)
{
    struct err err = {0};
    struct vlm_session *s = vlm_session_open(v, &err);
    test_ok(&err);
    return s;
}

/* A prompt that depends on `seed` alone. */
static void prompt(int32_t *token, int n, uint32_t seed)
{
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        token[i] = (int32_t)(seed >> 16) % 600;
    }
}

/* Feeds token[n] in pieces and keeps the logits of all. */
static struct golden_rows feed(struct vlm_session *s, struct vlm *v,
                               const int32_t *token, int n, int piece)
{
    struct err err = {0};
    struct golden_rows rows = {.n_vocab = vlm_info(v)->n_vocab};
    vlm_watch_logits(s, golden_take, &rows);
    for (int at = 0; at < n; at += piece)
        vlm_feed_tokens(s, token + at, n - at < piece ? n - at : piece, &err);
    test_ok(&err);
    vlm_watch_logits(s, NULL, NULL);
    return rows;
}

static void assert_rows_equal(const struct golden_rows *a, int first,
                              const struct golden_rows *b)
{
    size_t vocab = (size_t)b->n_vocab;
    assert_int_equal(a->n - first, b->n);
    assert_memory_equal(a->row + (size_t)first * vocab, b->row,
                        (size_t)b->n * vocab * sizeof *b->row);
}

static void chunks_agree_with_steps(void **state)
{
    (void)state;
    plain = f32 = true;
    for (int m = 0; m < n_model; m++) {
        struct vlm *v = model(models[m]);
        struct vlm_session *s = session(v);
        int32_t token[PROMPT];
        prompt(token, PROMPT, 7);
        struct golden_rows chunk = feed(s, v, token, PROMPT, PROMPT);
        vlm_session_clear(s);
        struct golden_rows step = feed(s, v, token, PROMPT, 1);
        double most = 0, worst = 0;
        for (int i = 0; i < chunk.n * chunk.n_vocab; i++) {
            most = fmax(most, fabs((double)step.row[i]));
            worst = fmax(worst, fabs((double)(chunk.row[i] - step.row[i])));
        }
        if (worst > 1e-5 * most)
            fail_msg("%s: %.3g of %.3g", models[m], worst, most);
        golden_drop(&chunk);
        golden_drop(&step);
        vlm_session_close(s);
        vlm_close(v);
    }
    plain = f32 = false;
}

static void cuts_at_chunks_change_no_bit(void **state)
{
    (void)state;
    for (int m = 0; m < n_model; m++) {
        struct vlm *v = model(models[m]);
        struct vlm_session *s = session(v);
        int32_t token[PROMPT];
        prompt(token, PROMPT, 3);
        struct golden_rows whole = feed(s, v, token, PROMPT, PROMPT);
        vlm_session_clear(s);
        struct golden_rows cut = feed(s, v, token, PROMPT, CHUNK);
        assert_rows_equal(&whole, 0, &cut);
        golden_drop(&whole);
        golden_drop(&cut);
        vlm_session_close(s);
        vlm_close(v);
    }
}

static void attention_depends_on_no_cut(void **state)
{
    /* Only the delta rule knows chunks: where it sees the same ones, any cut
     * gives the same bits, also inside a tile of keys. */
    (void)state;
    struct vlm *v = model("tiny-q4_k_m");
    struct vlm_session *s = session(v);
    int32_t token[3 * CHUNK + 3];
    prompt(token, 3 * CHUNK + 3, 9);
    struct golden_rows whole = feed(s, v, token, 3 * CHUNK + 3, 4 * CHUNK);
    vlm_session_clear(s);
    struct golden_rows cut = feed(s, v, token, 3 * CHUNK, 2 * CHUNK);
    struct golden_rows tail = feed(s, v, token + 3 * CHUNK, 3, 1);
    assert_rows_equal(&whole, 3 * CHUNK, &tail);
    golden_drop(&whole);
    golden_drop(&cut);
    golden_drop(&tail);
    vlm_session_close(s);
    vlm_close(v);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int m = 0; m < n_model; m++) {
        struct golden_rows first = {0};
        for (threads = 1; threads <= 3; threads++) {
            struct vlm *v = model(models[m]);
            struct vlm_session *s = session(v);
            int32_t token[PROMPT];
            prompt(token, PROMPT, 5);
            struct golden_rows rows = feed(s, v, token, PROMPT, 77);
            if (threads > 1) {
                assert_rows_equal(&first, 0, &rows);
                golden_drop(&rows);
            } else {
                first = rows;
            }
            vlm_session_close(s);
            vlm_close(v);
        }
        golden_drop(&first);
        threads = 1;
    }
}

static struct vlm_request request_of(int i)
{
    return (struct vlm_request){
        .max_tokens = 20 + 7 * i,
        .sampling = {.temperature = i % 2 ? 1.3f : 0,
                     .top_k = i == 3 ? 20 : 0,
                     .top_p = i == 1 ? 0.9f : 1,
                     .presence_penalty = i == 3 ? 0.5f : 0,
                     .seed = (uint64_t)i},
    };
}

static void feed_number(struct vlm_session *s, int i)
{
    struct err err = {0};
    int32_t token[60];
    int n = 7 + 11 * i;
    prompt(token, n, (uint32_t)i + 100);
    vlm_feed_tokens(s, token, n, &err);
    test_ok(&err);
}

static void five_together_write_what_each_writes_alone(void **state)
{
    (void)state;
    for (int m = 0; m < n_model; m++) {
        struct err err[5] = {{0}};
        struct vlm *v = model(models[m]);
        struct arena *arena = arena_new();
        struct vlm_answer alone[5], together[5];
        struct vlm_session *s[5];
        struct vlm_request r[5];
        for (int i = 0; i < 5; i++) {
            s[i] = session(v);
            r[i] = request_of(i);
            feed_number(s[i], i);
            vlm_generate(s[i], &r[i], arena, &alone[i], &err[0]);
            test_ok(&err[0]);
            vlm_session_clear(s[i]);
            feed_number(s[i], i);
        }
        /* Taken up one after the other, three steps apart. */
        struct vlm_batch *b = vlm_batch_new(v);
        int next = 0, left = 0, n_step = 0;
        do {
            if (n_step++ % 3 == 0 && next < 5) {
                vlm_batch_admit(b, s[next], &r[next], arena, &together[next],
                                &err[next]);
                next++;
            }
            left = vlm_batch_step(b);
        } while (left || next < 5);
        for (int i = 0; i < 5; i++) {
            test_ok(&err[i]);
            assert_false(vlm_batch_writing(b, s[i]));
            assert_int_equal(together[i].finish, alone[i].finish);
            assert_int_equal(together[i].n_sampled, alone[i].n_sampled);
            assert_true(span_equal(together[i].text, alone[i].text));
            assert_true(alone[i].text.size > 0);
            vlm_session_close(s[i]);
        }
        vlm_batch_free(b);
        arena_free(arena);
        vlm_close(v);
    }
}

static void one_more_than_the_batch_holds_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    struct vlm *v = model("micro-q8_0");
    struct arena *arena = arena_new();
    struct vlm_batch *b = vlm_batch_new(v);
    struct vlm_session *s[6];
    struct vlm_request r = request_of(0);
    struct vlm_answer answer[6];
    for (int i = 0; i < 6; i++) {
        s[i] = session(v);
        feed_number(s[i], 0);
        vlm_batch_admit(b, s[i], &r, arena, &answer[i], &err);
        if (i < 5) test_ok(&err);
    }
    assert_int_equal(err.kind, ERR_LIMIT);
    vlm_batch_free(b);
    for (int i = 0; i < 6; i++)
        vlm_session_close(s[i]);
    arena_free(arena);
    vlm_close(v);
}

static void a_point_gives_the_bits_of_a_fresh_run(void **state)
{
    (void)state;
    for (int m = 0; m < n_model; m++) {
        struct err err = {0};
        struct vlm *v = model(models[m]);
        struct vlm_session *s = session(v);
        int32_t head[70], body[45], wrong[50];
        prompt(head, 70, 1);
        prompt(body, 45, 2);
        prompt(wrong, 50, 3);
        vlm_feed_tokens(s, head, 70, &err);
        struct golden_rows fresh = feed(s, v, body, 45, 45);

        vlm_session_clear(s);
        vlm_feed_tokens(s, head, 70, &err);
        vlm_mark(s, 2, &err);
        vlm_feed_tokens(s, wrong, 50, &err);
        vlm_mark(s, 4, &err);
        vlm_rewind(s, 2, &err);
        assert_int_equal(vlm_session_length(s), 70);
        struct golden_rows back = feed(s, v, body, 45, 45);
        assert_rows_equal(&fresh, 0, &back);

        /* A point behind the one gone back to is no more. */
        vlm_rewind(s, 4, &err);
        assert_int_equal(err.kind, ERR_ARGS);

        golden_drop(&fresh);
        golden_drop(&back);
        vlm_session_close(s);
        vlm_close(v);
    }
}

static void a_full_context_refuses_one_token_more_and_reads_nothing(
    void **state)
{
    (void)state;
    struct err err = {0};
    struct vlm *v = model("micro-q8_0");
    struct vlm_session *s = session(v);
    int32_t token[513];
    prompt(token, 513, 1);
    vlm_feed_tokens(s, token, 513, &err);
    assert_string_equal(err.reason, "context-full");
    assert_int_equal(vlm_session_length(s), 0);
    err = (struct err){0};
    vlm_feed_tokens(s, token, 512, &err);
    test_ok(&err);
    assert_int_equal(vlm_session_length(s), 512);
    vlm_feed_tokens(s, token, 1, &err);
    assert_int_equal(err.kind, ERR_LIMIT);

    /* An answer that runs into the end fails, and is no answer. */
    vlm_session_clear(s);
    err = (struct err){0};
    vlm_feed_tokens(s, token, 500, &err);
    struct arena *arena = arena_new();
    struct vlm_request r = {.max_tokens = 100};
    struct vlm_answer answer;
    vlm_generate(s, &r, arena, &answer, &err);
    assert_string_equal(err.reason, "context-full");
    /* What it wrote last did not fit and is not read later either. */
    assert_true(vlm_session_length(s) <= 512);
    err = (struct err){0};
    vlm_mark(s, 0, &err);
    test_ok(&err);
    arena_free(arena);
    vlm_session_close(s);
    vlm_close(v);
}

/* A chain of calls behind a model that did not open does nothing. */
static void a_failed_open_is_followed_by_nothing(void **state)
{
    (void)state;
    struct err err = {0};
    struct arena *arena = arena_new();
    struct vlm_options o = {.model = "/nonexistent.gguf", .n_thread = 1};
    struct vlm *v = vlm_open(&o, &err);
    assert_null(v);
    struct vlm_session *s = vlm_session_open(v, &err);
    assert_null(s);
    struct image image = {0};
    int32_t token[1] = {1};
    int n_y = 0, n_x = 0;
    float row[1] = {0};
    struct vlm_request r = {.max_tokens = 3};
    struct vlm_answer answer;
    vlm_feed_text(s, span_of("x"), false, &err);
    vlm_feed_image(s, &image, &err);
    vlm_feed_tokens(s, token, 1, &err);
    vlm_feed_rows(s, row, 1, 1, &err);
    assert_null(vlm_encode_image(v, &image, &n_y, &n_x, &err));
    assert_null(vlm_logits(s, &err));
    vlm_mark(s, 0, &err);
    vlm_rewind(s, 0, &err);
    vlm_generate(s, &r, arena, &answer, &err);
    vlm_batch_admit(NULL, s, &r, arena, &answer, &err);
    assert_int_equal(err.kind, ERR_MISSING);
    vlm_session_close(s);
    vlm_close(v);
    arena_free(arena);
}

static void a_token_takes_no_memory(void **state)
{
    (void)state;
    struct vlm *v = model("micro-moe-q8_0");
    struct vlm_session *s = session(v);
    struct arena *arena = arena_new();
    int most = 0;
    for (int seed = 0; seed < 9; seed += 2) {
        struct err err = {0};
        vlm_session_clear(s);
        feed_number(s, 3);
        struct vlm_request r = request_of(1);
        r.max_tokens = 100;
        r.sampling.seed = (uint64_t)seed;
        struct vlm_answer answer;
        struct vlm_batch *b = vlm_batch_new(v);
        vlm_batch_admit(b, s, &r, arena, &answer, &err);
        size_t before = mem_calls();
        int n = 0;
        while (n < 90 && vlm_batch_step(b)) {
            assert_int_equal(mem_calls(), before);
            n++;
        }
        most = n > most ? n : most;
        vlm_batch_free(b);
    }
    /* An answer may end early by its end token, but not all of them. */
    assert_true(most > 30);
    arena_free(arena);
    vlm_session_close(s);
    vlm_close(v);
}

/* The promises once more on the sets that the best one hides: scalar, and AVX2
 * or plain NEON. */
static void the_promises_hold_on_every_instruction_set(void **state)
{
    const unsigned without[] = {~0u,
                                CPU_AVXVNNI | CPU_AVX512VNNI | CPU_NEON_I8MM};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        off = without[i];
        n_model = off == ~0u ? 1 : N_MODEL; /* scalar: half a minute for all */
        chunks_agree_with_steps(state);
        threads_change_no_bit(state);
        five_together_write_what_each_writes_alone(state);
        a_point_gives_the_bits_of_a_fresh_run(state);
    }
    off = 0;
    n_model = N_MODEL;
}

static void the_token_cap_and_a_stop_end_an_answer(void **state)
{
    (void)state;
    struct err err = {0};
    struct vlm *v = model("micro-q8_0");
    struct vlm_session *s = session(v);
    struct arena *arena = arena_new();
    feed_number(s, 3);
    struct vlm_request r = {.max_tokens = 3};
    struct vlm_answer answer;
    vlm_generate(s, &r, arena, &answer, &err);
    test_ok(&err);
    assert_int_equal(answer.finish, VLM_FINISH_LENGTH);
    assert_int_equal(answer.n_sampled, 3);
    assert_int_equal(answer.n_prompt, 40);
    /* The sequence holds the answer. */
    assert_int_equal(vlm_session_length(s), 43);
    arena_free(arena);
    vlm_session_close(s);
    vlm_close(v);
}

static bool at_once(void *arg)
{
    (void)arg;
    return true;
}

static void a_wish_to_stop_is_obeyed(void **state)
{
    (void)state;
    struct err err = {0};
    struct vlm *v = model("micro-q8_0");
    struct vlm_session *s = session(v);
    struct arena *arena = arena_new();
    feed_number(s, 3);
    struct vlm_request r = {.max_tokens = 3, .stop = at_once};
    struct vlm_answer answer;
    vlm_generate(s, &r, arena, &answer, &err);
    assert_int_equal(answer.finish, VLM_FINISH_CANCELLED);
    assert_int_equal(answer.n_sampled, 0);
    arena_free(arena);
    vlm_session_close(s);
    vlm_close(v);
}

static void keys_and_values_of_8_bits_stay_close(void **state)
{
    (void)state;
    int32_t token[PROMPT];
    prompt(token, PROMPT, 4);
    struct golden_rows rows[2];
    plain = true;
    for (int i = 0; i < 2; i++) {
        q8 = i == 1;
        struct vlm *v = model("tiny-q4_k_m");
        struct vlm_session *s = session(v);
        rows[i] = feed(s, v, token, PROMPT, PROMPT);
        vlm_session_close(s);
        vlm_close(v);
    }
    plain = q8 = false;
    struct golden_difference d = golden_compare(
        rows[1].row, rows[0].row, rows[0].n, rows[0].n_vocab, 0.2);
    assert_true(d.cosine > 0.9998 && d.mean > 0 && d.above == 0);
    golden_drop(&rows[0]);
    golden_drop(&rows[1]);
}

static void files_that_do_not_belong_together_are_refused(void **state)
{
    (void)state;
    struct err err = {0};
    char m[4096], p[4096];
    struct vlm_options o = {
        .model = test_path(m, "tests/vectors/tiny-q4_k_m.gguf"),
        .mmproj = test_path(p, "tests/vectors/micro-mmproj-f32.gguf")};
    assert_null(vlm_open(&o, &err));
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_non_null(strstr(err.text, "128"));
    assert_non_null(strstr(err.text, "256"));

    err = (struct err){0};
    o.mmproj = NULL;
    o.n_ctx = 1 << 20;
    assert_null(vlm_open(&o, &err));
    assert_non_null(strstr(err.text, "1048576"));
}

static char folder[4096];

static void with_cache(struct vlm_options *o)
{
    o->cache = folder;
}

/* The remembered hash is used as long as the file is the same one. */
static void a_known_hash_is_not_computed_again(void **state)
{
    (void)state;
    char path[4096], command[8300];
    snprintf(folder, sizeof folder, "/tmp/platen-hash-XXXXXX");
    assert_non_null(mkdtemp(folder));
    test_path(path, "tests/vectors/micro-q8_0.gguf");
    struct hash h[2];
    for (int i = 0; i < 2; i++) {
        struct vlm *v = golden_open(path, NULL, with_cache);
        h[i] = vlm_info(v)->hash;
        vlm_close(v);
        if (i) continue;
        /* What is kept is what is shown. */
        snprintf(command, sizeof command, "sed -i s/^......../01234567/ %s/*",
                 folder);
        assert_int_equal(system(command), 0);
    }
    assert_memory_equal(h[1].hex, "01234567", 8);
    assert_string_equal(h[0].hex + 8, h[1].hex + 8);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    struct vlm *v = golden_open(path, NULL, with_cache);
    assert_string_equal(vlm_info(v)->hash.hex, h[0].hex);
    vlm_close(v);
    assert_int_equal(system(command), 0); /* which this opening made again */
}

TEST_GROUP(
    vlm, cmocka_unit_test(a_known_hash_is_not_computed_again),
    cmocka_unit_test(chunks_agree_with_steps),
    cmocka_unit_test(cuts_at_chunks_change_no_bit),
    cmocka_unit_test(attention_depends_on_no_cut),
    cmocka_unit_test(threads_change_no_bit),
    cmocka_unit_test(five_together_write_what_each_writes_alone),
    cmocka_unit_test(one_more_than_the_batch_holds_is_refused),
    cmocka_unit_test(a_point_gives_the_bits_of_a_fresh_run),
    cmocka_unit_test(a_full_context_refuses_one_token_more_and_reads_nothing),
    cmocka_unit_test(a_failed_open_is_followed_by_nothing),
    cmocka_unit_test(a_token_takes_no_memory),
    cmocka_unit_test(the_promises_hold_on_every_instruction_set),
    cmocka_unit_test(the_token_cap_and_a_stop_end_an_answer),
    cmocka_unit_test(a_wish_to_stop_is_obeyed),
    cmocka_unit_test(keys_and_values_of_8_bits_stay_close),
    cmocka_unit_test(files_that_do_not_belong_together_are_refused))
