/* measure.h - figures of a result. Shares are 0..1; -1: no values to divide
 * by. */
#ifndef PIPELINE_EVAL_MEASURE_H
#define PIPELINE_EVAL_MEASURE_H

#include "pipeline/eval/result.h"

enum { MEASURE_COVERAGES = 3, MEASURE_BINS = 10 };

/* 0.80, 0.90, 0.95 */
extern const double measure_coverage[MEASURE_COVERAGES];

struct measure {
    long long n_document, n_failed, n_page;
    double seconds, tokens; /* totals */
    long long n_value, n_exact, n_tolerant;
    long long n_in_order_value, n_in_order; /* rows in order; not per field */
    long long n_expected, n_given;          /* values that are not null */
    long long n_hit;                        /* exact values that are not null */
    long long n_null_right;                 /* null, as expected */
    long long n_null_wrong; /* null or missing, but a value was expected */
    long long n_invented;   /* a value, but null was expected */
    long long n_true_box, n_placed, n_box_hit; /* in documents with boxes */
    long long n_confident;                     /* values with a confidence */
    struct measure_bin {
        long long n, n_right;
        double confidence; /* sum of confidences */
    } bin[MEASURE_BINS];
    double ece;                   /* expected calibration error in ten bins */
    double at[MEASURE_COVERAGES]; /* accuracy of the most confident share */
};

/* The figures of a field (its index; -1: all) or of a schema (its name; NULL:
 * all). */
struct measure measure_of(const struct result *r, const char *schema,
                          int field);

/* n / all, or -1. */
double measure_share(long long n, long long all);

/* 2 hits / (given + expected), which is F1; or -1. */
double measure_f1(long long n_hit, long long n_given, long long n_expected);

/* The figures with their names in JSON: exact, tolerant,
 * exact_in_order, precision, recall, f1, null_precision, null_recall,
 * evidence_f1, ece, accuracy_at_80, ..._90, ..._95, read, seconds_a_page,
 * tokens_a_page. */
enum { MEASURE_FIGURES = 16 };
struct measure_figure {
    const char *name;
    double value; /* -1: unknown */
};
void measure_figures(const struct measure *m,
                     struct measure_figure out[static MEASURE_FIGURES]);

/* The figure of this name; *known: it exists. */
double measure_named(const struct measure *m, const char *name, bool *known);

/* The values with a confidence, highest first; the caller frees it
 * (mem_free). */
struct measure_sure {
    double confidence;
    int index; /* index into the result's values */
    bool right;
};
struct measure_sure *measure_surest(const struct result *r, const char *schema,
                                    int field, long long *n);

/* The expected calibration error of n values; -1: n is 0. `bin` must be
 * zeroed. */
double measure_ece(const struct measure_sure *sure, long long n,
                   struct measure_bin bin[static MEASURE_BINS]);

/* The lowest review_threshold at which at least the share `precision` of the
 * values with that confidence or more is right; *coverage is their share of
 * all. The n values are sorted, highest first. -1: there is none. */
double measure_threshold(const struct measure_sure *sure, long long n,
                         double precision, double *coverage);

/* Sorts by confidence, highest first. */
void measure_sort(struct measure_sure *sure, long long n);

#endif
