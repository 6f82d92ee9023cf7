/* report_html.c - see report_html.h. */
#include "pipeline/eval/report_html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/eval/measure.h"
#include "pipeline/eval/report_text.h"
#include "stages/searchable/text_markup.h"
#include "vlm/base/embed.h"

enum { PLOT = 240, EDGE = 40, CURVE_POINTS = 200, CELL_SIZE = 32 };

EMBED(report_html_head, "pipeline/eval/report_head.html")

static void print_cell(struct buf *out, double share)
{
    if (share < 0)
        buf_add_text(out, "<td>\u2013</td>");
    else
        buf_print(out, "<td>%.1f</td>", 100 * share);
}

/* --- tables -------------------------------------------------------------- */

static void print_row(struct buf *out, const char *name,
                      const struct measure *m, bool all)
{
    static const char *const column[] = {"exact",  "tolerant", "precision",
                                         "recall", "f1",       "evidence_f1"};
    bool known;
    buf_add_text(out, all ? "<tr class=\"all\"><td>" : "<tr><td>");
    text_markup_add(out, name);
    buf_print(out, "</td><td>%lld</td>", m->n_value);
    for (int i = 0; i < 6; i++)
        print_cell(out, measure_named(m, column[i], &known));
    buf_print(out, "<td>%lld</td><td>%lld</td><td>%lld</td></tr>\n",
              m->n_null_right, m->n_null_wrong, m->n_invented);
}

static void print_table(struct buf *out, const struct result *r,
                        const char *schema)
{
    struct measure all = measure_of(r, schema, -1);
    buf_add_text(out, "<h2>");
    text_markup_add(out, schema);
    buf_print(out, "</h2>\n<p>%lld documents, %lld not read, %lld pages",
              all.n_document, all.n_failed, all.n_page);
    if (all.n_page)
        buf_print(out, "; %.2f s and %.0f tokens per page",
                  all.seconds / (double)all.n_page,
                  all.tokens / (double)all.n_page);
    buf_add_text(out, "</p>\n<table><tr><th>field</th><th>values</th><th>exact "
                      "%</th><th>tolerant %</th><th>precision %</th><th>recall "
                      "%</th><th>F1 %</th><th>box F1 %</th><th>nulls right</th>"
                      "<th>value missed</th><th>value invented</th></tr>\n");
    for (int i = 0; i < r->n_field; i++) {
        if (strcmp(r->field[i].schema, schema) != 0) continue;
        struct measure m = measure_of(r, schema, i);
        print_row(out, r->field[i].name, &m, false);
    }
    print_row(out, "all", &all, true);
    buf_add_text(out, "</table>\n");
}

/* --- plots --------------------------------------------------------------- */

static double across(double share)
{
    return EDGE + share * PLOT;
}

static double down(double share)
{
    return EDGE / 2.0 + (1 - share) * PLOT;
}

static void begin_plot(struct buf *out, const char *label, double least)
{
    buf_print(out,
              "<figure><svg role=\"img\" aria-label=\"%s\" width=\"%d\" "
              "height=\"%d\"><rect class=\"frame\" x=\"%d\" y=\"%d\" "
              "width=\"%d\" height=\"%d\"/>\n",
              label, PLOT + 2 * EDGE, PLOT + EDGE + 10, EDGE, EDGE / 2, PLOT,
              PLOT);
    for (int i = 0; i <= 4; i++) {
        double at = i / 4.0;
        buf_print(
            out,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.0f</text>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
            across(at), down(0) + 16, 100 * at, EDGE - 6, down(at) + 4,
            100 * (least + at * (1 - least)));
    }
}

static void end_plot(struct buf *out, const char *caption)
{
    buf_print(out, "</svg><figcaption>%s</figcaption></figure>\n", caption);
}

static void plot_reliability(struct buf *out, const struct measure *m)
{
    begin_plot(out, "accuracy by confidence", 0);
    for (int i = 0; i < MEASURE_BINS; i++) {
        const struct measure_bin *b = &m->bin[i];
        double right = measure_share(b->n_right, b->n);
        if (right < 0) continue;
        buf_print(out,
                  "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                  "height=\"%.1f\"><title>%lld values</title></rect>\n",
                  across(i / (double)MEASURE_BINS) + 1, down(right),
                  PLOT / (double)MEASURE_BINS - 2, right * PLOT, b->n);
    }
    buf_print(out,
              "<line class=\"ideal\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
              "y2=\"%.1f\"/>\n",
              across(0), down(0), across(1), down(1));
    end_plot(out, "Accuracy (%) by confidence (%), in ten bins");
}

/* Plots only the upper part, from the lowest accuracy rounded down to a
 * tenth. */
static void plot_coverage(struct buf *out, const struct measure_sure *sure,
                          long long n)
{
    double point[CURVE_POINTS + 1], least = 1;
    long long right = 0, k = 0;
    for (int i = 1; i <= CURVE_POINTS; i++) {
        long long upto = n * i / CURVE_POINTS;
        for (; k < upto; k++)
            right += sure[k].right;
        point[i] = k ? (double)right / (double)k : 1;
        if (point[i] < least) least = point[i];
    }
    least = (int)(least * 10) / 10.0;
    if (least > 0.9) least = 0.9;
    begin_plot(out, "accuracy by coverage", least);
    buf_add_text(out, "<polyline class=\"curve\" points=\"");
    for (int i = 1; i <= CURVE_POINTS; i++)
        buf_print(out, "%.1f,%.1f ", across(i / (double)CURVE_POINTS),
                  down((point[i] - least) / (1 - least)));
    buf_add_text(out, "\"/>\n");
    end_plot(out, "Accuracy (%) by coverage (%)");
}

static void print_plots(struct buf *out, const struct result *r)
{
    long long n;
    struct measure m = measure_of(r, NULL, -1);
    struct measure_sure *sure = measure_surest(r, NULL, -1, &n);
    if (n) {
        buf_print(out,
                  "<h2>Confidence</h2>\n<p>Expected calibration error %.4f; "
                  "accuracy of the most confident 80 %% of values %.1f %%, of "
                  "90 %% %.1f %%, of 95 %% %.1f %%.</p>\n",
                  m.ece, 100 * m.at[0], 100 * m.at[1], 100 * m.at[2]);
        plot_reliability(out, &m);
        plot_coverage(out, sure, n);
    }
    mem_free(sure);
}

/* --- the worst ----------------------------------------------------------- */

struct report_wrong {
    bool tolerant;
    double confidence;
    int index;
};

static int worst_first(const void *a, const void *b)
{
    const struct report_wrong *x = a, *y = b;
    if (x->tolerant != y->tolerant) return x->tolerant ? 1 : -1;
    if (x->confidence > y->confidence) return -1;
    if (x->confidence < y->confidence) return 1;
    return x->index - y->index;
}

int report_html_worst(const struct result *r, int out[static REPORT_WORST])
{
    struct report_wrong *all = mem_alloc((size_t)r->n_value + 1, sizeof *all);
    size_t n = 0;
    for (int i = 0; i < r->n_value; i++)
        if (!r->value[i].exact)
            all[n++] = (struct report_wrong){r->value[i].tolerant,
                                             r->value[i].confidence, i};
    if (n) qsort(all, n, sizeof *all, worst_first);
    if (n > REPORT_WORST) n = REPORT_WORST;
    for (size_t i = 0; i < n; i++)
        out[i] = all[i].index;
    mem_free(all);
    return (int)n;
}

static void text_cell(struct buf *out, const char *text, const char *none)
{
    buf_add_text(out, "<td class=\"text\">");
    text_markup_add(out, text ? text : none);
    buf_add_text(out, "</td>");
}

static void print_worst(struct buf *out, const struct result *r,
                        const struct result_value *v, const char *picture)
{
    const struct result_document *d = &r->document[v->document];
    char where[CELL_SIZE];
    buf_add_text(out, "<tr>");
    text_cell(out, d->name, "");
    snprintf(where, sizeof where, v->page ? "%d" : "\u2013", v->page);
    buf_print(out, "<td>%s</td>", where);
    text_cell(out, v->pointer, "");
    text_cell(out, v->expected, "(missing)");
    text_cell(out, v->given, d->failed ? "(not read)" : "(missing)");
    print_cell(out, v->confidence);
    buf_add_text(out, "<td>");
    if (picture)
        buf_print(out, "<img alt=\"the place on the page\" src=\"%s\">",
                  picture);
    buf_add_text(out, "</td></tr>\n");
}

void report_html_print(const struct result *r, const int *worst,
                       char *const *picture, int n_worst, struct buf *out)
{
    struct arena *arena = arena_new();
    struct measure all = measure_of(r, NULL, -1);
    bool known;
    buf_add_text(out, report_html_head);
    buf_print(out,
              "<h1>platen eval</h1>\n<p>%lld documents, %lld values: "
              "%.2f %% exactly right, %.2f %% tolerantly",
              all.n_document, all.n_value,
              100 * measure_named(&all, "exact", &known),
              100 * measure_named(&all, "tolerant", &known));
    buf_print(out, "; F1 %.2f %%.</p>\n",
              100 * measure_named(&all, "f1", &known));
    for (const char **schema = report_text_schemas(r, arena); *schema; schema++)
        print_table(out, r, *schema);
    print_plots(out, r);
    if (n_worst)
        buf_add_text(out,
                     "<h2>Wrong but confident</h2>\n<table><tr><th>document"
                     "</th><th>page</th><th class=\"text\">value</th><th "
                     "class=\"text\">expected</th><th class=\"text\">read</th>"
                     "<th>confidence %</th><th>place</th></tr>\n");
    for (int i = 0; i < n_worst; i++)
        print_worst(out, r, &r->value[worst[i]], picture[i]);
    if (n_worst) buf_add_text(out, "</table>\n");
    buf_add_text(out, "</body></html>\n");
    arena_free(arena);
}
