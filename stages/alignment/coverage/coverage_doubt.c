/* coverage_doubt.c - which rows have values of another row's lines.
 *
 * If a model merges two rows, or takes a part of one from the page before, every value
 * of the result is printed somewhere. Such rows lack values of their own lines and have
 * values of a neighbour's. Normal in a table, and no error: a date printed once for many
 * rows, a column that is not wanted, a text that the model shortens. So a column counts
 * only if nearly all rows contain it, and values above can apply to the rows below
 * unless something contradicts them.
 */
#include "stages/alignment/coverage/coverage_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/print/thresholds.h"

/* --- rows of two lines ---------------------------------------------------------- */

static bool is_value(const struct canon *item)
{
    return item->kind == CANON_DATE || item->kind == CANON_AMOUNT;
}

static const struct canon *leftmost(const struct canons *items)
{
    const struct canon *least = NULL;
    for (int i = 0; i < items->n_item; i++)
        if (!least || items->item[i].x < least->x) least = &items->item[i];
    return least;
}

static bool is_under(const struct canon *a, const struct canon *b)
{
    return a->kind == b->kind && fabs(a->x + a->w - b->x - b->w) < loose_edge;
}

/* Number of values of `a` in a column of values of `b`; -1: one is in none. */
static int n_below(const struct canons *a, const struct canons *b)
{
    int n = 0;
    for (int i = 0; i < a->n_item; i++) {
        const struct canon *one = &a->item[i];
        bool found = false;
        if (!is_value(one)) continue;
        for (int k = 0; k < b->n_item && !found; k++)
            found = is_under(one, &b->item[k]);
        if (!found) return -1;
        n++;
    }
    return n;
}

/* Whether two lines begin alike, and have the same values in the same columns. */
static bool are_alike(const struct canons *a, const struct canons *b)
{
    const struct canon *left = leftmost(a), *other = leftmost(b);
    return left && other && left->kind == other->kind &&
           fabs(left->x - other->x) < loose_edge && n_below(a, b) > 0 &&
           n_below(b, a) > 0;
}

/* Whether the row lacks a figure of the line, and says the one in its column on the
 * other line. */
static bool says_instead(const struct aligned_row *row,
                         const struct canons *line, const struct canons *other)
{
    for (int i = 0; i < line->n_item; i++) {
        const struct canon *one = &line->item[i];
        if (one->kind == CANON_WORD || canon_holds(&row->said, one) ||
            coverage_is_piece(line, one))
            continue;
        for (int k = 0; k < other->n_item; k++)
            if (is_under(one, &other->item[k]) &&
                canon_holds(&row->said, &other->item[k]))
                return true;
    }
    return false;
}

/* Whether the line has the columns of a row and a figure that the row lacks. */
static bool is_other_row(const struct coverage_columns *columns,
                         const struct aligned_row *row,
                         const struct line_tokens *line)
{
    if (!columns->n || !coverage_has_columns(columns, line)) return false;
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        if (item->kind != CANON_WORD && !canon_holds(&row->said, item) &&
            !coverage_is_piece(&line->said, item))
            return true;
    }
    return false;
}

/* Whether it is made of two: it was found on two lines that are rows each, and lacks
 * the values of one. */
static bool is_two(const struct comparison *t, const struct aligned_row *row,
                   const struct coverage_columns *columns)
{
    const struct line_tokens *first = &t->line[row->line];
    bool other = false;
    int n_row = 0;
    for (int l = row->line; l < row->line + row->n_line; l++) {
        const struct line_tokens *line = &t->line[l];
        n_row += columns->n && coverage_has_columns(columns, line);
        other |= is_other_row(columns, row, line);
        if (line != first && are_alike(&first->said, &line->said) &&
            (says_instead(row, &first->said, &line->said) ||
             says_instead(row, &line->said, &first->said)))
            return true;
    }
    return other && n_row > 1;
}

/* Whether the line has values, each in a column of a value below the first line of a
 * row. */
static bool is_below_alike(const struct comparison *t,
                           const struct canons *said)
{
    for (int r = 0; r < t->n_row; r++) {
        const struct aligned_row *row = &t->row[r];
        if (row->line >= 0 && row->n_line > 1 &&
            n_below(said, &t->line[row->line + 1].said) > 0)
            return true;
    }
    return false;
}

bool coverage_is_begun(const struct comparison *t, int index,
                       const struct coverage_shape *own)
{
    if (own->n_date + own->n_amount > 0 || index + 1 >= t->n_line) return false;
    const struct line_tokens *first = &t->line[index], *next = first + 1;
    return first->row < 0 && !first->goes_on && !coverage_has_value(first) &&
           next->row < 0 && !next->goes_on && !next->total &&
           is_below_alike(t, &next->said) && coverage_fits(t, index, own, NULL);
}

enum { BESIDE_MAX = 8, JUDGED_MAX = 64 };

/* Items of lines, or of a row. */
struct items {
    const struct canon **item;
    int n;
};

struct side {
    bool strong; /* the row says what tells the row there from others */
    bool amount; /* an amount among it */
    bool within; /* one value holds of both */
    bool copied; /* a text of the row is all said there */
    bool all;    /* of what the row says and its lines do not */
};

struct doubt_findings {
    int n_value, n_word; /* that its lines say and it does not */
    int n_astray;        /* that it says and its lines do not */
    bool nowhere;        /* a date or an amount that is on neither */
    bool says_date, date_astray;
    int n_twice;  /* of these, what its lines say, but less often */
    bool foreign; /* most of a text of its is not on its lines, or of it all */
    bool one_wrong; /* of its values, and no other row's */
    bool two;       /* of the values of two rows, it says those of one */
    struct side above, below;
};

struct judging {
    const struct comparison *t;
    const struct coverage_shape *shape;
    const struct aligned_row *row;
    struct items own;
    bool covered[ROW_ITEMS_MAX]; /* by the row's own lines */
};

static bool is_figure(const struct canon *item)
{
    return item->kind == CANON_NUMBER || item->kind == CANON_AMOUNT;
}

static void add_items(struct items *to, const struct canons *from)
{
    for (int i = 0; i < from->n_item; i++)
        to->item[to->n++] = &from->item[i];
}

static bool one_says(const struct items *items, const struct canon *item)
{
    for (int i = 0; i < items->n; i++)
        if (canon_says(items->item[i], item)) return true;
    return false;
}

/* As canon_holds. */
static bool among(const struct items *items, const struct canon *item)
{
    struct canon piece[2];
    if (one_says(items, item)) return true;
    return canon_split(item, piece) && one_says(items, &piece[0]) &&
           one_says(items, &piece[1]);
}

static struct items items_new(const struct comparison *t, int from, int to)
{
    size_t room = (size_t)t->above.n_item + 1;
    for (int l = from; l < to; l++)
        room += (size_t)t->line[l].said.n_item;
    return (struct items){arena_array(t->arena, room, sizeof(void *)), 0};
}

static struct items items_of(const struct comparison *t, int from, int to)
{
    struct items items = items_new(t, from, to);
    for (int l = from; l < to; l++)
        add_items(&items, &t->line[l].said);
    return items;
}

/* --- columns that rows say ---------------------------------------------------- */

static int bin_of(const struct canon *item)
{
    double x = is_figure(item) ? item->x + item->w : item->x;
    int bin = (int)(x * COVERAGE_BINS);
    return bin < 0 ? 0 : bin >= COVERAGE_BINS ? COVERAGE_BINS - 1 : bin;
}

/* Whether the row says the item, or a larger one that it is a part of. */
static bool is_said(const struct items *own, const struct aligned_row *row,
                    const struct canon *item)
{
    if (canon_holds(&row->said, item)) return true;
    for (int i = 0; i < own->n; i++) {
        const struct canon *other = own->item[i];
        if (other != item && other->x <= item->x && other->w > item->w &&
            other->x + other->w >= item->x + item->w &&
            canon_holds(&row->said, other))
            return true;
    }
    return false;
}

/* Of the lines on which the row was found: what stands below them without an
 * amount or a date may be its own, or a heading. */
static struct items claimed_by(const struct comparison *t,
                               const struct aligned_row *row)
{
    int end = row->line + row->n_line;
    return items_of(t, row->line, end < row->end ? end : row->end);
}

static void count_columns(const struct comparison *t,
                          int seen[2][COVERAGE_BINS],
                          int said[2][COVERAGE_BINS])
{
    for (int r = 0; r < t->n_row; r++) {
        const struct aligned_row *row = &t->row[r];
        if (row->line < 0) continue;
        struct items own = claimed_by(t, row);
        for (int i = 0; i < own.n; i++) {
            int side = is_figure(own.item[i]), bin = bin_of(own.item[i]);
            seen[side][bin]++;
            said[side][bin] += is_said(&own, row, own.item[i]);
        }
    }
}

/* A bin is judged with its neighbours: columns cross their edges. */
static void learn_columns(const struct comparison *t,
                          struct coverage_shape *shape)
{
    int seen[2][COVERAGE_BINS] = {{0}}, said[2][COVERAGE_BINS] = {{0}};
    count_columns(t, seen, said);
    for (int side = 0; side < 2; side++)
        for (int b = 0; b < COVERAGE_BINS; b++) {
            int n = 0, n_said = 0;
            for (int k = b ? b - 1 : 0; k <= b + 1 && k < COVERAGE_BINS; k++) {
                n += seen[side][k];
                n_said += said[side][k];
            }
            shape->sure_at[side][b] =
                n >= ROWS_LEAST && n_said >= clear_majority * n;
        }
}

/* --- a row and its neighbours --------------------------------------------------- */

static bool begins(const struct line_tokens *line)
{
    return line->row >= 0 || line->like_row;
}

/* What stands above the row's lines, from where the row there begins; of rows
 * at the edge also the one before these. */
static struct items above_of(const struct judging *j)
{
    const struct comparison *t = j->t;
    int l = j->row->line - 1, least = j->row->line - BESIDE_MAX;
    while (l >= 0 && l >= least && !begins(&t->line[l]))
        l--;
    bool any = l >= 0 && l >= least;
    struct items items =
        any ? items_of(t, l, j->row->line) : items_new(t, 0, 0);
    if (j->row < t->row + EDGE_ROWS) add_items(&items, &t->above);
    return items;
}

/* The lines of the row that begins below. */
static struct items below_of(const struct judging *j)
{
    const struct comparison *t = j->t;
    int from = j->row->end, most = j->row->end + BESIDE_MAX;
    while (from < t->n_line && from < most && !begins(&t->line[from]))
        from++;
    if (from >= t->n_line || from == most) return items_new(t, 0, 0);
    int to = from + 1;
    while (to < t->n_line && to < from + ROW_LINES_MAX && !begins(&t->line[to]))
        to++;
    return items_of(t, from, to);
}

/* Each item of a value takes one item of the row's own lines. */
static void cover(struct judging *j)
{
    const struct aligned_row *row = j->row;
    int *taken = arena_array(j->t->arena, (size_t)j->own.n + 1, sizeof *taken);
    for (int i = 0; i < row->n_item; i++) {
        const struct canon *item = &row->said.item[i];
        for (int k = 0; k < j->own.n && !j->covered[i]; k++) {
            if (taken[k] == row->value_of[i] + 1 ||
                !canon_says(j->own.item[k], item))
                continue;
            taken[k] = row->value_of[i] + 1;
            j->covered[i] = true;
        }
        if (item->piece[0].key) j->covered[i] |= among(&j->own, item);
    }
}

static bool is_rare(const struct comparison *t, const struct canon *item)
{
    int n = 0;
    for (int l = 0; l < t->n_line && n <= RARE_MOST; l++)
        n += canon_holds(&t->line[l].said, item);
    return n <= RARE_MOST;
}

/* Whether the value that says item i says one of the row's own words, too. */
static bool is_within(const struct judging *j, int i)
{
    for (int k = 0; k < j->row->n_item; k++)
        if (j->covered[k] && j->row->value_of[k] == j->row->value_of[i])
            return true;
    return false;
}

/* Words of the neighbour that are not on the row's own lines. */
static int n_own_words(const struct judging *j, const struct items *beside)
{
    int n = 0;
    for (int i = 0; i < beside->n; i++)
        n += beside->item[i]->kind == CANON_WORD &&
             !among(&j->own, beside->item[i]);
    return n;
}

/* Whether all words of one of the row's texts are there. */
static bool is_copied(const struct judging *j, const struct items *beside)
{
    const struct aligned_row *row = j->row;
    for (int i = 0, end; i < row->n_item; i = end) {
        int n_word = 0, n_there = 0;
        for (end = i;
             end < row->n_item && row->value_of[end] == row->value_of[i];
             end++) {
            n_word += row->said.item[end].kind == CANON_WORD;
            n_there += among(beside, &row->said.item[end]);
        }
        if (n_word > 1 && n_there == end - i) return true;
    }
    return false;
}

static struct side look_beside(const struct judging *j,
                               const struct items *beside)
{
    struct side side = {.copied = is_copied(j, beside), .all = true};
    int n_word = 0;
    for (int i = 0; i < j->row->n_item; i++) {
        const struct canon *item = &j->row->said.item[i];
        if (j->covered[i]) continue;
        bool there = among(beside, item);
        side.all &= there;
        if (item->kind == CANON_DATE || !there) continue;
        if (item->kind == CANON_AMOUNT) side.amount = true;
        if (item->kind != CANON_AMOUNT) side.strong |= is_rare(j->t, item);
        if (item->kind != CANON_WORD) continue;
        n_word++;
        side.within |= is_within(j, i);
    }
    side.strong |= side.amount;
    if (n_word > 0 && !side.strong)
        side.strong = 2 * n_word >= n_own_words(j, beside);
    return side;
}

static void count_lacking(const struct judging *j, struct doubt_findings *e)
{
    struct items own = claimed_by(j->t, j->row);
    for (int i = 0; i < own.n; i++) {
        const struct canon *item = own.item[i];
        if (!j->shape->sure_at[is_figure(item)][bin_of(item)] ||
            is_said(&own, j->row, item))
            continue;
        if (is_value(item))
            e->n_value++;
        else
            e->n_word++;
    }
}

/* Whether one of the row's texts, or all of them, has two or more words that are not on
 * its lines, and fewer that are. */
static bool is_foreign(const struct judging *j)
{
    const struct aligned_row *row = j->row;
    int n_all = 0, n_all_astray = 0;
    for (int i = 0, end; i < row->n_item; i = end) {
        int n_word = 0, n_astray = 0;
        for (end = i;
             end < row->n_item && row->value_of[end] == row->value_of[i];
             end++) {
            if (is_value(&row->said.item[end])) continue;
            n_word++;
            n_astray += !j->covered[end];
        }
        if (n_astray > 1 && 2 * n_astray > n_word) return true;
        n_all += n_word;
        n_all_astray += n_astray;
    }
    return n_all_astray > 1 && 2 * n_all_astray > n_all;
}

/* Whether no row has the line. */
static bool is_left(const struct comparison *t, int l)
{
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line >= 0 && t->row[r].line <= l && l < t->row[r].end)
            return false;
    return true;
}

/* Whether a row that is missing nearby, or the last one of the page before, says the
 * item. */
static bool is_of_missing(const struct judging *j, const struct canon *item)
{
    const struct comparison *t = j->t;
    int from = j->row->line - BESIDE_MAX, to = j->row->end + BESIDE_MAX;
    if (j->row < t->row + EDGE_ROWS && canon_holds(&t->above, item))
        return true;
    for (int l = from > 0 ? from : 0; l < to && l < t->n_line; l++)
        if (canon_holds(&t->line[l].said, item) && is_left(t, l)) return true;
    return false;
}

/* Whether the row's lines lack no more than one of its values, and that one was
 * misread: it is not of a row that is missing. */
static bool is_one_wrong(const struct judging *j)
{
    const struct aligned_row *row = j->row;
    int n = 0;
    for (int i = 0, end; i < row->n_item; i = end) {
        int n_astray = 0;
        for (end = i;
             end < row->n_item && row->value_of[end] == row->value_of[i];
             end++) {
            const struct canon *item = &row->said.item[end];
            n_astray += !j->covered[end];
            if (!j->covered[end] && item->kind != CANON_DATE &&
                is_of_missing(j, item))
                return false;
        }
        n += 2 * n_astray > end - i;
    }
    return n <= 1;
}

static struct doubt_findings gather(const struct comparison *t, int r,
                                    const struct coverage_shape *shape)
{
    const struct aligned_row *row = &t->row[r];
    struct judging j = {.t = t, .shape = shape, .row = row};
    struct doubt_findings e = {0};
    j.own = items_of(t, row->line, row->end);
    cover(&j);
    struct items above = above_of(&j), below = below_of(&j);
    for (int i = 0; i < row->n_item; i++) {
        const struct canon *item = &row->said.item[i];
        e.says_date |= item->kind == CANON_DATE;
        if (j.covered[i]) continue;
        e.date_astray |= item->kind == CANON_DATE;
        e.n_astray++;
        e.n_twice += among(&j.own, item);
        e.nowhere |=
            is_value(item) && !among(&above, item) && !among(&below, item);
    }
    e.foreign = is_foreign(&j);
    e.one_wrong = is_one_wrong(&j);
    e.two = is_two(t, row, &shape->columns);
    count_lacking(&j, &e);
    e.above = look_beside(&j, &above);
    e.below = look_beside(&j, &below);
    return e;
}

/* --- verdicts -------------------------------------------------------------------- */

static enum coverage_doubt judge(const struct doubt_findings *e, bool at_edge,
                                 bool exact_text)
{
    bool lacks = e->n_value + e->n_word > 0;
    bool above = e->above.strong && (lacks || e->above.within);
    bool below = e->below.strong;
    bool values =
        e->n_value > 0 || (above && e->above.amount) || e->below.amount;
    if (e->two || ((above || below) && (values || exact_text)))
        return COVERAGE_MIXED;
    bool copied = e->n_word > 0 && (e->above.copied || e->below.copied);
    at_edge = at_edge && exact_text;
    bool has_all =
        e->n_astray > 0 && (e->below.all || (e->above.all && e->above.within) ||
                            e->n_twice == e->n_astray);
    if (at_edge && (e->n_value > 0 || copied || e->foreign || has_all))
        return COVERAGE_MIXED;
    bool odd = e->n_value > 0 || above || below || e->above.within ||
               e->below.within || (at_edge && (e->nowhere || e->n_word > 0));
    return odd ? COVERAGE_DOUBTFUL : COVERAGE_SURE;
}

/* A date that is not on the row's lines counts as missing there if rows have dates of
 * their own, and not one for many rows. */
static void judge_dates(struct doubt_findings *e, const int *row, int n)
{
    int n_date = 0, n_there = 0;
    for (int i = 0; i < n; i++) {
        n_date += e[row[i]].says_date;
        n_there += e[row[i]].says_date && !e[row[i]].date_astray;
    }
    for (int i = 0; i < n; i++)
        e[row[i]].n_value += e[row[i]].date_astray && n_there > 0 &&
                             n_there >= clear_majority * n_date;
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Rows that lack nothing and have no more other values than usual. */
static int count_exact(const struct doubt_findings *e, const int *row, int n,
                       struct arena *arena)
{
    int *astray = arena_array(arena, (size_t)n + 1, sizeof *astray);
    int n_exact = 0;
    for (int i = 0; i < n; i++)
        astray[i] = e[row[i]].n_astray;
    qsort(astray, (size_t)n, sizeof *astray, by_number);
    for (int i = 0; i < n; i++)
        n_exact += e[row[i]].n_value + e[row[i]].n_word == 0 &&
                   e[row[i]].n_astray <= astray[n / 2];
    return n_exact;
}

static void give_verdicts(struct doubt_findings *e, const int *row, int n,
                          bool exact_text, struct coverage *out)
{
    int n_mixed = 0, n_two = 0;
    for (int i = 0; i < n; i++)
        n_two += e[row[i]].two;
    for (int i = 0; i < n; i++) {
        e[row[i]].two &= n < ROWS_LEAST || 2 * n_two <= n;
        bool at_edge = i < EDGE_ROWS || i >= n - EDGE_ROWS;
        out->doubt[row[i]] = judge(&e[row[i]], at_edge, exact_text);
        n_mixed += out->doubt[row[i]] == COVERAGE_MIXED;
    }
    /* what most rows do is normal for the table */
    bool way = n >= ROWS_LEAST && 2 * n_mixed > n && !exact_text;
    for (int i = 0; i < n && way; i++)
        out->doubt[row[i]] = COVERAGE_SURE;
}

bool coverage_text_is_exact(const struct coverage_shape *shape)
{
    return shape->n_judged >= 2 * ROWS_LEAST &&
           shape->n_exact >= clear_majority * shape->n_judged;
}

void coverage_judge(const struct comparison *t,
                    const struct coverage_shape *before, struct coverage *out)
{
    struct coverage_shape *shape = &out->shape;
    size_t room = (size_t)t->n_row + 1;
    struct doubt_findings *e = arena_array(t->arena, room, sizeof *e);
    int *row = arena_array(t->arena, room, sizeof *row), n = 0;
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line >= 0) row[n++] = r;
    bool told = before && before->n_row >= ROWS_LEAST;
    if (n >= ROWS_LEAST || !told || before->lies != t->lies)
        learn_columns(t, shape);
    else
        memcpy(shape->sure_at, before->sure_at, sizeof shape->sure_at);
    for (int i = 0; i < n; i++) {
        e[row[i]] = gather(t, row[i], shape);
        out->one_wrong[row[i]] = e[row[i]].one_wrong;
    }
    judge_dates(e, row, n);
    shape->n_judged = n;
    shape->n_exact = count_exact(e, row, n, t->arena);
    if (told) {
        int part = before->n_judged > JUDGED_MAX ? 2 : 1;
        shape->n_judged += before->n_judged / part;
        shape->n_exact += before->n_exact / part;
    }
    bool exact = t->exact || coverage_text_is_exact(shape);
    give_verdicts(e, row, n, exact, out);
}
