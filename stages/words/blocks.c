/* blocks.c - names and addresses in blocks of lines (words_inside.h).
 *
 * A block is lines one below the other with one left edge. Under a heading ("Bill
 * to") it belongs to the object that the heading names; the first one of the page is
 * the sender's, who is the first name that the schema asks for, and the next one with
 * an address is the recipient's.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/print/vocabulary.h"
#include "stages/words/words_inside.h"
#include "vlm/base/buf.h"
#include "vlm/base/sort.h"

enum { LABEL_WORDS = 6, ADDRESS_BYTES = 400 };
enum { HOUSE_LETTERS = 3, HOUSE_DIGITS = 4 };

/* The text of a line of the block, without a comma at its end. */
static const char *line_text(const struct words_reading *r,
                             const struct print_block *b, int line)
{
    const char *text = words_print_text(r, b->first[line], b->last[line]);
    size_t n = strlen(text);
    return n && text[n - 1] == ','
               ? arena_text(r->arena, "%.*s", (int)(n - 1), text)
               : text;
}

/* Whether the colon is of the number of a house or a floor: "Lale Sokak No: 119". */
static bool is_house_number(const struct words_reading *r, int first, int t,
                            int last)
{
    return t > first && t < last &&
           alignment_token(&r->l, t)->fold.n <= HOUSE_LETTERS &&
           strlen(alignment_token(&r->l, t + 1)->place->text) <= HOUSE_DIGITS &&
           words_print_has_digit(r, t + 1, t + 1);
}

static bool has_colon(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (strchr(alignment_token(&r->l, t)->place->text, ':') &&
            !is_house_number(r, first, t, last))
            return true;
    return false;
}

static bool is_label_only(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (alignment_token(&r->l, t)->fold.n && !label_is_word(&r->l, t) &&
            !unit_is_joint(&r->l, t))
            return false;
    return true;
}

/* The most digits between two commas. */
static int n_digits(const struct words_reading *r, int first, int last)
{
    int n = 0, most = 0;
    for (int t = first; t <= last; t++)
        for (const char *c = alignment_token(&r->l, t)->place->text; *c; c++) {
            n = *c == ',' ? 0 : n + (*c >= '0' && *c <= '9');
            if (n > most) most = n;
        }
    return most;
}

static double middle_of(const struct words_reading *r, int first)
{
    const struct word *a = alignment_token(&r->l, first)->place;
    const struct word *b =
        alignment_token(&r->l, label_cell_end(&r->l, first) - 1)->place;
    return (a->x + b->x + b->w) / 2;
}

static double right_of(const struct words_reading *r, int first)
{
    const struct word *w =
        alignment_token(&r->l, label_cell_end(&r->l, first) - 1)->place;
    return w->x + w->w;
}

/* The cell whose first token is below the cell at `first`, in line with it, at most
 * `most` heights below; -1: none. */
static int next_line(const struct words_reading *r, int first, double most)
{
    int below = alignment_token(&r->l, first)->below;
    if (below < 0) return -1;
    const struct word *a = alignment_token(&r->l, first)->place;
    const struct word *b = alignment_token(&r->l, below)->place;
    bool aligned =
        fabs(a->x - b->x) <= same_edge ||
        fabs(middle_of(r, first) - middle_of(r, below)) <= same_edge ||
        fabs(right_of(r, first) - right_of(r, below)) <= same_edge;
    return aligned && b->y - a->y <= most * a->h ? below : -1;
}

/* Whether the token separates the parts of a line: "|", "·". */
static bool is_separator(const struct words_reading *r, int t)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    return !strcmp(text, "|") || !strcmp(text, "·") || !strcmp(text, "•") ||
           !strcmp(text, "–") || !strcmp(text, "-");
}

/* Whether a sign divides the line before the token; in "Pune - 411069" none does. */
static bool is_divided(const struct words_reading *r, int t, int end)
{
    if (!is_separator(r, t)) return false;
    bool dash = *alignment_token(&r->l, t)->place->text == '-';
    bool number = t + 2 == end && words_print_has_digit(r, t + 1, t + 1);
    return !(dash && number);
}

/* Whether the line is a way to write or call: an e-mail address, a web page. */
static bool is_contact(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (strchr(alignment_token(&r->l, t)->place->text, '@') ||
            !strncmp(alignment_token(&r->l, t)->place->text, "www.", 4))
            return true;
    return false;
}

/* Whether the tokens are no part of a name or an address, but a label or a way to
 * call. */
static bool ends_block(const struct words_reading *r, int first, int last)
{
    return has_colon(r, first, last) || is_contact(r, first, last) ||
           n_digits(r, first, last) > NUMBER_DIGITS ||
           label_begins_at(&r->l, first);
}

/* Whether a number in parentheses, that of a company's registration, follows the token
 * at the end of its line: "LITTLE CRAVINGS SDN BHD (562007-D)". */
static bool is_before_registration(const struct words_reading *r, int t,
                                   int end)
{
    const char *text = alignment_token(&r->l, end - 1)->place->text;
    return t + 1 < end && *alignment_token(&r->l, t + 1)->place->text == '(' &&
           text[strlen(text) - 1] == ')' &&
           words_print_has_digit(r, t + 1, end - 1);
}

/* The last token of the part of the line that begins at token t: up to a sign; a name
 * before an address also up to its comma. */
static int part_end(const struct words_reading *r, int t, int end, bool name)
{
    int last = t, n = 0;
    while (last + 1 < end && !is_divided(r, last + 1, end) &&
           !(name && is_before_registration(r, last, end)))
        last++;
    for (int k = t; name && k < last && !words_print_has_digit(r, t, k); k++) {
        if (!strchr(alignment_token(&r->l, k)->place->text, ',')) continue;
        for (int m = k + 1; m <= last; m++)
            n += words_print_has_digit(r, m, m);
        return n >= 2 && words_print_has_digit(r, k + 1, last) ? k : last;
    }
    return last;
}

/* Adds the parts of a line that signs divide, as lines: "Hafenweg 1 · 50803 Köln".
 * Each but the first has a number. False: something else follows. */
static bool add_parts(const struct words_reading *r, int first, int end,
                      struct print_block *b)
{
    for (int t = first, last; t < end; t = last + 1) {
        if (t > first && is_separator(r, t)) t++;
        if (t == end) return false;
        last = part_end(r, t, end, t == first && !b->n);
        if (b->n == ADDRESS_LINES || is_separator(r, t) ||
            (b->n && (r->used[t] || ends_block(r, t, last))) ||
            (t > first && !words_print_has_digit(r, t, last)))
            return false;
        b->first[b->n] = t;
        b->last[b->n++] = last;
        if (b->n == 1 && is_before_registration(r, last, end)) return true;
    }
    return true;
}

static int first_of_line(const struct words_reading *r, int token)
{
    return r->l.table.line[alignment_token(&r->l, token)->line].first;
}

/* Whether one cell, and no more, is left of the token's. */
static bool is_beside(const struct words_reading *r, int token)
{
    int cell = label_cell_start(&r->l, token), first = first_of_line(r, token);
    return cell > first && label_cell_start(&r->l, cell - 1) == first;
}

/* Whether the cells left of both are in one column: they are the labels of two values. */
static bool is_labelled_as(const struct words_reading *r, int token, int other)
{
    const struct word *one =
        alignment_token(&r->l, first_of_line(r, token))->place;
    const struct word *two =
        alignment_token(&r->l, first_of_line(r, other))->place;
    return is_beside(r, token) && is_beside(r, other) &&
           fabs(one->x - two->x) <= same_edge;
}

/* Reads the block that begins with the cell at `first`: up to a label, or a gap. */
static void read_block(const struct words_reading *r, int first,
                       struct print_block *b)
{
    double pitch = 0;
    b->n = 0;
    for (int t = first, next; t >= 0; t = next) {
        if (!add_parts(r, t, label_cell_end(&r->l, t), b)) return;
        next = next_line(r, t, address_pitch);
        if (next < 0 || (!is_beside(r, t) && is_labelled_as(r, next, first)))
            return;
        double down = alignment_token(&r->l, next)->place->y -
                      alignment_token(&r->l, t)->place->y;
        if (pitch > 0 && down > pitch * block_gap) return;
        if (pitch <= 0) pitch = down;
    }
}

/* The lines of the block from `from` on as an address, "Mill Lane 4, Bath". */
static const char *address_of(const struct words_reading *r,
                              const struct print_block *b, int from)
{
    struct buf text = buf_limit(ADDRESS_BYTES);
    for (int i = from; i < b->n; i++)
        buf_print(&text, "%s%s", i > from ? ", " : "", line_text(r, b, i));
    const char *copy = arena_copy(r->arena, buf_span(&text));
    bool full = text.full;
    buf_free(&text);
    return full ? NULL : copy;
}

/* The number of words with a digit after the first line: a house's, a postcode. */
static int n_numbers(const struct words_reading *r, const struct print_block *b)
{
    int n = 0;
    for (int i = 1; i < b->n; i++)
        for (int t = b->first[i]; t <= b->last[i]; t++)
            n += words_print_has_digit(r, t, t);
    return n;
}

/* Whether the token has a digit and is no time, range of hours, or years: "8–12",
 * "2025/26". */
static bool is_number(const struct words_reading *r, int t)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    bool years = strspn(text, "0123456789") == 4 && text[4] == '/';
    return words_print_has_digit(r, t, t) && !strchr(text, ':') &&
           !strstr(text, "\u2013") && !years;
}

/* Whether a line after the first has words and a number, but no date or amount. */
static bool has_address(const struct words_reading *r,
                        const struct print_block *b)
{
    for (int i = 1; i < b->n; i++) {
        bool word = false, number = false;
        for (int t = b->first[i]; t <= b->last[i]; t++) {
            word |= !words_print_has_digit(r, t, t) &&
                    alignment_token(&r->l, t)->fold.n > 1;
            number |= is_number(r, t);
        }
        if (word && number &&
            !words_print_figure(r, b->first[i], b->last[i], SLOT_DATE))
            return true;
    }
    return false;
}

static bool names_company(const struct folded *f)
{
    return f->n && vocabulary_is(f->byte, (size_t)f->n, VOCABULARY_COMPANY);
}

/* Whether the last part of the word is a form of companies: "RENGIT)SDN.BHD." */
static bool ends_with_company(const struct words_reading *r, const char *text)
{
    size_t end = strlen(text), from;
    while (end && strchr(".,)", text[end - 1]))
        end--;
    for (from = end; from && !strchr(".)", text[from - 1]);)
        from--;
    struct span part = {text + from, end - from};
    if (!from) return false;
    struct folded f = fold_text(arena_copy(r->arena, part), r->arena);
    return names_company(&f);
}

/* Whether a word after the first is a form of companies, or ends with one. */
static bool is_company(const struct words_reading *r, int first, int last)
{
    for (int t = first + 1; t <= last; t++) {
        const struct token *own = alignment_token(&r->l, t);
        if (names_company(&own->fold) || ends_with_company(r, own->place->text))
            return true;
    }
    return false;
}

/* Where the words of tokens first..last are printed elsewhere, from token `from` on;
 * -1: nowhere. */
static int find_again(const struct words_reading *r, int first, int last,
                      int from)
{
    int n = last - first + 1;
    for (int t = from; t + n <= r->l.table.n_token; t++) {
        int same = 0;
        if (t + n > first && t <= last) continue;
        while (same < n &&
               !strcmp(alignment_token(&r->l, t + same)->fold.byte,
                       alignment_token(&r->l, first + same)->fold.byte))
            same++;
        if (same == n) return t;
    }
    return -1;
}

static bool is_upper(const char *text)
{
    return !strpbrk(text, "abcdefghijklmnopqrstuvwxyz");
}

/* Drops a heading that no word is known of: above a company, or in capitals. False: the
 * first line may be a heading or the name, since the second is no address. */
static bool settle_name(const struct words_reading *r, struct print_block *b)
{
    if (b->n < 2 || is_company(r, b->first[0], b->last[0]) ||
        words_print_has_digit(r, b->first[1], b->last[1]))
        return b->n;
    bool heading =
        is_company(r, b->first[1], b->last[1]) ||
        (is_upper(line_text(r, b, 0)) && !is_upper(line_text(r, b, 1)));
    if (!heading) return find_again(r, b->first[0], b->last[0], 0) >= 0;
    b->n--;
    memmove(b->first, b->first + 1, (size_t)b->n * sizeof *b->first);
    memmove(b->last, b->last + 1, (size_t)b->n * sizeof *b->last);
    return true;
}

/* Whether the name, or the same words elsewhere, are above or before an address. */
static bool is_before_address(const struct words_reading *r,
                              const struct print_block *b)
{
    struct print_block other = *b;
    for (int t = -1;;) {
        if (n_numbers(r, &other) >= 2 && has_address(r, &other)) return true;
        t = find_again(r, b->first[0], b->last[0], t + 1);
        if (t < 0) return false;
        read_block(r, t, &other);
    }
}

/* --- slots that belong together */

static int shared_names(const struct leaf_slot *name,
                        const struct leaf_slot *address)
{
    const struct wanted_value *a = name->wanted, *b = address->wanted;
    return meaning_shared(a->meaning, a->n_meaning, b->meaning, b->n_meaning);
}

static bool is_text(const struct leaf_slot *s)
{
    return s->kind == SLOT_TEXT && s->array < 0 &&
           slots_address_part(s->wanted) == N_ADDRESS_PART;
}

static bool is_called_name(const struct leaf_slot *s)
{
    return is_text(s) && (wanted_has_meaning(s->wanted, "description") ||
                          wanted_has_meaning(s->wanted, "company"));
}

/* The first text of an object is its name, if none is called so. */
static bool is_first_of_object(const struct words_reading *r,
                               const struct leaf_slot *s)
{
    for (const struct leaf_slot *o = r->slot; o < r->slot + r->n_slot; o++)
        if (o->parent == s->parent && o != s &&
            ((o < s && is_text(o) && !is_called_name(s)) ||
             (is_called_name(o) && (o < s || !is_called_name(s)))))
            return false;
    return s->parent->string;
}

/* The only address that the schema asks for, or NULL. */
static struct leaf_slot *only_address(const struct words_reading *r)
{
    struct leaf_slot *only = NULL;
    for (int i = 0; i < r->n_slot; i++) {
        if (r->slot[i].kind != SLOT_ADDRESS || r->slot[i].array >= 0) continue;
        if (only) return NULL;
        only = &r->slot[i];
    }
    return only;
}

/* The address of the name: of an object, in it; else with a word of the name's key
 * ("customer", "customer_address"), else the next slot. NULL: none, or the slot is
 * no name. */
static struct leaf_slot *address_for(const struct words_reading *r,
                                     const struct leaf_slot *name)
{
    if (name->parent->string && !is_first_of_object(r, name)) return NULL;
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        if (s->kind != SLOT_ADDRESS || s->array >= 0) continue;
        if (s->parent == name->parent &&
            (s->parent->string || shared_names(name, s)))
            return s;
    }
    struct leaf_slot *next = (struct leaf_slot *)(uintptr_t)name + 1;
    if (next < r->slot + r->n_slot && next->kind == SLOT_ADDRESS &&
        next->array < 0)
        return next;
    return wanted_has_meaning(name->wanted, "customer") ? only_address(r)
                                                        : NULL;
}

/* Whether the schema asks for the address of the name, or for parts of it. */
static bool has_address_slot(const struct words_reading *r,
                             const struct leaf_slot *name)
{
    bool of_party = !name->parent->string || is_first_of_object(r, name);
    return address_for(r, name) ||
           (of_party && address_parts_are_asked(r, name));
}

/* Whether the slot is of an object that is a party by its name. */
static bool is_of_party(const struct leaf_slot *s)
{
    static const char *const party[] = {"seller", "customer", "sender",
                                        "delivery"};
    bool is = false;
    for (size_t i = 0; i < sizeof party / sizeof *party; i++) {
        uint32_t own = meaning_of(party[i]);
        is = is || meaning_shared(s->wanted->path, s->wanted->n_path, &own, 1);
    }
    return is;
}

/* Whether the slot is the name of a party that nothing was found for. */
static bool is_name(const struct words_reading *r, const struct leaf_slot *s)
{
    return is_text(s) && !s->text &&
           (has_address_slot(r, s) || (is_first_of_object(r, s) &&
                                       (is_called_name(s) || is_of_party(s))));
}

/* Whether the line below the name is none of an address, or the name of a house: two
 * lines with numbers follow. */
static bool has_title(const struct words_reading *r,
                      const struct print_block *b)
{
    int n = 0;
    for (int i = 2; i < b->n; i++)
        n += words_print_has_digit(r, b->first[i], b->last[i]);
    return n >= 2 && !words_print_has_digit(r, b->first[1], b->last[1]);
}

static void take_block(struct words_reading *r, struct leaf_slot *name,
                       struct leaf_slot *address, const struct print_block *b,
                       enum words_reason by)
{
    const char *text = line_text(r, b, 0);
    if (!slots_admit(r, name, text)) return;
    words_print_take(r, name, by, text, b->first[0], b->last[0]);
    const char *where = b->n > 1 ? address_of(r, b, 1) : NULL;
    if (!address || address->text || !where || !has_address(r, b) ||
        !slots_admit(r, address, where))
        return;
    if (has_title(r, b)) by = BY_BEING_FIRST;
    for (int i = b->n - 1; i > 0; i--)
        words_print_take(r, address, by, where, b->first[i], b->last[i]);
}

/* --- by headings */

/* Whether a word of the label is in the name of another value: "account holder". */
static bool names_other(const struct words_reading *r,
                        const struct leaf_slot *s, const struct label_words *p)
{
    for (int i = 0; i < p->n_meaning; i++) {
        if (meaning_shared(&p->meaning[i], 1, s->wanted->path,
                           s->wanted->n_path))
            continue;
        if (meaning_shared(&p->meaning[i], 1, r->l.name, r->l.n_name))
            return true;
    }
    return false;
}

/* How well the words of a cell name the slot or its object. */
static double fit_of(const struct words_reading *r, const struct leaf_slot *s,
                     const struct label_words *p)
{
    const struct wanted_value *a = s->wanted;
    double own = words_print_fit(s, p);
    if (meaning_roles_of_label(p, a->kind) & ~a->excused ||
        names_other(r, s, p))
        return s->parent->string ? 0 : own;
    double of_object = meaning_fit(a->path, a->n_path, p);
    return s->parent->string ? of_object : fmax(own, of_object);
}

/* Whether both cells have words in parentheses: "Carrier (name, address)" above
 * "Transporteur (nom, adresse)". */
static bool is_explained(const struct words_reading *r, int upper, int lower)
{
    bool explained[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        int first = i ? lower : upper, end = label_cell_end(&r->l, first);
        for (int t = first + 1; t < end; t++)
            explained[i] |= *alignment_token(&r->l, t)->place->text == '(';
    }
    return explained[0] && explained[1];
}

/* Whether print is close below the cell, in line with it or not: it is a head. */
static bool is_over_print(const struct words_reading *r, int first)
{
    int below = alignment_token(&r->l, first)->below;
    if (below < 0) return false;
    const struct word *a = alignment_token(&r->l, first)->place;
    const struct word *b = alignment_token(&r->l, below)->place;
    return b->y - a->y <= words_above_most * a->h &&
           !is_label_only(r, below, label_cell_end(&r->l, below) - 1);
}

/* The cell that the heading in tokens first..end - 1, which names the slot, announces:
 * below it, in line with it, or beside it; -1: none. */
static int announced_by(const struct words_reading *r,
                        const struct leaf_slot *s, int first, int end)
{
    const struct alignment *l = &r->l;
    int below = next_line(r, first, label_above_most);
    if (below >= 0) { /* the same heading in another language */
        struct label_words p = {.n_meaning = 0};
        party_headings_label(r, below, label_cell_end(l, below), &p);
        if (fit_of(r, s, &p) >= label_named || is_explained(r, first, below))
            below = next_line(r, below, label_above_most);
    }
    int line_end = l->table.line[alignment_token(l, first)->line + 1].first;
    if (below >= 0) {
        int last = label_cell_end(l, below) - 1;
        if (!r->used[below] && !words_print_has_digit(r, below, last) &&
            !has_colon(r, below, last) && !is_label_only(r, below, last))
            return below;
    }
    if (end == line_end || r->used[end] || label_is_box_number(l, end) ||
        is_over_print(r, first))
        return -1;
    int last = label_cell_end(l, end) - 1;
    return words_print_has_digit(r, end, last) || is_label_only(r, end, last)
               ? -1
               : end;
}

/* The cell that the heading which names the slot best announces, `within`: by its own
 * name below a heading of its object; -1: none. */
static int find_announced(const struct words_reading *r,
                          const struct leaf_slot *s, bool within)
{
    const struct alignment *l = &r->l;
    double best = label_named - 0.01;
    int found = -1;
    for (int t = 0, end; t < l->table.n_token; t = end) {
        struct label_words p = {.n_meaning = 0};
        end = label_cell_end(l, t);
        int start = t + label_is_box_number(l, t);
        if (r->used[t] || words_print_has_digit(r, start, end - 1)) continue;
        int from = start;
        while (from < end &&
               !strchr(alignment_token(l, from)->place->text, ':'))
            from++;
        int label_last = from < end ? from : end - 1;
        int words = label_last + 1 - start;
        if (words > LABEL_WORDS) words = LABEL_WORDS;
        party_headings_label(r, t, start + words, &p);
        enum party_heading_says says = party_headings_say(r, s, t);
        double fit = within ? words_print_fit(s, &p) : fit_of(r, s, &p);
        if (fit <= best || says == PARTY_HEADING_OTHER ||
            (within && says != PARTY_HEADING_OWN))
            continue;
        int at =
            label_last + 1 < end ? label_last + 1 : announced_by(r, s, t, end);
        if (at < 0 || r->used[at]) continue;
        best = fit;
        found = at;
    }
    return found;
}

static int announced(const struct words_reading *r, const struct leaf_slot *s)
{
    int at = find_announced(r, s, true);
    return at >= 0 ? at : find_announced(r, s, false);
}

static void read_name(struct words_reading *r, struct leaf_slot *name)
{
    int at = announced(r, name);
    if (at < 0) return;
    struct print_block b;
    read_block(r, at, &b);
    struct leaf_slot *address = address_for(r, name);
    if (!b.n ||
        (has_address_slot(r, name) && !is_company(r, b.first[0], b.last[0]) &&
         !is_before_address(r, &b)))
        return;
    take_block(r, name, address, &b, BY_HEADING);
}

/* The address under a heading of its own: behind a name, if there is one. */
static void read_address(struct words_reading *r, struct leaf_slot *s)
{
    int at = announced(r, s);
    if (at < 0) return;
    struct print_block b;
    read_block(r, at, &b);
    int from = b.n && !words_print_has_digit(r, b.first[0], b.last[0]);
    const char *where = b.n > from ? address_of(r, &b, from) : NULL;
    if (!where || !strpbrk(where, "0123456789") || !slots_admit(r, s, where))
        return;
    for (int i = b.n - 1; i >= from; i--)
        words_print_take(r, s, BY_HEADING, where, b.first[i], b.last[i]);
}

/* --- by position */

/* The next cell of the letterhead, from token *at on, that is no label and is not
 * used; -1: none. */
static int next_cell(const struct words_reading *r, int *at)
{
    const struct page_table *t = &r->l.table;
    while (*at < t->n_token) {
        int first = *at, end = label_cell_end(&r->l, first);
        *at = end;
        const struct token *own = alignment_token(&r->l, first);
        if (own->page || own->place->y > letterhead || r->l.of_table[own->line])
            return -1;
        int last = part_end(r, first, end, true);
        if (r->used[first] || words_print_has_digit(r, first, last) ||
            *alignment_token(&r->l, first)->place->text == '(' ||
            has_colon(r, first, last) || is_label_only(r, first, last))
            continue;
        return first;
    }
    return -1;
}

/* Whether a label on the pages names the slot: of a party's name its party, too.
 * "Hotel Miramar" is no label with a name. */
static bool has_label(const struct words_reading *r, const struct leaf_slot *s)
{
    const struct wanted_value *a = s->wanted;
    for (int i = 0; i < r->l.labels.n; i++) {
        const struct labelled *item = &r->l.labels.item[i];
        const struct label_words *p = &item->label;
        if (words_print_fit(s, p) >= label_named_fully &&
            (!s->parent->string ||
             meaning_shared(a->path, a->n_path, p->meaning, p->n_meaning)) &&
            !labelled_is_of_table(&r->l, item) &&
            !labelled_is_one_phrase(&r->l, item))
            return true;
    }
    return false;
}

/* Whether the name is that of one who gets the document or the goods. */
static bool is_of_recipient(const struct leaf_slot *s)
{
    uint32_t other[] = {meaning_of("customer"), meaning_of("delivery")};
    const struct wanted_value *a = s->wanted;
    return meaning_shared(a->meaning, a->n_meaning, other, 2) ||
           meaning_shared(a->path, a->n_path, other, 2);
}

/* The slot of the sender's name: a seller, else the first of two names, else the first
 * value. */
static struct leaf_slot *find_sender(const struct words_reading *r)
{
    uint32_t sender[] = {meaning_of("seller"), meaning_of("sender")};
    struct leaf_slot *first = NULL;
    int n = 0;
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        const struct wanted_value *a = s->wanted;
        bool name = is_name(r, s);
        n += name;
        if (!is_text(s) || s->text || has_label(r, s)) continue;
        if (meaning_shared(a->meaning, a->n_meaning, sender, 2) ||
            (name && meaning_shared(a->path, a->n_path, sender, 2)))
            return s;
        if (name && !first && !is_of_recipient(s)) first = s;
    }
    if (first && n > 1) return first;
    struct leaf_slot *s = r->slot;
    return r->n_slot && is_text(s) && !s->text && !has_label(r, s) ? s : NULL;
}

/* The next name that has an address, or is a customer's. */
static struct leaf_slot *find_recipient(const struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        if (is_name(r, s) && has_address_slot(r, s)) return s;
    }
    return NULL;
}

/* Whether a label above or beside the cell is a customer's or of a delivery. */
static bool is_recipient(const struct words_reading *r, int token)
{
    uint32_t other[] = {meaning_of("customer"), meaning_of("delivery")};
    for (int i = 0; i < r->l.labels.n; i++) {
        const struct labelled *item = &r->l.labels.item[i];
        if (item->first.token == token &&
            meaning_shared(item->label.meaning, item->label.n_meaning, other,
                           2))
            return true;
    }
    return false;
}

static bool is_same_name(const struct words_reading *r,
                         const struct print_block *a,
                         const struct print_block *b)
{
    return !strcmp(fold_text(line_text(r, a, 0), r->arena).byte,
                   fold_text(line_text(r, b, 0), r->arena).byte);
}

/* Whether name and address are on one line, as a sender has them above a window. */
static bool is_one_line(const struct words_reading *r,
                        const struct print_block *b)
{
    return alignment_token(&r->l, b->first[0])->line ==
           alignment_token(&r->l, b->first[1])->line;
}

/* Whether the block's first line is the name of a party that was found; of customers
 * alone: goods can be delivered to the sender. */
static bool is_found_name(const struct words_reading *r,
                          const struct print_block *b, bool customers)
{
    uint32_t customer = meaning_of("customer");
    struct folded own = fold_text(line_text(r, b, 0), r->arena);
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *s = &r->slot[i];
        const struct wanted_value *a = s->wanted;
        bool fits = !customers ||
                    meaning_shared(a->meaning, a->n_meaning, &customer, 1) ||
                    meaning_shared(a->path, a->n_path, &customer, 1);
        if (fits && is_text(s) && s->text &&
            !strcmp(fold_text(s->text, r->arena).byte, own.byte))
            return true;
    }
    return false;
}

/* The lines below the name, and below the same name elsewhere, that are its address.
 * False: there are none. */
static bool find_address(const struct words_reading *r,
                         const struct leaf_slot *name, struct print_block *b)
{
    for (int t = name->first, at = -1; t >= 0;
         t = at = find_again(r, name->first, name->last, at + 1)) {
        read_block(r, t, b);
        if (n_numbers(r, b) >= 2 && has_address(r, b)) return true;
    }
    return false;
}

/* Takes the address under or behind the party's name in another place: in the line
 * above a window of the envelope, in the foot. */
static void read_address_elsewhere(struct words_reading *r,
                                   const struct leaf_slot *name)
{
    struct leaf_slot *address = address_for(r, name);
    struct print_block b;
    if (!address || address->text || !find_address(r, name, &b)) return;
    const char *where = address_of(r, &b, 1);
    for (int i = 1; where && i < b.n && slots_admit(r, address, where); i++)
        words_print_take(r, address, BY_SIGNS, where, b.first[i], b.last[i]);
}

static double height_of(const struct words_reading *r, int first, int last)
{
    double most = 0;
    for (int t = first; t <= last; t++)
        most = fmax(most, alignment_token(&r->l, t)->place->h);
    return most;
}

/* The usual height of a word. */
static double usual_height(const struct words_reading *r)
{
    size_t n = (size_t)r->l.table.n_token;
    double *h = arena_array(r->arena, n + 1, sizeof *h);
    for (size_t i = 0; i < n; i++)
        h[i] = r->l.table.token[i].place->h;
    sort_doubles(h, n);
    return n ? h[n / 2] : 0;
}

/* Whether the cell is all of the first line of the page. */
static bool is_alone(const struct words_reading *r, int first, int last)
{
    const struct table_line *line = r->l.table.line;
    return line[0].first == first && line[1].first == last + 1;
}

/* Whether the block's name is longer than the other's, and begins with it: a logo
 * above the name of the company. */
static bool is_longer_name(const struct words_reading *r,
                           const struct print_block *b,
                           const struct print_block *logo)
{
    int n = logo->last[0] - logo->first[0] + 1;
    return b->last[0] - b->first[0] >= n && b->first[0] > logo->last[0] &&
           find_again(r, logo->first[0], logo->last[0], b->first[0]) ==
               b->first[0];
}

/* Whether a way to write or call is on the lines below the name: who sends a document
 * wants to be reached. */
static bool has_contact(const struct words_reading *r,
                        const struct print_block *b)
{
    uint32_t phone = meaning_of("phone");
    int t = next_line(r, b->first[0], address_pitch);
    for (int n = 0; t >= 0 && n < CONTACT_LINES; n++) {
        struct label_words p = {.n_meaning = 0};
        label_add(&r->l, &p, t, 0);
        if (is_contact(r, t, label_cell_end(&r->l, t) - 1) ||
            meaning_shared(p.meaning, p.n_meaning, &phone, 1))
            return true;
        t = next_line(r, t, address_pitch);
    }
    return false;
}

/* The signs that the block is the sender's: it is the first, tall, a company, its
 * name is printed elsewhere, too, and it can be reached. In what OCR reads, logos and
 * handwriting are tall, so a company counts more. */
static int n_signs(const struct words_reading *r, const struct print_block *b,
                   bool is_first, double usual)
{
    int first = b->first[0], last = b->last[0], signs = is_first;
    bool ocr = r->l.page->words->source == WORDS_OF_OCR;
    signs += is_first && is_alone(r, first, last);
    signs += is_company(r, first, last) * (ocr ? 3 : 1);
    signs += !ocr && height_of(r, first, last) > taller * usual;
    signs += 3 * (has_address(r, b) && has_contact(r, b));
    return signs + (find_again(r, first, last, 0) >= 0);
}

/* The first company with an address anywhere on the pages, as in the foot; false:
 * none. */
static bool find_company(const struct words_reading *r, struct print_block *out)
{
    struct print_block b;
    for (int t = 0, end; t < r->l.table.n_token; t = end) {
        end = label_cell_end(&r->l, t);
        if (r->used[t] || is_recipient(r, t)) continue;
        read_block(r, t, &b);
        if (!b.n || !is_company(r, b.first[0], b.last[0]) ||
            n_numbers(r, &b) < 2 || !has_address(r, &b))
            continue;
        *out = b;
        return true;
    }
    return false;
}

/* The block with most signs of the sender's; returns their number. If there are two
 * blocks with addresses, or nobody asks for a recipient, it is one of them or a
 * company's, and not a title. */
static int find_sender_block(const struct words_reading *r, bool of_two,
                             struct print_block *out)
{
    struct print_block best[2] = {{.n = 0}, {.n = 0}}; /* of all; no titles */
    int at = 0, first, most[2] = {0, 0}, n_cell = 0, n_address = 0;
    double usual = usual_height(r);
    while ((first = next_cell(r, &at)) >= 0) {
        struct print_block b;
        if (is_recipient(r, first)) continue;
        read_block(r, first, &b);
        if (!settle_name(r, &b) || is_found_name(r, &b, true)) continue;
        int signs = n_signs(r, &b, n_cell++ == 0, usual);
        bool party =
            is_company(r, b.first[0], b.last[0]) || is_before_address(r, &b);
        n_address += n_numbers(r, &b) >= 2 && has_address(r, &b);
        for (int i = 0; i < 1 + party; i++) {
            bool longer = best[i].n && is_longer_name(r, &b, &best[i]);
            if (best[i].n && signs <= most[i] && !longer) continue;
            if (signs > most[i]) most[i] = signs;
            best[i] = b;
        }
    }
    int i = best[1].n && (n_address >= 2 || !of_two);
    *out = best[i];
    if (!best[1].n && find_company(r, out)) return 2;
    return most[i];
}

/* Whether the schema asks for the names of two parties, of which the first value can
 * be one. */
static bool asks_for_two(const struct words_reading *r)
{
    int n = 0;
    for (int i = 0; i < r->n_slot; i++)
        n += is_text(&r->slot[i]) &&
             (i == 0 || is_first_of_object(r, &r->slot[i]) ||
              has_address_slot(r, &r->slot[i]));
    return n > 1;
}

/* The sender's block is not the recipient's, even if nobody asks for the sender. */
static void read_by_position(struct words_reading *r)
{
    int at = 0, first;
    struct print_block own, b;
    int signs = find_sender_block(r, asks_for_two(r), &own);
    struct leaf_slot *sender = own.n ? find_sender(r) : NULL;
    if (sender)
        take_block(r, sender, address_for(r, sender), &own,
                   signs > 1 ? BY_SIGNS : BY_BEING_FIRST);
    struct leaf_slot *recipient = find_recipient(r);
    while (recipient && (first = next_cell(r, &at)) >= 0) {
        if (own.n && signs > 1 && first == own.first[0]) continue;
        read_block(r, first, &b);
        if (!settle_name(r, &b) || b.n < 2 || !has_address(r, &b) ||
            is_one_line(r, &b) || is_found_name(r, &b, false) ||
            (own.n && is_same_name(r, &b, &own)))
            continue;
        take_block(r, recipient, address_for(r, recipient), &b, BY_POSITION);
        return;
    }
}

void blocks_read(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++)
        if (is_name(r, &r->slot[i])) read_name(r, &r->slot[i]);
    read_by_position(r);
    for (int i = 0; i < r->n_slot; i++)
        if (is_text(&r->slot[i]) && r->slot[i].text) {
            read_address_elsewhere(r, &r->slot[i]);
            struct print_block b;
            if (has_address_slot(r, &r->slot[i]) &&
                address_parts_are_asked(r, &r->slot[i]) &&
                find_address(r, &r->slot[i], &b))
                address_parts_read(r, &r->slot[i], &b);
        }
    for (int i = 0; i < r->n_slot; i++)
        if (r->slot[i].kind == SLOT_ADDRESS && r->slot[i].array < 0 &&
            !r->slot[i].text)
            read_address(r, &r->slot[i]);
}

const struct leaf_slot *blocks_name_of(const struct words_reading *r,
                                       const struct leaf_slot *s)
{
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *o = &r->slot[i];
        if (o != s && o->text && is_text(o) && o->parent == s->parent &&
            (s->parent->string ? is_first_of_object(r, o)
                               : shared_names(o, s) > 0))
            return o;
    }
    return NULL;
}
