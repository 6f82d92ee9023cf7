/* weight_sanity.c - see weight_sanity.h. */
#include "vlm/model/weight_sanity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/sort.h"

enum { ROWS_MOST = 64, KIND_LEAST = 4, COLUMNS_LEAST = 16 };

/* Consecutive zeros: what an unwritten disk page or piece of a download leaves,
 * wherever it starts. */
enum { HOLE_STEP = 512, HOLE_LEAST = 7 * HOLE_STEP };

/* Limits of the factor from the median of its kind, and from typical matrices:
 * in published files the first is below 6, and the second (root mean square
 * times the root of the columns) is always between 0.1 and 60. */
static const double kind_doubtful = 12, kind_broken = 100;

/* Between 6 and 12 the spread decides: a tensor is suspicious if its distance
 * is six times that of the median one, as powers. */
static const double kind_alone = 6, distances_alone = 6;
static const double matrix_least = 1e-3, matrix_most = 1e4;
static const double constant_most = 0.2;
static const double far_least = 2;

struct tensor_stats {
    const struct gguf_tensor *tensor;
    struct span leaf; /* the name without the layer */
    double rms;       /* of the decoded rows, times `.scale` */
    int n_row, n_constant, n_odd, n_positive; /* odd: NaN or infinite values */
    size_t hole;                              /* bytes */
    bool matrix;
};

struct weight_scan {
    const struct gguf *g;
    struct tensor_stats *stats;
    int n;
    struct arena *arena;
    struct weight_sanity_report *report;
    double far; /* the largest factor so far, or its inverse */
    struct err *err;
};

/* "blk.3.ffn_up.weight" without "blk.3." */
static struct span leaf_of(struct span name)
{
    const char *end = name.data + name.size, *at = name.data;
    if (name.size > 2 && !memcmp(at, "v.", 2)) at += 2;
    if (end - at < 4 || memcmp(at, "blk.", 4) != 0) return name;
    for (at += 4; at < end && *at >= '0' && *at <= '9';)
        at++;
    return at < end ? (struct span){at, (size_t)(end - at)} : name;
}

static bool ends(struct span name, const char *tail)
{
    size_t n = strlen(tail);
    return name.size >= n && !memcmp(name.data + name.size - n, tail, n);
}

/* The mean of X.scale for X.weight, or 1. */
static double second_scale(const struct weight_scan *all, struct span name)
{
    char scale[128];
    if (!ends(name, ".weight") || name.size > 100) return 1;
    snprintf(scale, sizeof scale, "%.*s.scale", (int)name.size - 7, name.data);
    const struct gguf_tensor *t = gguf_find_tensor(all->g, scale);
    if (!t || t->type != QUANT_F32) return 1;
    const float *v = t->data;
    double sum = 0;
    for (int64_t i = 0; i < t->ne[0]; i++)
        sum += fabs((double)v[i]);
    return sum / (double)t->ne[0];
}

static void add_row(struct tensor_stats *l, const float *v, int64_t n,
                    double *sum)
{
    bool constant = true;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            l->n_odd++;
            continue;
        }
        *sum += (double)v[i] * (double)v[i];
        constant &= v[i] == v[0];
        l->n_positive += v[i] > 0;
    }
    l->n_constant += constant;
    l->n_row++;
}

/* The longest run of zeros, in steps. */
static size_t hole_of(const struct gguf_tensor *t, size_t size)
{
    static const char none[HOLE_STEP];
    const char *data = t->data;
    size_t most = 0, run = 0;
    for (size_t at = 0; at + HOLE_STEP <= size; at += HOLE_STEP) {
        run = memcmp(data + at, none, HOLE_STEP) ? 0 : run + HOLE_STEP;
        if (run > most) most = run;
    }
    return most;
}

static void scan_tensor(struct weight_scan *all, const struct gguf_tensor *t,
                        float *row)
{
    struct tensor_stats *l = &all->stats[all->n++];
    int64_t n_row = t->ne[1] * t->ne[2] * t->ne[3], n = t->ne[0];
    size_t bytes = quant_row_bytes(t->type, n);
    int step = n_row > ROWS_MOST ? (int)(n_row / ROWS_MOST) : 1;
    double sum = 0;
    *l = (struct tensor_stats){.tensor = t, .leaf = leaf_of(t->name)};
    l->matrix = t->n_dim > 1 && n >= COLUMNS_LEAST && ends(t->name, ".weight");
    for (int64_t r = 0; r < n_row; r += step) {
        quant_decode(t->type, (const char *)t->data + (size_t)r * bytes, n,
                     row);
        add_row(l, row, n, &sum);
    }
    l->hole = hole_of(t, (size_t)n_row * bytes);
    l->rms =
        sqrt(sum / ((double)l->n_row * (double)n)) * second_scale(all, t->name);
}

static void add_finding(struct weight_scan *all, enum weight_sanity verdict,
                        const struct tensor_stats *l, const char *what,
                        double value)
{
    struct weight_sanity_report *r = all->report;
    struct weight_sanity_finding *f = &r->finding[r->n++];
    const char *label = verdict == WEIGHT_SANITY_BROKEN ? "broken" : "doubtful";
    f->verdict = verdict;
    f->text =
        arena_text(all->arena, "%.*s: %s: %s (%.3g)", (int)l->tensor->name.size,
                   l->tensor->name.data, label, what, value);
    if (verdict > r->verdict) r->verdict = verdict;
}

static double middle_of(double *v, int n)
{
    sort_doubles(v, (size_t)n);
    return n % 2 ? v[n / 2] : sqrt(v[n / 2 - 1] * v[n / 2]);
}

/* The factor from the median of the same tensor in all layers; 1 if they are
 * few. usual: logarithm of the factor that at least half of them stay
 * within. */
static double times_its_kind(const struct weight_scan *all,
                             const struct tensor_stats *l, double *room,
                             double *usual)
{
    int n = 0;
    *usual = 0;
    for (int i = 0; i < all->n; i++)
        if (all->stats[i].leaf.size == l->leaf.size &&
            !memcmp(all->stats[i].leaf.data, l->leaf.data, l->leaf.size))
            room[n++] = all->stats[i].rms;
    if (n < KIND_LEAST) return 1;
    double middle = middle_of(room, n);
    if (!(middle > 0)) return 1;
    for (int i = 0; i < n; i++)
        room[i] = fabs(log(room[i] / middle));
    sort_doubles(room, (size_t)n);
    *usual = room[(n - 1) / 2];
    return l->rms / middle;
}

static bool is_doubtful(double times, double usual)
{
    double far = fabs(log(times));
    return far > log(kind_doubtful) ||
           (far > log(kind_alone) && far > distances_alone * usual);
}

static void note_far(struct weight_scan *all, const struct tensor_stats *l,
                     double times)
{
    double far = times < 1 ? 1 / times : times;
    if (!(far > all->far)) return;
    all->far = far;
    all->report->farthest = arena_text(
        all->arena, "%.*s is %.3g times its magnitude in other layers",
        (int)l->tensor->name.size, l->tensor->name.data, times);
}

static void judge_tensor(struct weight_scan *all, const struct tensor_stats *l,
                         double *room)
{
    double columns = (double)l->tensor->ne[0], size = l->rms * sqrt(columns);
    double usual, times = times_its_kind(all, l, room, &usual);
    bool no_layer = l->leaf.size == l->tensor->name.size; /* of no layer */
    if (l->matrix && times > 0) note_far(all, l, times);
    if (l->n_odd)
        add_finding(all, WEIGHT_SANITY_BROKEN, l,
                    "values that are NaN or infinite", l->n_odd);
    else if (!(l->rms > 0) && !ends(l->leaf, ".bias"))
        add_finding(all, WEIGHT_SANITY_BROKEN, l, "nothing but zeros", 0);
    else if (ends(l->leaf, ".ssm_a") && l->n_positive)
        add_finding(all, WEIGHT_SANITY_BROKEN, l, "decay rates that grow",
                    l->n_positive);
    else if (l->matrix && !(size > matrix_least && size < matrix_most))
        add_finding(all, WEIGHT_SANITY_BROKEN, l, "not a plausible magnitude",
                    l->rms);
    else if (l->matrix && l->n_row > 4 && !no_layer &&
             l->n_constant > constant_most * l->n_row)
        add_finding(all, WEIGHT_SANITY_BROKEN, l, "rows with a single value",
                    l->n_constant);
    else if (l->matrix && !no_layer && l->hole >= HOLE_LEAST)
        add_finding(all, WEIGHT_SANITY_DOUBTFUL, l, "consecutive zero bytes",
                    (double)l->hole);
    else if (l->matrix && (times > kind_broken || times * kind_broken < 1))
        add_finding(all, WEIGHT_SANITY_BROKEN, l,
                    "times its magnitude in other layers", times);
    else if (l->matrix && is_doubtful(times, usual))
        add_finding(all, WEIGHT_SANITY_DOUBTFUL, l,
                    "times its magnitude in other layers", times);
}

/* Pairs of the three axes: a third each in all models of the family. Another
 * split changes nothing for text, but ruins images. */
static void judge_sections(struct weight_scan *all)
{
    static const char end[] = ".rope.dimension_sections";
    for (int i = 0; i < gguf_n_key(all->g); i++) {
        struct span key = gguf_key(all->g, i);
        char name[128];
        int64_t s[3] = {0}, sum = 0, most = 0;
        if (!ends(key, end) || key.size >= sizeof name) continue;
        snprintf(name, sizeof name, "%.*s", (int)key.size, key.data);
        for (int k = 0; k < 3; k++) {
            s[k] = gguf_array_int(all->g, name, k, all->err);
            sum += s[k];
            if (s[k] > most) most = s[k];
        }
        if (err_failed(all->err) || most <= sum / 3 + 1) continue;
        struct weight_sanity_report *r = all->report;
        r->finding[r->n].verdict = WEIGHT_SANITY_DOUBTFUL;
        r->finding[r->n++].text = arena_text(
            all->arena,
            "%s: doubtful: %lld, %lld and %lld, where a third each is usual",
            name, (long long)s[0], (long long)s[1], (long long)s[2]);
        if (r->verdict == WEIGHT_SANITY_SANE)
            r->verdict = WEIGHT_SANITY_DOUBTFUL;
    }
}

struct weight_sanity_report weight_sanity_check(const struct gguf *g,
                                                struct arena *arena,
                                                struct err *err)
{
    struct weight_sanity_report report = {.n_tensor = 0};
    if (err_failed(err)) return report;
    int n = report.n_tensor = gguf_n_tensor(g);
    struct weight_scan all = {.g = g,
                              .arena = arena,
                              .report = &report,
                              .far = far_least,
                              .err = err};
    all.stats = arena_array(arena, (size_t)n, sizeof *all.stats);
    report.finding = arena_array(arena, (size_t)n + 1, sizeof *report.finding);
    double *room = arena_array(arena, (size_t)n, sizeof *room);
    int64_t most = 1;
    for (int i = 0; i < n; i++)
        if (gguf_tensor(g, i)->ne[0] > most) most = gguf_tensor(g, i)->ne[0];
    float *row = arena_array(arena, (size_t)most, sizeof *row);
    for (int i = 0; i < n; i++)
        if (quant_info((uint32_t)gguf_tensor(g, i)->type)->supported)
            scan_tensor(&all, gguf_tensor(g, i), row);
    for (int i = 0; i < all.n; i++)
        judge_tensor(&all, &all.stats[i], room);
    judge_sections(&all);
    return report;
}
