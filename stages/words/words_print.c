/* words_print.c - print as values of the schema (words_inside.h). */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/wanted.h"
#include "stages/print/canon_number.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "stages/words/words_inside.h"
#include "vlm/base/exact_sum.h"
#include "vlm/base/sort.h"
#include "vlm/base/utf8.h"

enum { WORD_BYTES = 256, PIVOT = 70 /* 69 is 2069, 70 is 1970 */ };
enum { DAYS_OF_YEAR = 512 /* more than 12 months of 32 days */ };

bool words_print_says(const struct words_reading *r, int first, int last,
                      enum vocabulary_line what)
{
    char folded[2 * WORD_BYTES];
    utf8_fold(words_print_text(r, first, last), folded, sizeof folded);
    return vocabulary_says(folded, what);
}

void words_print_use_line(struct words_reading *r, int line)
{
    r->l.of_table[line] = true;
    for (int t = r->l.table.line[line].first;
         t < r->l.table.line[line + 1].first; t++)
        r->used[t] = true;
}

/* The year of a date that has one. */
static int year_of(const struct canon *c)
{
    int year = c->year - 1;
    return year + (c->century ? 100 * c->century : year < PIVOT ? 2000 : 1900);
}

const char *words_print_date(const struct words_reading *r,
                             const struct table_figure *f)
{
    const struct canon *c = &f->canon;
    if (c->kind != CANON_DATE || (c->other && !f->reading)) return NULL;
    uint64_t key = f->reading ? f->reading : c->key;
    if (!c->year && !r->newest) return NULL;
    int year = c->year ? year_of(c) : r->newest / DAYS_OF_YEAR;
    if (!c->year && (int)key > r->newest % DAYS_OF_YEAR) year--;
    return arena_text(r->arena, "%04d-%02d-%02d", year, (int)(key / 32),
                      (int)(key % 32));
}

/* The number with the decimal places that are printed, one or two: 7.80, not 7.8. */
static const char *with_places(const struct words_reading *r, const char *text,
                               const char *printed)
{
    const char *mark = NULL, *point = strchr(text, '.');
    for (const char *c = printed; *c; c++)
        if (*c == '.' || *c == ',') mark = c;
    size_t wanted = mark ? strspn(mark + 1, "0123456789") : 0;
    size_t has = point ? strlen(point + 1) : 0;
    if (wanted > 2 || has >= wanted) return text;
    return arena_text(r->arena, "%s%s%.*s", text, point ? "" : ".",
                      (int)(wanted - has), "00");
}

/* Whether the figures of the pages show that the mark is one of thousands: 1.234.567 or
 * 12,50 for a point. */
static bool shows_thousands(const struct words_reading *r, char mark)
{
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct canon *c = &r->l.table.figure[i].canon;
        if ((c->form == FORM_THOUSANDS && c->mark == mark) ||
            (c->form == FORM_DECIMALS && c->mark != mark))
            return true;
    }
    return false;
}

/* The same, or all of several figures have three digits behind a mark. */
static bool says_thousands(const struct words_reading *r, char mark)
{
    int n_decimals = 0, n_either = 0;
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct canon *c = &r->l.table.figure[i].canon;
        n_decimals += c->form == FORM_DECIMALS;
        n_either += c->form == FORM_EITHER && c->kind != CANON_DATE;
    }
    return shows_thousands(r, mark) ||
           (!n_decimals && n_either >= THOUSANDS_TELL);
}

/* Whether the figure, its mark before three digits, is an amount of a currency that has
 * so many: "2.150 KD". */
static bool has_thousandths(const struct words_reading *r,
                            const struct table_figure *f)
{
    int first = f->piece->token, last = f->piece[f->n_piece - 1].token;
    const struct table_line *line =
        &r->l.table.line[alignment_token(&r->l, first)->line];
    bool is = false;
    for (int t = first - 1; t <= last + 1 && f->canon.other; t++)
        if (t >= line->first && t < line[1].first) {
            const char *text = alignment_token(&r->l, t)->place->text;
            const char *code = currency_code(text);
            is |= code && currency_has_thousandths(code);
        }
    return is && !shows_thousands(r, f->canon.mark);
}

/* The figure without its sign; `thousandths`: its mark is that of decimals. NULL: it is no
 * number. */
static const char *decimal_of(const struct words_reading *r,
                              const struct table_figure *f, bool thousandths)
{
    char folded[WORD_BYTES], text[CANON_DECIMAL_SIZE];
    char *printed = arena_text(r->arena, "%s%s",
                               occurrence_text(&r->l, f->piece, f->n_piece),
                               thousandths ? "0" : "");
    for (char *c = printed; *c; c++)
        if (*c == ' ') *c = '\'';
    utf8_fold(printed, folded, sizeof folded);
    if (!canon_decimal(folded, text)) return NULL;
    return with_places(r, arena_text(r->arena, "%s", text), printed);
}

const char *words_print_number(const struct words_reading *r,
                               const struct leaf_slot *s,
                               const struct table_figure *f)
{
    struct exact_sum value, percent = {1, 2};
    if (f->canon.kind == CANON_DATE || f->canon.kind == CANON_WORD) return NULL;
    /* 1.200 is a thousand or not: no guess, unless the pages say thousands */
    bool thousandths = has_thousandths(r, f);
    if (f->canon.other && !thousandths &&
        (f->reading == f->canon.other || !says_thousands(r, f->canon.mark)))
        return NULL;
    const char *text = decimal_of(r, f, thousandths);
    if (!text || !exact_sum_read(text, &value)) return NULL;
    bool negative = f->sign == SIGN_NEGATIVE && !s->wanted->asked->positive;
    if (!f->percent || !s->wanted->asked->fraction)
        return negative ? arena_text(r->arena, "-%s", text) : text;
    if (!exact_sum_multiply(value, percent, &value)) return NULL;
    struct buf out = buf_limit(WORD_BYTES);
    exact_sum_print(value, &out);
    text = arena_copy(r->arena, buf_span(&out));
    buf_free(&out);
    return text;
}

/* Whether the word is of a script that is written from right to left. */
static bool is_right_to_left(const char *text)
{
    unsigned char c = (unsigned char)*text;
    return c >= 0xD6 && c <= 0xDB; /* U+0590 to U+06FF in UTF-8 */
}

struct piece *words_print_pieces(const struct words_reading *r, int first,
                                 int last, struct arena *arena)
{
    size_t n = (size_t)(last - first + 1);
    struct piece *piece = arena_array(arena, n + 1, sizeof *piece);
    bool back = is_right_to_left(alignment_token(&r->l, first)->place->text) ||
                is_right_to_left(alignment_token(&r->l, last)->place->text);
    for (size_t i = 0; i < n; i++) {
        int t = back ? last - (int)i : first + (int)i;
        piece[i] = (struct piece){
            t, 0, (int)strlen(alignment_token(&r->l, t)->place->text)};
    }
    return piece;
}

const char *words_print_text(const struct words_reading *r, int first, int last)
{
    return occurrence_text(&r->l, words_print_pieces(r, first, last, r->arena),
                           last - first + 1);
}

bool words_print_is_in_code(const struct words_reading *r,
                            const struct table_figure *number)
{
    int last = number->piece[number->n_piece - 1].token;
    const char *text =
        alignment_token(&r->l, number->piece->token)->place->text;
    const char *behind = alignment_token(&r->l, last)->place->text;
    bool front = isalpha((unsigned char)*text) && !currency_is_sign(text);
    size_t n = strlen(behind);
    return front || (n && isupper((unsigned char)behind[n - 1]) &&
                     !currency_is_sign(behind));
}

bool words_print_has_digit(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (strpbrk(alignment_token(&r->l, t)->place->text, "0123456789"))
            return true;
    return false;
}

static bool is_of_kind(const struct table_figure *f, enum slot_kind kind)
{
    if (kind == SLOT_DATE) return f->canon.kind == CANON_DATE;
    if (f->canon.kind != CANON_NUMBER && f->canon.kind != CANON_AMOUNT)
        return false;
    return kind == SLOT_PERCENT || !f->percent;
}

const struct table_figure *words_print_figure(const struct words_reading *r,
                                              int first, int last,
                                              enum slot_kind kind)
{
    const struct table_figure *found = NULL;
    for (int t = first; t <= last; t++)
        for (int i = r->figure_at[t]; i >= 0; i = r->figure_next[i])
            if (!r->is_part[i] && is_of_kind(&r->l.table.figure[i], kind))
                found = &r->l.table.figure[i];
    return found;
}

bool words_print_is_power(const struct words_reading *r, int t)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    text += strspn(text, "([");
    size_t n = strspn(text, "cdkm");
    return isalpha((unsigned char)*text) &&
           (strstr(text, "\u00B2") || strstr(text, "\u00B3") ||
            (n && strspn(text + n, "23") == 1 && !text[n + 1]));
}

/* Marks figures that are a part of a longer one, 445,82 in 1 445,82, or of a unit. */
static void mark_parts(struct words_reading *r)
{
    const struct page_table *t = &r->l.table;
    r->is_part =
        arena_array(r->arena, (size_t)t->n_figure + 1, sizeof *r->is_part);
    for (int i = 0; i < t->n_figure; i++)
        r->is_part[i] = words_print_is_power(r, t->figure[i].piece->token);
    for (int i = 0; i < t->n_figure; i++)
        for (int k = 1; k < t->figure[i].n_piece; k++)
            for (int m = r->figure_at[t->figure[i].piece[k].token]; m >= 0;
                 m = r->figure_next[m])
                r->is_part[m] = true;
    for (int i = 0; i < t->n_figure; i++)
        for (int m = r->figure_at[t->figure[i].piece->token]; m >= 0;
             m = r->figure_next[m])
            if (t->figure[m].n_piece < t->figure[i].n_piece)
                r->is_part[m] = true;
}

static double usual_height(const struct words_reading *r)
{
    size_t n = (size_t)r->l.table.n_token;
    double *h = arena_array(r->arena, n + 1, sizeof *h);
    for (size_t i = 0; i < n; i++)
        h[i] = r->l.table.token[i].place->h;
    sort_doubles(h, n);
    return n ? h[n / 2] : 0;
}

/* Marks tokens that continue a figure: "September" in 1 September 2024. */
static void mark_inside(struct words_reading *r)
{
    const struct page_table *t = &r->l.table;
    r->inside =
        arena_array(r->arena, (size_t)t->n_token + 1, sizeof *r->inside);
    for (int i = 0; i < t->n_figure; i++)
        for (int k = 1; k < t->figure[i].n_piece; k++)
            r->inside[t->figure[i].piece[k].token] = true;
}

void words_print_index(struct words_reading *r)
{
    const struct page_table *t = &r->l.table;
    r->beside =
        arena_array(r->arena, (size_t)t->n_token + 1, sizeof *r->beside);
    r->figure_at =
        arena_array(r->arena, (size_t)t->n_token + 1, sizeof *r->figure_at);
    r->figure_next =
        arena_array(r->arena, (size_t)t->n_figure + 1, sizeof *r->figure_next);
    for (int i = 0; i < t->n_token; i++)
        r->figure_at[i] = -1;
    for (int i = t->n_figure - 1; i >= 0; i--) {
        r->figure_next[i] = r->figure_at[t->figure[i].piece->token];
        r->figure_at[t->figure[i].piece->token] = i;
    }
    mark_parts(r);
    mark_inside(r);
    r->usual_height = usual_height(r);
    for (int i = 0; i < t->n_figure; i++) {
        const struct canon *c = &t->figure[i].canon;
        if (c->kind != CANON_DATE || !c->year ||
            (c->other && !t->figure[i].reading))
            continue;
        uint64_t key = t->figure[i].reading ? t->figure[i].reading : c->key;
        int day = year_of(c) * DAYS_OF_YEAR + (int)key;
        if (day > r->newest) r->newest = day;
    }
}

bool words_print_is_free(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (r->used[t]) return false;
    return true;
}

bool words_print_is_of_row(const struct words_reading *r, int token)
{
    const struct token *own = alignment_token(&r->l, token);
    double middle = own->place->x + own->place->w / 2;
    return r->l.of_table[own->line] && middle >= r->row_left[own->line] &&
           middle <= r->row_right[own->line];
}

/* The chance that words are the value of the label beside or above them: what has no
 * colon is often the next label or the line of another block. Of real papers 39 % of 23
 * beside their label were right and 62 % of 8 below it, 94 % of 17 behind a colon. */
static double chance_of_text(const struct words_reading *r,
                             const struct leaf_slot *s)
{
    static const double beside = 0.6, below = 0.8;
    const struct token *own = alignment_token(&r->l, s->first);
    if (words_print_has_digit(r, s->first, s->last)) return 1;
    if (!s->first || own[-1].line != own->line) return below;
    const char *before = own[-1].place->text;
    bool joined = own[-1].part == own->part || strchr(before, ':') ||
                  strstr(before, "\uFF1A");
    return joined ? 1 : beside;
}

double words_print_chance(const struct words_reading *r,
                          const struct leaf_slot *s, enum words_reason by)
{
    /* fitted on papers of seeds 21 to 24 by tests/eval/words.py; BY_WORD_OF_LABEL: 54 of
     * 59 of seeds 1, 71 and 73, BY_PART_OF_LABEL beside it: 134 of 135 */
    static const double chance[] = {
        [BY_LABEL] = 0.98,         [BY_PART_OF_LABEL] = 0.95,
        [BY_WORD_OF_LABEL] = 0.92, [BY_CHECK_DIGITS] = 0.98,
        [BY_SIGN] = 0.9,           [BY_BEING_ALONE] = 0.95,
        [BY_HEADING] = 0.97,       [BY_SIGNS] = 0.94,
        [BY_POSITION] = 0.92,      [BY_BEING_FIRST] = 0.85,
        [BY_HEAD] = 0.985,         [BY_ORDER] = 0.96,
        [BY_SUM] = 0.96,           [BY_SHAPE] = 0.7};
    static const double of_scans = 0.88; /* of names: logos, handwriting */
    double p = chance[by];
    if (s->kind == SLOT_TEXT && s->array < 0 && by <= BY_WORD_OF_LABEL)
        p = fmin(p, chance_of_text(r, s));
    int page = alignment_token(&r->l, s->first)->page;
    bool ocr = r->l.page[page].words->source == WORDS_OF_OCR;
    if (ocr && (by == BY_SIGNS || by == BY_POSITION)) p = of_scans;
    for (int t = s->first; ocr && t <= s->last; t++)
        p = fmin(p, alignment_token(&r->l, t)->place->confidence);
    return p;
}

void words_print_note(struct words_reading *r, const struct leaf_slot *s,
                      int row, double p)
{
    const char *own = s->wanted->asked->pointer; /* "/items/0/amount" */
    const char *at = row < 0 ? NULL : strstr(own, "/0/");
    struct words_found found = {.pointer = arena_text(r->kept, "%s", own),
                                .p = p};
    if (at) {
        found.row = row;
        found.array = arena_text(r->kept, "%.*s", (int)(at - own), own);
        found.member = arena_text(r->kept, "%s", at + 3);
        found.pointer =
            arena_text(r->kept, "%s/%d/%s", found.array, row, found.member);
    }
    *ARENA_ADD(r->kept, r->found, r->n_found) = found;
}

void words_print_set(struct words_reading *r, const struct slot_array *a,
                     cJSON *row, int slot, enum words_reason by,
                     const char *text, int first, int last)
{
    if (slot < 0 || !text) return;
    struct leaf_slot filled = r->slot[slot];
    cJSON *parent =
        filled.parent == a->row
            ? row
            : cJSON_GetObjectItemCaseSensitive(row, filled.parent->string);
    filled.text = text;
    filled.first = first;
    filled.last = last;
    if (!parent || !slots_admit(r, &filled, text)) return;
    words_print_note(r, &filled, a->n_row, words_print_chance(r, &filled, by));
    cJSON_ReplaceItemInObjectCaseSensitive(parent, filled.key,
                                           slots_value(&filled));
}

void words_print_set_figure(struct words_reading *r, const struct slot_array *a,
                            cJSON *row, int slot, enum words_reason by,
                            const struct table_figure *f)
{
    if (slot < 0 || !f) return;
    const struct leaf_slot *s = &r->slot[slot];
    words_print_set(r, a, row, slot, by,
                    s->kind == SLOT_DATE ? words_print_date(r, f)
                                         : words_print_number(r, s, f),
                    f->piece->token, f->piece[f->n_piece - 1].token);
}

void words_print_take(struct words_reading *r, struct leaf_slot *s,
                      enum words_reason by, const char *text, int first,
                      int last)
{
    s->by = by;
    s->text = text;
    s->first = first;
    s->last = last;
    for (int t = first; t <= last; t++)
        r->used[t] = true;
}

static double dice(int shared, int n, int m)
{
    return n + m ? 2.0 * shared / (n + m) : 0;
}

int words_print_meanings(const struct leaf_slot *s, uint32_t *out)
{
    const struct wanted_value *a = s->wanted;
    uint32_t percent = meaning_of("percent"), price = meaning_of("price");
    int n = 0;
    for (int i = 0; i < a->n_meaning; i++)
        if (s->kind != SLOT_PERCENT ||
            (a->meaning[i] != percent && a->meaning[i] != price))
            out[n++] = a->meaning[i];
    if (!n && s->kind == SLOT_PERCENT) out[n++] = percent;
    return n;
}

/* Whether the date is one of a role, like "delivery date", and the label is not: just
 * "date" is the document's. */
static bool lacks_role(const struct wanted_value *a,
                       const struct label_words *p)
{
    static const char *const of_document[] = {"invoice", "order"};
    uint32_t own[2];
    for (int i = 0; i < 2; i++)
        own[i] = meaning_of(of_document[i]);
    unsigned wanted = meaning_roles(a->meaning, a->n_meaning);
    wanted = meaning_roles_of_kind(wanted, KIND_DATE) & ~meaning_roles(own, 2);
    return wanted & ~meaning_roles(p->meaning, p->n_meaning);
}

/* Whether the label is just "date", and the date is of something else than the
 * document. */
static bool is_of_other_date(const struct wanted_value *a,
                             const struct label_words *p)
{
    uint32_t date = meaning_of("date"), issue = meaning_of("issue");
    uint32_t order = meaning_of("order");
    bool other = false;
    for (int i = 0; i < a->n_meaning; i++) {
        const uint32_t *m = &a->meaning[i];
        other |= *m != date && *m != issue && *m != order &&
                 !(meaning_roles(m, 1) & role_own);
    }
    return other && p->n_meaning == 1 && p->meaning[0] == date;
}

/* How well the label is the description: "Rechnungsnummer" of "number". */
static double fit_of_description(const struct leaf_slot *s,
                                 const struct label_words *p)
{
    static const char *const kind[] = {"date", "number", "amount",
                                       "description"};
    int shared = meaning_shared(s->told, s->n_told, p->meaning, p->n_meaning);
    int n_kind = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t own = meaning_of(kind[i]);
        n_kind += meaning_shared(&own, 1, s->told, s->n_told) &&
                  meaning_shared(&own, 1, p->meaning, p->n_meaning);
    }
    if (shared == n_kind) return 0;
    return fmax(by_above * dice(shared, s->n_told, p->n_meaning),
                s->n_told && shared == s->n_told ? named_within : 0);
}

/* "VAT total" without its total; false: it is another label. */
static bool is_total_of_tax(const struct label_words *p,
                            struct label_words *tax)
{
    uint32_t own[2] = {meaning_of("tax"), meaning_of("total")};
    uint32_t due = meaning_of("due");
    if (meaning_shared(own, 2, p->meaning, p->n_meaning) < 2 ||
        meaning_shared(&due, 1, p->meaning, p->n_meaning))
        return false;
    tax->n_meaning = 0;
    for (int i = 0; i < p->n_meaning; i++)
        if (p->meaning[i] != own[1])
            tax->meaning[tax->n_meaning++] = p->meaning[i];
    return true;
}

/* Whether the label is a date's, and the meanings are no date's: "Date de facture" is no
 * number of an invoice. */
static bool is_of_date(const uint32_t *meaning, int n,
                       const struct label_words *p)
{
    uint32_t date = meaning_of("date"), number = meaning_of("number");
    return meaning_shared(p->meaning, p->n_meaning, &date, 1) &&
           !meaning_shared(p->meaning, p->n_meaning, &number, 1) &&
           !meaning_shared(meaning, n, &date, 1);
}

double words_print_fit(const struct leaf_slot *s, const struct label_words *p)
{
    const struct wanted_value *a = s->wanted;
    struct label_words part;
    if (s->is_all_tax && is_total_of_tax(p, &part))
        return by_above * words_print_fit(s, &part);
    uint32_t all[2 * MEANINGS_MAX];
    int n = words_print_meanings(s, all);
    int shared = meaning_shared(all, n, p->meaning, p->n_meaning);
    bool within = n && shared == n;
    double told = fit_of_description(s, p);
    bool named = shared || told >= fit_least;
    unsigned roles = meaning_roles_of_label(p, a->kind);
    if (within) /* "minimum payment due" is no total */
        roles = meaning_roles_of_kind(meaning_roles(p->meaning, p->n_meaning),
                                      a->kind);
    unsigned more = roles & ~a->excused;
    uint32_t number = meaning_of("number"), tax = meaning_of("tax");
    if (!a->roles) more &= ~(role_own | role_yours);
    if (within && !meaning_shared(all, n, &tax, 1))
        more &= ~role_yours; /* "your account number", not "your VAT number" */
    if (s->kind == SLOT_DATE && lacks_role(a, p)) return 0;
    if (s->kind == SLOT_CODE && is_of_date(all, n, p)) return 0;
    if (!slots_is_figure(s->kind) && slots_address_part(a) < N_ADDRESS_PART &&
        !slots_is_part_label(a, p))
        return 0;
    uint32_t of_document[] = {number, meaning_of("date")};
    if (s->kind == SLOT_CODE && meaning_shared(all, n, &tax, 1) &&
        meaning_shared(of_document, 2, p->meaning, p->n_meaning) ==
            p->n_meaning)
        return 0; /* "reference", "number / date" */
    if (s->kind == SLOT_CODE && told < fit_least && meaning_is_other(all, n, p))
        return 0;
    if (s->kind == SLOT_TEXT &&
        meaning_shared(p->meaning, p->n_meaning, &number, 1))
        return 0; /* the label of a code */
    bool of_party =
        s->kind == SLOT_CODE && n == 1 && *all == number && a->n_path;
    if (of_party &&
        !meaning_shared(a->path, a->n_path, p->meaning, p->n_meaning))
        return 0; /* "no." is anybody's */
    bool figure = s->kind == SLOT_DATE || s->kind == SLOT_NUMBER;
    if (more || !p->n_meaning || (!named && !figure)) return 0;
    double fit = meaning_fit(all, n, p), exact = dice(shared, n, p->n_meaning);
    if (a->n_path) {
        memcpy(all + n, a->path, (size_t)a->n_path * sizeof *all);
        n += a->n_path;
        shared = meaning_shared(all, n, p->meaning, p->n_meaning);
        fit = fmax(fit, meaning_fit(all, n, p));
        exact = fmax(exact, dice(shared, n, p->n_meaning));
    }
    fit *= 1 - by_exact + by_exact * exact;
    if (s->kind == SLOT_DATE && is_of_other_date(a, p)) fit *= by_above;
    return fmin(1, fmax(fmax(fit, told), within ? named_within : 0));
}
