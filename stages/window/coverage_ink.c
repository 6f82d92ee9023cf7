/* coverage_ink.c - rows against lines of which only the ink is known.
 *
 * Lines that touch the same columns are a class; the rows are the class whose
 * number is nearest to theirs. Which of them were left out is told by how much
 * is printed on a line and how much a row says, kept in order.
 */
#include "stages/window/coverage_inside.h"

#include <math.h>
#include <string.h>

#include "vlm/base/json.h"

static const double same_place = 0.02; /* of the page's width */
enum { CELLS_MAX = 1 << 22, CLASS_LEAST = 5 };

/* Whether a part of each begins or ends where a part of the other does. */
static bool same_columns(const struct line *a, const struct line *b)
{
    if (a->n_part != b->n_part) return false;
    for (int i = 0; i < a->n_part; i++) {
        double left = fabs(a->part_x[i] - b->part_x[i]);
        double right =
            fabs(a->part_x[i] + a->part_w[i] - b->part_x[i] - b->part_w[i]);
        if (left > same_place && right > same_place) return false;
    }
    return true;
}

/* The lines that are alike with `like`, into member; how many. */
static int class_of(const struct lines *lines, int like, int *member)
{
    int n = 0;
    for (int l = 0; l < lines->n_line; l++)
        if (!lines->line[l].turned &&
            same_columns(&lines->line[l], &lines->line[like]))
            member[n++] = l;
    return n;
}

/* The class of two columns and more whose number is nearest to n_row. */
static int best_class(const struct lines *lines, int n_row, int *member)
{
    int best = -1, least = n_row; /* a class of none would be as far away */
    for (int l = 0; l < lines->n_line && l < 1024; l++) {
        if (lines->line[l].n_part < 2) continue;
        int far = class_of(lines, l, member) - n_row;
        if (far < 0) far = -far;
        if (far >= least) continue;
        least = far;
        best = l;
    }
    return best < 0 ? 0 : class_of(lines, best, member);
}

/* Lines of two columns and more. */
static int n_parted(const struct lines *lines)
{
    int n = 0;
    for (int l = 0; l < lines->n_line; l++)
        n += lines->line[l].n_part > 1;
    return n;
}

static double ink_of(const struct line *line)
{
    double sum = 0;
    for (int i = 0; i < line->n_part; i++)
        sum += line->part_w[i];
    return sum;
}

static double length_of(const cJSON *value)
{
    double sum = 0;
    const cJSON *child = NULL;
    if (cJSON_IsString(value)) sum = (double)strlen(value->valuestring);
    if (cJSON_IsNumber(value)) sum = (double)strlen(json_number(value));
    cJSON_ArrayForEach(child, value)
    {
        sum += length_of(child);
    }
    return sum;
}

/* Sizes as parts of their mean. */
static void level(double *size, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += size[i];
    for (int i = 0; i < n && sum > 0; i++)
        size[i] *= n / sum;
}

/* Chooses n_small of n_large places, in order, so that sizes differ least:
 * fit[i] is true for those chosen. */
static void choose(const double *small, int n_small, const double *large,
                   int n_large, struct arena *arena, bool *fit)
{
    size_t width = (size_t)n_large + 1;
    float *cost =
        arena_array(arena, ((size_t)n_small + 1) * width, sizeof *cost);
    for (int s = 1; s <= n_small; s++)
        for (int l = 0; l <= n_large; l++) {
            float *own = cost + (size_t)s * width + l;
            *own = 1e9F;
            if (l < s) continue;
            *own = own[-(ptrdiff_t)width - 1] +
                   (float)fabs(small[s - 1] - large[l - 1]);
            if (l > s) *own = fminf(*own, own[-1]);
        }
    for (int s = n_small, l = n_large; s > 0; l--) {
        const float *own = cost + (size_t)s * width + l;
        bool skip = l > s && own[-1] <= *own;
        fit[l - 1] = !skip;
        s -= !skip;
    }
}

/* Whether the one line too many is as well the first: a table's heading. */
static bool may_be_heading(const double *row, int n_row, const double *line,
                           const bool *fit)
{
    double chosen = 0, without_first = 0;
    for (int i = 0, r = 0; i <= n_row; i++) {
        if (i > 0) without_first += fabs(row[i - 1] - line[i]);
        if (fit[i]) chosen += fabs(row[r++] - line[i]);
    }
    return without_first <= 2 * chosen + 0.5;
}

static double *row_sizes(const cJSON *rows, int n, struct arena *arena)
{
    double *size = arena_array(arena, (size_t)n + 1, sizeof *size);
    const cJSON *row = NULL;
    int r = 0;
    cJSON_ArrayForEach(row, rows)
    {
        size[r++] = length_of(row);
    }
    level(size, n);
    return size;
}

static double *line_sizes(const struct lines *lines, const int *member, int n,
                          struct arena *arena)
{
    double *size = arena_array(arena, (size_t)n + 1, sizeof *size);
    for (int i = 0; i < n; i++)
        size[i] = ink_of(&lines->line[member[i]]);
    level(size, n);
    return size;
}

/* Sorts rows and members into pairs, missing and extra. */
static void pair(const bool *fit, const int *member, int n_member, int n_row,
                 bool heading, struct coverage *out)
{
    int n_large = n_member > n_row ? n_member : n_row;
    for (int i = 0, next = 0; i < n_large; i++) {
        if (n_member >= n_row && fit[i])
            out->line_of_row[next++] = member[i];
        else if (n_member >= n_row && heading)
            continue;
        else if (n_member >= n_row)
            out->missing[out->n_missing++] = member[i];
        else if (fit[i])
            out->line_of_row[i] = member[next++];
        else
            out->extra[out->n_extra++] = i;
    }
}

void coverage_by_ink(const struct lines *lines, const cJSON *rows,
                     struct arena *arena, struct coverage *out)
{
    int n_row = cJSON_GetArraySize(rows);
    int *member = arena_array(arena, (size_t)lines->n_line + 1, sizeof *member);
    int n = n_row ? best_class(lines, n_row, member) : 0;
    /* few lines, few of those that are parted, or far from the rows' number,
     * are a class by chance */
    if (n < CLASS_LEAST || 10 * n < 6 * n_parted(lines) || n > 2 * n_row ||
        n_row > n + n / 2 || (int64_t)n * n_row > CELLS_MAX)
        return;
    int n_large = n > n_row ? n : n_row;
    out->known = true;
    out->missing = arena_array(arena, (size_t)n, sizeof *out->missing);
    out->extra = arena_array(arena, (size_t)n_row, sizeof *out->extra);
    bool *fit = arena_array(arena, (size_t)n_large, sizeof *fit);
    double *row = row_sizes(rows, n_row, arena);
    double *line = line_sizes(lines, member, n, arena);
    if (n >= n_row)
        choose(row, n_row, line, n, arena, fit);
    else
        choose(line, n, row, n_row, arena, fit);
    bool heading = n == n_row + 1 && may_be_heading(row, n_row, line, fit);
    for (int i = 0; i < n && heading; i++)
        fit[i] = i > 0;
    pair(fit, member, n, n_row, heading, out);
}
