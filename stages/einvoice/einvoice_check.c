/* einvoice_check.c - see einvoice_check.h. */
#include "stages/einvoice/einvoice_check.h"

#include <stdio.h>
#include <string.h>

#include "stages/alignment/verdict.h"
#include "stages/children/wire/packed_invoice.h"
#include "stages/einvoice/einvoice_value.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/schema.h"

enum {
    FIELDS_MAX = 50000,
    ALIKE_MAX = 8,   /* lines that can match a row equally well */
    SHARED_LEAST = 2 /* values that identify the line of a row */
};
static const double work_max = 2e7; /* comparisons of rows with lines */

struct invoice_value_form {
    int term, line;
    struct einvoice_value form;
};

/* The e-invoice, prepared for comparison; its values are sorted by line. */
struct invoice_forms {
    const struct invoice_value_form *value;
    int n, n_line;
    const int *line_start; /* first value of lines 1 to n_line, and the end */
};

/* A field with its value's forms. */
struct claim {
    struct field *field;
    struct einvoice_value form;
    struct einvoice_terms terms;
    size_t row; /* bytes of its pointer up to its row's index; 0: in no row */
};

struct invoice_check {
    struct document *doc;
    struct invoice_forms invoice_forms;
    struct claim *claim;
    int n_claim;
    struct arena *arena;
};

/* --- input ---------------------------------------------------------------- */

/* The values of a line are consecutive. */
static void index_lines(struct invoice_forms *h, struct arena *arena)
{
    for (int i = 0; i < h->n; i++)
        if (h->value[i].line > h->n_line) h->n_line = h->value[i].line;
    int *start = arena_array(arena, (size_t)h->n_line + 2, sizeof *start);
    for (int i = h->n - 1; i >= 0; i--)
        start[h->value[i].line] = i;
    h->line_start = start;
}

static void prepare_invoice(struct invoice_check *p)
{
    const struct invoice *invoice = p->doc->invoice;
    struct invoice_value_form *value =
        arena_array(p->arena, (size_t)invoice->n + 1, sizeof *value);
    for (int i = 0; i < invoice->n; i++) {
        const struct invoice_value *v = &invoice->value[i];
        value[i] = (struct invoice_value_form){
            v->term, v->line,
            einvoice_value_of_text(v->text, einvoice_terms_kind(v->term),
                                   p->arena)};
    }
    p->invoice_forms = (struct invoice_forms){.value = value, .n = invoice->n};
    index_lines(&p->invoice_forms, p->arena);
}

static const char *called(const struct schema *schema)
{
    const char *title = json_get_text(schema_root(schema), "title");
    return title ? title : schema_name(schema);
}

static void claim_all(struct invoice_check *p, const cJSON *value)
{
    struct document *doc = p->doc;
    const char *name = called(doc->schema);
    p->claim =
        arena_array(p->arena, (size_t)doc->n_field + 1, sizeof *p->claim);
    for (int i = 0; i < doc->n_field; i++) {
        const char *pointer = doc->field[i].pointer;
        const cJSON *leaf = json_pointer_find(value, pointer);
        if (!leaf || leaf->child || cJSON_IsBool(leaf)) continue;
        size_t row = json_pointer_row_size(pointer);
        p->claim[p->n_claim++] =
            (struct claim){.field = &doc->field[i],
                           .form = einvoice_value_of_value(leaf, p->arena),
                           .terms = einvoice_terms_of(pointer, name, row > 0),
                           .row = row};
    }
}

/* --- verdicts ------------------------------------------------------------- */

static enum evidence_match match_of(const struct claim *c,
                                    const struct invoice_value_form *v,
                                    bool same)
{
    if (!same) return EVIDENCE_DIFFERENT;
    return !strcmp(c->form.text, v->form.text) ? EVIDENCE_EXACT
                                               : EVIDENCE_NORMALISED;
}

/* Appends the e-invoice's evidence to that of the pages' words. */
static void add_evidence(struct invoice_check *p, struct claim *c,
                         const struct invoice_value_form *v, bool same)
{
    struct field *f = c->field;
    struct arena *arena = p->doc->scratch;
    size_t n = (size_t)f->n_evidence;
    struct evidence *all =
        arena_widen(arena, f->evidence, n, n + 1, sizeof *all);
    all[n] = (struct evidence){.text = arena_copy(arena, span_of(v->form.text)),
                               .source = EVIDENCE_E_INVOICE,
                               .match = match_of(c, v, same),
                               .term = v->term};
    f->evidence = all;
    f->n_evidence++;
}

static void confirm(struct invoice_check *p, struct claim *c,
                    const struct invoice_value_form *v)
{
    verdict_confirm(c->field);
    add_evidence(p, c, v, true);
}

static void deny(struct invoice_check *p, struct claim *c,
                 const struct invoice_value_form *v)
{
    verdict_deny(c->field);
    add_evidence(p, c, v, false);
}

/* Terms printed on every invoice, so that a null means it was not read. */
static bool is_printed(int term)
{
    static const int always[] = {1, 2, 109, 110, 112, 115};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (always[i] == term) return true;
    return false;
}

/* What the values from..to mean for a claim: the first that is equal, else the
 * first that denies it if the claim's term is certain. */
struct term_comparison {
    const struct invoice_value_form *same, *other;
};

static struct term_comparison compare_range(const struct invoice_check *p,
                                            const struct claim *c, int from,
                                            int to, bool lines)
{
    struct term_comparison comparison = {NULL, NULL};
    for (int k = 0; k < c->terms.n; k++)
        for (int i = from; i < to; i++) {
            const struct invoice_value_form *v = &p->invoice_forms.value[i];
            if (v->term != c->terms.term[k] || (v->line > 0) != lines) continue;
            enum match result =
                einvoice_value_compare(&c->form, &v->form, v->term);
            if (c->form.is_null && is_printed(v->term)) result = MATCH_OTHER;
            if (result == MATCH_SAME && !comparison.same) comparison.same = v;
            if (result == MATCH_OTHER && !comparison.other)
                comparison.other = v;
        }
    return comparison;
}

/* Whether one of its terms has the number with the opposite sign. */
static bool is_doubtful(const struct invoice_check *p, const struct claim *c,
                        int from, int to)
{
    for (int k = 0; k < c->terms.n && c->form.is_exact; k++)
        for (int i = from; i < to; i++) {
            const struct invoice_value_form *v = &p->invoice_forms.value[i];
            if (v->term == c->terms.term[k] &&
                einvoice_terms_kind(v->term) == INVOICE_NUMBER &&
                einvoice_value_compare(&c->form, &v->form, v->term) ==
                    MATCH_NOTHING)
                return true;
        }
    return false;
}

static void prove_named(struct invoice_check *p, struct claim *c)
{
    struct term_comparison comparison =
        compare_range(p, c, 0, p->invoice_forms.n, false);
    if (comparison.same)
        confirm(p, c, comparison.same);
    else if (comparison.other && c->terms.strict &&
             !is_doubtful(p, c, 0, p->invoice_forms.n))
        deny(p, c, comparison.other);
}

/* A value of unknown term is confirmed by any equal value, unless it is
 * short. */
static void prove_by_value(struct invoice_check *p, struct claim *c)
{
    if (c->form.is_null || !einvoice_value_is_distinctive(&c->form)) return;
    for (int i = 0; i < p->invoice_forms.n; i++) {
        const struct invoice_value_form *v = &p->invoice_forms.value[i];
        if (v->form.n_figure + v->form.n_date == 0 &&
            strcmp(v->form.folded, c->form.folded) != 0)
            continue;
        if (einvoice_value_compare(&c->form, &v->form, v->term) != MATCH_SAME)
            continue;
        if (c->field->verdict != FIELD_AGREE) confirm(p, c, v);
        return;
    }
}

/* --- rows ----------------------------------------------------------------- */

/* The end of a line's values. */
static int line_end(const struct invoice_forms *h, int line)
{
    int to = h->line_start[line];
    while (to < h->n && h->value[to].line == line)
        to++;
    return to;
}

static int shared_with(const struct invoice_check *p, const struct claim *row,
                       int n, int line)
{
    int from = p->invoice_forms.line_start[line],
        to = line_end(&p->invoice_forms, line);
    int shared = 0;
    for (int i = 0; i < n; i++)
        shared += compare_range(p, &row[i], from, to, true).same != NULL;
    return shared;
}

/* Confirms or denies a value with the lines that its row can be. */
static void prove_in_row(struct invoice_check *p, struct claim *c,
                         const int *line, int n_line)
{
    struct term_comparison comparison = {NULL, NULL};
    bool doubtful = false;
    for (int k = 0; k < n_line && !comparison.same; k++) {
        int from = p->invoice_forms.line_start[line[k]];
        int to = line_end(&p->invoice_forms, line[k]);
        struct term_comparison one = compare_range(p, c, from, to, true);
        doubtful |= is_doubtful(p, c, from, to);
        comparison.same = one.same;
        if (!comparison.other) comparison.other = one.other;
    }
    if (comparison.same)
        confirm(p, c, comparison.same);
    else if (comparison.other && c->terms.strict && !doubtful)
        deny(p, c, comparison.other);
}

/* Finds the lines that share most values with the row. */
static void prove_row(struct invoice_check *p, struct claim *row, int n)
{
    int line[ALIKE_MAX], n_line = 0, most = 1;
    for (int i = 1; i <= p->invoice_forms.n_line; i++) {
        int shared = shared_with(p, row, n, i);
        if (shared < most) continue;
        if (shared > most) n_line = 0;
        most = shared;
        if (n_line < ALIKE_MAX) line[n_line++] = i;
    }
    for (int i = 0; i < n && most >= SHARED_LEAST; i++)
        prove_in_row(p, &row[i], line, n_line);
}

static bool is_same_row(const struct claim *a, const struct claim *b)
{
    return a->row == b->row &&
           !strncmp(a->field->pointer, b->field->pointer, a->row);
}

static void prove_rows(struct invoice_check *p)
{
    if ((double)p->n_claim * p->invoice_forms.n > work_max) return;
    for (int i = 0, n; i < p->n_claim; i += n) {
        for (n = 1; i + n < p->n_claim && p->claim[i].row &&
                    is_same_row(&p->claim[i], &p->claim[i + n]);)
            n++;
        if (p->claim[i].row) prove_row(p, &p->claim[i], n);
    }
}

void einvoice_check_compare(struct document *doc, const cJSON *value)
{
    if (!doc->invoice || !doc->invoice->n || doc->n_field > FIELDS_MAX) return;
    struct invoice_check p = {.doc = doc, .arena = arena_new()};
    prepare_invoice(&p);
    claim_all(&p, value);
    for (int i = 0; i < p.n_claim; i++) {
        struct claim *c = &p.claim[i];
        if (!c->row && c->terms.n) prove_named(&p, c);
        if (!c->row && !c->terms.n) prove_by_value(&p, c);
    }
    prove_rows(&p);
    arena_free(p.arena);
}
