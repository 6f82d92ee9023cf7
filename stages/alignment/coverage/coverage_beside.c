/* coverage_beside.c - tables side by side without a heading that repeats: payments and
 * deductions.
 *
 * Rows of two arrays are on the same lines, those of one left of those of the other. Then
 * each line is cut between them, and a row says nothing of what is beside it.
 */
#include <string.h>

#include "stages/alignment/coverage/coverage_inside.h"
#include "stages/print/thresholds.h"
#include "vlm/base/buf.h"
#include "vlm/base/sort.h"

/* Where the items that rows took begin and end across the page. */
struct taken_extent {
    double from, to;
    int n_row;
};

static struct taken_extent extent_of(const struct comparison *t)
{
    size_t room = 1;
    for (int l = 0; l < t->n_line; l++)
        room += (size_t)t->line[l].said.n_item;
    double *left = arena_array(t->arena, room, sizeof *left);
    double *right = arena_array(t->arena, room, sizeof *right);
    int n = 0;
    struct taken_extent out = {.from = 0};
    for (int l = 0; l < t->n_line; l++) {
        const struct line_tokens *line = &t->line[l];
        out.n_row += line->row >= 0;
        for (int i = 0; i < line->said.n_item; i++) {
            if (!line->taken[i]) continue;
            left[n] = line->said.item[i].x;
            right[n++] = line->said.item[i].x + line->said.item[i].w;
        }
    }
    if (!n) return out;
    sort_doubles(left, (size_t)n);
    sort_doubles(right, (size_t)n);
    out.from = left[n / STRAY_ONE_IN];
    out.to = right[n - 1 - n / STRAY_ONE_IN];
    return out;
}

/* The other array's rows, on what the rows of the table have left of its lines. */
static bool align_other(const struct comparison *t, const cJSON *other,
                        struct comparison *out)
{
    *out = *t;
    out->row = coverage_read_rows(other, t->arena, &out->n_row);
    out->line = arena_array(t->arena, (size_t)t->n_line + 1, sizeof *out->line);
    for (int l = 0; l < t->n_line; l++) {
        const struct line_tokens *own = &t->line[l];
        struct line_tokens *left = &out->line[l];
        *left = (struct line_tokens){.line = own->line, .row = -1};
        size_t room = (size_t)own->said.n_item + 1;
        left->said.item = arena_array(t->arena, room, sizeof(struct canon));
        left->taken = arena_array(t->arena, room, sizeof(bool));
        for (int i = 0; i < own->said.n_item; i++)
            if (!own->taken[i])
                left->said.item[left->said.n_item++] = own->said.item[i];
        left->said.capacity = left->said.n_item;
    }
    return coverage_align(out);
}

static int n_shared(const struct comparison *a, const struct comparison *b)
{
    int n = 0;
    for (int l = 0; l < a->n_line; l++)
        n += a->line[l].row >= 0 && b->line[l].row >= 0;
    return n;
}

/* Narrows the table's half to this side of the other's rows, if half of the rows of one
 * of the two are on lines of the other. */
static bool is_beside(const struct comparison *t,
                      const struct taken_extent *own, const cJSON *other,
                      double *from, double *to)
{
    struct comparison beside;
    if (!align_other(t, other, &beside)) return false;
    struct taken_extent its = extent_of(&beside);
    int least = own->n_row < its.n_row ? own->n_row : its.n_row;
    if (!least || 2 * n_shared(t, &beside) < least) return false;
    double left = (own->to + its.from) / 2, right = (its.to + own->from) / 2;
    if (own->to < its.from)
        *to = left < *to ? left : *to;
    else if (its.to < own->from)
        *from = right > *from ? right : *from;
    else
        return false;
    return true;
}

/* --- halves of lines ---------------------------------------------------------- */

static bool is_inside(double x, double w, double from, double to)
{
    return x >= from && x + w <= to;
}

/* Whether no word crosses the edges of the half. */
static bool can_cut(const struct line *line, double from, double to)
{
    for (int i = 0; i < line->n_word; i++) {
        double x = line->word[i].x, end = x + line->word[i].w;
        if ((x < from && end > from) || (x < to && end > to)) return false;
    }
    return !line->turned;
}

static struct line *cut_line(const struct line *line, double from, double to,
                             struct arena *arena, int *first)
{
    struct line *half = arena_alloc(arena, sizeof *half);
    int end = 0;
    *half = *line;
    half->n_part = 0;
    for (*first = 0; *first < line->n_word && line->word[*first].x < from;)
        ++*first;
    for (end = *first; end < line->n_word && line->word[end].x < to;)
        end++;
    half->word = line->word + *first;
    half->box = line->box ? line->box + *first : NULL;
    half->n_word = end - *first;
    for (int p = 0; p < line->n_part; p++)
        if (is_inside(line->part_x[p], 0, from, to)) {
            half->part_x[half->n_part] = line->part_x[p];
            half->part_w[half->n_part++] = line->part_w[p];
        }
    struct buf text = buf_limit(1 << 20);
    for (int i = 0; i < half->n_word; i++)
        buf_print(&text, "%s%s", i ? " " : "", half->word[i].text);
    half->text = arena_copy(arena, buf_span(&text));
    buf_free(&text);
    return half;
}

static void cut(struct comparison *t, struct line_tokens *line, double from,
                double to)
{
    struct canons said = {0};
    int first;
    line->line = cut_line(line->line, from, to, t->arena, &first);
    canon_add_all(&said, &line->said, t->arena);
    line->said.n_item = 0;
    for (int i = 0; i < said.n_item; i++) {
        if (!is_inside(said.item[i].x, said.item[i].w, from, to)) continue;
        said.item[i].first -= first;
        said.item[line->said.n_item++] = said.item[i];
    }
    line->said.item = said.item;
}

/* Without rows again. */
static void reset(struct line_tokens *line)
{
    line->row = -1;
    line->goes_on = false;
    memset(line->taken, 0, (size_t)line->said.n_item * sizeof *line->taken);
}

bool coverage_cut_beside(struct comparison *t, const cJSON *others,
                         bool *beside, double *from, double *to)
{
    struct taken_extent own = extent_of(t);
    const cJSON *other = NULL;
    bool any = false;
    int k = 0;
    cJSON_ArrayForEach(other, others)
    {
        beside[k] = cJSON_IsArray(other) && own.n_row &&
                    is_beside(t, &own, other, from, to);
        any |= beside[k++];
    }
    for (int l = 0; l < t->n_line && any; l++) {
        reset(&t->line[l]);
        if (can_cut(t->line[l].line, *from, *to))
            cut(t, &t->line[l], *from, *to);
    }
    return any;
}
