/* calibrate.c - see calibrate.h. */
#include "pipeline/eval/calibrate.h"

#include <math.h>
#include <string.h>

enum { N = CALIBRATION_WEIGHTS, STEPS_MOST = 50, HALVINGS_MOST = 20 };

/* Strength of the regularisation: about one or two unchanged values. */
static const double hold = 1;

struct calibrate_sample {
    double feature[N];
    double confidence; /* before the fit */
    bool is_null, right;
    int document, index;
};

struct calibrate_samples {
    struct calibrate_sample *sample;
    long long n;
    int n_fold;
};

static struct calibrate_samples collect_samples(const struct result *r,
                                                const char *model,
                                                const char *schema_hash)
{
    struct calibrate_samples s = {
        .sample = mem_alloc((size_t)r->n_value + 1, sizeof *s.sample)};
    int n_document = 0, last = -1;
    for (int i = 0; i < r->n_value; i++) {
        const struct result_value *v = &r->value[i];
        const struct result_document *d = &r->document[v->document];
        if (v->confidence < 0 || strcmp(d->model, model) != 0 ||
            strcmp(d->schema_hash, schema_hash) != 0)
            continue;
        n_document += v->document != last;
        last = v->document;
        struct calibrate_sample *one = &s.sample[s.n++];
        *one = (struct calibrate_sample){.confidence = v->confidence,
                                         .is_null = v->given_null,
                                         .right = v->exact,
                                         .document = n_document - 1,
                                         .index = i};
        calibration_features(v->confidence, v->given_null, one->feature);
    }
    s.n_fold = n_document < CALIBRATE_FOLDS ? n_document : CALIBRATE_FOLDS;
    return s;
}

static double chance_of(const double weight[static N],
                        const struct calibrate_sample *s)
{
    struct calibration fit = {.id = "-"};
    memcpy(fit.weight, weight, sizeof fit.weight);
    return calibration_apply(&fit, s->confidence, s->is_null);
}

static double loss_of(double chance, bool right)
{
    double p = right ? chance : 1 - chance;
    return -log(fmax(p, 1e-6));
}

/* --- learning ------------------------------------------------------------ */

/* Is the sample used? Confidences of 0.5 and below are never raised. */
static bool is_used(const struct calibrate_samples *s, long long i, int without)
{
    const struct calibrate_sample *one = &s->sample[i];
    return one->confidence > 0.5 &&
           (without < 0 || one->document % s->n_fold != without);
}

static double odds_of(const double weight[static N],
                      const struct calibrate_sample *s)
{
    double odds = 0;
    for (int i = 0; i < N; i++)
        odds += weight[i] * s->feature[i];
    return odds;
}

static double objective(const struct calibrate_samples *s, int without,
                        const double weight[static N])
{
    double sum = 0;
    for (long long i = 0; i < s->n; i++) {
        if (!is_used(s, i, without)) continue;
        double odds = odds_of(weight, &s->sample[i]);
        double wrong = s->sample[i].right ? -odds : odds;
        sum += wrong > 30 ? wrong : log1p(exp(wrong));
    }
    for (int i = 0; i < N; i++) {
        double off = weight[i] - calibration_unchanged[i];
        sum += hold * off * off / 2;
    }
    return sum;
}

/* Solves a x = b for a symmetric, positive a (`hold` is on its diagonal); x is
 * returned in b. */
static void solve(double a[N][N], double b[static N])
{
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            double times = a[i][k] / a[k][k];
            for (int j = k; j < N; j++)
                a[i][j] -= times * a[k][j];
            b[i] -= times * b[k];
        }
    for (int k = N - 1; k >= 0; k--) {
        for (int j = k + 1; j < N; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

/* Newton's step. */
static void find_step(const struct calibrate_samples *s, int without,
                      const double weight[static N], double step[static N])
{
    double curve[N][N] = {{0}};
    for (int i = 0; i < N; i++) {
        curve[i][i] = hold;
        step[i] = -hold * (weight[i] - calibration_unchanged[i]);
    }
    for (long long k = 0; k < s->n; k++) {
        const struct calibrate_sample *one = &s->sample[k];
        if (!is_used(s, k, without)) continue;
        double p = 1 / (1 + exp(-odds_of(weight, one)));
        for (int i = 0; i < N; i++) {
            step[i] += (one->right - p) * one->feature[i];
            for (int j = 0; j < N; j++)
                curve[i][j] += p * (1 - p) * one->feature[i] * one->feature[j];
        }
    }
    solve(curve, step);
}

/* Learns without the documents of a fold (-1: from all). */
static void learn(const struct calibrate_samples *s, int without,
                  double weight[static N])
{
    memcpy(weight, calibration_unchanged, sizeof calibration_unchanged);
    double now = objective(s, without, weight);
    for (int k = 0; k < STEPS_MOST; k++) {
        double step[N], next[N], then = now, size = 1;
        find_step(s, without, weight, step);
        for (int half = 0; half < HALVINGS_MOST; half++, size /= 2) {
            for (int i = 0; i < N; i++)
                next[i] = weight[i] + size * step[i];
            then = objective(s, without, next);
            if (then < now) break;
        }
        if (!(then < now - 1e-9)) return;
        memcpy(weight, next, sizeof next);
        now = then;
    }
}

/* --- evaluation ---------------------------------------------------------- */

static void cross_validate(const struct calibrate_samples *s,
                           struct calibrate *fit)
{
    double weight[CALIBRATE_FOLDS][N];
    struct measure_sure *before = mem_alloc((size_t)s->n + 1, sizeof *before);
    struct measure_bin bin[MEASURE_BINS] = {{0}},
                       fitted_bin[MEASURE_BINS] = {{0}};
    fit->fitted = mem_alloc((size_t)s->n + 1, sizeof *fit->fitted);
    for (int fold = 0; fold < s->n_fold; fold++)
        learn(s, fold, weight[fold]);
    for (long long i = 0; i < s->n; i++) {
        const struct calibrate_sample *one = &s->sample[i];
        double chance = chance_of(weight[one->document % s->n_fold], one);
        fit->loss += loss_of(one->confidence, one->right) / (double)s->n;
        fit->loss_fitted += loss_of(chance, one->right) / (double)s->n;
        before[i] =
            (struct measure_sure){one->confidence, one->index, one->right};
        fit->fitted[i] = (struct measure_sure){chance, one->index, one->right};
    }
    measure_sort(fit->fitted, s->n);
    fit->ece = measure_ece(before, s->n, bin);
    fit->ece_fitted = measure_ece(fit->fitted, s->n, fitted_bin);
    mem_free(before);
}

struct calibrate calibrate_learn(const struct result *r, const char *model,
                                 const char *schema_hash)
{
    struct calibrate_samples s = collect_samples(r, model, schema_hash);
    struct calibrate fit = {.n = s.n, .verdict = CALIBRATE_TOO_FEW};
    for (long long i = 0; i < s.n; i++)
        fit.n_right += s.sample[i].right;
    bool one_kind = fit.n_right == 0 || fit.n_right == fit.n;
    if (fit.n >= CALIBRATE_VALUES_LEAST && one_kind)
        fit.verdict = CALIBRATE_ONE_KIND;
    if (fit.n >= CALIBRATE_VALUES_LEAST && !one_kind && s.n_fold > 1) {
        learn(&s, -1, fit.learnt.weight);
        cross_validate(&s, &fit);
        bool better = fit.loss_fitted < fit.loss && fit.learnt.weight[1] > 0;
        fit.verdict = better ? CALIBRATE_BETTER : CALIBRATE_NO_BETTER;
    }
    mem_free(s.sample);
    return fit;
}
