/* row_lines.c - see row_lines.h.
 *
 * The items of a row that a line has are a set of bits. The best alignment of
 * all rows, in order and without sharing a line, is found by dynamic
 * programming over (rows so far, lines so far).
 */
#include "stages/alignment/row_lines.h"

#include <math.h>
#include <stdlib.h>

#include "stages/print/thresholds.h"

enum { CELLS_MAX = 1 << 22, WAY_SKIP_LINE = 0, WAY_SKIP_ROW = 9 };

/* An item of a line, under one of its keys. */
struct posting {
    uint64_t key;
    int line, item;
};

struct postings {
    struct posting *posting;
    size_t n;
};

static int by_key(const void *a, const void *b)
{
    const struct posting *one = a, *two = b;
    if (one->key != two->key) return one->key < two->key ? -1 : 1;
    return (one->line > two->line) - (one->line < two->line);
}

static struct postings index_lines(const struct row_alignment *t)
{
    size_t capacity = 0;
    for (int l = 0; l < t->n_line; l++)
        capacity += 4 * (size_t)t->line[l]->n_item;
    struct postings index = {
        arena_array(t->arena, capacity, sizeof(struct posting)), 0};
    for (int l = 0; l < t->n_line; l++)
        for (int i = 0; i < t->line[l]->n_item; i++) {
            const struct canon *item = &t->line[l]->item[i];
            uint64_t key[] = {item->key, item->other, item->piece[0].key,
                              item->piece[1].key};
            for (int k = 0; k < 4; k++)
                if (!k || key[k])
                    index.posting[index.n++] = (struct posting){key[k], l, i};
        }
    qsort(index.posting, index.n, sizeof *index.posting, by_key);
    return index;
}

/* The first posting with this key or a higher one. */
static size_t find_key(const struct postings *index, uint64_t key)
{
    size_t low = 0, high = index->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (index->posting[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sets the item's bit for each line that has the key. */
static void mark_lines(const struct row_alignment *t,
                       const struct postings *index, const struct canon *item,
                       uint64_t key, uint64_t bit, uint64_t *item_bits)
{
    for (size_t p = find_key(index, key);
         p < index->n && index->posting[p].key == key; p++) {
        const struct posting *at = &index->posting[p];
        if (canon_says(&t->line[at->line]->item[at->item], item))
            item_bits[at->line] |= bit;
    }
}

static double weight_of(const struct canon *item, int n_line)
{
    const double base[] = {[CANON_WORD] = 1,
                           [CANON_NUMBER] = number_weight,
                           [CANON_AMOUNT] = amount_weight,
                           [CANON_DATE] = date_weight};
    /* words that are nowhere may be the model's own wording */
    if (n_line == 0 && item->kind == CANON_WORD) return unseen_word_weight;
    return base[item->kind] /
           (1 + often_worth_less * log2(n_line > 1 ? n_line : 1));
}

/* Fills item_bits[n_line] with the row's bits, and sets its weights. */
static void compare_row(const struct row_alignment *t,
                        const struct postings *index, struct aligned_row *row,
                        uint64_t *item_bits)
{
    row->n_item =
        row->said.n_item < ROW_ITEMS_MAX ? row->said.n_item : ROW_ITEMS_MAX;
    for (int i = 0; i < row->n_item; i++) {
        const struct canon *item = &row->said.item[i];
        uint64_t bit = UINT64_C(1) << i;
        int n_line = 0;
        mark_lines(t, index, item, item->key, bit, item_bits);
        if (item->other)
            mark_lines(t, index, item, item->other, bit, item_bits);
        for (int l = 0; l < t->n_line; l++)
            n_line += (item_bits[l] & bit) != 0;
        row->weight[i] = weight_of(item, n_line);
        row->total += row->weight[i];
    }
}

double row_lines_share(const struct aligned_row *row, uint64_t bits)
{
    double sum = 0;
    for (int i = 0; i < row->n_item; i++)
        if (bits >> i & 1) sum += row->weight[i];
    return row->total > 0 ? sum / row->total : 0;
}

/* best[row][line]: for the first rows on the first lines; way: number of lines
 * of the last row, WAY_SKIP_LINE or WAY_SKIP_ROW. */
struct best_ways {
    float *best;
    uint8_t *way;
    size_t width;
    double least;
    int span;
    bool *barred; /* of each line: no row begins there */
    int shared;   /* 1: a row can begin on the last line of the previous one */
};

/* Tries to end row r with 1 to ROW_LINES_MAX lines after line `begin`. */
static void try_spans(struct best_ways *plan, const struct aligned_row *row,
                      int r, int begin, int n_line, const uint64_t *item_bits)
{
    uint64_t bits = 0;
    double before =
        plan->best[(size_t)r * plan->width + (size_t)(begin + plan->shared)];
    if (!item_bits[begin] || plan->barred[begin]) return;
    double so_far = 0;
    double price = -first_line_worth * row_lines_share(row, item_bits[begin]);
    for (int n = 1; n <= plan->span && begin + n <= n_line; n++) {
        bits |= item_bits[begin + n - 1];
        double part = row_lines_share(row, bits);
        if (n > 1 && part - so_far < gain_least) return;
        so_far = part;
        size_t at = (size_t)(r + 1) * plan->width + (size_t)(begin + n);
        double value = before + part - price;
        price += line_price;
        if (part < plan->least || value <= plan->best[at]) continue;
        plan->best[at] = (float)value;
        plan->way[at] = (uint8_t)n;
    }
}

/* Considers skipping a line or a row, for all lines of row r. */
static void resolve_row(struct best_ways *plan, int r, int n_line)
{
    float *own = plan->best + (size_t)(r + 1) * plan->width;
    uint8_t *way = plan->way + (size_t)(r + 1) * plan->width;
    const float *above = own - plan->width;
    for (int l = 0; l <= n_line; l++) {
        if (above[l] >= own[l]) {
            own[l] = above[l];
            way[l] = WAY_SKIP_ROW;
        }
        if (l > 0 && own[l - 1] >= own[l]) {
            own[l] = own[l - 1];
            way[l] = WAY_SKIP_LINE;
        }
    }
}

/* Writes the best alignment to the rows. */
static void follow(const struct best_ways *plan, const struct row_alignment *t,
                   const uint64_t *item_bits)
{
    int r = t->n_row, l = t->n_line;
    while (r > 0 && l > 0) {
        int way = plan->way[(size_t)r * plan->width + (size_t)l];
        if (way == WAY_SKIP_LINE) {
            l--;
            continue;
        }
        r--;
        if (way == WAY_SKIP_ROW) continue;
        l -= way;
        struct aligned_row *row = &t->row[r];
        uint64_t bits = 0;
        row->line = l;
        row->n_line = way;
        for (int i = 0; i < way; i++)
            bits |= item_bits[(size_t)r * (size_t)t->n_line + (size_t)(l + i)];
        row->found = row_lines_share(row, bits);
        l += plan->shared;
    }
}

static bool is_of_amounts(const struct canons *line)
{
    for (int i = 0; i < line->n_item; i++)
        if (line->item[i].kind != CANON_AMOUNT) return false;
    return true;
}

/* Bars lines of amounts alone where most rows begin with something else: such a line
 * is the rest of the row above it, not the beginning of the next. Returns whether a
 * row begins on one. */
static bool bar_amounts(const struct row_alignment *t, bool *barred)
{
    int n = 0, n_barred = 0;
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line >= 0) {
            n++;
            n_barred += is_of_amounts(t->line[t->row[r].line]);
        }
    for (int l = 0; l < t->n_line; l++)
        barred[l] = is_of_amounts(t->line[l]);
    return n_barred && n_barred * ROWS_ODD_ONE_IN <= n;
}

/* Finds the best alignment; one of before is gone. item_bits: of each row, by line. */
static void align(const struct row_alignment *t, struct best_ways *plan,
                  const uint64_t *item_bits)
{
    size_t width = plan->width, height = (size_t)t->n_row + 1;
    plan->best = arena_array(t->arena, width * height, sizeof(float));
    plan->way = arena_alloc(t->arena, width * height);
    for (int r = 0; r < t->n_row; r++) {
        t->row[r].line = -1;
        t->row[r].n_line = 0;
        t->row[r].found = 0;
        for (int l = 0; l < t->n_line; l++)
            try_spans(plan, &t->row[r], r, l, t->n_line,
                      item_bits + (size_t)r * (size_t)t->n_line);
        resolve_row(plan, r, t->n_line);
    }
    follow(plan, t, item_bits);
}

bool row_lines_find(const struct row_alignment *t)
{
    size_t width = (size_t)t->n_line + 1, height = (size_t)t->n_row + 1;
    if (width * height > CELLS_MAX) return false;
    struct postings index = index_lines(t);
    uint64_t *item_bits =
        arena_array(t->arena, (size_t)t->n_row * width, sizeof *item_bits);
    for (int r = 0; r < t->n_row; r++)
        compare_row(t, &index, &t->row[r],
                    item_bits + (size_t)r * (size_t)t->n_line);
    struct best_ways plan = {.width = width,
                             .least = t->least,
                             .span = t->span,
                             .barred = arena_alloc(t->arena, width),
                             .shared = t->shared};
    align(t, &plan, item_bits);
    if (bar_amounts(t, plan.barred)) align(t, &plan, item_bits);
    return true;
}
