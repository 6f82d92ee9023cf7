/* coverage_align.c - rows to lines, by what they say and in their order.
 *
 * What a row says on a line is a set of bits, one for each of its items. The
 * best way to lay all rows onto the lines, in order and without two on one
 * line, is found by dynamic programming over (rows so far, lines so far).
 */
#include "stages/window/coverage_inside.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS_MAX = 1 << 22, WAY_SKIP_LINE = 0, WAY_SKIP_ROW = 9 };

static const double line_price = 0.02; /* of each line of a row but the first */
/* Of two ways to the same, the one whose first line says more. */
static const double first_line_worth = 0.1;
static const double gain_least = 0.08; /* that such a line must bring */

/* An item of a line under one of its keys. */
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

static struct postings index_lines(const struct comparison *t)
{
    size_t room = 0;
    for (int l = 0; l < t->n_line; l++)
        room += 4 * (size_t)t->line[l].said.n_item;
    struct postings index = {
        arena_array(t->arena, room, sizeof(struct posting)), 0};
    for (int l = 0; l < t->n_line; l++)
        for (int i = 0; i < t->line[l].said.n_item; i++) {
            const struct canon *item = &t->line[l].said.item[i];
            uint64_t key[] = {item->key, item->other, item->piece[0].key,
                              item->piece[1].key};
            for (int k = 0; k < 4; k++)
                if (!k || key[k])
                    index.posting[index.n++] = (struct posting){key[k], l, i};
        }
    qsort(index.posting, index.n, sizeof *index.posting, by_key);
    return index;
}

/* The first posting of the key or above. */
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

/* Sets the item's bit for each line that says it under the key. */
static void mark_lines(const struct comparison *t, const struct postings *index,
                       const struct canon *item, uint64_t key, uint64_t bit,
                       uint64_t *said)
{
    for (size_t p = find_key(index, key);
         p < index->n && index->posting[p].key == key; p++) {
        const struct posting *at = &index->posting[p];
        if (canon_says(&t->line[at->line].said.item[at->item], item))
            said[at->line] |= bit;
    }
}

static double weight_of(const struct canon *item, int n_line)
{
    static const double base[] = {[CANON_WORD] = 1,
                                  [CANON_NUMBER] = 1.5,
                                  [CANON_AMOUNT] = 3,
                                  [CANON_DATE] = 2};
    /* words that are nowhere may have been put so by the reader */
    if (n_line == 0 && item->kind == CANON_WORD) return 0.3;
    return base[item->kind] / (1 + 0.5 * log2(n_line > 1 ? n_line : 1));
}

/* Fills said[n_line] with the row's bits, and its weights. */
static void compare_row(const struct comparison *t,
                        const struct postings *index, struct row_said *row,
                        uint64_t *said)
{
    row->n_item =
        row->said.n_item < ROW_ITEMS_MAX ? row->said.n_item : ROW_ITEMS_MAX;
    for (int i = 0; i < row->n_item; i++) {
        const struct canon *item = &row->said.item[i];
        uint64_t bit = UINT64_C(1) << i;
        int n_line = 0;
        mark_lines(t, index, item, item->key, bit, said);
        if (item->other) mark_lines(t, index, item, item->other, bit, said);
        for (int l = 0; l < t->n_line; l++)
            n_line += (said[l] & bit) != 0;
        row->weight[i] = weight_of(item, n_line);
        row->total += row->weight[i];
    }
}

/* Part of the row's weight that the bits come to. */
static double part_of(const struct row_said *row, uint64_t bits)
{
    double sum = 0;
    for (int i = 0; i < row->n_item; i++)
        if (bits >> i & 1) sum += row->weight[i];
    return row->total > 0 ? sum / row->total : 0;
}

/* best[row][line]: of the first rows on the first lines; way: lines of the
 * last row, WAY_SKIP_LINE or WAY_SKIP_ROW. */
struct best_ways {
    float *best;
    uint8_t *way;
    size_t width;
};

/* Tries to end row r with each of 1 to SPAN_MAX lines behind line `begin`. */
static void try_spans(struct best_ways *plan, const struct row_said *row, int r,
                      int begin, int n_line, const uint64_t *said)
{
    uint64_t bits = 0;
    double before = plan->best[(size_t)r * plan->width + (size_t)begin];
    if (!said[begin]) return;
    double so_far = 0;
    double price = -first_line_worth * part_of(row, said[begin]);
    for (int n = 1; n <= SPAN_MAX && begin + n <= n_line; n++) {
        bits |= said[begin + n - 1];
        double part = part_of(row, bits);
        if (n > 1 && part - so_far < gain_least) return;
        so_far = part;
        size_t at = (size_t)(r + 1) * plan->width + (size_t)(begin + n);
        double value = before + part - price;
        price += line_price;
        if (part < coverage_least || value <= plan->best[at]) continue;
        plan->best[at] = (float)value;
        plan->way[at] = (uint8_t)n;
    }
}

/* The best of leaving a line or a row aside, for all lines of row r. */
static void settle_row(struct best_ways *plan, int r, int n_line)
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

/* Writes into the table what the plan's best way says. */
static void follow(const struct best_ways *plan, struct comparison *t,
                   const uint64_t *said)
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
        struct row_said *row = &t->row[r];
        uint64_t bits = 0;
        row->line = l;
        row->n_line = way;
        for (int i = 0; i < way; i++)
            bits |= said[(size_t)r * (size_t)t->n_line + (size_t)(l + i)];
        row->found = part_of(row, bits);
    }
}

/* How much of the row the line has left; takes it where `take` says so. */
static double left_for(struct row_said *row, struct line_said *line, bool take)
{
    uint64_t bits = 0;
    /* Items of the line that this row has just counted, but those of which one
     * value says one piece and another the other. */
    uint64_t held = 0;
    for (int i = 0; i < row->n_item; i++)
        for (int k = 0; k < line->said.n_item && k < 64; k++) {
            if (line->taken[k] || held >> k & 1 ||
                !canon_says(&line->said.item[k], &row->said.item[i]))
                continue;
            if (!line->said.item[k].piece[0].key) held |= UINT64_C(1) << k;
            bits |= UINT64_C(1) << i;
            if (take) line->taken[k] = true;
            break;
        }
    return part_of(row, bits);
}

static void take_lines(struct comparison *t, int r)
{
    struct row_said *row = &t->row[r];
    t->line[row->line].row = r;
    for (int i = 0; i < row->n_line; i++) {
        t->line[row->line + i].goes_on = i > 0;
        left_for(row, &t->line[row->line + i], true);
    }
}

/* A row that has no place in the order: where most of it is left. */
static void place_row(struct comparison *t, int r)
{
    struct row_said *row = &t->row[r];
    int best = -1;
    for (int l = 0; l < t->n_line; l++) {
        double part = left_for(row, &t->line[l], false);
        if (part <= row->found) continue;
        row->found = part;
        best = l;
    }
    if (row->found < coverage_least) return;
    row->line = best;
    row->n_line = 1;
    if (t->line[best].row < 0) t->line[best].row = r;
    left_for(row, &t->line[best], true);
}

bool coverage_align(struct comparison *t)
{
    size_t width = (size_t)t->n_line + 1, height = (size_t)t->n_row + 1;
    if (width * height > CELLS_MAX) return false;
    struct postings index = index_lines(t);
    uint64_t *said =
        arena_array(t->arena, (size_t)t->n_row * width, sizeof *said);
    struct best_ways plan = {
        arena_array(t->arena, width * height, sizeof(float)),
        arena_take(t->arena, width * height), width};
    for (int r = 0; r < t->n_row; r++) {
        uint64_t *own = said + (size_t)r * (size_t)t->n_line;
        compare_row(t, &index, &t->row[r], own);
        for (int l = 0; l < t->n_line; l++)
            try_spans(&plan, &t->row[r], r, l, t->n_line, own);
        settle_row(&plan, r, t->n_line);
    }
    follow(&plan, t, said);
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line >= 0) take_lines(t, r);
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line < 0) place_row(t, r);
    return true;
}
