/* eval_fit.c - see eval_fit.h. */
#include "pipeline/eval/eval_fit.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/eval/calibrate.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/own_folder.h"

enum { FILE_BYTES_MOST = 1 << 16 };

double eval_fit_precision(const char *text, struct err *err)
{
    char *end = NULL;
    if (!text || err_failed(err)) return 0;
    double percent = strtod(text, &end);
    if (end == text || *end || !(percent > 0 && percent <= 100))
        err_set(err, ERR_ARGS,
                "--precision %s: wanted a number above 0, at most 100 (%%)",
                text);
    return percent / 100;
}

/* Prints the review_threshold for the wanted precision. */
static void print_threshold(double precision, const struct measure_sure *sure,
                            long long n, struct buf *out)
{
    double coverage = 0;
    if (precision <= 0) return;
    double least = measure_threshold(sure, n, precision, &coverage);
    if (least < 0)
        buf_print(out, "  no review_threshold reaches a precision of %.4g %%\n",
                  100 * precision);
    else
        buf_print(
            out,
            "  review_threshold = %.6f: %.1f %% of the values need no review, "
            "and %.4g %% of these are right (%lld values)\n",
            least, 100 * coverage, 100 * precision, n);
}

static void store_fit(const struct eval_fit *wanted,
                      const struct result_document *d,
                      const struct calibrate *fit, struct buf *out,
                      struct err *err)
{
    struct arena *arena = arena_new();
    struct buf text = buf_limit(FILE_BYTES_MOST);
    const char *path =
        calibration_path(wanted->cache, d->model, d->schema_hash, arena);
    own_folder_make(wanted->cache, err);
    calibration_print(&fit->learnt, d->model, d->schema_hash, fit->n, &text);
    atomic_file_write(path, buf_span(&text), err);
    if (!err_failed(err)) buf_print(out, "  stored in %s\n", path);
    buf_free(&text);
    arena_free(arena);
}

static void print_fit(const struct calibrate *fit, struct buf *out)
{
    static const char *const verdict_text[] = {
        "the fit is better and is used from now on",
        "the fit is not better: nothing is stored",
        "too few: it needs 200 values with a confidence, of two documents",
        "all are right, or all are wrong: nothing to learn"};
    buf_print(out, "  %lld values, %lld wrong: %s\n", fit->n,
              fit->n - fit->n_right, verdict_text[fit->verdict]);
    if (fit->fitted)
        buf_print(out,
                  "  cross-validation: log loss %.4f, fitted %.4f; ECE %.4f, "
                  "fitted %.4f\n",
                  fit->loss, fit->loss_fitted, fit->ece, fit->ece_fitted);
}

/* Prints the threshold for values of this model and schema, without a fit. */
static void print_plain_threshold(const struct eval_fit *wanted,
                                  const struct result *r,
                                  const struct result_document *d,
                                  struct buf *out)
{
    long long n = 0, kept = 0;
    struct measure_sure *sure = measure_surest(r, d->schema, -1, &n);
    for (long long i = 0; i < n; i++) {
        int of = r->value[sure[i].index].document;
        if (!strcmp(r->document[of].model, d->model)) sure[kept++] = sure[i];
    }
    print_threshold(wanted->precision, sure, kept, out);
    mem_free(sure);
}

/* Runs one model and schema; returns whether it was fitted. */
static bool run_one(const struct eval_fit *wanted, const struct result *r,
                    const struct result_document *d, struct buf *out,
                    struct err *err)
{
    struct calibrate fit = {.verdict = CALIBRATE_NO_BETTER};
    buf_print(out, "confidence of %.16s with schema %s:\n", d->model,
              d->schema);
    if (wanted->learn) {
        fit = calibrate_learn(r, d->model, d->schema_hash);
        print_fit(&fit, out);
    }
    if (fit.verdict == CALIBRATE_BETTER) {
        store_fit(wanted, d, &fit, out, err);
        print_threshold(wanted->precision, fit.fitted, fit.n, out);
    } else {
        print_plain_threshold(wanted, r, d, out);
    }
    mem_free(fit.fitted);
    return fit.verdict != CALIBRATE_TOO_FEW &&
           fit.verdict != CALIBRATE_ONE_KIND;
}

/* Is it the first document of its model and schema that was read? */
static bool is_first(const struct result *r, int i)
{
    const struct result_document *d = &r->document[i];
    for (int k = 0; k < i; k++) {
        const struct result_document *other = &r->document[k];
        if (!other->failed && !strcmp(other->model, d->model) &&
            !strcmp(other->schema_hash, d->schema_hash))
            return false;
    }
    return !d->failed;
}

void eval_fit_run(const struct eval_fit *wanted, const struct result *r,
                  struct buf *out, struct err *err)
{
    int n_learnt = 0;
    if (err_failed(err) || (!wanted->learn && wanted->precision <= 0)) return;
    for (int i = 0; i < r->n_document && wanted->learn; i++)
        if (r->document[i].fitted)
            err_set(err, ERR_ARGS,
                    "%s: its confidences were already calibrated by a fit; "
                    "read the documents again (without --records)",
                    r->document[i].name);
    for (int i = 0; i < r->n_document && !err_failed(err); i++)
        if (is_first(r, i))
            n_learnt += run_one(wanted, r, &r->document[i], out, err);
    if (wanted->learn && !n_learnt)
        err_set(err, ERR_ARGS,
                "nothing was fitted: it needs at least %d values with a "
                "confidence for one model and schema, some of them wrong",
                CALIBRATE_VALUES_LEAST);
}
