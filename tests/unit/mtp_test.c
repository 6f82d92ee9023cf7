/* mtp_test.c - what the model guesses by its block of multi-token prediction: the
 * reference's logits, right where it must be, and never a bit of an answer. */
#include "vlm/generate/vlm_mtp.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/answering.h"
#include "tests/support/golden.h"
#include "tests/support/prophet.h"
#include "tests/support/remake.h"
#include "tests/support/test.h"

static const char model[] = "tests/vectors/micro-mtp-q8_0.gguf";

static void exact(struct vlm_options *o)
{
    o->exact = o->kv_f32 = true;
}

static struct golden reference(float **logits)
{
    char path[4096];
    size_t size;
    struct golden g =
        golden_read(test_path(path, "tests/vectors/"), "micro-mtp-q8_0");
    char own[4200];
    snprintf(own, sizeof own, "%smicro-mtp-q8_0.mtp-logits.f32",
             test_path(path, "tests/vectors/"));
    *logits = test_read(own, &size);
    assert_int_equal(size, (size_t)(g.n_token - 1) * (size_t)g.n_vocab *
                               sizeof **logits);
    return g;
}

/* What the block says behind token t + 1, of which the session has read t. */
static const float *guessed(struct vlm_session *s, int32_t token)
{
    struct err err = {0};
    struct vlm *v = s->v;
    int n = v->shape->n_vocab;
    for (int i = 0; i < n; i++)
        v->picked[i] = i;
    struct position at = position_text(s->n_pos);
    struct device_guess guess = {
        .state = s->state, .n = 1, .token = &token, .at = &at};
    device_guess(v->device, &guess, 1, v->picked, n, v->logits, &err);
    test_ok(&err);
    return v->logits;
}

static void assert_near(const float *got, const struct golden *g,
                        const float *want, int t)
{
    size_t n = (size_t)g->n_vocab;
    struct golden_difference d =
        golden_compare(got, want + (size_t)t * n, 1, g->n_vocab, g->max_f32);
    if (d.above) fail_msg("behind token %d: off by %g", t, d.max);
}

/* Row t of the reference is of the model's row t and token t + 1. What was guessed,
 * and what was read and went back, leaves nothing behind. */
static void logits_are_the_references(void **state)
{
    (void)state;
    static const int cut[] = {1, 7, 38, 2, 1, 4};
    struct err err = {0};
    float *want;
    struct golden g = reference(&want);
    struct vlm *v = golden_open(g.model, NULL, exact);
    struct vlm_session *s = vlm_session_open(v, &err);
    vlm_mark(s, 0, &err);
    for (size_t i = 0, t = 0; i < sizeof cut / sizeof *cut; i++) {
        vlm_feed_tokens(s, g.token, 9, &err);
        guessed(s, g.token[3]);
        vlm_rewind(s, 0, &err);
        vlm_feed_tokens(s, g.token + t, cut[i], &err);
        vlm_mark(s, 0, &err);
        test_ok(&err);
        t += (size_t)cut[i];
        assert_near(guessed(s, g.token[t]), &g, want, (int)t - 1);
    }
    vlm_session_close(s);
    vlm_close(v);
    golden_free(&g);
    mem_free(want);
}

enum { TOGETHER = 3 };

static void exact_three(struct vlm_options *o)
{
    exact(o);
    o->n_batch_max = TOGETHER;
}

/* The logits[n, n_vocab] of `of`, and then of one token more of each. Between the two
 * calls another sequence reads. */
static float *guess_twice(struct vlm *v, struct device_guess *of, int n,
                          struct vlm_session *other)
{
    struct err err = {0};
    int vocab = v->shape->n_vocab;
    float *logits = mem_alloc(2 * (size_t)(n * vocab), sizeof *logits);
    device_guess(v->device, of, n, v->picked, vocab, logits, &err);
    vlm_feed_tokens(other, of->token, 3, &err);
    for (int i = 0; i < n; i++)
        of[i] = (struct device_guess){.state = of[i].state,
                                      .ahead = of[i].n,
                                      .n = 1,
                                      .token = of[i].token + of[i].n,
                                      .at = of[i].at + of[i].n};
    device_guess(v->device, of, n, v->picked, vocab, logits + n * vocab, &err);
    test_ok(&err);
    return logits;
}

/* Sequences of different length, with one, two and three drafted tokens. */
static void guesses_of_several_are_those_of_each(void **state)
{
    (void)state;
    struct err err = {0};
    float *want;
    struct golden g = reference(&want);
    struct vlm *v = golden_open(g.model, NULL, exact_three);
    struct vlm_session *s[TOGETHER], *other = vlm_session_open(v, &err);
    struct position at[TOGETHER][TOGETHER + 1];
    struct device_guess guess[TOGETHER], alone[TOGETHER];
    int vocab = v->shape->n_vocab;
    for (int i = 0; i < vocab; i++)
        v->picked[i] = i;
    for (int i = 0; i < TOGETHER; i++) {
        s[i] = vlm_session_open(v, &err);
        vlm_feed_tokens(s[i], g.token, 5 + 9 * i, &err);
        for (int k = 0; k <= TOGETHER; k++)
            at[i][k] = position_text(s[i]->n_pos + k);
        guess[i] = (struct device_guess){.state = s[i]->state,
                                         .n = i + 1,
                                         .token = g.token + 5 + 9 * i,
                                         .at = at[i]};
    }
    test_ok(&err);
    memcpy(alone, guess, sizeof alone);
    float *together = guess_twice(v, guess, TOGETHER, other);
    for (int i = 0; i < TOGETHER; i++) {
        size_t size = (size_t)vocab * sizeof(float);
        float *own = guess_twice(v, &alone[i], 1, other);
        assert_memory_equal(own, together + i * vocab, size);
        assert_memory_equal(own + vocab, together + (TOGETHER + i) * vocab,
                            size);
        mem_free(own);
        vlm_session_close(s[i]);
    }
    vlm_session_close(other);
    vlm_close(v);
    golden_free(&g);
    mem_free(want);
    mem_free(together);
}

/* ---- a model that knows what it will say ---------------------------------- */

static void wide(struct vlm_options *o)
{
    o->kv_f32 = o->exact = true;
    o->n_ctx = 900;
    o->n_batch_max = 3;
}

static void off(struct vlm_options *o)
{
    wide(o);
    o->mtp_off = true;
}

struct pair { /* with guesses and without */
    struct answering with, without;
    int n_pass, n_pass_without;
};

static struct pair open_pair(bool prophet)
{
    struct pair p = {answering_open(model, prophet_schema, wide),
                     answering_open(model, prophet_schema, off), 0, 0};
    if (prophet) {
        prophet_make(p.with.v);
        prophet_make(p.without.v);
    }
    return p;
}

static void close_pair(struct pair *p)
{
    answering_close(&p->with);
    answering_close(&p->without);
}

static struct vlm_answer answer(const struct answering *b, int i, bool free,
                                struct vlm_spent *spent)
{
    struct err err = {0};
    struct vlm_answer a;
    struct vlm_session *s = answering_fed(b, i);
    struct vlm_request r = {.grammar = free ? NULL : b->grammar,
                            .max_tokens = free ? 90 : 300,
                            .sampling = {.temperature = i % 3 == 1 ? 1.5f : 0,
                                         .top_p = 1,
                                         .seed = (uint64_t)i}};
    vlm_generate(s, &r, b->arena, &a, &err);
    test_ok(&err);
    spent->n_guessed += vlm_spent(s)->n_guessed;
    spent->n_drafted += vlm_spent(s)->n_drafted;
    vlm_session_close(s);
    return a;
}

static void assert_alike(const struct vlm_answer *a, const struct vlm_answer *b)
{
    assert_true(span_equal(a->text, b->text));
    assert_int_equal(a->finish, b->finish);
    assert_int_equal(a->n_sampled, b->n_sampled);
    assert_int_equal(a->n_leaf, b->n_leaf);
    for (int i = 0; i < a->n_leaf; i++) {
        assert_true(a->leaf[i].p == b->leaf[i].p);
        assert_true(a->leaf[i].p_legal == b->leaf[i].p_legal);
    }
}

static struct vlm_spent compare(struct pair *p, int n, bool free)
{
    struct vlm_spent with = {0}, without = {0};
    for (int i = 0; i < n; i++) {
        struct vlm_answer a = answer(&p->with, i, free, &with);
        struct vlm_answer b = answer(&p->without, i, free, &without);
        assert_alike(&a, &b);
        p->n_pass += a.n_pass;
        p->n_pass_without += b.n_pass;
    }
    assert_int_equal(without.n_guessed, 0);
    assert_true(with.n_guessed > 0);
    print_message("%d of %d guesses right, %d passes instead of %d\n",
                  with.n_drafted, with.n_guessed, p->n_pass, p->n_pass_without);
    return with;
}

static void a_block_that_knows_halves_the_passes(void **state)
{
    (void)state;
    struct pair p = open_pair(true);
    struct vlm_spent free = compare(&p, 3, true);
    assert_true(2 * p.n_pass < p.n_pass_without);
    close_pair(&p);
    p = open_pair(true);
    struct vlm_spent under = compare(&p, 6, false);
    assert_true(3 * p.n_pass < 2 * p.n_pass_without);
    /* what is drawn at a temperature nobody knows */
    assert_true(4 * free.n_drafted > 3 * free.n_guessed / 2);
    assert_true(under.n_drafted > 0);
    close_pair(&p);
}

static void a_block_of_random_weights_changes_no_bit(void **state)
{
    (void)state;
    struct pair p = open_pair(false);
    compare(&p, 3, true);
    compare(&p, 6, false);
    assert_true(p.n_pass <= p.n_pass_without);
    close_pair(&p);
}

static void company_changes_no_bit(void **state)
{
    (void)state;
    struct pair p = open_pair(true);
    struct vlm_session *s[3];
    struct vlm_request r[3];
    const struct vlm_request *request[3];
    struct vlm_answer together[3];
    struct vlm_spent spent;
    struct err err = {0};
    for (int i = 0; i < 3; i++) {
        s[i] = answering_fed(&p.with, 3 * i);
        r[i] = (struct vlm_request){
            .grammar = p.with.grammar,
            .max_tokens = 300,
            .sampling = {.top_p = 1, .seed = (uint64_t)(3 * i)}};
        request[i] = &r[i];
    }
    vlm_generate_batch(s, request, 3, p.with.arena, together, &err);
    test_ok(&err);
    for (int i = 0; i < 3; i++) {
        struct vlm_answer alone = answer(&p.without, 3 * i, false, &spent);
        assert_alike(&together[i], &alone);
        assert_true(vlm_spent(s[i])->n_guessed > 0);
        vlm_session_close(s[i]);
    }
    close_pair(&p);
}

/* ---- a block in a file of its own ------------------------------------------ */

static const char *beside;

static void with_beside(struct vlm_options *o)
{
    wide(o);
    o->mtp = beside;
}

/* The tensors of the block, or the others. */
static void keep(struct remake *r, bool block)
{
    for (int i = r->n_tensor - 1; i >= 0; i--) {
        const char *name = r->tensor[i].name;
        if (!strncmp(name, "blk.4.", 6) != block &&
            strcmp(name, "token_embd.weight") != 0)
            remake_drop(r, name);
    }
}

static void a_file_beside_the_model_guesses_the_same(void **state)
{
    (void)state;
    char main_path[64], mtp_path[64];
    struct remake *r = remake_file(model);
    keep(r, false);
    remake_drop_key(r, "qwen35.nextn_predict_layers");
    remake_set_int(r, "qwen35.block_count", 4);
    remake_save(r, main_path);
    remake_free(r);
    r = remake_file(model);
    keep(r, true);
    remake_save(r, mtp_path);
    remake_free(r);

    struct vlm_spent one = {0}, two = {0};
    struct answering whole = answering_open(model, prophet_schema, wide),
                     parts = whole;
    beside = mtp_path;
    parts.v = golden_open(main_path, NULL, with_beside);
    for (int i = 0; i < 4; i++) {
        struct vlm_answer a = answer(&whole, i, true, &one);
        struct vlm_answer b = answer(&parts, i, true, &two);
        assert_alike(&a, &b);
        assert_int_equal(a.n_pass, b.n_pass);
    }
    assert_true(one.n_guessed > 0);
    assert_int_equal(one.n_guessed, two.n_guessed);
    vlm_close(parts.v);
    answering_close(&whole);

    struct err err = {0};
    const struct vlm_options wrong = {.model = main_path, .mtp = main_path};
    assert_null(vlm_open(&wrong, &err));
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_non_null(strstr(err.text, "block 4 of multi-token prediction"));
    remove(main_path);
    remove(mtp_path);
}

TEST_GROUP(mtp, cmocka_unit_test(logits_are_the_references),
           cmocka_unit_test(guesses_of_several_are_those_of_each),
           cmocka_unit_test(a_block_that_knows_halves_the_passes),
           cmocka_unit_test(a_block_of_random_weights_changes_no_bit),
           cmocka_unit_test(company_changes_no_bit),
           cmocka_unit_test(a_file_beside_the_model_guesses_the_same))
