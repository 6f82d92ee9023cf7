/* notation.c - see notation.h. */
#include "stages/print/notation.h"

#include <string.h>

#include "stages/print/language.h"
#include "vlm/base/utf8.h"

enum {
    WORD_BYTES = 62,
    OTHER_WORDS = 3 /* with letters that English lacks: the day is first */
};

/* --- decimals */

/* Whether the figure begins its line: an item's number, "404.4560". */
static bool begins_line(const struct page_table *t,
                        const struct table_figure *f)
{
    int token = f->piece->token;
    return t->line[t->token[token].line].first == token;
}

/* '.' or ',', by most figures of which it is certain; 0: unknown. Amounts
 * count before other numbers: 2.0 is also a version. */
static char find_point(const struct page_table *t)
{
    int n[2][2] = {{0}}; /* of numbers, of amounts: for '.', for ',' */
    for (int i = 0; i < t->n_figure; i++) {
        const struct canon *c = &t->figure[i].canon;
        bool thousands = c->form == FORM_THOUSANDS;
        if ((c->form != FORM_DECIMALS && !thousands) || c->mark == '\'' ||
            (c->kind == CANON_NUMBER && begins_line(t, &t->figure[i])))
            continue;
        n[c->kind == CANON_AMOUNT][(c->mark == ',') != thousands]++;
    }
    for (int k = 1; k >= 0; k--)
        if (n[k][0] != n[k][1]) return n[k][0] > n[k][1] ? '.' : ',';
    return 0;
}

/* --- dates */

enum order { ORDER_UNKNOWN, DAY_FIRST, MONTH_FIRST };

/* Dates of which it is certain, by separator. */
struct orders {
    int day[3], month[3];
    enum order country; /* that of other dates */
};

static const char marks[] = "/-.";

static int index_of(char mark)
{
    const char *at = strchr(marks, mark);
    return mark && at ? (int)(at - marks) : 0;
}

static void count_orders(const struct page_table *t, bool years,
                         struct orders *o)
{
    for (int i = 0; i < t->n_figure; i++) {
        const struct canon *c = &t->figure[i].canon;
        if ((c->year > 0) != years || (!years && c->mark == '.'))
            continue; /* 08.30 is also a time */
        o->day[index_of(c->mark)] += c->form == FORM_DAY_FIRST;
        o->month[index_of(c->mark)] += c->form == FORM_MONTH_FIRST;
    }
}

static enum order more_of(int n_day, int n_month)
{
    if (n_day == n_month) return ORDER_UNKNOWN;
    return n_day > n_month ? DAY_FIRST : MONTH_FIRST;
}

static bool list_has(const char *list, const char *word, int size)
{
    char part[WORD_BYTES + 3] = "|";
    if (size < 1 || size > WORD_BYTES) return false;
    memcpy(part + 1, word, (size_t)size);
    part[size + 1] = '|';
    part[size + 2] = '\0';
    return strstr(list, part);
}

/* "TX 75001" */
static bool is_american_place(const struct page_table *t, int token)
{
    static const char states[] =
        "|AL|AK|AZ|AR|CA|CO|CT|DE|DC|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|"
        "MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|"
        "VA|WA|WV|WI|WY|";
    const char *state = t->token[token].place->text;
    int next = t->token[token].right;
    if (next < 0 || !list_has(states, state, (int)strlen(state))) return false;
    const char *zip = t->token[next].place->text;
    return strspn(zip, "0123456789") == 5 && (!zip[5] || strchr("-,", zip[5]));
}

/* How much the letters of a word say that it is not English: Greek, Cyrillic, Hebrew or
 * Arabic ones say it alone, those with accents in a word that is no name. */
static int other_letters(const char *text)
{
    const char *at = text;
    uint32_t first = *at ? utf8_take(&at) : 0;
    bool small =
        (first >= 'a' && first <= 'z') || (first >= 0xDF && first < 0x100);
    int accents = 0;
    while (*text) {
        uint32_t c = utf8_take(&text);
        if (c >= 0x370 && c <= 0x6FF) return OTHER_WORDS;
        if (small && c >= 0xC0 && c < 0x250 && c != 0xD7 && c != 0xF7)
            accents = 1;
    }
    return accents;
}

/* The order of the country or language that the words are of: only in English are there
 * two, and in Canada both are used. */
static enum order order_of_country(const struct page_table *t)
{
    static const char day_first[] =
        "|rechnung|datum|betrag|summe|mwst|facture|montant|tva|fecha|importe|"
        "factura|fattura|importo|fatura|factuur|bedrag|btw|iva|vat|iban|gbp|"
        "eur|inr|aud|nzd|chf|abn|gstin|plc|gmbh|rm|myr|sdn|bhd|sgd|pte|"
        "malaysia|singapore|";
    static const char american[] = "|ein|zip|";
    static const char canadian[] = "|cad|canada|hst|qst|pst|";
    static const char of_quebec[] = "|tvq|tps|";
    bool day = false, month = false, canada = false, french = false;
    struct language_words spoken = {0};
    int n_other = 0;
    for (int i = 0; i < t->n_token; i++) {
        const struct token *own = &t->token[i];
        const struct folded *f = &own->fold;
        language_note(&spoken, own->place->text);
        canada = canada || list_has(canadian, f->byte, f->n);
        french = french || list_has(of_quebec, f->byte, f->n);
        bool sales = !strcmp(f->byte, "sales") && own->right >= 0 &&
                     !strcmp(t->token[own->right].fold.byte, "tax");
        n_other += other_letters(own->place->text);
        month = month || sales || list_has(american, f->byte, f->n) ||
                is_american_place(t, i);
        day = day || list_has(day_first, f->byte, f->n) ||
              strstr(own->place->text, "\u20AC") ||
              strstr(own->place->text, "\u00A3") ||
              strstr(own->place->text, "\u20B9");
    }
    if (canada && !french) return ORDER_UNKNOWN;
    struct language clear = language_clear(&spoken);
    bool english = clear.code && !strcmp(clear.code, "eng");
    day = day || french || (clear.code && !english) ||
          (n_other >= OTHER_WORDS && !english);
    return more_of(day, month);
}

/* The order in which open dates, three at least, are in one month: "04/09,
 * 07/09, 05/09". Unknown if they are in equal steps, as the same day of each
 * month is. */
static enum order order_of_month(const struct page_table *t)
{
    int part[2] = {0}, step[2] = {0}, n = 0;
    bool same[2] = {true, true}, even[2] = {true, true};
    for (int i = 0; i < t->n_figure; i++) {
        const struct canon *c = &t->figure[i].canon;
        int own[2] = {(int)(c->key % 32), (int)(c->key / 32)};
        if (c->kind != CANON_DATE || c->form != FORM_EITHER) continue;
        for (int k = 0; k < 2; k++) {
            same[k] = same[k] && (!n || own[k] == part[k]);
            even[k] = even[k] && (n < 2 || own[k] - part[k] == step[k]);
            step[k] = own[k] - part[k];
            part[k] = own[k];
        }
        n++;
    }
    if (n < 3 || same[0] == same[1] || even[same[0]]) return ORDER_UNKNOWN;
    return same[1] ? DAY_FIRST : MONTH_FIRST;
}

/* Whether a date has two readings. */
static bool has_open_date(const struct page_table *t)
{
    for (int i = 0; i < t->n_figure; i++)
        if (t->figure[i].canon.kind == CANON_DATE &&
            t->figure[i].canon.form == FORM_EITHER)
            return true;
    return false;
}

static void find_orders(const struct page_table *t, struct orders *o)
{
    *o = (struct orders){.country = ORDER_UNKNOWN};
    if (!has_open_date(t)) return;
    o->country = order_of_country(t);
    if (!o->country) o->country = order_of_month(t);
    count_orders(t, true, o);
    for (int i = 0; i < 3; i++)
        if (o->day[i] || o->month[i]) return;
    count_orders(t, false, o); /* 12/25 is also a month of a year */
}

static enum order order_at(const struct orders *o, char mark)
{
    int own = index_of(mark);
    if (o->day[own] || o->month[own])
        return more_of(o->day[own], o->month[own]);
    if (mark == '.') return DAY_FIRST;
    int day = 0, month = 0;
    for (int i = 0; i < 3; i++) {
        day += o->day[i];
        month += o->month[i];
    }
    return day || month ? more_of(day, month) : o->country;
}

/* --- the table */

void notation_apply(struct page_table *t)
{
    char point = find_point(t);
    struct orders orders;
    find_orders(t, &orders);
    for (int i = 0; i < t->n_figure; i++) {
        struct table_figure *f = &t->figure[i];
        const struct canon *c = &f->canon;
        f->reading = c->key;
        if (c->form != FORM_EITHER) continue;
        if (c->kind == CANON_DATE) {
            enum order order = order_at(&orders, c->mark);
            f->reading = order == ORDER_UNKNOWN ? 0
                         : order == DAY_FIRST   ? c->key
                                                : c->other;
        } else if (c->mark == point) {
            f->reading = c->other;
        }
    }
}
