/* einvoice_value.c - see einvoice_value.h. */
#include "stages/einvoice/einvoice_value.h"

#include <string.h>

#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum {
    FOLDED_MAX = 2048,
    CODE_PART_LEAST = 5, /* letters of a code within a longer one */
    FIGURE_TELLING = 4,
    TEXT_TELLING = 6,
    CURRENCY_SIZE = 3
};
enum { TERM_CURRENCY = 5, TERM_RATE = 119, TERM_RATE_OF_LINE = 152 };

static const char *folded_of(const char *text, struct arena *arena)
{
    char folded_text[FOLDED_MAX];
    size_t n = 0;
    utf8_fold(text, folded_text, FOLDED_MAX);
    for (const char *at = folded_text; *at; at++)
        if (((unsigned char)*at | 0x20) >= 'a' || (*at >= '0' && *at <= '9'))
            folded_text[n++] = *at;
    return arena_copy(arena, (struct span){folded_text, n});
}

static void set_figures(struct einvoice_value *s, const struct canons *all)
{
    for (int i = 0; i < all->n_item; i++) {
        const struct canon *c = &all->item[i];
        bool figure = c->kind == CANON_NUMBER || c->kind == CANON_AMOUNT;
        if (figure) s->figure = *c;
        if (c->kind == CANON_DATE) s->date = *c;
        s->n_figure += figure;
        s->n_date += c->kind == CANON_DATE;
    }
}

struct einvoice_value einvoice_value_of_value(const cJSON *value,
                                              struct arena *arena)
{
    struct canons all = {.n_item = 0};
    struct einvoice_value s = {
        .text = "", .folded = "", .is_null = cJSON_IsNull(value)};
    canon_add_value(&all, value, arena);
    set_figures(&s, &all);
    if (cJSON_IsNumber(value)) s.text = json_number(value);
    if (cJSON_IsString(value)) s.text = value->valuestring;
    s.is_exact = cJSON_IsNumber(value) && exact_sum_read(s.text, &s.exact);
    s.folded = folded_of(s.text, arena);
    return s;
}

/* XML allows +007., .5 and 5, JSON 7, 0.5 and 5. */
static const char *as_json(const char *text, struct arena *arena)
{
    const char *sign = *text == '-' ? "-" : "";
    text += *text == '-' || *text == '+';
    text += strspn(text, "0");
    size_t n = strlen(text);
    if (n && text[n - 1] == '.') n--;
    const char *zero = !n || *text == '.' ? "0" : "";
    return arena_text(arena, "%s%s%.*s", sign, zero, (int)n, text);
}

struct einvoice_value einvoice_value_of_text(const char *text,
                                             enum invoice_kind kind,
                                             struct arena *arena)
{
    struct canons all = {.n_item = 0};
    struct einvoice_value s = {.text = text, .folded = folded_of(text, arena)};
    if (kind == INVOICE_NUMBER) {
        const char *digits = as_json(text, arena);
        s.is_exact = exact_sum_read(digits, &s.exact);
        cJSON *number = s.is_exact ? json_new_number(digits) : NULL;
        if (number) canon_add_value(&all, number, arena);
        cJSON_Delete(number);
    } else if (kind == INVOICE_DATE) {
        canon_add_text(&all, text, arena);
    }
    set_figures(&s, &all);
    return s;
}

/* --- comparing ------------------------------------------------------------ */

static struct exact_sum power_of_ten(int n)
{
    struct exact_sum e = {1, 0};
    while (n-- > 0)
        e.n *= 10;
    return e;
}

/* Whether `value` is `more` rounded to its own decimals, at least two. */
static bool is_rounded(struct exact_sum value, struct exact_sum more)
{
    if (value.scale < 2 || more.scale <= value.scale) return false;
    int64_t step = power_of_ten(more.scale - value.scale).n;
    int64_t half = more.n < 0 ? -step / 2 : step / 2;
    return (more.n + half) / step == value.n;
}

static bool is_zero(struct exact_sum a, struct exact_sum b, bool minus)
{
    struct exact_sum left;
    bool known =
        minus ? exact_sum_subtract(a, b, &left) : exact_sum_add(a, b, &left);
    return known && left.n == 0;
}

/* Terms that can have more decimals in XML than on paper. */
static bool is_fine(int term)
{
    return term == 129 || (term >= 146 && term <= 149);
}

static enum match compare_exact(struct exact_sum value, struct exact_sum own,
                                int term)
{
    struct exact_sum percent;
    bool rate = term == TERM_RATE || term == TERM_RATE_OF_LINE;
    if (is_zero(value, own, true)) return MATCH_SAME;
    if (is_fine(term) && is_rounded(value, own)) return MATCH_SAME;
    if (rate && exact_sum_multiply(value, power_of_ten(2), &percent) &&
        is_zero(percent, own, true))
        return MATCH_SAME;
    /* a credit note is marked by its sign or by its name */
    return is_zero(value, own, false) ? MATCH_NOTHING : MATCH_OTHER;
}

static enum match compare_number(const struct einvoice_value *value,
                                 const struct einvoice_value *own, int term)
{
    if (!own->is_exact) return MATCH_NOTHING;
    if (value->is_exact) return compare_exact(value->exact, own->exact, term);
    if (value->n_figure != 1 || value->n_date || own->n_figure != 1)
        return MATCH_NOTHING;
    return canon_equal(&value->figure, &own->figure) ? MATCH_SAME : MATCH_OTHER;
}

static enum match compare_date(const struct einvoice_value *value,
                               const struct einvoice_value *own)
{
    if (value->n_date != 1 || own->n_date != 1) return MATCH_NOTHING;
    return canon_equal(&value->date, &own->date) ? MATCH_SAME : MATCH_OTHER;
}

static bool is_part(const char *part, const char *whole)
{
    return strlen(part) >= CODE_PART_LEAST && strstr(whole, part);
}

static bool begins_alike(const char *a, const char *b)
{
    return *a && a[0] == b[0] && a[1] == b[1];
}

/* DE123456789 and 12/345/67890 are different numbers of one company: a
 * different one does not contradict the first. */
static bool is_tax_term(int term)
{
    return term == 30 || term == 31 || term == 32 || term == 47 || term == 48;
}

static enum match compare_code(const struct einvoice_value *value,
                               const struct einvoice_value *own, int term)
{
    const char *a = value->folded, *b = own->folded;
    if (!*a || !*b) return MATCH_NOTHING;
    if (!strcmp(a, b) || is_part(a, b) || is_part(b, a)) return MATCH_SAME;
    bool code = (unsigned char)value->text[0] < 0x80 &&
                strlen(value->text) == CURRENCY_SIZE;
    if (term == TERM_CURRENCY && !code) return MATCH_NOTHING;
    return is_tax_term(term) && !begins_alike(a, b) ? MATCH_NOTHING
                                                    : MATCH_OTHER;
}

static enum match compare_text(const struct einvoice_value *value,
                               const struct einvoice_value *own)
{
    const char *a = value->folded, *b = own->folded;
    if (!*a || !*b) return MATCH_NOTHING;
    bool same = !strcmp(a, b) || is_part(a, b) || is_part(b, a);
    return same ? MATCH_SAME : MATCH_NOTHING;
}

enum match einvoice_value_compare(const struct einvoice_value *value,
                                  const struct einvoice_value *invoice,
                                  int term)
{
    if (value->is_null) return MATCH_NOTHING;
    switch (einvoice_terms_kind(term)) {
    case INVOICE_NUMBER: return compare_number(value, invoice, term);
    case INVOICE_DATE: return compare_date(value, invoice);
    case INVOICE_CODE: return compare_code(value, invoice, term);
    case INVOICE_TEXT: break;
    }
    return compare_text(value, invoice);
}

bool einvoice_value_is_distinctive(const struct einvoice_value *value)
{
    size_t least = value->n_figure == 1 ? FIGURE_TELLING : TEXT_TELLING;
    return value->n_date == 1 || strlen(value->folded) >= least;
}
