/* sampler_test.c - the choice of a token, and the detector of loops. */
#include "vlm/sample/sampler.h"

#include <math.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/base/arena.h"
#include "vlm/tensor/vector_ops.h"

enum { N = 8 };

static const float logits[N] = {0, 2, 1, 2, -1, 3, 0.5f, 9};
static const uint32_t real = 0x7f; /* the last row is padding */

static struct sampler_choice pick(struct sampler *s, uint32_t mask, bool whole,
                                  struct err *err)
{
    struct sampler_choice c = {0};
    struct sampler_input in = {
        .logits = logits, .n = N, .mask = &mask, .real = &real, .whole = whole};
    sampler_pick(s, &in, &c, err);
    return c;
}

static void greedy_takes_the_best_legal_and_the_first_of_equals(void **state)
{
    (void)state;
    struct err err = {0};
    struct sampler *s = sampler_new(N, vector_ops_pick(0));
    sampler_start(s, &(struct sampler_options){.top_p = 1});
    assert_int_equal(pick(s, 0xff, false, &err).token, 5);
    assert_int_equal(pick(s, 0x0f, false, &err).token, 1);
    assert_int_equal(pick(s, 0x90, false, &err).token, 4);
    test_ok(&err);
    pick(s, 0x80, false, &err); /* only padding is legal */
    assert_int_equal(err.kind, ERR_ANSWER);
    sampler_free(s);
}

static void probabilities_are_those_before_the_mask(void **state)
{
    (void)state;
    struct err err = {0};
    struct sampler *s = sampler_new(N, vector_ops_pick(0));
    sampler_start(s, &(struct sampler_options){.top_p = 1});
    double all = 0;
    for (int i = 0; i < 7; i++)
        all += exp((double)logits[i]);
    struct sampler_choice c = pick(s, 1u << 1 | 1u << 2, true, &err);
    assert_int_equal(c.token, 1);
    assert_true(fabs(c.p - exp(2) / all) < 1e-6);
    assert_true(fabs(c.p_legal - (exp(2) + exp(1)) / all) < 1e-6);

    /* Picked rows: over what was given. */
    const int32_t id[3] = {1, 2, 4};
    const float some[3] = {2, 1, -1};
    uint32_t mask = 0x16;
    struct sampler_input in = {
        .logits = some, .id = id, .n = 3, .mask = &mask, .real = &real};
    sampler_pick(s, &in, &c, &err);
    assert_int_equal(c.token, 1);
    assert_true(fabs(c.p - exp(2) / (exp(2) + exp(1) + exp(-1))) < 1e-6);
    sampler_free(s);
}

/* Lanes that count: what they are given, all together and at once. */
static struct {
    const struct vector_ops *real;
    int squares, exps, at_once;
} counted;

static float count_squares(const float *x, int n)
{
    counted.squares += n;
    counted.at_once = n > counted.at_once ? n : counted.at_once;
    return counted.real->sum_squares(x, n);
}

static float count_exps(float *x, int n, float shift)
{
    counted.exps += n;
    counted.at_once = n > counted.at_once ? n : counted.at_once;
    return counted.real->exp_shift(x, n, shift);
}

/* All logits are looked at twice: piece by piece, small enough for the nearest
 * cache, and what is told of them is what a plain sum says. */
static void all_logits_are_looked_at_twice_and_no_more(void **state)
{
    (void)state;
    enum { MANY = 248319 + 13 };
    struct err err = {0};
    float *x = mem_alloc(MANY, sizeof *x);
    uint32_t *mask = mem_alloc(MANY / 32 + 1, sizeof *mask);
    uint32_t *is_real = mem_alloc(MANY / 32 + 1, sizeof *is_real);
    double all = 0, legal = 0;
    int best = -1;
    for (int i = 0; i < MANY; i++) {
        x[i] = (float)((i * 7919) % 20011) / 1000 - 10;
        bool r = i % 1117 && i < MANY - 40, m = i % 5 < 2 || i / 4096 % 2;
        if (r) is_real[i / 32] |= 1u << i % 32;
        if (m) mask[i / 32] |= 1u << i % 32;
        if (r) all += exp((double)x[i]);
        if (r && m) legal += exp((double)x[i]);
        if (r && m && (best < 0 || x[i] > x[best])) best = i;
    }
    counted.real = vector_ops_pick(0);
    struct vector_ops lanes = *counted.real;
    lanes.sum_squares = count_squares;
    lanes.exp_shift = count_exps;
    struct sampler *s = sampler_new(MANY, &lanes);
    sampler_start(s, &(struct sampler_options){.top_p = 1});
    struct sampler_choice c;
    struct sampler_input in = {
        .logits = x, .n = MANY, .mask = mask, .real = is_real, .whole = true};
    sampler_pick(s, &in, &c, &err);
    test_ok(&err);
    assert_int_equal(c.token, best);
    assert_true(fabs(c.p * all / exp((double)x[best]) - 1) < 1e-5);
    assert_true(fabs(c.p_legal * all / legal - 1) < 1e-5);
    assert_int_equal(counted.squares, MANY);
    assert_int_equal(counted.exps, MANY);
    assert_true(counted.at_once <= 4096);
    sampler_free(s);
    mem_free(x);
    mem_free(mask);
    mem_free(is_real);
}

static void draw_many(const struct sampler_options *o, int count[N])
{
    struct err err = {0};
    struct sampler *s = sampler_new(N, vector_ops_pick(0));
    sampler_start(s, o);
    memset(count, 0, N * sizeof *count);
    for (int i = 0; i < 20000; i++) {
        /* A penalty would remember: start anew with the next seed. */
        struct sampler_options again = *o;
        again.seed = o->seed + (uint64_t)i;
        sampler_start(s, &again);
        count[pick(s, 0x7f, i % 2, &err).token]++;
    }
    test_ok(&err);
    sampler_free(s);
}

static void draws_follow_temperature_and_cuts(void **state)
{
    (void)state;
    int count[N];
    draw_many(&(struct sampler_options){.temperature = 2, .top_p = 1}, count);
    double all = 0;
    for (int i = 0; i < 7; i++)
        all += exp((double)logits[i] / 2);
    for (int i = 0; i < 7; i++) {
        double want = 20000 * exp((double)logits[i] / 2) / all;
        assert_true(fabs(count[i] - want) < 5 * sqrt(want));
    }
    draw_many(
        &(struct sampler_options){.temperature = 1, .top_k = 3, .top_p = 1},
        count);
    assert_true(count[5] > count[1] && count[1] > 0 && count[3] > 0);
    assert_int_equal(count[5] + count[1] + count[3], 20000);
    draw_many(&(struct sampler_options){.temperature = 1, .top_p = 0.5f},
              count);
    assert_int_equal(count[5] + count[1], 20000);
    draw_many(
        &(struct sampler_options){.temperature = 1, .top_p = 1, .min_p = 0.3f},
        count);
    assert_int_equal(count[5] + count[1] + count[3], 20000);
}

/* Of many tokens, equal ones among them, top_k leaves the k best, the lower number
 * among equals; drawn often enough each is seen, and no other. */
static void top_k_leaves_the_best_of_many(void **state)
{
    (void)state;
    enum { MANY = 4096, K = 6 };
    static float many[MANY];
    static uint32_t all[MANY / 32];
    static const int32_t best[K] = {4095, 0, 17, 900, 901, 902};
    struct err err = {0};
    bool seen[MANY] = {false};
    struct sampler *s = sampler_new(MANY, vector_ops_pick(0));
    memset(all, 0xff, sizeof all);
    for (int i = 0; i < MANY; i++)
        many[i] = (float)(i * 7919 % 1000) * 1e-3f;
    many[4095] = 2.5f;
    many[0] = many[17] = 2;
    for (int i = 900; i < 910; i++) /* of ten equals, three */
        many[i] = 1.5f;
    sampler_start(s, &(struct sampler_options){
                         .temperature = 1, .top_k = K, .top_p = 1, .seed = 3});
    struct sampler_input in = {
        .logits = many, .n = MANY, .mask = all, .real = all};
    for (int i = 0; i < 300; i++) {
        struct sampler_choice c;
        sampler_pick(s, &in, &c, &err);
        test_ok(&err);
        seen[c.token] = true;
    }
    for (int i = 0, n = 0; i < MANY; i++) {
        bool is_best = false;
        for (int k = 0; k < K; k++)
            is_best |= best[k] == i;
        assert_int_equal(seen[i], is_best);
        n += seen[i];
        assert_true(i < MANY - 1 || n == K);
    }
    sampler_free(s);
}

static void a_seed_repeats_its_draws(void **state)
{
    (void)state;
    struct err err = {0};
    struct sampler *s = sampler_new(N, vector_ops_pick(0));
    struct sampler_options o = {.temperature = 1.5f, .top_p = 1, .seed = 9};
    int first[64];
    for (int round = 0; round < 2; round++) {
        sampler_start(s, &o);
        for (int i = 0; i < 64; i++) {
            int t = pick(s, 0x7f, false, &err).token;
            if (round)
                assert_int_equal(t, first[i]);
            else
                first[i] = t;
        }
    }
    sampler_free(s);
}

static void presence_counts_once_for_what_was_written(void **state)
{
    (void)state;
    struct err err = {0};
    struct sampler *s = sampler_new(N, vector_ops_pick(0));
    sampler_start(
        s, &(struct sampler_options){.top_p = 1, .presence_penalty = 1.5f});
    assert_int_equal(pick(s, 0x7f, false, &err).token, 5);
    assert_int_equal(pick(s, 0x7f, false, &err).token, 1); /* 5 is at 1.5 */
    sampler_note(s, 3);
    assert_int_equal(pick(s, 0x7f, false, &err).token, 5); /* still at 1.5 */
    sampler_free(s);
}

static void what_is_not_finite_is_an_error(void **state)
{
    (void)state;
    const float bad[2] = {NAN, INFINITY};
    for (int i = 0; i < 2; i++) {
        struct err err = {0};
        struct sampler *s = sampler_new(N, vector_ops_pick(0));
        sampler_start(s, &(struct sampler_options){.top_p = 1});
        float x[N] = {1, 2, 3};
        x[6] = bad[i];
        uint32_t mask = 0x7f;
        struct sampler_choice c;
        struct sampler_input in = {
            .logits = x, .n = N, .mask = &mask, .real = &real};
        sampler_pick(s, &in, &c, &err);
        assert_int_equal(err.kind, ERR_SYSTEM);
        assert_string_equal(err.reason, "engine-error");
        /* Large numbers are none of these. */
        err = (struct err){0};
        x[6] = 1e30f;
        sampler_pick(s, &in, &c, &err);
        test_ok(&err);
        sampler_free(s);
    }
}

static int loops_after(const int32_t *token, int period, int n)
{
    struct repeat r = {0};
    for (int i = 0; i < n; i++)
        if (sampler_feed_repeat(&r, token[i % period])) return i + 1;
    return 0;
}

static void loops_are_noticed_and_tables_are_not(void **state)
{
    (void)state;
    int32_t token[64];
    for (int i = 0; i < 64; i++)
        token[i] = i;
    assert_int_equal(loops_after(token, 1, 1000), REPEAT_TOKENS);
    assert_int_equal(loops_after(token, 10, 1000), REPEAT_TOKENS);
    assert_int_equal(loops_after(token, 40, 1000), 40 * REPEAT_TIMES);
    assert_int_equal(loops_after(token, 64, 5000), 64 * REPEAT_TIMES);
    /* Fifteen equal rows of a table, and a leader of 190 dots. */
    assert_int_equal(loops_after(token, 40, 15 * 40), 0);
    assert_int_equal(loops_after(token, 1, 190), 0);
    /* Rows that differ in one token never are a loop. */
    struct repeat r = {0};
    for (int i = 0; i < 5000; i++)
        assert_false(sampler_feed_repeat(&r, i % 12 ? i % 12 : 100 + i / 12));
}

TEST_GROUP(
    sampler,
    cmocka_unit_test(greedy_takes_the_best_legal_and_the_first_of_equals),
    cmocka_unit_test(probabilities_are_those_before_the_mask),
    cmocka_unit_test(all_logits_are_looked_at_twice_and_no_more),
    cmocka_unit_test(draws_follow_temperature_and_cuts),
    cmocka_unit_test(top_k_leaves_the_best_of_many),
    cmocka_unit_test(a_seed_repeats_its_draws),
    cmocka_unit_test(presence_counts_once_for_what_was_written),
    cmocka_unit_test(what_is_not_finite_is_an_error),
    cmocka_unit_test(loops_are_noticed_and_tables_are_not))
