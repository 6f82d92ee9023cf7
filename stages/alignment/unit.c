/* unit.c - whether an occurrence is a complete unit of print
 * (unit.h).
 *
 * A value agrees with print from one edge to the next: a label, the edge of a
 * cell, punctuation, another value. If the print goes on, the value may be part
 * of a longer one: "05640" of INV-05640, "Kestrel" of Kestrel Werkzeuge GmbH, an
 * IBAN without its last group.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/label.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/unit.h"
#include "stages/print/currency.h"
#include "stages/print/thresholds.h"
#include "stages/print/vocabulary.h"

static const char edge_before[] = ":,;|)]}\"=#@", edge_behind[] = ",;:|([{\"";

static const struct token *token_at(const struct alignment *l, int t)
{
    return &l->table.token[t];
}

static const char *text_of(const struct alignment *l, int t)
{
    return token_at(l, t)->place->text;
}

static bool has_digit(const char *text)
{
    return strpbrk(text, "0123456789");
}

bool unit_is_code(const char *text)
{
    if (!has_digit(text) || strchr(text, '@')) return false;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (n > CODE_LETTERS && strcspn(text, "0123456789") >= n) return false;
        text += n + strspn(text + n, " ");
    }
    return true;
}

/* "&", the sign of a product, or a word like "of". */
bool unit_is_joint(const struct alignment *l, int t)
{
    const struct folded *f = &token_at(l, t)->fold;
    if (!f->n || !strcmp(f->byte, "x"))
        return strchr("&+x", *text_of(l, t)) ||
               !strcmp(text_of(l, t), "\u00D7");
    const char *means = vocabulary_meaning(f->byte, (size_t)f->n);
    return means && !*means;
}

bool unit_is_times(const struct alignment *l, int t)
{
    return !strcmp(text_of(l, t), "x") || !strcmp(text_of(l, t), "\u00D7") ||
           !strcmp(text_of(l, t), "*");
}

bool unit_is_taken(const struct alignment *l, int t)
{
    return l->claim_of[t] >= 0;
}

bool unit_figure_is_taken(const struct alignment *l,
                          const struct table_figure *f)
{
    for (int i = 0; i < f->n_piece; i++)
        if (unit_is_taken(l, f->piece[i].token)) return true;
    return false;
}

bool unit_is_plain_number(const struct alignment *l, int t)
{
    for (int i = 0; i < l->table.n_figure; i++) {
        const struct table_figure *f = &l->table.figure[i];
        for (int k = 0; k < f->n_piece; k++)
            if (f->piece[k].token == t &&
                (f->canon.kind != CANON_NUMBER || f->percent))
                return false;
    }
    return true;
}

bool unit_is_prose(const struct alignment *l, int t)
{
    int n = 0, line = token_at(l, t)->line;
    for (int i = l->table.line[line].first; i < l->table.line[line + 1].first;
         i++)
        n += token_at(l, i)->part == token_at(l, t)->part;
    return n >= PROSE_WORDS;
}

/* A few capitals: "PO" of "PO 08184". */
static bool are_capitals(const char *text)
{
    size_t n = 0;
    while (text[n] >= 'A' && text[n] <= 'Z')
        n++;
    return n && n <= CODE_LETTERS && !text[n];
}

bool unit_is_prefix(const struct alignment *l, int t)
{
    return are_capitals(text_of(l, t)) && !label_is_word(l, t);
}

/* Whether a space, and no more, is before the token in its cell. */
static bool is_near(const struct alignment *l, int t)
{
    const struct word *left = token_at(l, t - 1)->place;
    const struct word *own = token_at(l, t)->place;
    return own->x - left->x - left->w <= space_most * own->h;
}

/* "A4", but not "2x": a number that begins with letters. */
static bool is_name(const struct alignment *l, int t)
{
    const char *text = text_of(l, t);
    return *text >= 'A' && *text <= 'z' && unit_is_plain_number(l, t);
}

/* Whether the neighbour `t` of a value belongs to it: not to an e-mail address, which has
 * no spaces. A character that OCR is not sure of may be a rule or a stain. */
static bool goes_on(const struct alignment *l, const struct wanted_value *a,
                    int t, bool right)
{
    const char *text = text_of(l, t);
    if (strchr(a->asked->value->valuestring, '@')) return false;
    if (token_at(l, t)->fold.n < 2 &&
        token_at(l, t)->place->confidence < (float)ocr_sure_least)
        return false;
    if (unit_is_code(a->asked->value->valuestring))
        return a->table < 0 &&
               (((!right || is_near(l, t)) && unit_is_prefix(l, t) &&
                 !currency_code(text)) ||
                (has_digit(text) && unit_is_code(text) &&
                 unit_is_plain_number(l, t)));
    if (are_capitals(a->asked->value->valuestring)) {
        struct folded f = fold_text(a->asked->value->valuestring, l->arena);
        if (right && a->table < 0 && has_digit(text) &&
            unit_is_plain_number(l, t))
            return true;
        if (!right && a->table < 0 &&
            !vocabulary_is(f.byte, (size_t)f.n, VOCABULARY_COMPANY))
            return unit_is_prefix(l, t); /* "Serie BVO" */
    }
    if (has_digit(text))
        return !token_at(l, t)->figure || is_name(l, t) ||
               (unit_is_plain_number(l, t) &&
                (a->table < 0 ? has_digit(a->asked->value->valuestring)
                              : right && is_near(l, t)));
    bool lower = *text >= 'a' && *text <= 'z';
    return a->table >= 0 || !lower || !unit_is_prose(l, t);
}

/* --- lines of a cell ------------------------------------------------------ */

/* The first token of the cell. */
static int cell_start(const struct alignment *l, int t)
{
    int first = l->table.line[token_at(l, t)->line].first;
    while (t > first && token_at(l, t - 1)->part == token_at(l, t)->part)
        t--;
    return t;
}

/* Whether two cells are two lines of one text: aligned, and close. */
static bool are_lines(const struct alignment *l, int upper, int lower)
{
    const struct word *a = token_at(l, cell_start(l, upper))->place;
    const struct word *b = token_at(l, cell_start(l, lower))->place;
    return fabs(a->x - b->x) <= same_edge && b->y - a->y <= text_pitch * a->h;
}

/* Whether the line has only one cell. */
static bool is_lone(const struct alignment *l, int line)
{
    int first = l->table.line[line].first, end = l->table.line[line + 1].first;
    return token_at(l, first)->part == token_at(l, end - 1)->part;
}

/* Whether a value is in the cell: "Qty: 1". */
static bool has_value(const struct alignment *l, int first)
{
    for (int t = first; t < label_cell_end(l, first); t++)
        if (unit_is_taken(l, t)) return true;
    return false;
}

/* Whether the cell is a name in capitals and nothing else, no label: the country
 * below an address. */
static bool is_name_alone(const struct alignment *l, int first)
{
    int end = label_cell_end(l, first);
    for (int t = first; t < end; t++) {
        const char *text = text_of(l, t);
        if (label_is_word(l, t) || strpbrk(text, "0123456789:@./") ||
            (*text >= 'a' && *text <= 'z'))
            return false;
    }
    return end - first <= COUNTRY_WORDS;
}

/* Whether the cell goes on in its next line: "& Co. KG"; in a table, any line of
 * its own; below lines that are close, a country. */
static bool goes_on_below(const struct alignment *l,
                          const struct wanted_value *a, int last, bool lines)
{
    int t = token_at(l, last)->below;
    if (t < 0 || has_value(l, t)) return false;
    if (lines && a->table < 0 && are_lines(l, last, t) && is_name_alone(l, t))
        return true;
    const struct folded *f = &token_at(l, t)->fold;
    return *text_of(l, t) == '&' ||
           vocabulary_is(f->byte, (size_t)f->n, VOCABULARY_COMPANY) ||
           (a->table >= 0 && is_lone(l, token_at(l, t)->line) &&
            !token_at(l, t)->figure && are_lines(l, last, t));
}

/* Whether nothing can follow the word in its unit. */
static bool ends_unit(const struct alignment *l, int t)
{
    const char *text = text_of(l, t);
    size_t n = strlen(text);
    if (strchr(edge_before, text[n - 1]) && text[n - 1] != '#') return true;
    return text[n - 1] == '.' && n > ABBREVIATION + 1 && !has_digit(text);
}

/* Whether the value, in a table, begins in the second line of a cell. */
static bool goes_on_above(const struct alignment *l,
                          const struct wanted_value *a, int first)
{
    int line = token_at(l, first)->line;
    if (a->table < 0 || line == 0 || !is_lone(l, line)) return false;
    for (int t = l->table.line[line - 1].first; t < l->table.line[line].first;
         t++)
        if (token_at(l, t)->below == first && !has_value(l, cell_start(l, t)) &&
            !token_at(l, t)->figure && are_lines(l, t, first))
            return !ends_unit(l, label_cell_end(l, t) - 1);
    return false;
}

/* --- neighbours in the order of reading, within the cell ------------------- */

static bool are_in_cell(const struct alignment *l, int a, int b)
{
    return token_at(l, a)->line == token_at(l, b)->line &&
           token_at(l, a)->part == token_at(l, b)->part;
}

/* The token read after `t`, or -1. */
static int after(const struct alignment *l, int t)
{
    int next = token_at(l, t)->right;
    return next >= 0 && are_in_cell(l, t, next) ? next : -1;
}

/* The token read before `t`, or -1. */
static int before(const struct alignment *l, int t)
{
    for (int i = t - 1; i <= t + 1; i += 2)
        if (i >= 0 && i < l->table.n_token && after(l, i) == t) return i;
    return -1;
}

/* --- the left end --------------------------------------------------------- */

/* Whether a value can begin behind the first `from` bytes of the text. */
static bool begins_at(const struct alignment *l, const char *text, int from)
{
    static const char wide[] = "\uFF1A"; /* the colon of East Asia */
    size_t n = sizeof wide - 1, before = (size_t)from;
    if (strchr(edge_before, text[from - 1]) || text[from - 1] == '(' ||
        text[from - 1] == '[' ||
        (before >= n && !memcmp(text + before - n, wide, n)))
        return true;
    struct span span = {text, (size_t)from};
    struct folded f = fold_text(arena_copy(l->arena, span), l->arena);
    return !f.n || vocabulary_meaning(f.byte, (size_t)f.n);
}

/* Whether another value is next to the piece in its word: "2024Coffee". */
static bool touches_value(const struct alignment *l, const struct piece *p)
{
    for (int k = l->claim_of[p->token]; k >= 0; k = l->claim[k].next) {
        const struct token_claim *own = &l->claim[k];
        bool same = own->from == p->from && own->to == p->to;
        if (!same && own->to >= p->from && own->from <= p->to) return true;
    }
    return false;
}

static bool is_open_left(const struct alignment *l,
                         const struct wanted_value *a,
                         const struct occurrence *c)
{
    int first = c->piece->token;
    if (c->piece->from > 0)
        return !begins_at(l, text_of(l, first), c->piece->from) &&
               !touches_value(l, c->piece);
    if (strchr("([{\"", *text_of(l, first))) return false;
    for (int t = before(l, first); t >= 0; t = before(l, t)) {
        if (ends_unit(l, t) || unit_is_taken(l, t)) return false;
        if (unit_is_joint(l, t)) continue;
        if (!token_at(l, t)->fold.n) return false;
        if (a->table < 0 ? label_is_word(l, t) : label_names(l, a, t))
            return false;
        return goes_on(l, a, t, false);
    }
    return !unit_is_code(a->asked->value->valuestring) &&
           goes_on_above(l, a, first);
}

/* --- the right end -------------------------------------------------------- */

/* Whether the token begins a label: words of labels up to a colon or a
 * figure. */
bool label_begins_at(const struct alignment *l, int t)
{
    int part = token_at(l, t)->part, line = token_at(l, t)->line;
    for (int i = t;
         i < l->table.line[line + 1].first && token_at(l, i)->part == part;
         i++) {
        if (i > t && (token_at(l, i)->figure || unit_is_taken(l, i)))
            return true;
        if (!label_is_word(l, i)) return false;
        if (strchr(text_of(l, i), ':')) return true;
    }
    return false;
}

static bool ends_with(const char *text, char c)
{
    return *text && text[strlen(text) - 1] == c;
}

static bool is_open_right(const struct alignment *l,
                          const struct wanted_value *a,
                          const struct occurrence *c)
{
    const struct piece *end = &c->piece[c->n_piece - 1];
    const char *rest = text_of(l, end->token) + end->to;
    int last = end->token;
    if (*rest && !strchr(edge_behind, *rest) && fold_text(rest, l->arena).n)
        return !touches_value(l, end);
    bool listed = !strcmp(rest, ",") && /* "Redmond WA, 98052" */
                  strstr(a->asked->value->valuestring, ", ");
    if (*rest && !listed && ends_unit(l, last)) return false;
    int joint = -1;
    for (int t = after(l, last); t >= 0; t = after(l, t)) {
        if (strchr(edge_behind, *text_of(l, t)) || unit_is_taken(l, t))
            return false;
        if (unit_is_joint(l, t)) {
            joint = t;
            continue;
        }
        if (!strcmp(text_of(l, t), "%") && has_digit(text_of(l, last)))
            return !ends_with(a->asked->value->valuestring, '%');
        if (!token_at(l, t)->fold.n) return false;
        if (a->table < 0 && label_begins_at(l, t)) return false;
        return goes_on(l, a, t, true);
    }
    if (joint >= 0 && goes_on(l, a, joint, true)) return true;
    return !unit_is_code(a->asked->value->valuestring) &&
           goes_on_below(l, a, last, token_at(l, last)->line != c->line);
}

/* --- figures -------------------------------------------------------------- */

/* Whether the figure is the occurrence with more groups, all free: "234,56" is
 * part of "1 234,56". */
static bool is_longer(const struct alignment *l, const struct table_figure *f,
                      const struct occurrence *c)
{
    bool shares = false;
    if (f->n_piece <= c->n_piece || f->canon.kind == CANON_DATE) return false;
    for (int i = 0; i < f->n_piece; i++) {
        bool own = occurrence_has_token(c, f->piece[i].token);
        shares |= own;
        if (!own && unit_is_taken(l, f->piece[i].token)) return false;
    }
    return shares;
}

static bool is_part_of_figure(const struct alignment *l,
                              const struct occurrence *c)
{
    for (int i = 0; i < l->table.n_figure; i++)
        if (is_longer(l, &l->table.figure[i], c)) return true;
    return false;
}

static bool is_part(const struct alignment *l, const struct wanted_value *a,
                    const struct occurrence *c)
{
    const cJSON *value = a->asked->value;
    if (a->any || a->asked->choices || c->match == PRINT_SIMILAR) return false;
    if (a->canon.kind == CANON_DATE) return false;
    if (cJSON_IsNumber(value)) return is_part_of_figure(l, c);
    if (!*value->valuestring) return false;
    return is_open_left(l, a, c) || is_open_right(l, a, c);
}

/* Whether every possible place is part of a longer print. Outside of tables a
 * complete one is chosen instead of a part. */
bool unit_is_part_everywhere(const struct alignment *l, struct wanted_value *a)
{
    const struct occurrence *own = chosen_occurrence(a);
    if (own && !is_part(l, a, own)) return false;
    for (int i = 0; i < a->n_candidate && (!own || a->table < 0); i++) {
        const struct occurrence *c = &a->candidate[i];
        if ((!own && c->away) || assign_is_claimed(l, c) || is_part(l, a, c))
            continue;
        if (own) a->chosen = i;
        return false;
    }
    return a->n_candidate > 0;
}
