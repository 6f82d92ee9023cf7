/* einvoice_check.c - see einvoice_check.h. */
#include "stages/evidence/einvoice_check.h"

#include <stdio.h>
#include <string.h>

#include "stages/children/packed_invoice.h"
#include "stages/evidence/einvoice_value.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"
#include "vlm/schema/schema.h"

enum {
    FIELDS_MAX = 50000,
    ALIKE_MAX = 8,   /* lines that a row may be */
    SHARED_LEAST = 2 /* values that make it sure which line a row is */
};
static const double work_max = 2e7; /* comparisons of rows with lines */

struct held_value {
    int term, line;
    struct einvoice_value said;
};

/* The e-invoice, ready to be compared; lines[i] begins the values of line i. */
struct held {
    const struct held_value *value;
    int n, n_line;
    const int *line_start; /* of lines 1 to n_line, and their end */
};

/* A field with what it says. */
struct claim {
    struct field *field;
    struct einvoice_value said;
    struct einvoice_terms terms;
    size_t row; /* bytes of its pointer up to its row's index; 0: in none */
};

struct proving {
    struct document *doc;
    struct held held;
    struct claim *claim;
    int n_claim;
    struct arena *arena;
};

/* --- what there is ------------------------------------------------------------- */

/* The values of a line follow one another. */
static void note_lines(struct held *h, struct arena *arena)
{
    for (int i = 0; i < h->n; i++)
        if (h->value[i].line > h->n_line) h->n_line = h->value[i].line;
    int *start = arena_array(arena, (size_t)h->n_line + 2, sizeof *start);
    for (int i = h->n - 1; i >= 0; i--)
        start[h->value[i].line] = i;
    h->line_start = start;
}

static void hold(struct proving *p)
{
    const struct invoice *invoice = p->doc->invoice;
    struct held_value *value =
        arena_array(p->arena, (size_t)invoice->n + 1, sizeof *value);
    for (int i = 0; i < invoice->n; i++) {
        const struct invoice_value *v = &invoice->value[i];
        value[i] = (struct held_value){
            v->term, v->line,
            einvoice_value_of_text(v->text, einvoice_terms_kind(v->term),
                                   p->arena)};
    }
    p->held = (struct held){.value = value, .n = invoice->n};
    note_lines(&p->held, p->arena);
}

/* Bytes up to the index of the innermost row that has members; 0: none. */
static size_t row_of(const char *pointer)
{
    const char *at = pointer;
    size_t row = 0;
    struct span token;
    while (json_pointer_next(&at, &token))
        if (json_pointer_index(token) >= 0 && *at) row = (size_t)(at - pointer);
    return row;
}

static const char *called(const struct schema *schema)
{
    const char *title = json_get_text(schema_root(schema), "title");
    return title ? title : schema_name(schema);
}

static void claim_all(struct proving *p, const cJSON *value)
{
    struct document *doc = p->doc;
    const char *name = called(doc->schema);
    p->claim =
        arena_array(p->arena, (size_t)doc->n_field + 1, sizeof *p->claim);
    for (int i = 0; i < doc->n_field; i++) {
        const char *pointer = doc->field[i].pointer;
        const cJSON *leaf = json_pointer_find(value, pointer);
        if (!leaf || leaf->child || cJSON_IsBool(leaf)) continue;
        size_t row = row_of(pointer);
        p->claim[p->n_claim++] =
            (struct claim){.field = &doc->field[i],
                           .said = einvoice_value_of_value(leaf, p->arena),
                           .terms = einvoice_terms_of(pointer, name, row > 0),
                           .row = row};
    }
}

/* --- what it comes to ----------------------------------------------------------- */

static enum evidence_match match_of(const struct claim *c,
                                    const struct held_value *v, bool same)
{
    if (!same) return EVIDENCE_DIFFERENT;
    return !strcmp(c->said.text, v->said.text) ? EVIDENCE_EXACT
                                               : EVIDENCE_NORMALISED;
}

/* Puts the e-invoice's word behind what words of pages say. */
static void add_evidence(struct proving *p, struct claim *c,
                         const struct held_value *v, bool same)
{
    struct field *f = c->field;
    struct arena *arena = p->doc->scratch;
    size_t n = (size_t)f->n_evidence;
    struct evidence *all =
        arena_widen(arena, f->evidence, n, n + 1, sizeof *all);
    all[n] = (struct evidence){.text = arena_copy(arena, span_of(v->said.text)),
                               .source = EVIDENCE_E_INVOICE,
                               .match = match_of(c, v, same),
                               .term = v->term};
    f->evidence = all;
    f->n_evidence++;
}

static void confirm(struct proving *p, struct claim *c,
                    const struct held_value *v)
{
    c->field->verdict = FIELD_AGREE;
    c->field->confirmed = true;
    c->field->stray = false;
    add_evidence(p, c, v, true);
}

static void deny(struct proving *p, struct claim *c, const struct held_value *v)
{
    c->field->verdict = FIELD_DIFFER;
    c->field->denied = true;
    add_evidence(p, c, v, false);
}

/* Terms that every invoice prints, so that a null for one was not read. */
static bool is_printed(int term)
{
    static const int always[] = {1, 2, 109, 110, 112, 115};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (always[i] == term) return true;
    return false;
}

/* What the values from..to say of a claim: the first that is the same, else the
 * first that denies it where it can be nothing else. */
struct heard {
    const struct held_value *same, *other;
};

static struct heard heard_of(const struct proving *p, const struct claim *c,
                             int from, int to, bool lines)
{
    struct heard heard = {NULL, NULL};
    for (int k = 0; k < c->terms.n; k++)
        for (int i = from; i < to; i++) {
            const struct held_value *v = &p->held.value[i];
            if (v->term != c->terms.term[k] || (v->line > 0) != lines) continue;
            enum saying says =
                einvoice_value_compare(&c->said, &v->said, v->term);
            if (c->said.is_null && is_printed(v->term)) says = SAYS_OTHER;
            if (says == SAYS_SAME && !heard.same) heard.same = v;
            if (says == SAYS_OTHER && !heard.other) heard.other = v;
        }
    return heard;
}

/* Whether one of its terms has the number with another sign. */
static bool is_doubtful(const struct proving *p, const struct claim *c,
                        int from, int to)
{
    for (int k = 0; k < c->terms.n && c->said.is_exact; k++)
        for (int i = from; i < to; i++) {
            const struct held_value *v = &p->held.value[i];
            if (v->term == c->terms.term[k] &&
                einvoice_terms_kind(v->term) == INVOICE_NUMBER &&
                einvoice_value_compare(&c->said, &v->said, v->term) ==
                    SAYS_NOTHING)
                return true;
        }
    return false;
}

static void prove_named(struct proving *p, struct claim *c)
{
    struct heard heard = heard_of(p, c, 0, p->held.n, false);
    if (heard.same)
        confirm(p, c, heard.same);
    else if (heard.other && c->terms.strict && !is_doubtful(p, c, 0, p->held.n))
        deny(p, c, heard.other);
}

/* What nobody knows the term of: any value that is the same, and not short. */
static void prove_by_value(struct proving *p, struct claim *c)
{
    if (c->said.is_null || !einvoice_value_is_telling(&c->said)) return;
    for (int i = 0; i < p->held.n; i++) {
        const struct held_value *v = &p->held.value[i];
        if (v->said.n_figure + v->said.n_date == 0 &&
            strcmp(v->said.folded, c->said.folded) != 0)
            continue;
        if (einvoice_value_compare(&c->said, &v->said, v->term) != SAYS_SAME)
            continue;
        if (c->field->verdict != FIELD_AGREE) confirm(p, c, v);
        return;
    }
}

/* --- rows ------------------------------------------------------------------------ */

/* The end of a line's values. */
static int line_end(const struct held *h, int line)
{
    int to = h->line_start[line];
    while (to < h->n && h->value[to].line == line)
        to++;
    return to;
}

static int shared_with(const struct proving *p, const struct claim *row, int n,
                       int line)
{
    int from = p->held.line_start[line], to = line_end(&p->held, line);
    int shared = 0;
    for (int i = 0; i < n; i++)
        shared += heard_of(p, &row[i], from, to, true).same != NULL;
    return shared;
}

/* The word of lines that the row may be on one of its values. */
static void prove_in_row(struct proving *p, struct claim *c, const int *line,
                         int n_line)
{
    struct heard heard = {NULL, NULL};
    bool doubtful = false;
    for (int k = 0; k < n_line && !heard.same; k++) {
        int from = p->held.line_start[line[k]];
        int to = line_end(&p->held, line[k]);
        struct heard one = heard_of(p, c, from, to, true);
        doubtful |= is_doubtful(p, c, from, to);
        heard.same = one.same;
        if (!heard.other) heard.other = one.other;
    }
    if (heard.same)
        confirm(p, c, heard.same);
    else if (heard.other && c->terms.strict && !doubtful)
        deny(p, c, heard.other);
}

/* The lines that share most values with the row. */
static void prove_row(struct proving *p, struct claim *row, int n)
{
    int line[ALIKE_MAX], n_line = 0, most = 1;
    for (int i = 1; i <= p->held.n_line; i++) {
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

static void prove_rows(struct proving *p)
{
    if ((double)p->n_claim * p->held.n > work_max) return;
    for (int i = 0, n; i < p->n_claim; i += n) {
        for (n = 1; i + n < p->n_claim && p->claim[i].row &&
                    is_same_row(&p->claim[i], &p->claim[i + n]);)
            n++;
        if (p->claim[i].row) prove_row(p, &p->claim[i], n);
    }
}

void einvoice_check_prove(struct document *doc, const cJSON *value)
{
    if (!doc->invoice || !doc->invoice->n || doc->n_field > FIELDS_MAX) return;
    struct proving p = {.doc = doc, .arena = arena_new()};
    hold(&p);
    claim_all(&p, value);
    for (int i = 0; i < p.n_claim; i++) {
        struct claim *c = &p.claim[i];
        if (!c->row && c->terms.n) prove_named(&p, c);
        if (!c->row && !c->terms.n) prove_by_value(&p, c);
    }
    prove_rows(&p);
    arena_free(p.arena);
}
