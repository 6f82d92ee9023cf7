/* einvoice_explain.c - see einvoice_explain.h. */
#include "stages/einvoice/einvoice_explain.h"

#include <string.h>

#include "stages/children/wire/packed_invoice.h"
#include "stages/einvoice/einvoice_value.h"

enum {
    TERM_ALLOWANCES = 107,
    TERM_CHARGES = 108,
    TERM_PREPAID = 113,
    TERM_ROUNDING = 114,
    TERM_LINE_ALLOWANCE = 136,
    TERM_LINE_CHARGE = 141
};

/* The line of the value that a field has; 0: of none, -1: it has no value. The
 * texts of evidence are those of the invoice. */
static int line_of(const struct document *doc, const char *pointer)
{
    const char *text = NULL;
    for (int i = 0; i < doc->n_field && !text; i++)
        if (doc->field[i].n_evidence && !strcmp(doc->field[i].pointer, pointer))
            text = doc->field[i].evidence->text;
    for (int i = 0; text && i < doc->invoice->n; i++)
        if (doc->invoice->value[i].text == text)
            return doc->invoice->value[i].line;
    return -1;
}

/* Adds the amounts of a term in a line; false: one is no number. */
static bool add_term(const struct document *doc, int term, int line, bool minus,
                     struct exact_sum *sum)
{
    struct arena *arena = doc->scratch;
    for (int i = 0; i < doc->invoice->n; i++) {
        const struct invoice_value *v = &doc->invoice->value[i];
        if (v->term != term || v->line != line) continue;
        struct einvoice_value own =
            einvoice_value_of_text(v->text, INVOICE_NUMBER, arena);
        bool known =
            own.is_exact && (minus ? exact_sum_subtract(*sum, own.exact, sum)
                                   : exact_sum_add(*sum, own.exact, sum));
        if (!known) return false;
    }
    return true;
}

/* Whether charges less allowances (or what these terms are) are the rest. */
static bool is_rest(const struct document *doc, int line,
                    const int plus_minus[], int n, struct exact_sum over,
                    struct exact_sum tolerance)
{
    struct exact_sum sum = {0}, rest;
    bool known = true;
    for (int i = 0; i < n; i++)
        known = known && add_term(doc, plus_minus[i], line, i % 2, &sum);
    return known && sum.n && exact_sum_subtract(over, sum, &rest) &&
           exact_sum_is_within(rest, tolerance, &known);
}

bool einvoice_explain(const struct document *doc, const char *pointer,
                      struct exact_sum over, struct exact_sum tolerance)
{
    static const int of_line[] = {TERM_LINE_CHARGE, TERM_LINE_ALLOWANCE};
    static const int of_all[] = {TERM_CHARGES, TERM_ALLOWANCES, TERM_ROUNDING,
                                 TERM_PREPAID};
    if (!document_is_xml_invoice(doc)) return false;
    int line = line_of(doc, pointer);
    if (line > 0) return is_rest(doc, line, of_line, 2, over, tolerance);
    return line == 0 && (is_rest(doc, 0, of_all, 2, over, tolerance) ||
                         is_rest(doc, 0, of_all + 2, 2, over, tolerance) ||
                         is_rest(doc, 0, of_all, 4, over, tolerance));
}
