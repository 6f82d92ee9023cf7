/* gaze_test.c - where heads look among pictures: against the float64 reference,
 * and at no cost to what is answered. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/golden.h"
#include "tests/support/oracle.h"
#include "tests/support/test.h"
#include "vlm/grammar/grammar.h"
#include "vlm/model/gguf.h"
#include "vlm/model/shape.h"
#include "vlm/schema/schema.h"
#include "vlm/text/tokenizer.h"

enum { N_TEXT = 9, N_HEAD = 32 };

struct bench {
    char model[4096], mmproj[4096];
    struct arena *arena;
    struct vlm *v;
    struct gguf *text, *eye;
    struct shape *shape;
    struct weights weights;
    struct vision_shape vision_shape;
    struct vision_weights vision;
    struct image image[2]; /* 2 x 3 and 3 x 2 cells */
    int32_t token[N_TEXT];
    struct vlm_head head[N_HEAD]; /* all there are */
    int n_head;
    struct err err;
};

static void exactly(struct vlm_options *o)
{
    o->kv_f32 = o->exact = true;
    o->n_batch_max = 3;
    o->n_ctx = 512;
}

static struct image picture(int width, int height, struct err *err)
{
    struct image im = image_new(width, height, 3, err);
    for (size_t i = 0; i < im.stride_bytes * (size_t)height; i++)
        im.data[i] = (uint8_t)((i * 2654435761u) >> 13);
    return im;
}

static void open_bench(struct bench *b)
{
    *b = (struct bench){.arena = arena_new()};
    test_path(b->model, "tests/vectors/micro-f32.gguf");
    test_path(b->mmproj, "tests/vectors/micro-mmproj-f32.gguf");
    b->v = golden_open(b->model, b->mmproj, exactly);
    b->text = gguf_open(b->model, &b->err);
    b->eye = gguf_open(b->mmproj, &b->err);
    b->shape = arena_alloc(b->arena, sizeof *b->shape);
    shape_read(b->text, b->shape, &b->err);
    weights_read(b->text, b->shape, b->arena, &b->weights, &b->err);
    shape_read_vision(b->eye, &b->vision_shape, &b->err);
    weights_read_vision(b->eye, &b->vision_shape, b->arena, &b->vision,
                        &b->err);
    b->image[0] = picture(96, 64, &b->err);
    b->image[1] = picture(64, 96, &b->err);
    test_ok(&b->err);
    for (int i = 0; i < N_TEXT; i++)
        b->token[i] = 30 + 41 * i % 500;
    for (int l = 0; l < b->shape->n_layer; l++)
        for (int h = 0; h < b->shape->n_head; h++)
            b->head[b->n_head++] = (struct vlm_head){l, h};
    assert_true(b->n_head <= N_HEAD);
}

static void close_bench(struct bench *b)
{
    image_free(&b->image[0]);
    image_free(&b->image[1]);
    gguf_close(b->eye);
    gguf_close(b->text);
    vlm_close(b->v);
    arena_free(b->arena);
}

/* Words, a picture, words, a picture, words. */
static void feed(struct bench *b, struct vlm_session *s)
{
    for (int i = 0; i < 2; i++) {
        vlm_feed_tokens(s, b->token, N_TEXT, &b->err);
        vlm_feed_image(s, &b->image[i], &b->err);
    }
    vlm_feed_tokens(s, b->token, N_TEXT, &b->err);
    test_ok(&b->err);
}

/* The same for the reference: where the head looks from the last word. */
static double *reference(struct bench *b, struct vlm_head head)
{
    int32_t start, end;
    struct tokens t;
    struct tokenizer *tokenizer = tokenizer_open(b->text, &b->err);
    t = tokenizer_encode(tokenizer, span_of("<|vision_start|><|vision_end|>"),
                         true, b->arena, &b->err);
    start = t.id[0];
    end = t.id[1];
    tokenizer_close(tokenizer);
    struct oracle_rows r = oracle_begin(b->shape, 100, b->arena);
    r.look = (struct oracle_look){head.layer, head.head,
                                  arena_array(b->arena, 100, sizeof(double))};
    for (int i = 0; i < 2; i++) {
        oracle_tokens(&r, b->shape, &b->weights, b->token, N_TEXT);
        oracle_tokens(&r, b->shape, &b->weights, &start, 1);
        oracle_picture(&r, &b->vision_shape, &b->vision, &b->image[i],
                       b->arena);
        oracle_tokens(&r, b->shape, &b->weights, &end, 1);
    }
    oracle_tokens(&r, b->shape, &b->weights, b->token, N_TEXT);
    oracle_logits(&r, b->shape, &b->weights, 1, b->arena);
    return r.look.weight;
}

static void heads_look_where_the_reference_does(void **state)
{
    (void)state;
    struct bench b;
    struct vlm_attention gaze;
    open_bench(&b);
    struct vlm_session *s = vlm_session_open(b.v, &b.err);
    vlm_probe_heads(s, b.head, b.n_head, NULL, NULL);
    feed(&b, s);
    assert_true(attention_probe_last(s, &gaze));
    assert_int_equal(gaze.n_picture, 2);
    assert_int_equal(gaze.picture[0].n_x * gaze.picture[0].n_y, 6);
    assert_int_equal(gaze.picture[1].first, 6 + 2 + N_TEXT);
    assert_int_equal(gaze.n_key, gaze.picture[1].first + 6);
    int n_looking = 0;
    for (int i = 0; i < b.n_head; i++) {
        const float *got = gaze.weight + i * gaze.n_key;
        double *want = reference(&b, b.head[i]) + N_TEXT + 1;
        n_looking += b.shape->attends[b.head[i].layer];
        for (int k = 0; k < gaze.n_key; k++)
            if (fabs((double)got[k] - want[k]) > 1e-5)
                fail_msg("layer %d, head %d, key %d: %.7f, want %.7f",
                         b.head[i].layer, b.head[i].head, k, (double)got[k],
                         want[k]);
    }
    assert_true(n_looking >= 2);
    vlm_session_close(s);
    close_bench(&b);
}

/* ---- while answers are written ------------------------------------------- */

static const char text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":[\"string\",\"null\"],\"maxLength\":12},"
    "\"price\":{\"type\":\"number\",\"minimum\":0,\"maximum\":9999},"
    "\"lines\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":"
    "{\"type\":\"string\",\"maxLength\":5}}},"
    "\"required\":[\"name\",\"price\",\"lines\"],"
    "\"additionalProperties\":false}";

struct seen {
    char pointer[64];
    int n_told, n_pointer; /* calls; changes of the pointer */
    size_t bytes;
    double sum;
};

static void note(void *arg, const struct vlm_attention *gaze)
{
    struct seen *seen = arg;
    seen->n_told++;
    seen->bytes += gaze->text.size;
    assert_int_equal(gaze->n_picture, 2);
    if (strcmp(seen->pointer, gaze->pointer) != 0) seen->n_pointer++;
    snprintf(seen->pointer, sizeof seen->pointer, "%s", gaze->pointer);
    for (int i = 0; i < gaze->n_head * gaze->n_key; i++)
        seen->sum += (double)gaze->weight[i];
}

static struct vlm_answer answer(struct bench *b, struct grammar *grammar,
                                struct span words, struct seen *seen, int n,
                                size_t *taken)
{
    struct vlm_answer a[3];
    struct vlm_session *s[3];
    struct vlm_request r = {.grammar = grammar,
                            .max_tokens = 200,
                            .words = words,
                            .sampling = {.temperature = 1.5f, .top_p = 1}};
    struct vlm_batch *batch = vlm_batch_new(b->v);
    for (int i = 0; i < n; i++) {
        s[i] = vlm_session_open(b->v, &b->err);
        feed(b, s[i]);
        if (seen) vlm_probe_heads(s[i], b->head, b->n_head, note, &seen[i]);
        vlm_batch_admit(batch, s[i], &r, b->arena, &a[i], &b->err);
    }
    arena_alloc(b->arena, 64);
    size_t before = mem_calls();
    int step = 0;
    while (step++ < 20 && vlm_batch_step(batch))
        continue;
    *taken = mem_calls() - before;
    while (vlm_batch_step(batch))
        continue;
    vlm_batch_free(batch);
    for (int i = 0; i < n; i++)
        vlm_session_close(s[i]);
    test_ok(&b->err);
    return a[0];
}

static void watching_costs_an_answer_no_bit_and_no_memory(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b);
    struct schema *schema = schema_parse(span_of(text), "test", NULL, &b.err);
    struct grammar *grammar = grammar_compile(schema, &b.err);
    struct span none = {"", 0};
    struct seen seen[5] = {{.n_told = 0}};
    size_t taken = 0, quiet = 0;
    answer(&b, grammar, none, NULL, 1, &quiet); /* masks are worked out once */
    struct vlm_answer plain = answer(&b, grammar, none, NULL, 1, &quiet);
    struct vlm_answer watched = answer(&b, grammar, none, seen, 3, &taken);
    answer(&b, grammar, none, seen + 3, 1, &taken);
    size_t guessed = 0; /* words of the answer: guesses, and a place for each */
    answer(&b, grammar, plain.text, seen + 4, 1, &guessed);
    assert_int_equal(taken, quiet);
    assert_true(span_equal(plain.text, watched.text));
    assert_int_equal(plain.n_leaf, watched.n_leaf);
    for (int i = 0; i < plain.n_leaf; i++)
        assert_true(plain.leaf[i].p == watched.leaf[i].p);
    /* every value was told of, none twice, and what was told is the same
     * alone and in company */
    assert_int_equal(seen[0].n_pointer, plain.n_leaf);
    assert_true(seen[0].n_told >= plain.n_leaf);
    assert_true(seen[0].n_told <= plain.n_sampled);
    assert_true(seen[0].sum > 0 && seen[0].sum < seen[0].n_told * b.n_head);
    for (int i = 1; i < 5; i++)
        assert_memory_equal(&seen[0], &seen[i], sizeof seen[0]);
    grammar_free(grammar);
    schema_free(schema);
    close_bench(&b);
}

static void a_rewind_forgets_the_pictures_behind_it(void **state)
{
    (void)state;
    struct bench b;
    struct vlm_attention gaze, again;
    open_bench(&b);
    struct vlm_session *s = vlm_session_open(b.v, &b.err);
    struct vlm_session *t = vlm_session_open(b.v, &b.err);
    vlm_probe_heads(s, b.head, 2, NULL, NULL);
    vlm_probe_heads(t, b.head, 2, NULL, NULL);
    vlm_feed_tokens(s, b.token, N_TEXT, &b.err);
    vlm_mark(s, 0, &b.err);
    assert_false(attention_probe_last(s, &gaze)); /* no picture yet */
    vlm_feed_image(s, &b.image[0], &b.err);
    vlm_mark(s, 1, &b.err);
    vlm_feed_image(s, &b.image[1], &b.err);
    vlm_rewind(s, 1, &b.err);
    assert_false(attention_probe_last(s, &gaze)); /* nothing fed since */
    vlm_fork(t, s, &b.err);
    vlm_feed_tokens(s, b.token, 1, &b.err);
    vlm_feed_tokens(t, b.token, 1, &b.err);
    assert_true(attention_probe_last(s, &gaze));
    assert_true(attention_probe_last(t, &again));
    assert_int_equal(gaze.n_picture, 1);
    assert_int_equal(again.n_key, gaze.n_key);
    assert_memory_equal(again.weight, gaze.weight,
                        2 * (size_t)gaze.n_key * sizeof *gaze.weight);
    vlm_rewind(s, 0, &b.err);
    vlm_feed_tokens(s, b.token, 1, &b.err);
    assert_false(attention_probe_last(s, &gaze));
    vlm_feed_image(s, &b.image[1], &b.err);
    vlm_feed_tokens(s, b.token, 1, &b.err);
    assert_true(attention_probe_last(s, &gaze));
    assert_int_equal(gaze.picture[0].n_y, 3);
    vlm_probe_heads(s, NULL, 0, NULL, NULL);
    assert_false(attention_probe_last(s, &gaze));
    test_ok(&b.err);
    vlm_session_close(t);
    vlm_session_close(s);
    close_bench(&b);
}

TEST_GROUP(gaze, cmocka_unit_test(heads_look_where_the_reference_does),
           cmocka_unit_test(watching_costs_an_answer_no_bit_and_no_memory),
           cmocka_unit_test(a_rewind_forgets_the_pictures_behind_it))
