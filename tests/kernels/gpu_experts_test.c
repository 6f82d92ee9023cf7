/* gpu_experts_test.c - experts of vlm/device/gpu on the host: who works on what, the products
 * of each with its pairs, and their sum, against plain C. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "tests/support/gpu_host.h"
#include "vlm/device/gpu/gpu_matmul.h"
#include "vlm/device/gpu/kernels/gpu_args.h"

enum {
    TOKENS = 13,
    EXPERTS = 37,
    USED = 4,
    PAIRS = TOKENS * USED,
    COLS = 64,
    ROWS = 33
};

static void *taken[16];
static int n_taken;

static void *take(size_t size)
{
    return taken[n_taken++] = gpu_host_take(size);
}

static void give_all(void)
{
    while (n_taken)
        gpu_host_give(taken[--n_taken]);
}

static void launch(const char *name, const void *args, int x, int y, int z)
{
    gpu_host_launch(gpu_host_find(name), args, x, y, z);
    const char *said = gpu_host_error();
    if (said) fail_msg("%s", said);
}

static void skip_under_tsan(void)
{
#ifdef __SANITIZE_THREAD__
    print_message("skip: fibers, which tsan does not know\n");
    skip();
#endif
}

static float *numbers(size_t n, float step)
{
    float *x = take(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = sinf((float)i * step);
    return x;
}

/* The best, ascending, as cpu/decode/ffn.c takes them. */
static void plain_choice(const float *logit, int *choice, double *weight)
{
    double p[EXPERTS], sum = 0;
    for (int e = 0; e < EXPERTS; e++)
        p[e] = exp((double)logit[e]);
    bool chosen[EXPERTS] = {false};
    for (int k = 0; k < USED; k++) {
        int best = -1;
        for (int e = 0; e < EXPERTS; e++)
            if (!chosen[e] && (best < 0 || logit[e] > logit[best])) best = e;
        chosen[best] = true;
        sum += p[best];
    }
    for (int e = 0, k = 0; e < EXPERTS; e++) {
        if (!chosen[e]) continue;
        choice[k] = e;
        weight[k++] = p[e] / sum;
    }
}

static struct gpu_route_args route(void)
{
    struct gpu_route_args a = {.logit = numbers(TOKENS * EXPERTS, 1.7f),
                               .choice = take(PAIRS * sizeof(int32_t)),
                               .weight = take(PAIRS * sizeof(float)),
                               .n = TOKENS,
                               .n_expert = EXPERTS,
                               .n_used = USED};
    float *logit = (float *)(uintptr_t)a.logit;
    for (int e = 0; e < EXPERTS; e++)
        logit[EXPERTS + e] = 0.5f; /* all are equal: the first ones */
    launch("gpu_route", &a, (TOKENS + GPU_WARPS - 1) / GPU_WARPS, 1, 1);
    return a;
}

static struct gpu_group_args group(const int32_t *choice)
{
    struct gpu_group_args a = {.choice = choice,
                               .first = take((EXPERTS + 1) * sizeof(int32_t)),
                               .row = take(PAIRS * sizeof(int32_t)),
                               .token = take(PAIRS * sizeof(int32_t)),
                               .n_used = USED,
                               .n_pair = PAIRS,
                               .n_expert = EXPERTS};
    launch("gpu_group", &a, 1, 1, 1);
    return a;
}

static void a_token_goes_to_its_best_experts(void **state)
{
    (void)state;
    skip_under_tsan();
    struct gpu_route_args a = route();
    struct gpu_group_args g = group(a.choice);
    for (int t = 0; t < TOKENS; t++) {
        int choice[USED];
        double weight[USED];
        plain_choice(a.logit + t * EXPERTS, choice, weight);
        for (int k = 0; k < USED; k++) {
            assert_int_equal(a.choice[t * USED + k], choice[k]);
            assert_true(fabs(a.weight[t * USED + k] - weight[k]) < 1e-6);
        }
    }
    assert_int_equal(a.choice[USED], 0);
    assert_int_equal(g.first[0], 0);
    assert_int_equal(g.first[EXPERTS], PAIRS);
    for (int e = 0; e < EXPERTS; e++)
        for (int i = g.first[e]; i < g.first[e + 1]; i++) {
            assert_int_equal(a.choice[g.row[i]], e);
            assert_true(i == g.first[e] || g.row[i - 1] < g.row[i]);
        }
    give_all();
}

/* Of rows x (one for every `per` pairs) and expert e's rows of w. */
static double plain_product(const float *w, const float *x, int e, int pair,
                            int per, int r)
{
    double sum = 0;
    for (int k = 0; k < COLS; k++)
        sum += (double)w[(e * (ROWS + 2) + 1 + r) * COLS + k] *
               (double)x[pair / per * COLS + k];
    return sum * (1 + e);
}

/* Weights of each expert begin a row behind those of the one before, as where two
 * matrices lie in one. */
static void an_expert_works_on_its_pairs_alone(void **state)
{
    (void)state;
    skip_under_tsan();
    for (int per = 1; per <= USED; per += USED - 1) {
        struct gpu_route_args a = route();
        struct gpu_group_args g = group(a.choice);
        float *w = numbers((size_t)EXPERTS * (ROWS + 2) * COLS, 0.3f);
        float *x = numbers((size_t)(PAIRS / per) * COLS, 0.7f);
        float *scale = take(EXPERTS * sizeof *scale);
        for (int e = 0; e < EXPERTS; e++)
            scale[e] = (float)(1 + e);
        struct gpu_product_args p = {.w = {(uint8_t *)w, COLS * sizeof *w,
                                           EXPERTS * (ROWS + 2), COLS, 1.0f},
                                     .n_row = ROWS,
                                     .x = x,
                                     .n = TOKENS,
                                     .y = take(PAIRS * ROWS * sizeof(float)),
                                     .y_stride = ROWS,
                                     .by = {g.first, per > 1 ? g.token : g.row,
                                            g.row, scale, ROWS + 2, 1}};
        launch("gpu_float_f32_r32t32", &p, (ROWS + 31) / 32, 1, EXPERTS);
        for (int i = 0; i < PAIRS; i++)
            for (int r = 0; r < ROWS; r++) {
                double want = plain_product(w, x, a.choice[i], i, per, r);
                double got = (double)p.y[i * ROWS + r];
                if (!(fabs(got - want) < 1e-3))
                    fail_msg("pair %d, row %d: %g, want %g", i, r, got, want);
            }
        give_all();
    }
}

static void what_experts_say_is_added_up_by_weight(void **state)
{
    (void)state;
    skip_under_tsan();
    for (int k = 0; k < 4; k++) {
        bool shares = k % 2, adds = k / 2;
        float *h = numbers(TOKENS * COLS, 0.2f), was[TOKENS * COLS];
        float *x = adds ? numbers(TOKENS * COLS, 0.8f) : h;
        float before[TOKENS * COLS];
        struct gpu_join_args a = {.y = numbers(PAIRS * COLS, 0.9f),
                                  .weight = numbers(PAIRS, 0.4f),
                                  .shared = numbers(TOKENS * COLS, 1.3f),
                                  .gate = numbers(COLS, 2.1f),
                                  .h = h,
                                  .x = x,
                                  .n_used = USED,
                                  .n_col = COLS,
                                  .n_part = adds ? 2 : 1,
                                  .adds = adds};
        if (!shares) a.shared = NULL;
        memcpy(was, h, sizeof was);
        memcpy(before, x, sizeof before);
        launch("gpu_experts_join", &a, TOKENS, a.n_part, 1);
        for (int t = 0; t < TOKENS; t++) {
            double gate = 0;
            for (int i = 0; i < COLS; i++)
                gate += (double)a.gate[i] * (double)was[t * COLS + i];
            for (int i = 0; i < COLS; i++) {
                int at = t * COLS + i;
                double want =
                    shares ? (double)a.shared[at] / (1 + exp(-gate)) : 0;
                for (int e = 0; e < USED; e++)
                    want += (double)a.weight[t * USED + e] *
                            (double)a.y[(t * USED + e) * COLS + i];
                if (adds) want += (double)before[at];
                assert_true(fabs((double)x[at] - want) < 1e-5);
            }
        }
        give_all();
    }
}

TEST_GROUP(gpu_experts, cmocka_unit_test(a_token_goes_to_its_best_experts),
           cmocka_unit_test(an_expert_works_on_its_pairs_alone),
           cmocka_unit_test(what_experts_say_is_added_up_by_weight))
