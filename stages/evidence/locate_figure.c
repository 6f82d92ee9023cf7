/* locate_figure.c - finds numbers, dates and currencies (locate_inside.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/evidence/locate_inside.h"
#include "vlm/json/json.h"

enum {
    OTHER_READING = 1,
    NO_YEAR = 1,
    OTHER_SIGN = 2,
    PADDED = 1,
    IS_SHARE = 1,
    AS_SHARE = 1
};

/* Symbols and names of currencies. */
static const struct {
    const char *code, *sign[4];
} currency[] = {{"EUR", {"\u20AC", "Euro"}},
                {"USD", {"$", "US$"}},
                {"GBP", {"\u00A3"}},
                {"CHF", {"Fr.", "SFr."}},
                {"JPY", {"\u00A5", "\u5186"}},
                {"CNY", {"\u00A5", "\u5143"}},
                {"INR", {"\u20B9", "Rs.", "Rs"}},
                {"KRW", {"\u20A9"}},
                {"PLN", {"z\u0142"}},
                {"CZK", {"K\u010D"}},
                {"SEK", {"kr"}},
                {"NOK", {"kr"}},
                {"DKK", {"kr", "kr."}},
                {"CAD", {"$", "C$", "CA$"}},
                {"AUD", {"$", "A$"}},
                {"BRL", {"R$"}},
                {"TRY", {"\u20BA"}},
                {"UAH", {"\u20B4"}},
                {"RUB", {"\u20BD"}},
                {"ILS", {"\u20AA"}},
                {"VND", {"\u20AB"}},
                {"NGN", {"\u20A6"}},
                {"MXN", {"$"}},
                {"ZAR", {"R"}}};

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
static struct piece trimmed(const struct locating *l, struct piece p)
{
    const char *text = l->table.token[p.token].place->text;
    while (p.to - p.from > 1 && strchr(".,;:", text[p.to - 1]))
        p.to--;
    return p;
}

static void add_figure(struct locating *l, struct asking *a,
                       const struct table_figure *f, int penalty, bool is_share)
{
    struct piece own[16];
    int n = f->n_piece < 16 ? f->n_piece : 16;
    for (int i = 0; i < n; i++)
        own[i] = f->piece[i];
    own[n - 1] = trimmed(l, own[n - 1]);
    const char *printed = locate_printed(l, own, n);
    const char *value = a->asked->value->valuestring;
    struct occurrence c = {
        .match = LOCATE_NORMALISED, .penalty = penalty, .is_share = is_share};
    if (value && !strcmp(printed, value)) c.match = LOCATE_EXACT;
    locate_add(l, a, own, n, c);
}

/* How much the figure differs from the value; -1: not equal. */
static int penalty_of(const struct table_figure *f, const struct canon *want,
                      bool negative)
{
    const struct canon *c = &f->canon;
    if (!canon_equal(c, want)) return -1;
    if (c->kind == CANON_DATE)
        return (c->key != want->key ? OTHER_READING : 0) +
               (c->year ? 0 : NO_YEAR);
    return (c->key != want->key ? OTHER_READING : 0) +
           (f->negative != negative ? OTHER_SIGN : 0) +
           (f->percent ? IS_SHARE : 0) + (f->padded ? PADDED : 0);
}

static void find_figures(struct locating *l, struct asking *a,
                         const struct canon *want, bool negative)
{
    for (int i = 0; i < l->table.n_figure; i++) {
        int penalty = penalty_of(&l->table.figure[i], want, negative);
        if (penalty >= 0)
            add_figure(l, a, &l->table.figure[i], penalty,
                       l->table.figure[i].percent);
    }
}

/* 0.19 can be printed as 19 %. */
static void find_percentage(struct locating *l, struct asking *a)
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
                add_figure(l, a, f, AS_SHARE, false);
        }
    cJSON_Delete(whole);
}

/* The symbol of a currency code, alone or next to an amount. */
static void find_currency(struct locating *l, struct asking *a, int which)
{
    for (int t = 0; t < l->table.n_token; t++) {
        const char *text = l->table.token[t].place->text;
        for (int k = 0; k < 4 && currency[which].sign[k]; k++) {
            const char *sign = currency[which].sign[k];
            const char *at = strstr(text, sign);
            size_t n = strlen(sign);
            bool letters = (sign[0] | 32) >= 'a' && (sign[0] | 32) <= 'z';
            if (!at || (letters && strcmp(text, sign) != 0)) continue;
            int from = (int)(at - text);
            struct piece piece = {t, from, from + (int)n};
            struct occurrence c = {.match = LOCATE_NORMALISED};
            locate_add(l, a, &piece, 1, c);
            break;
        }
    }
}

static int currency_of(const char *text)
{
    for (size_t i = 0; i < sizeof currency / sizeof *currency; i++)
        if (!strcmp(text, currency[i].code)) return (int)i;
    return -1;
}

void locate_figure(struct locating *l, struct asking *a)
{
    const cJSON *value = a->asked->value;
    struct canon want;
    if (cJSON_IsString(value)) {
        int which = currency_of(value->valuestring);
        a->any = which >= 0;
        if (which >= 0 && !a->n_candidate) find_currency(l, a, which);
    }
    if (!canon_of(value, l->arena, &want)) return;
    a->figure = true;
    a->canon = want;
    if (!has_notations(value, &want)) return;
    const char *text =
        cJSON_IsNumber(value) ? json_number(value) : value->valuestring;
    find_figures(l, a, &want, *text == '-');
    if (cJSON_IsNumber(value) && !a->n_candidate) find_percentage(l, a);
}
