/* report_text.c - see report_text.h. */
#include "pipeline/eval/report_text.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/eval/measure.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum { NAME_COLUMNS_MAX = 40, CELL_SIZE = 32 };

const char **report_text_schemas(const struct result *r, struct arena *arena)
{
    struct text_table seen = {0};
    const char **name =
        arena_array(arena, (size_t)r->n_document + 1, sizeof *name);
    int n = 0;
    for (int i = 0; i < r->n_document; i++) {
        const char *schema = r->document[i].schema;
        if (text_table_find(&seen, schema)) continue;
        text_table_put(&seen, arena, schema, &r->document[i]);
        name[n++] = schema;
    }
    return name;
}

/* --- for people ---------------------------------------------------------- */

/* "97.5", or "-" if unknown. */
static const char *percent(double share, char cell[static CELL_SIZE])
{
    snprintf(cell, CELL_SIZE, share < 0 ? "-" : "%.1f", 100 * share);
    return cell;
}

static void print_head(struct buf *out, int columns)
{
    buf_print(out, "  %-*s %7s %7s %9s %10s %7s %7s %16s %9s\n", columns,
              "field", "values", "exact", "tolerant", "precision", "recall",
              "F1", "null right/wrong", "box F1");
}

static void print_row(struct buf *out, const char *name, int columns,
                      const struct measure *m)
{
    static const char *const column[] = {"exact",  "tolerant", "precision",
                                         "recall", "f1",       "evidence_f1"};
    static const int width[] = {7, 9, 10, 7, 7, 9};
    char cell[CELL_SIZE];
    bool known;
    int n = columns - (int)utf8_count(name);
    buf_print(out, "  %s%*s %7lld", name, n > 0 ? n : 0, "", m->n_value);
    for (int i = 0; i < 6; i++) {
        if (i == 5) {
            snprintf(cell, sizeof cell, "%lld/%lld", m->n_null_right,
                     m->n_null_wrong);
            buf_print(out, " %16s", cell);
        }
        buf_print(out, " %*s", width[i],
                  percent(measure_named(m, column[i], &known), cell));
    }
    buf_add_text(out, "\n");
}

static int columns_of(const struct result *r)
{
    int most = 5;
    for (int i = 0; i < r->n_field; i++) {
        int n = (int)utf8_count(r->field[i].name);
        if (n > most) most = n;
    }
    return most < NAME_COLUMNS_MAX ? most : NAME_COLUMNS_MAX;
}

static void print_summary(struct buf *out, const struct measure *m)
{
    char cell[4][CELL_SIZE];
    bool known;
    buf_print(out,
              "  exact %s %%, tolerant %s %%, F1 %s %%; with rows compared in "
              "order: exact %s %%\n",
              percent(measure_named(m, "exact", &known), cell[0]),
              percent(measure_named(m, "tolerant", &known), cell[1]),
              percent(measure_named(m, "f1", &known), cell[2]),
              percent(measure_named(m, "exact_in_order", &known), cell[3]));
    buf_print(out,
              "  nulls: %lld right, %lld missing values; %lld invented "
              "values\n",
              m->n_null_right, m->n_null_wrong, m->n_invented);
    if (m->n_confident)
        buf_print(out,
                  "  confidence: ECE %.4f; accuracy of the most confident "
                  "80 %%: %s %%, 90 %%: %s %%, 95 %%: %s %%\n",
                  m->ece, percent(m->at[0], cell[0]),
                  percent(m->at[1], cell[1]), percent(m->at[2], cell[2]));
    if (m->n_page)
        buf_print(out, "  %.2f s and %.0f tokens per page\n",
                  m->seconds / (double)m->n_page,
                  m->tokens / (double)m->n_page);
}

static void print_documents(struct buf *out, const char *name,
                            const struct measure *m)
{
    buf_print(out, "%s: %lld document%s, %lld page%s", name, m->n_document,
              m->n_document == 1 ? "" : "s", m->n_page,
              m->n_page == 1 ? "" : "s");
    if (m->n_failed) buf_print(out, ", %lld not read", m->n_failed);
    buf_add_text(out, "\n");
}

static void print_schema(const struct result *r, const char *schema,
                         struct buf *out)
{
    int columns = columns_of(r);
    struct measure all = measure_of(r, schema, -1);
    print_documents(out, schema, &all);
    print_head(out, columns);
    for (int i = 0; i < r->n_field; i++) {
        if (strcmp(r->field[i].schema, schema) != 0) continue;
        struct measure m = measure_of(r, schema, i);
        print_row(out, r->field[i].name, columns, &m);
    }
    print_row(out, "all", columns, &all);
    print_summary(out, &all);
}

void report_text_print(const struct result *r, struct buf *out)
{
    struct arena *arena = arena_new();
    const char **schema = report_text_schemas(r, arena);
    int n = 0;
    for (; schema[n]; n++)
        print_schema(r, schema[n], out);
    if (n > 1) {
        struct measure all = measure_of(r, NULL, -1);
        print_documents(out, "total", &all);
        print_summary(out, &all);
    }
    arena_free(arena);
}

/* --- for programs -------------------------------------------------------- */

static void add_share(cJSON *object, const char *key, double value)
{
    char text[CELL_SIZE];
    snprintf(text, sizeof text, "%.6f", value);
    cJSON_AddItemToObject(
        object, key, value < 0 ? cJSON_CreateNull() : json_new_number(text));
}

static void add_bins(cJSON *object, const struct measure *m)
{
    cJSON *bins = cJSON_AddArrayToObject(object, "reliability");
    for (int i = 0; i < MEASURE_BINS; i++) {
        const struct measure_bin *b = &m->bin[i];
        cJSON *bin = cJSON_CreateObject();
        json_add_integer(bin, "values", b->n);
        add_share(bin, "right", measure_share(b->n_right, b->n));
        add_share(bin, "confidence", b->n ? b->confidence / (double)b->n : -1);
        cJSON_AddItemToArray(bins, bin);
    }
}

static cJSON *figures_object(const struct measure *m, bool is_field)
{
    struct measure_figure figure[MEASURE_FIGURES];
    cJSON *o = cJSON_CreateObject();
    if (!is_field) {
        json_add_integer(o, "documents", m->n_document);
        json_add_integer(o, "failed", m->n_failed);
        json_add_integer(o, "pages", m->n_page);
    }
    json_add_integer(o, "values", m->n_value);
    json_add_integer(o, "expected", m->n_expected);
    json_add_integer(o, "given", m->n_given);
    json_add_integer(o, "right", m->n_exact);
    json_add_integer(o, "null_right", m->n_null_right);
    json_add_integer(o, "null_wrong", m->n_null_wrong);
    json_add_integer(o, "invented", m->n_invented);
    measure_figures(m, figure);
    for (int i = 0; i < MEASURE_FIGURES; i++)
        add_share(o, figure[i].name, figure[i].value);
    if (m->n_confident) add_bins(o, m);
    return o;
}

static void add_schema(cJSON *schemas, const struct result *r,
                       const char *schema)
{
    struct measure all = measure_of(r, schema, -1);
    cJSON *o = figures_object(&all, false);
    cJSON *fields = cJSON_AddObjectToObject(o, "fields");
    for (int i = 0; i < r->n_field; i++) {
        if (strcmp(r->field[i].schema, schema) != 0) continue;
        struct measure m = measure_of(r, schema, i);
        cJSON_AddItemToObject(fields, r->field[i].name,
                              figures_object(&m, true));
    }
    cJSON_AddItemToObject(schemas, schema, o);
}

static cJSON *document_object(const struct result_document *d)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", d->name);
    cJSON_AddStringToObject(o, "schema", d->schema);
    if (d->failed) cJSON_AddStringToObject(o, "failed", d->failed);
    json_add_integer(o, "pages", d->n_page);
    json_add_integer(o, "values", d->n_value);
    json_add_integer(o, "exact", d->n_exact);
    json_add_integer(o, "tolerant", d->n_tolerant);
    json_add_integer(o, "expected", d->n_expected);
    json_add_integer(o, "given", d->n_given);
    json_add_integer(o, "hit", d->n_hit);
    add_share(o, "seconds", d->seconds);
    return o;
}

void report_text_json(const struct result *r, struct buf *out)
{
    struct arena *arena = arena_new();
    struct measure all = measure_of(r, NULL, -1);
    cJSON *top = cJSON_CreateObject();
    cJSON_AddStringToObject(top, "format", REPORT_FORMAT);
    cJSON_AddItemToObject(top, "all", figures_object(&all, false));
    cJSON *schemas = cJSON_AddObjectToObject(top, "schemas");
    for (const char **schema = report_text_schemas(r, arena); *schema; schema++)
        add_schema(schemas, r, *schema);
    cJSON *documents = cJSON_AddArrayToObject(top, "documents");
    for (int i = 0; i < r->n_document; i++)
        cJSON_AddItemToArray(documents, document_object(&r->document[i]));
    json_print(out, top, 2);
    buf_add_text(out, "\n");
    cJSON_Delete(top);
    arena_free(arena);
}
