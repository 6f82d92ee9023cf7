/* measure.h - figures over the values of a result. Shares are 0..1, and -1 where
 * there is nothing to divide by. */
#ifndef PIPELINE_EVAL_MEASURE_H
#define PIPELINE_EVAL_MEASURE_H

#include "pipeline/eval/result.h"

enum { MEASURE_COVERAGES = 3, MEASURE_BINS = 10 };

/* 0.80, 0.90, 0.95 */
extern const double measure_coverage[MEASURE_COVERAGES];

struct measure {
    long long n_document, n_failed, n_page;
    double seconds, tokens; /* in all */
    long long n_value, n_exact, n_tolerant;
    long long n_in_order_value, n_in_order; /* rows in order; not by field */
    long long n_expected, n_given, n_hit;   /* not null; exactly right */
    long long n_null_right;                 /* null, as expected */
    long long n_null_wrong; /* null or not there, where a value was expected */
    long long n_invented;   /* a value where none was expected */
    long long n_true_box, n_placed, n_box_hit; /* of documents with boxes */
    long long n_confident;                     /* values with a confidence */
    struct measure_bin {
        long long n, n_right;
        double confidence; /* their sum */
    } bin[MEASURE_BINS];
    double ece;                   /* expected calibration error in ten bins */
    double at[MEASURE_COVERAGES]; /* right of the surest share of values */
};

/* Of a field (its index) or -1, of a schema (its name) or NULL. */
struct measure measure_of(const struct result *r, const char *schema,
                          int field);

/* n / all, or -1. */
double measure_share(long long n, long long all);

/* 2 hits / (given + expected), which is F1; or -1. */
double measure_f1(long long n_hit, long long n_given, long long n_expected);

/* The figures by the names that they have in JSON: exact, tolerant,
 * exact_in_order, precision, recall, f1, null_precision, null_recall,
 * evidence_f1, ece, accuracy_at_80, ..._90, ..._95, read, seconds_a_page,
 * tokens_a_page. */
enum { MEASURE_FIGURES = 16 };
struct measure_figure {
    const char *name;
    double value; /* -1: not known */
};
void measure_figures(const struct measure *m,
                     struct measure_figure out[static MEASURE_FIGURES]);

/* One of them; *known says whether there is one of that name. */
double measure_named(const struct measure *m, const char *name, bool *known);

/* (confidence, right?) of those values, the surest first, as many as
 * n_confident; the caller's. */
struct measure_sure {
    double confidence;
    int index; /* among the result's values */
    bool right;
};
struct measure_sure *measure_surest(const struct result *r, const char *schema,
                                    int field, long long *n);

/* Of n of them: the expected calibration error, -1 where there is none; `bin`
 * begins with zeros. */
double measure_ece(const struct measure_sure *sure, long long n,
                   struct measure_bin bin[static MEASURE_BINS]);

/* The least review_threshold (confidence) above which, of n of them with the surest
 * first, at least this share is right, and what share of all that is; -1 where
 * there is none. */
double measure_threshold(const struct measure_sure *sure, long long n,
                         double precision, double *coverage);

/* The surest first. */
void measure_sort(struct measure_sure *sure, long long n);

#endif
