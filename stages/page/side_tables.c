/* side_tables.c - see side_tables.h. */
#include "stages/page/side_tables.h"

#include <string.h>

#include "vlm/base/buf.h"

enum { SIDES_MOST = 4, HEADS_LEAST = 2 /* words of a heading that repeat */ };

/* A table of several halves: where each begins, and its lines. */
struct halves {
    int n;
    double from[SIDES_MOST + 1]; /* the last: right of the page */
    int first, end;              /* lines, the heading included */
};

/* Whether the words of the line are the same words n times. */
static bool repeats(const struct line *line, int n)
{
    int each = line->n_word / n;
    if (line->n_word % n || each < HEADS_LEAST) return false;
    for (int i = each; i < line->n_word; i++)
        if (strcmp(line->word[i].text, line->word[i - each].text) != 0)
            return false;
    return true;
}

/* The middle of the gap before word i. */
static double gap_before(const struct line *line, int i)
{
    const struct word *left = &line->word[i - 1], *right = &line->word[i];
    return (left->x + left->w + right->x) / 2;
}

static bool read_heading(const struct line *line, struct halves *h)
{
    if (line->turned || !line->text || !line->n_word) return false;
    for (h->n = SIDES_MOST; h->n > 1; h->n--)
        if (repeats(line, h->n)) break;
    if (h->n < 2) return false;
    h->from[0] = -1;
    for (int s = 1; s < h->n; s++)
        h->from[s] = gap_before(line, s * (line->n_word / h->n));
    h->from[h->n] = 2;
    return true;
}

/* Whether no word of the line crosses from one half into the next. */
static bool is_cut(const struct line *line, const struct halves *h)
{
    for (int i = 0; i < line->n_word; i++)
        for (int s = 1; s < h->n; s++)
            if (line->word[i].x < h->from[s] &&
                line->word[i].x + line->word[i].w > h->from[s])
                return false;
    return !line->turned;
}

/* The words of the line in one half, as a line; false: there are none. */
static bool cut_line(const struct line *line, double from, double to,
                     struct arena *arena, struct line *out)
{
    int first = 0, end;
    while (first < line->n_word && line->word[first].x < from)
        first++;
    for (end = first; end < line->n_word && line->word[end].x < to;)
        end++;
    if (end == first) return false;
    *out = (struct line){.word = line->word + first,
                         .box = line->box ? line->box + first : NULL,
                         .n_word = end - first,
                         .y = line->y,
                         .h = line->h,
                         .x = line->word[first].x};
    out->w = line->word[end - 1].x + line->word[end - 1].w - out->x;
    for (int p = 0; p < line->n_part; p++)
        if (line->part_x[p] >= from && line->part_x[p] < to) {
            out->part_x[out->n_part] = line->part_x[p];
            out->part_w[out->n_part++] = line->part_w[p];
        }
    if (!out->n_part || out->part_x[0] > out->x) { /* it began in the half before */
        if (out->n_part == LINE_PARTS_MAX) out->n_part--;
        memmove(out->part_x + 1, out->part_x,
                (size_t)out->n_part * sizeof *out->part_x);
        memmove(out->part_w + 1, out->part_w,
                (size_t)out->n_part++ * sizeof *out->part_w);
        out->part_x[0] = out->x;
        out->part_w[0] = out->word->w;
    }
    struct buf text = buf_limit(1 << 20);
    text_lines_append_line(out, " ", &text);
    out->text = arena_copy(arena, buf_span(&text));
    buf_free(&text);
    return true;
}

/* Replaces the lines of the table by those of its halves, one half after the
 * other; returns the index after them. */
static int cut_table(struct text_lines *lines, const struct halves *h,
                     struct arena *arena)
{
    int n = h->end - h->first, more = n * (h->n - 1), at = h->first;
    struct line *all = arena_array(
        arena, (size_t)(lines->n_line + more) + 1, sizeof *all);
    memcpy(all, lines->line, (size_t)h->first * sizeof *all);
    for (int s = 0; s < h->n; s++)
        for (int i = h->first; i < h->end; i++)
            at += cut_line(&lines->line[i], h->from[s], h->from[s + 1], arena,
                           &all[at]);
    memcpy(all + at, lines->line + h->end,
           (size_t)(lines->n_line - h->end) * sizeof *all);
    lines->n_line += at - h->end;
    lines->line = all;
    return at;
}

void side_tables_cut(struct text_lines *lines, struct arena *arena)
{
    struct halves h;
    for (int i = 0; i < lines->n_line; i++) {
        if (!read_heading(&lines->line[i], &h)) continue;
        h.first = h.end = i;
        while (h.end < lines->n_line && is_cut(&lines->line[h.end], &h))
            h.end++;
        i = cut_table(lines, &h, arena) - 1;
    }
}
