/* locate_named.c - labels on the pages, and the print that they announce
 * (locate_inside.h).
 *
 * A label is words up to a colon, or known words at the start of a cell; its
 * print is the rest of the cell, else the next cell on the line, else the cell
 * below. A value whose print has another label, or whose label is at other
 * print, may be that other value. A null whose label has print was overlooked.
 */
#include <math.h>
#include <string.h>

#include "stages/evidence/locate_inside.h"
#include "stages/print/vocabulary.h"

static const double named_fully = 0.9;
static const double named = 0.65; /* "Total amount" for "total" */
static const double clearly = 0.1;
static const double far_away = 0.4; /* of the page's width, label to print */
enum { LABEL_MOST = 6 /* words */ };

/* --- roles ---------------------------------------------------------------- */

/* What a value is of; two values of one kind with different roles are different
 * values. */
static const struct {
    const char *word; /* a meaning of the vocabulary */
    unsigned kinds;   /* of values that the role tells apart */
} roles[] = {
    /* the first four as in own_role, yours and former below */
    {"invoice", LOCATE_DATE | LOCATE_CODE},
    {"your", LOCATE_CODE},
    {"our", LOCATE_CODE},
    {"opening", LOCATE_DATE | LOCATE_CODE | LOCATE_AMOUNT | LOCATE_TEXT},
    {"order", LOCATE_DATE | LOCATE_CODE},
    {"delivery", LOCATE_DATE | LOCATE_CODE | LOCATE_TEXT},
    {"due", LOCATE_DATE},
    {"birth", LOCATE_DATE},
    {"customer", LOCATE_CODE | LOCATE_TEXT},
    {"seller", LOCATE_CODE | LOCATE_TEXT},
    {"sender", LOCATE_TEXT},
    {"tax", LOCATE_CODE | LOCATE_AMOUNT},
    {"account", LOCATE_CODE},
    {"phone", LOCATE_CODE},
    {"closing", LOCATE_AMOUNT},
    {"total", LOCATE_AMOUNT},
    {"subtotal", LOCATE_AMOUNT},
    {"discount", LOCATE_AMOUNT},
    {"cash", LOCATE_AMOUNT},
    {"change", LOCATE_AMOUNT},
    /* these tell no values apart, but are another meaning than theirs */
    {"subject", 0},
    {"address", 0},
    {"city", 0},
};
enum { N_ROLES = sizeof roles / sizeof *roles };
static const unsigned own_role = 1, /* "invoice": a document's own */
    yours = 6,                      /* "your", "our" */
    former = 8;                     /* "opening": an old account or address */

/* Words that say only of what kind a value is. */
static const char *const generic[] = {"date", "number", "amount",
                                      "description"};

/* The roles among the concepts, as bits. */
static unsigned roles_among(const uint32_t *concept, int n)
{
    unsigned found = 0;
    for (int r = 0; n && r < N_ROLES; r++) {
        uint32_t own = locate_concept(roles[r].word);
        for (int i = 0; i < n; i++)
            if (concept[i] == own) found |= 1u << r;
    }
    return found;
}

/* Those that tell values of the kind apart. */
static unsigned of_kind(unsigned found, unsigned kind)
{
    for (int r = 0; r < N_ROLES; r++)
        if (!(roles[r].kinds & kind)) found &= ~(1u << r);
    return found;
}

bool locate_is_role(uint32_t concept)
{
    return of_kind(roles_among(&concept, 1), ~0u);
}

void locate_read_roles(struct wanted_value *a)
{
    unsigned own =
        roles_among(a->concept, a->n_concept) | roles_among(a->path, a->n_path);
    a->roles = of_kind(own, a->kind);
    a->excused = a->roles | of_kind(roles_among(a->loose, a->n_loose), a->kind);
}

/* The roles that a label gives to values of the kind. "Amount due" is a
 * total. */
static unsigned roles_of(const struct locate_phrase *p, unsigned kind)
{
    uint32_t due = locate_concept("due");
    unsigned found = roles_among(p->concept, p->n_concept);
    for (int i = 0; i < p->n_concept; i++)
        if (kind == LOCATE_AMOUNT && p->concept[i] == due)
            found |= roles_among(&(uint32_t){locate_concept("total")}, 1);
    return of_kind(found, kind);
}

/* --- how well a label names a value --------------------------------------- */

static double dice(const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
    return n_a && n_b ? 2.0 * locate_shared(a, n_a, b, n_b) / (n_a + n_b) : 0;
}

/* Copies the concepts without generic ones, unless that is all. */
static int specific(const uint32_t *concept, int n, uint32_t *out)
{
    int left = 0;
    for (int i = 0; i < n; i++) {
        bool only_kind = false;
        for (size_t g = 0; g < sizeof generic / sizeof *generic; g++)
        only_kind |= concept[i] == locate_concept(generic[g]);
        if (!only_kind) out[left++] = concept[i];
    }
    if (left) return left;
    memcpy(out, concept, (size_t)n * sizeof *concept);
    return n;
}

static double fit_of(const uint32_t *concept, int n,
                     const struct locate_phrase *p)
{
    uint32_t own[2 * CONCEPTS_MAX], other[CONCEPTS_MAX];
    int n_own = specific(concept, n, own);
    int n_other = specific(p->concept, p->n_concept, other);
    return fmax(dice(concept, n, p->concept, p->n_concept),
                dice(own, n_own, other, n_other));
}

/* 1: the label names the value, with or without what it is part of. */
static double fit_named(const struct wanted_value *a,
                        const struct locate_phrase *p)
{
    uint32_t all[2 * CONCEPTS_MAX];
    size_t n = (size_t)a->n_concept, more = (size_t)a->n_path;
    memcpy(all, a->concept, n * sizeof *all);
    memcpy(all + n, a->path, more * sizeof *all);
    return fmax(fit_of(a->concept, a->n_concept, p),
                more ? fit_of(all, (int)(n + more), p) : 0);
}

/* --- labelled print ------------------------------------------------------- */

/* One line of print, from a byte of token `first` to token `last`. */
struct labelled {
    struct locate_phrase label;
    struct piece first;
    int last;
    bool is_beside; /* on the line of its label */
    bool is_far;    /* and far away: it can belong to a nearer label */
};

struct labels {
    struct labelled *item;
    int n, capacity;
};

static const struct token *token_at(const struct value_search *l, int t)
{
    return &l->table.token[t];
}

static bool has_digit(const struct value_search *l, int t)
{
    return strpbrk(token_at(l, t)->place->text, "0123456789");
}

/* The index after the cell's last token. */
static int cell_end(const struct value_search *l, int t)
{
    int end = l->table.line[token_at(l, t)->line + 1].first;
    int part = token_at(l, t)->part;
    while (t < end && token_at(l, t)->part == part)
        t++;
    return t;
}

/* The offset after a colon within or at the end of the token's text, unless it
 * is a time; 0: none. */
static int behind_colon(const char *text)
{
    const char *at = strchr(text, ':');
    if (!at || at == text) return 0;
    bool time = fold_is_digit(at[-1]) && fold_is_digit(at[1]);
    return time ? 0 : (int)(at + 1 - text);
}

/* Whether the next cell on the line has a digit: then this one is its label. */
static bool is_before_code(const struct value_search *l, int end)
{
    if (end >= l->table.n_token ||
        token_at(l, end)->line != token_at(l, end - 1)->line)
        return false;
    for (int t = end, n = cell_end(l, end); t < n; t++)
        if (has_digit(l, t)) return true;
    return false;
}

/* Whether the token ends with a word for a number: a cell that does is a label
 * in full, "Avoir no", "Police-Nr.". */
static bool names_number(const struct value_search *l, int t)
{
    const char *text = token_at(l, t)->place->text;
    const char *dash = strrchr(text, '-');
    struct folded word = fold_text(dash ? dash + 1 : text, l->arena);
    const char *means = vocabulary_meaning(word.byte, (size_t)word.n);
    return means && !strcmp(means, "number");
}

/* Finds the end of the label that starts the cell at `first`: *from is what
 * follows. False: no label. */
static bool read_label(const struct value_search *l, int first, int end,
                       struct piece *from)
{
    int known = first, t = first;
    bool names = true;
    for (; t < end && t < first + LABEL_MOST; t++) {
        const char *text = token_at(l, t)->place->text;
        int colon = behind_colon(text);
        if (colon) {
            *from = text[colon] ? (struct piece){t, colon, 0}
                                : (struct piece){t + 1, 0, 0};
            return true;
        }
        if (token_at(l, t)->figure) break;
        names = names && (locate_is_label(l, t) || locate_is_joint(l, t));
        if (names && (known > first || locate_is_label(l, t))) known = t + 1;
    }
    bool whole =
        t == end && ((names && known > first) || is_before_code(l, end) ||
                     names_number(l, end - 1));
    if (whole) known = end;
    *from = (struct piece){known, 0, 0};
    return known > first;
}

/* Where the words next to the colon begin that belong to a label: "please pay
 * to IBAN:". */
static int label_start(const struct value_search *l, int first, int end)
{
    int t = end;
    while (t > first &&
           (locate_is_label(l, t - 1) || locate_is_joint(l, t - 1)))
        t--;
    return t < end ? t : first;
}

/* "Former account (closed) IBAN:" is no name of an IBAN to pay to. */
static void add_former(const struct value_search *l, struct locate_phrase *p,
                       int first, int end)
{
    struct locate_phrase all = {.n_concept = 0};
    for (int t = first; t < end && all.n_concept < CONCEPTS_MAX; t++)
        locate_phrase_add(l, &all, t, 0);
    for (int i = 0; i < all.n_concept && p->n_concept < CONCEPTS_MAX; i++)
        if (all.concept[i] == locate_concept("opening") &&
            !locate_shared(&all.concept[i], 1, p -> concept, p->n_concept))
    p->concept[p->n_concept++] = all.concept[i];
}

/* Adds the print from `from` to token `last`, whose label is the tokens from
 * `first` to before `from` or before `end`. */
static void add_labelled(struct value_search *l, struct labels *all, int first,
                         int end, struct piece from, int last)
{
    if (last < from.token) return;
    if (all->n == all->capacity) {
        struct labelled *old = all->item;
        all->capacity = 2 * all->capacity + 32;
        all->item = arena_array(l->arena, (size_t)all->capacity, sizeof *old);
        if (old) memcpy(all->item, old, (size_t)all->n * sizeof *old);
    }
    struct labelled *item = &all->item[all->n++];
    *item = (struct labelled){.first = from, .last = last};
    item->is_beside = token_at(l, first)->line == token_at(l, last)->line;
    for (int t = label_start(l, first, end); t < end && t < first + LABEL_MOST;
         t++)
        locate_phrase_add(l, &item->label, t, 0);
    if (from.from) locate_phrase_add(l, &item->label, from.token, from.from);
    add_former(l, &item->label, first, end);
    locate_phrase_end(l, &item->label, label_start(l, first, end), end - 1);
}

/* Whether the cell at `first` is a label alone. */
static bool is_label_cell(const struct value_search *l, int first)
{
    struct piece from;
    int end = cell_end(l, first);
    return read_label(l, first, end, &from) && from.token >= end;
}

static double left_of(const struct value_search *l, int t)
{
    return page_table_box(&l->table, &(struct piece){t, 0, 1}).x;
}

/* Adds what is beside the cell, a label alone, else what is below it; both, if
 * what is beside it is far away and can belong to another label. */
static void add_beside(struct value_search *l, struct labels *all, int first,
                       int end)
{
    int beside = end, below = token_at(l, first)->below;
    bool far = true;
    if (beside < l->table.line[token_at(l, first)->line + 1].first &&
        !is_label_cell(l, beside)) {
        add_labelled(l, all, first, end, (struct piece){beside, 0, 0},
                     cell_end(l, beside) - 1);
        far = left_of(l, beside) - left_of(l, first) > far_away;
        if (all->n) all->item[all->n - 1].is_far = far;
    }
    if (far && below >= 0 && !is_label_cell(l, below))
        add_labelled(l, all, first, end, (struct piece){below, 0, 0},
                     cell_end(l, below) - 1);
}

/* Adds the labels of the cell at `first`; returns the index after it. */
static int add_cell(struct value_search *l, struct labels *all, int first)
{
    int end = cell_end(l, first);
    struct piece from;
    for (int t = first; t < end;) {
        int next = t + 1;
        if (!read_label(l, t, end, &from)) {
            t = next;
            continue;
        }
        if (from.token >= end) {
            if (t == first) add_beside(l, all, first, end);
            return end;
        }
        for (next = from.token + 1; next < end; next++)
            if (locate_begins_label(l, next)) break;
        add_labelled(l, all, t, from.token, from, next - 1);
        t = next;
    }
    return end;
}

static struct labels read_labels(struct value_search *l)
{
    struct labels all = {.n = 0};
    for (int t = 0; t < l->table.n_token;)
        t = add_cell(l, &all, t);
    return all;
}

/* --- what is printed there ------------------------------------------------ */

static bool covers(const struct labelled *item, const struct occurrence *c)
{
    for (int i = 0; i < c->n_piece; i++)
        if (c->piece[i].token >= item->first.token &&
            c->piece[i].token <= item->last)
            return true;
    return false;
}

static bool is_used(const struct value_search *l, const struct table_figure *f)
{
    for (int i = 0; i < f->n_piece; i++)
        if (locate_is_taken(l, f->piece[i].token)) return true;
    return false;
}

/* The figure of the kind in the print, or NULL; `free`: that no value uses. */
static const struct table_figure *figure_in(const struct value_search *l,
                                            const struct labelled *item,
                                            unsigned kind, bool free)
{
    for (int i = 0; i < l->table.n_figure; i++) {
        const struct table_figure *f = &l->table.figure[i];
        if (f->piece->token >= item->first.token &&
            f->piece->token <= item->last && !f->percent &&
            (f->canon.kind == CANON_DATE) == (kind == LOCATE_DATE) &&
            !(free && is_used(l, f)))
            return f;
    }
    return NULL;
}

/* Whether the print can be a value of the kind. */
static bool is_like(const struct value_search *l, const struct labelled *item,
                    unsigned kind)
{
    if (kind == LOCATE_DATE || kind == LOCATE_AMOUNT)
        return figure_in(l, item, kind, false);
    bool any = false;
    for (int t = item->first.token; t <= item->last; t++)
        any |= token_at(l, t)->fold.n &&
               (kind == LOCATE_CODE
                    ? has_digit(l, t) && locate_is_plain_number(l, t)
                    : !token_at(l, t)->figure);
    return any;
}

/* Whether the value may be printed there. */
static bool has_candidate(const struct wanted_value *a,
                          const struct labelled *item)
{
    for (int i = 0; i < a->n_candidate; i++)
        if (covers(item, &a->candidate[i])) return true;
    return false;
}

/* How well the label names a value; of a date also what it is part of: the two of
 * a period share its label. */
static double fit_there(const struct wanted_value *a,
                        const struct locate_phrase *p)
{
    double fit = fit_named(a, p);
    return a->kind == LOCATE_DATE ? fmax(fit, fit_of(a->path, a->n_path, p))
                                  : fit;
}

/* Whether another value is there that the label names as well. */
static bool is_taken(const struct value_search *l, const struct wanted_value *a,
                     const struct labelled *item, double fit)
{
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        if (b != a && locate_chosen(b) && covers(item, locate_chosen(b)) &&
            fit_there(b, &item->label) > fit - clearly)
            return true;
    }
    return false;
}

/* --- values with another label -------------------------------------------- */

/* Whether a concept is a known meaning. */
static bool has_meaning(const uint32_t *concept, int n)
{
    bool kind = false;
    for (int i = 0; i < n; i++)
        for (size_t g = 0; g < sizeof generic / sizeof *generic; g++)
    kind |= concept[i] == locate_concept(generic[g]);
    return kind || roles_among(concept, n);
}

/* Whether the label, on the value's line, means something else altogether: a
 * reference for a sender. */
static bool is_unrelated(const struct wanted_value *a,
                         const struct labelled *item)
{
    const struct locate_phrase *p = &item->label;
    bool is_known =
        a->kind == LOCATE_DATE
            ? of_kind(roles_among(p->concept, p->n_concept), a->kind)
            : has_meaning(p->concept, p->n_concept);
    return item->is_beside && a->kind != LOCATE_AMOUNT && is_known &&
           (has_meaning(a->concept, a->n_concept) ||
            has_meaning(a->path, a->n_path)) &&
           fit_named(a, p) <= 0 &&
           !locate_shared(a->loose, a->n_loose, p->concept, p->n_concept);
}

/* Whether a label with these roles is that of another value. */
static bool is_foreign(const struct wanted_value *a, unsigned found)
{
    unsigned more = found & ~a->excused, lacks = a->roles & ~found;
    if (a->kind != LOCATE_AMOUNT && (more & former)) return true;
    return more && lacks;
}

/* Whether a value without a role has a place with one, and `item` has none. */
static bool is_plainer(const struct wanted_value *a, unsigned own,
                       const struct labelled *item)
{
    unsigned other = roles_of(&item->label, a->kind);
    return !(a->roles & ~own_role) && (own & ~own_role & ~a->excused) &&
           !(other & ~own_role) && fit_named(a, &item->label) >= named;
}

/* That of the labels of the value's print which names it best. */
static struct locate_phrase label_of(const struct value_search *l,
                                     const struct labels *all,
                                     const struct wanted_value *a)
{
    struct locate_phrase best = locate_phrase_of(l, locate_chosen(a));
    bool is_near = false;
    for (int i = 0; i < all->n; i++)
        is_near |=
            covers(&all->item[i], locate_chosen(a)) && !all->item[i].is_far;
    if (is_near) best.n_concept = 0;
    for (int i = 0; i < all->n; i++)
        if (covers(&all->item[i], locate_chosen(a)) &&
            !(is_near && all->item[i].is_far) &&
            (!best.n_concept ||
             fit_named(a, &all->item[i].label) > fit_named(a, &best)))
            best = all->item[i].label;
    return best;
}

/* Whether all labels of the value's print mean something else. */
static bool is_unrelated_there(const struct labels *all,
                               const struct wanted_value *a)
{
    bool any = false;
    for (int i = 0; i < all->n; i++) {
        if (!covers(&all->item[i], locate_chosen(a))) continue;
        if (!is_unrelated(a, &all->item[i])) return false;
        any = true;
    }
    return any;
}

static bool is_mislabelled(const struct value_search *l,
                           const struct labels *all,
                           const struct wanted_value *a)
{
    const struct locate_phrase label = label_of(l, all, a);
    unsigned own_roles = roles_of(&label, a->kind);
    double own =
        fmax(fit_named(a, &label), locate_label(l, a, locate_chosen(a)));
    if (is_foreign(a, own_roles) || is_unrelated_there(all, a)) return true;
    for (int i = 0; i < all->n && own < named_fully; i++) {
        const struct labelled *item = &all->item[i];
        double fit = fit_named(a, &item->label);
        bool better = (fit >= named_fully && fit > own + clearly) ||
                      is_plainer(a, own_roles, item);
        if (better && is_like(l, item, a->kind) && !has_candidate(a, item) &&
            !is_foreign(a, roles_of(&item->label, a->kind)) &&
            !is_taken(l, a, item, fit))
            return true;
    }
    return false;
}

/* --- nulls ---------------------------------------------------------------- */

static bool is_claimed(const struct value_search *l,
                       const struct labelled *item)
{
    for (int i = 0; i < l->n_claimed; i++)
        if (l->claimed[i].token >= item->first.token &&
            l->claimed[i].token <= item->last)
            return true;
    return false;
}

static bool is_figure_kind(unsigned kind)
{
    return kind == LOCATE_DATE || kind == LOCATE_AMOUNT;
}

/* Whether the print can be the null's value, and no value uses it. A text can be
 * a number, such as an IBAN, if the label is the text's own. */
static bool is_free(const struct value_search *l, const struct labelled *item,
                    const struct wanted_value *a)
{
    if (is_figure_kind(a->kind)) return figure_in(l, item, a->kind, true);
    bool own =
        a->kind == LOCATE_TEXT && fit_named(a, &item->label) >= named_fully;
    return (is_like(l, item, a->kind) ||
            (own && is_like(l, item, LOCATE_CODE))) &&
           !is_claimed(l, item);
}

/* Whether the print says that there is no value: "-", "none". */
static bool is_none(const struct value_search *l, const struct labelled *item)
{
    const struct token *last = token_at(l, item->last);
    return !last->fold.n ||
           vocabulary_says(last->fold.byte, VOCABULARY_UNPRICED);
}

/* Whether the label is that of the null. */
static bool names_null(const struct wanted_value *a,
                       const struct locate_phrase *p)
{
    unsigned more = roles_of(p, a->kind) & ~a->excused;
    if (!a->roles) more &= ~(own_role | yours);
    return !more && fit_named(a, p) >= named;
}

/* Makes the print the only candidate of a null, and marks it. */
static void overlook(struct value_search *l, struct wanted_value *a,
                     const struct labelled *item)
{
    const struct table_figure *f =
        is_figure_kind(a->kind) ? figure_in(l, item, a->kind, true) : NULL;
    size_t n = (size_t)(item->last - item->first.token + 1);
    struct piece *piece = arena_array(l->arena, n, sizeof *piece);
    for (size_t i = 0; i < n; i++) {
        int t = item->first.token + (int)i;
        piece[i] = (struct piece){t, i ? 0 : item->first.from,
                                  (int)strlen(token_at(l, t)->place->text)};
    }
    locate_add(l, a, f ? f->piece : piece, f ? f->n_piece : (int)n,
               (struct occurrence){.match = LOCATE_NORMALISED});
    a->chosen = 0;
    a->overlooked = true;
}

static void find_overlooked(struct value_search *l, const struct labels *all,
                            struct wanted_value *a)
{
    const struct labelled *best = NULL;
    for (int i = 0; i < all->n; i++) {
        const struct labelled *item = &all->item[i];
        if (!names_null(a, &item->label) || !is_free(l, item, a) ||
            is_none(l, item))
            continue;
        if (!best || fit_named(a, &item->label) > fit_named(a, &best->label))
            best = item;
    }
    if (best) overlook(l, a, best);
}

/* The extent of the values of the null's key, in other rows of its page;
 * false: there are none. */
static bool read_column(const struct value_search *l,
                        const struct wanted_value *a, int page,
                        struct occurrence *out)
{
    *out = (struct occurrence){.left = 1};
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = locate_chosen(b);
        if (b->table != a->table || b->column != a->column || !c ||
            token_at(l, c->piece->token)->page != page)
            continue;
        out->left = fmin(out->left, c->left);
        out->right = fmax(out->right, c->right);
    }
    return out->right > out->left;
}

/* The first line of the null's row, by its other values; -1: unknown. */
static int line_of_row(const struct value_search *l,
                       const struct wanted_value *a)
{
    int line = -1;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        if (b->table == a->table && b->row == a->row && locate_chosen(b) &&
            (line < 0 || locate_chosen(b)->line < line))
            line = locate_chosen(b)->line;
    }
    return line;
}

/* Print of the null's column on a line that no value uses; false: none. */
static bool find_cell(const struct value_search *l,
                      const struct wanted_value *a,
                      const struct occurrence *column, int line,
                      struct labelled *out)
{
    int end = l->table.line[line + 1].first;
    for (int t = l->table.line[line].first; t < end; t++) {
        struct labelled cell = {.first = {t, 0, 0}, .last = t};
        struct piece whole = {t, 0, (int)strlen(token_at(l, t)->place->text)};
        struct box box = page_table_box(&l->table, &whole);
        double middle = box.x + box.w / 2;
        if (middle < column->left || middle > column->right ||
            is_claimed(l, &cell) || locate_is_label(l, t))
            continue;
        while (cell.last + 1 < end && !locate_is_taken(l, cell.last + 1) &&
               token_at(l, cell.last + 1)->part == token_at(l, t)->part)
            cell.last++;
        *out = cell;
        if (is_free(l, &cell, a) && !is_none(l, &cell)) return true;
    }
    return false;
}

/* Looks for print of the null's row in its column: on the row's first line, else
 * on the one above or below it. */
static void find_overlooked_cell(struct value_search *l, struct wanted_value *a)
{
    static const int near[] = {0, -1, 1};
    struct occurrence column;
    struct labelled cell;
    int line = line_of_row(l, a);
    if (line < 0 || a->column < 0) return;
    int page = token_at(l, l->table.line[line].first)->page;
    if (!read_column(l, a, page, &column)) return;
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        int at = line + near[i];
        if (at < 0 || at >= l->table.n_line ||
            token_at(l, l->table.line[at].first)->page != page ||
            !find_cell(l, a, &column, at, &cell))
            continue;
        overlook(l, a, &cell);
        return;
    }
}

void locate_named(struct value_search *l)
{
    struct labels all = read_labels(l);
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        bool null = cJSON_IsNull(a->asked->value);
        if (null && a->table >= 0)
            find_overlooked_cell(l, a);
        else if (null)
            find_overlooked(l, &all, a);
        else if (a->table < 0 && locate_chosen(a) && !a->any && !a->doubt &&
                 is_mislabelled(l, &all, a))
            a->doubt = DOUBT_LABEL;
    }
}
