/* measure.c - see measure.h. */
#include "pipeline/eval/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double measure_coverage[MEASURE_COVERAGES] = {0.80, 0.90, 0.95};

double measure_share(long long n, long long all)
{
    return all > 0 ? (double)n / (double)all : -1;
}

double measure_f1(long long n_hit, long long n_given, long long n_expected)
{
    return measure_share(2 * n_hit, n_given + n_expected);
}

static bool is_selected(const struct result *r, const struct result_value *v,
                        const char *schema, int field)
{
    if (field >= 0) return v->field == field;
    return !schema || !strcmp(r->field[v->field].schema, schema);
}

static void count_documents(struct measure *m, const struct result *r,
                            const char *schema)
{
    for (int i = 0; i < r->n_document; i++) {
        const struct result_document *d = &r->document[i];
        if (schema && strcmp(d->schema, schema) != 0) continue;
        m->n_document++;
        m->n_failed += d->failed != NULL;
        m->n_page += d->n_page;
        m->seconds += d->seconds;
        m->tokens += d->tokens;
        m->n_in_order += d->n_in_order;
        m->n_in_order_value += d->n_in_order_value;
    }
}

/* The documents with expected boxes for all values; in others a place of a
 * value without an expected box is not counted as wrong. Reviewed documents
 * have boxes for some values only. */
static bool *with_boxes(const struct result *r)
{
    bool *with = mem_alloc((size_t)r->n_document + 1, sizeof *with);
    for (int i = 0; i < r->n_value; i++)
        with[r->value[i].document] |=
            r->value[i].true_box &&
            !r->document[r->value[i].document].some_boxes;
    return with;
}

static void count_value(struct measure *m, const struct result_value *v,
                        bool with_boxes)
{
    m->n_value++;
    m->n_exact += v->exact;
    m->n_tolerant += v->tolerant;
    m->n_expected += !v->expected_null;
    m->n_given += !v->given_null;
    m->n_hit += v->exact && !v->expected_null;
    m->n_null_right += v->exact && v->expected_null;
    m->n_null_wrong += !v->expected_null && v->given_null;
    m->n_invented += v->expected_null && !v->given_null;
    m->n_true_box += v->true_box;
    m->n_placed += (with_boxes || v->true_box) && v->placed;
    m->n_box_hit += v->box_hit;
}

static int surest_first(const void *a, const void *b)
{
    const struct measure_sure *x = a, *y = b;
    if (x->confidence > y->confidence) return -1;
    if (x->confidence < y->confidence) return 1;
    return x->index - y->index;
}

void measure_sort(struct measure_sure *sure, long long n)
{
    if (n) qsort(sure, (size_t)n, sizeof *sure, surest_first);
}

struct measure_sure *measure_surest(const struct result *r, const char *schema,
                                    int field, long long *n)
{
    struct measure_sure *all = mem_alloc((size_t)r->n_value + 1, sizeof *all);
    *n = 0;
    for (int i = 0; i < r->n_value; i++) {
        const struct result_value *v = &r->value[i];
        if (v->confidence < 0 || !is_selected(r, v, schema, field)) continue;
        all[(*n)++] = (struct measure_sure){v->confidence, i, v->exact};
    }
    measure_sort(all, *n);
    return all;
}

double measure_ece(const struct measure_sure *sure, long long n,
                   struct measure_bin bin[static MEASURE_BINS])
{
    double ece = n ? 0 : -1;
    for (long long i = 0; i < n; i++) {
        int at = (int)fmin(MEASURE_BINS - 1, sure[i].confidence * MEASURE_BINS);
        bin[at].n++;
        bin[at].n_right += sure[i].right;
        bin[at].confidence += sure[i].confidence;
    }
    for (int i = 0; i < MEASURE_BINS && n; i++)
        ece += fabs((double)bin[i].n_right - bin[i].confidence) / (double)n;
    return ece;
}

double measure_threshold(const struct measure_sure *sure, long long n,
                         double precision, double *coverage)
{
    double least = -1;
    long long right = 0;
    for (long long i = 0; i < n; i++) {
        right += sure[i].right;
        bool last = i + 1 == n || sure[i + 1].confidence < sure[i].confidence;
        if (!last || (double)right < precision * (double)(i + 1)) continue;
        least = sure[i].confidence;
        *coverage = (double)(i + 1) / (double)n;
    }
    return least;
}

static void measure_confidence(struct measure *m,
                               const struct measure_sure *sure)
{
    m->ece = measure_ece(sure, m->n_confident, m->bin);
    for (int i = 0; i < MEASURE_COVERAGES; i++) {
        long long n =
            (long long)(measure_coverage[i] * (double)m->n_confident + 1e-9);
        long long right = 0;
        for (long long k = 0; k < n; k++)
            right += sure[k].right;
        m->at[i] = measure_share(right, n);
    }
}

struct measure measure_of(const struct result *r, const char *schema, int field)
{
    struct measure m = {0};
    bool *with = with_boxes(r);
    if (field < 0) count_documents(&m, r, schema);
    for (int i = 0; i < r->n_value; i++)
        if (is_selected(r, &r->value[i], schema, field))
            count_value(&m, &r->value[i], with[r->value[i].document]);
    struct measure_sure *sure =
        measure_surest(r, schema, field, &m.n_confident);
    measure_confidence(&m, sure);
    mem_free(sure);
    mem_free(with);
    return m;
}

/* --- by name ------------------------------------------------------------- */

static double per_page(double all, const struct measure *m)
{
    return m->n_page ? all / (double)m->n_page : -1;
}

void measure_figures(const struct measure *m,
                     struct measure_figure out[static MEASURE_FIGURES])
{
    long long n_null = m->n_value - m->n_expected;
    long long n_given_null = m->n_value - m->n_given;
    const struct measure_figure all[MEASURE_FIGURES] = {
        {"exact", measure_share(m->n_exact, m->n_value)},
        {"tolerant", measure_share(m->n_tolerant, m->n_value)},
        {"exact_in_order", measure_share(m->n_in_order, m->n_in_order_value)},
        {"precision", measure_share(m->n_hit, m->n_given)},
        {"recall", measure_share(m->n_hit, m->n_expected)},
        {"f1", measure_f1(m->n_hit, m->n_given, m->n_expected)},
        {"null_precision", measure_share(m->n_null_right, n_given_null)},
        {"null_recall", measure_share(m->n_null_right, n_null)},
        {"evidence_f1",
         m->n_true_box ? measure_f1(m->n_box_hit, m->n_placed, m->n_true_box)
                       : -1},
        {"ece", m->ece},
        {"accuracy_at_80", m->at[0]},
        {"accuracy_at_90", m->at[1]},
        {"accuracy_at_95", m->at[2]},
        {"read", measure_share(m->n_document - m->n_failed, m->n_document)},
        {"seconds_a_page", per_page(m->seconds, m)},
        {"tokens_a_page", per_page(m->tokens, m)},
    };
    memcpy(out, all, sizeof all);
}

double measure_named(const struct measure *m, const char *name, bool *known)
{
    struct measure_figure all[MEASURE_FIGURES];
    measure_figures(m, all);
    *known = true;
    for (int i = 0; i < MEASURE_FIGURES; i++)
        if (!strcmp(all[i].name, name)) return all[i].value;
    *known = false;
    return -1;
}
