/* fit_test.c - a confidence is learnt from values that are known, and applied. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "pipeline/eval/calibrate.h"
#include "stages/confidence/calibration.h"

enum { DOCUMENTS = 40, VALUES = 4000 };

/* Values whose true chance has these odds: a + b x the odds of the confidence. */
static struct result *drawn(int n, double a, double b)
{
    static unsigned seed;
    struct result *r = result_new();
    r->document = mem_alloc(DOCUMENTS, sizeof *r->document);
    r->value = mem_alloc((size_t)n, sizeof *r->value);
    r->n_document = DOCUMENTS;
    r->n_value = n;
    seed = 1;
    for (int i = 0; i < DOCUMENTS; i++)
        r->document[i] =
            (struct result_document){.model = "m", .schema_hash = "s"};
    for (int i = 0; i < n; i++) {
        double u[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * 1664525 + 1013904223;
            u[k] = (seed >> 8) / 16777216.0;
        }
        double c = 0.55 + 0.44 * u[0], odds = log(c / (1 - c));
        r->value[i] = (struct result_value){
            .document = i * DOCUMENTS / n,
            .confidence = c,
            .exact = u[1] < 1 / (1 + exp(-(a + b * odds)))};
    }
    return r;
}

static void a_confidence_that_boasts_is_found_out(void **state)
{
    struct result *r = drawn(VALUES, -0.5, 0.6);
    struct calibrate fit = calibrate_learn(r, "m", "s");
    (void)state;
    assert_int_equal(fit.verdict, CALIBRATE_BETTER);
    assert_int_equal(fit.n, VALUES);
    assert_true(fabs(fit.learnt.weight[0] + 0.5) < 0.15);
    assert_true(fabs(fit.learnt.weight[1] - 0.6) < 0.1);
    assert_true(fit.ece > 0.15 && fit.ece_fitted < 0.03);
    mem_free(fit.fitted);
    fit = calibrate_learn(r, "another", "s");
    assert_int_equal(fit.verdict, CALIBRATE_TOO_FEW);
    result_free(r);
}

static void one_that_is_honest_is_hardly_moved(void **state)
{
    struct result *r = drawn(VALUES, 0, 1);
    struct calibrate fit = calibrate_learn(r, "m", "s");
    (void)state;
    assert_true(fabs(fit.learnt.weight[0]) < 0.2);
    assert_true(fabs(fit.learnt.weight[1] - 1) < 0.15);
    mem_free(fit.fitted);
    result_free(r);
}

static void little_teaches_nothing(void **state)
{
    struct result *r = drawn(CALIBRATE_VALUES_LEAST - 1, -0.5, 0.6);
    (void)state;
    assert_int_equal(calibrate_learn(r, "m", "s").verdict, CALIBRATE_TOO_FEW);
    result_free(r);
    r = drawn(CALIBRATE_VALUES_LEAST, 50, 1);
    assert_int_equal(calibrate_learn(r, "m", "s").verdict, CALIBRATE_ONE_KIND);
    result_free(r);
}

static void what_is_doubtful_stays_so(void **state)
{
    const struct calibration none = {.id = ""};
    const struct calibration bold = {.weight = {5, 1, 0}, .id = "x"};
    const struct calibration shy = {.weight = {-5, 1, 0}, .id = "x"};
    (void)state;
    for (int i = 0; i <= 100; i++) {
        double c = i / 100.0;
        assert_true(fabs(calibration_apply(&none, c, false) - c) < 1e-12);
        double up = calibration_apply(&bold, c, false);
        assert_true(c > 0.5 ? up > c || c > 0.999 : up <= c);
        double down = calibration_apply(&shy, c, false);
        assert_true(down <= c || c < 1e-4);
    }
}

TEST_GROUP(fit, cmocka_unit_test(a_confidence_that_boasts_is_found_out),
           cmocka_unit_test(one_that_is_honest_is_hardly_moved),
           cmocka_unit_test(little_teaches_nothing),
           cmocka_unit_test(what_is_doubtful_stays_so))
