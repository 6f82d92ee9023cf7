/* find_figure.c - finds where numbers, dates and currencies occur
 * (find.h).
 *
 * A figure is found in any notation. Whether the print has its sign, and which
 * of two readings it has, is known in the page table.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/alignment/find.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/unit.h"
#include "stages/print/canon_number.h"
#include "stages/print/currency.h"
#include "stages/print/figure_sign.h"
#include "vlm/json/json.h"

enum {
    OTHER_READING = 1,
    NO_YEAR = 1,
    OTHER_SIGN = 2,
    PADDED = 1,
    IS_SHARE = 1,
    AS_SHARE = 1,
    POINT_MISREAD = 4
};

static bool has_letters(const char *text)
{
    for (; *text; text++)
        if ((*text | 32) >= 'a' && (*text | 32) <= 'z') return true;
    return false;
}

/* The value as one number or date, without letters; false if it is neither. */
static bool canon_of(const cJSON *value, struct arena *arena, struct canon *out)
{
    struct canons all = {.n_item = 0};
    canon_add_value(&all, value, arena);
    if (all.n_item != 1 || all.item->kind == CANON_WORD) return false;
    *out = *all.item;
    return cJSON_IsNumber(value) || out->kind == CANON_DATE ||
           !has_letters(value->valuestring);
}

/* Whether other notations are possible; an identifier of digits has none. */
static bool has_notations(const cJSON *value, const struct canon *canon)
{
    return cJSON_IsNumber(value) || canon->kind == CANON_DATE ||
           strpbrk(value->valuestring, ".,'");
}

/* The piece without trailing punctuation. */
static struct piece trimmed(const struct alignment *l, struct piece p)
{
    const char *text = l->table.token[p.token].place->text;
    while (p.to - p.from > 1 && strchr(".,;:", text[p.to - 1]))
        p.to--;
    return p;
}

static void add_figure(struct alignment *l, struct wanted_value *a,
                       const struct table_figure *f, int penalty)
{
    struct piece own[16];
    int n = f->n_piece < 16 ? f->n_piece : 16;
    for (int i = 0; i < n; i++)
        own[i] = f->piece[i];
    own[n - 1] = trimmed(l, own[n - 1]);
    const char *printed = occurrence_text(l, own, n);
    const char *value = a->asked->value->valuestring;
    struct occurrence c = {.match = PRINT_NORMALISED, .penalty = penalty};
    if (value && !strcmp(printed, value)) c.match = PRINT_EXACT;
    occurrence_add(l, a, own, n, c);
}

/* --- signs and readings */

static bool is_zero(const struct canon *number)
{
    struct canon zero;
    return canon_number("0", &zero) && number->key == zero.key;
}

static void read_sign(struct wanted_value *a)
{
    const cJSON *value = a->asked->value;
    a->negative = cJSON_IsNumber(value)
                      ? value->valuedouble < 0
                      : figure_sign_is_negative(value->valuestring);
}

/* Whether the name of a value, or its title, says that it is a debit. */
static bool is_named_debit(const struct wanted_value *a)
{
    const char *name = strrchr(a->asked->pointer, '/');
    return figure_sign_names_debit(name) ||
           figure_sign_names_debit(a->asked->title);
}

/* Whether the value has the sign of the print. */
static bool has_sign(const struct wanted_value *a, const struct table_figure *f)
{
    if (f->canon.kind == CANON_DATE || is_zero(&f->canon)) return true;
    if (a->asked->positive) return !a->negative;
    switch (f->sign) {
    case SIGN_POSITIVE: return !a->negative;
    case SIGN_NEGATIVE: return a->negative;
    case SIGN_DEBIT: return a->negative != is_named_debit(a);
    case SIGN_OPEN: return false;
    }
    return false;
}

/* Whether the print says the value as the pages write figures; a value with two
 * readings, as a text can have, is what is printed. */
static bool has_reading(const struct wanted_value *a,
                        const struct table_figure *f)
{
    return a->canon.other || !f->canon.other || f->reading == a->canon.key;
}

const struct table_figure *find_figure_at(const struct alignment *l,
                                          const struct wanted_value *a,
                                          const struct occurrence *c)
{
    const struct table_figure *any = NULL;
    for (int i = 0; i < l->table.n_figure; i++) {
        const struct table_figure *f = &l->table.figure[i];
        if (f->piece->token != c->piece->token ||
            f->piece->from >= c->piece->to || c->piece->from >= f->piece->to)
            continue;
        if (canon_equal(&f->canon, &a->canon)) return f;
        any = f;
    }
    return any; /* a percentage of a share */
}

/* Whether a percentage is said as a fraction, and the schema does not ask for
 * one. */
static bool is_fraction(const struct wanted_value *a,
                        const struct table_figure *f)
{
    return f->percent && !canon_equal(&f->canon, &a->canon) &&
           !a->asked->fraction;
}

static enum field_doubt doubt_at(const struct alignment *l,
                                 const struct wanted_value *a,
                                 const struct occurrence *c)
{
    const struct table_figure *f = find_figure_at(l, a, c);
    if (!f) return DOUBT_NONE;
    if (!has_sign(a, f)) return DOUBT_SIGN;
    if (is_fraction(a, f)) return DOUBT_SCALE;
    if (!canon_equal(&f->canon, &a->canon) || has_reading(a, f))
        return DOUBT_NONE;
    return a->canon.kind == CANON_DATE ? DOUBT_DATE_ORDER : DOUBT_SCALE;
}

/* --- currencies */

/* Whether the pages have the code of another currency. */
static bool has_other_currency(const struct alignment *l, const char *code)
{
    for (int t = 0; t < l->table.n_token; t++) {
        const char *other = l->table.token[t].place->text;
        if (currency_signs(other) && strcmp(other, code) != 0) return true;
    }
    return false;
}

/* Whether the line has an amount, but none that a value uses. */
static bool is_beside_unused(const struct alignment *l, int line)
{
    bool amount = false;
    for (int i = 0; i < l->table.n_figure; i++) {
        const struct table_figure *f = &l->table.figure[i];
        int token = f->piece->token;
        if (f->canon.kind != CANON_AMOUNT || l->table.token[token].line != line)
            continue;
        if (unit_is_taken(l, token)) return false;
        amount = true;
    }
    return amount;
}

enum { NOTES_MOST = 8 };

/* Whether amounts are asked for, and found. */
static bool has_amounts(const struct alignment *l)
{
    for (int i = 0; i < l->n_asking; i++)
        if (l->asking[i].kind == KIND_AMOUNT &&
            chosen_occurrence(&l->asking[i]))
            return true;
    return false;
}

/* Whether a currency stands only in notes: "Approx. EUR 340.07" on a bill in
 * another currency. */
static bool is_of_note(const struct alignment *l, const struct wanted_value *a)
{
    if (!has_amounts(l)) return false;
    for (int i = 0; i < a->n_candidate && i < NOTES_MOST; i++)
        if (!is_beside_unused(l, a->candidate[i].line)) return false;
    return a->n_candidate && a->n_candidate <= NOTES_MOST &&
           has_other_currency(l, a->asked->value->valuestring);
}

enum field_doubt find_figure_doubt(const struct alignment *l,
                                   const struct wanted_value *a)
{
    enum field_doubt doubt = DOUBT_NONE;
    if (a->any) return is_of_note(l, a) ? DOUBT_LABEL : DOUBT_NONE;
    if (!a->figure || !has_notations(a->asked->value, &a->canon))
        return DOUBT_NONE;
    if (a->chosen >= 0) return doubt_at(l, a, &a->candidate[a->chosen]);
    for (int i = 0; i < a->n_candidate; i++) {
        if (a->candidate[i].away) continue;
        doubt = doubt_at(l, a, &a->candidate[i]);
        if (!doubt) return DOUBT_NONE;
    }
    return doubt;
}

/* --- occurrences */

/* How much the figure differs from the value; -1: not equal. */
static int penalty_of(const struct table_figure *f,
                      const struct wanted_value *a)
{
    if (!canon_equal(&f->canon, &a->canon)) return -1;
    int reading = has_reading(a, f) ? 0 : OTHER_READING;
    if (f->canon.kind == CANON_DATE)
        return reading + (f->canon.year ? 0 : NO_YEAR);
    return reading + (has_sign(a, f) ? 0 : OTHER_SIGN) +
           (f->percent ? IS_SHARE : 0) + (f->padded ? PADDED : 0);
}

static void find_figures(struct alignment *l, struct wanted_value *a)
{
    for (int i = 0; i < l->table.n_figure; i++) {
        int penalty = penalty_of(&l->table.figure[i], a);
        if (penalty >= 0) add_figure(l, a, &l->table.figure[i], penalty);
    }
}

/* 0.19 can be printed as 19 %. */
static void find_percentage(struct alignment *l, struct wanted_value *a)
{
    double share = a->asked->value->valuedouble;
    char text[40];
    if (!(fabs(share) > 0 && fabs(share) <= 1)) return;
    snprintf(text, sizeof text, "%.10g", 100 * share);
    cJSON *whole = json_new_number(text);
    struct canon want;
    if (canon_of(whole, l->arena, &want))
        for (int i = 0; i < l->table.n_figure; i++) {
            const struct table_figure *f = &l->table.figure[i];
            if (f->percent && canon_equal(&f->canon, &want))
                add_figure(l, a, f, AS_SHARE);
        }
    cJSON_Delete(whole);
}

/* The symbol of a currency code, alone or next to an amount. */
static void find_currency(struct alignment *l, struct wanted_value *a,
                          const char *const *signs)
{
    for (int t = 0; t < l->table.n_token; t++) {
        const char *text = l->table.token[t].place->text;
        for (int k = 0; signs[k]; k++) {
            const char *sign = signs[k];
            const char *at = strstr(text, sign);
            size_t n = strlen(sign);
            bool letters = (sign[0] | 32) >= 'a' && (sign[0] | 32) <= 'z';
            if (!at || (letters && strcmp(text, sign) != 0)) continue;
            int from = (int)(at - text);
            struct piece piece = {t, from, from + (int)n};
            struct occurrence c = {.match = PRINT_NORMALISED};
            occurrence_add(l, a, &piece, 1, c);
            break;
        }
    }
}

void find_figure(struct alignment *l, struct wanted_value *a)
{
    const cJSON *value = a->asked->value;
    struct canon want;
    if (cJSON_IsString(value)) {
        const char *const *signs = currency_signs(value->valuestring);
        a->any = signs;
        if (signs && !a->n_candidate) find_currency(l, a, signs);
    }
    if (!canon_of(value, l->arena, &want)) return;
    a->figure = true;
    a->canon = want;
    if (!has_notations(value, &want)) return;
    read_sign(a);
    find_figures(l, a);
    if (cJSON_IsNumber(value) && !a->n_candidate) find_percentage(l, a);
}

/* --- points that OCR misread ------------------------------------------------ */

/* A number as OCR has it: "1:07", "427", "4,096,65". */
struct digits {
    double all; /* its digits without points */
    int behind; /* digits behind the last point; 0: it has none */
    int n;
};

/* False unless the text is digits in groups that points can part: the first
 * of one to three, then threes, then at most two. */
static bool read_digits(const char *text, struct digits *out)
{
    int group = 0, n_group = 0;
    *out = (struct digits){.n = 0};
    text += strcspn(text, "0123456789");
    for (; *text; text++) {
        if (*text >= '0' && *text <= '9') {
            out->all = 10 * out->all + (*text - '0');
            out->n++;
            group++;
            continue;
        }
        size_t n = strcspn(text, "0123456789");
        if (!text[n]) break;
        if (n > 2 || group > 3 || (n_group && group != 3)) return false;
        n_group++;
        group = 0;
        text += n - 1;
    }
    out->behind = n_group ? group : 0;
    return out->n >= 2 && (!n_group || group <= 2);
}

/* The digits behind the point of all other numbers of the value's column that
 * are printed, at least two; 0: none, or not all have as many. */
static int usual_behind(const struct alignment *l, const struct wanted_value *a)
{
    int behind = -1, n = 0;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *other = &l->asking[i];
        struct digits own;
        if (other == a || other->table != a->table ||
            other->column != a->column || !other->n_candidate)
            continue;
        const struct occurrence *c = other->candidate;
        if (c->penalty >= POINT_MISREAD ||
            !read_digits(occurrence_text(l, c->piece, c->n_piece), &own))
            continue;
        if (behind >= 0 && own.behind != behind) return 0;
        behind = own.behind;
        n++;
    }
    return n >= 2 ? behind : 0;
}

bool find_is_ocr(const struct alignment *l)
{
    for (int i = 0; i < l->n_page; i++)
        if (l->page[i].words->source == WORDS_OF_OCR) return true;
    return false;
}

void find_point(struct alignment *l, struct wanted_value *a)
{
    if (!find_is_ocr(l) || !cJSON_IsNumber(a->asked->value) ||
        (a->n_candidate && a->table < 0))
        return;
    int usual = a->table >= 0 ? usual_behind(l, a) : 0;
    double value = fabs(a->asked->value->valuedouble);
    for (int t = 0; t < l->table.n_token; t++) {
        const struct token *own = &l->table.token[t];
        const char *text = own->place->text;
        struct digits d;
        if (l->page[own->page].words->source != WORDS_OF_OCR ||
            has_letters(text) || !read_digits(text, &d))
            continue;
        int behind = d.behind ? d.behind : usual;
        if (!behind || fabs(value * pow(10, behind) - d.all) > 0.001) continue;
        struct piece piece = {t, 0, (int)strlen(text)};
        struct occurrence c = {.match = PRINT_NORMALISED,
                               .penalty = POINT_MISREAD};
        occurrence_add(l, a, &piece, 1, c);
    }
}
