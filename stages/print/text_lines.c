/* text_lines.c - see text_lines.h. */
#include "stages/print/text_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/sort.h"

/* Of the lower of two boxes: half, less rounding errors. */
static const double overlap_least = 0.48;
static const double as_much = 0.04; /* overlaps this close count as equal */
static const double height_ratio_max = 4;
static const double text_gap = 0.8; /* in line heights: splits a line */

/* Boxes from the left, each appended to its line. */
struct grouping {
    const struct word *box;
    int n_box;
    double aspect;
    int *order; /* boxes from the left */
    int *last;  /* of each line: its rightmost box */
    int *line_of, *count;
    int n_line;
};

static int from_left(const void *a, const void *b)
{
    const struct word *const *one = a, *const *two = b;
    if ((*one)->x != (*two)->x) return (*one)->x < (*two)->x ? -1 : 1;
    return (*one > *two) - (*one < *two);
}

static int *order_of(const struct grouping *g, struct arena *arena)
{
    size_t n = (size_t)g->n_box;
    const struct word **sorted = arena_array(arena, n, sizeof *sorted);
    int *order = arena_array(arena, n, sizeof *order);
    for (int i = 0; i < g->n_box; i++)
        sorted[i] = &g->box[i];
    qsort(sorted, n, sizeof *sorted, from_left);
    for (int i = 0; i < g->n_box; i++)
        order[i] = (int)(sorted[i] - g->box);
    return order;
}

/* The vertical overlap of two boxes, as a share of the lower one's height. */
static double side_by_side(const struct word *a, const struct word *b)
{
    double low = fmin(a->h, b->h), high = fmax(a->h, b->h);
    if (high > height_ratio_max * low) return 0;
    double shared = fmin(a->y + a->h, b->y + b->h) - fmax(a->y, b->y);
    return shared / low;
}

/* A word of three or more characters that is higher than wide. */
static bool is_turned(const struct word *box, double aspect)
{
    return box->text && strlen(box->text) >= 3 &&
           box->h > 1.5 * box->w * aspect;
}

/* The line with the most overlap; among equal ones the upper: text centred in a
 * cell of two lines is between them. */
static int line_for(const struct grouping *g, const struct word *box)
{
    int best = -1;
    double most = overlap_least;
    if (is_turned(box, g->aspect)) return -1;
    for (int l = 0; l < g->n_line; l++) {
        const struct word *last = &g->box[g->last[l]];
        double shared = side_by_side(last, box);
        if (shared < overlap_least || is_turned(last, g->aspect)) continue;
        bool above = best < 0 || last->y < g->box[g->last[best]].y;
        if (shared < most + (above ? -as_much : as_much)) continue;
        best = l;
        most = shared;
    }
    return best;
}

static void group_boxes(struct grouping *g)
{
    for (int k = 0; k < g->n_box; k++) {
        int i = g->order[k];
        int l = line_for(g, &g->box[i]);
        if (l < 0) l = g->n_line++;
        g->last[l] = i;
        g->line_of[i] = l;
        g->count[l]++;
    }
}

static double usual_height(const struct line *line, struct arena *arena)
{
    size_t n = (size_t)line->n_word;
    double *height = arena_array(arena, n, sizeof *height);
    for (size_t i = 0; i < n; i++)
        height[i] = line->word[i].h;
    sort_doubles(height, n);
    return height[n / 2];
}

static void find_parts(struct line *line, double wide)
{
    double end = 0;
    for (int i = 0; i < line->n_word; i++) {
        const struct word *word = &line->word[i];
        bool apart = i == 0 || word->x - end > wide;
        if (apart && line->n_part < LINE_PARTS_MAX)
            line->part_x[line->n_part++] = word->x;
        end = fmax(i ? end : 0, word->x + word->w);
        line->part_w[line->n_part - 1] = end - line->part_x[line->n_part - 1];
    }
}

static void join_text(struct line *line, struct arena *arena)
{
    size_t size = 1;
    for (int i = 0; i < line->n_word; i++)
        size += strlen(line->word[i].text) + 1;
    char *text = arena_alloc(arena, size), *to = text;
    for (int i = 0; i < line->n_word; i++) {
        size_t n = strlen(line->word[i].text);
        if (i) *to++ = ' ';
        memcpy(to, line->word[i].text, n);
        to += n;
    }
    line->text = text;
}

/* Sets the line's box to the union of its words. */
static void enclose(struct line *line)
{
    double right = 0, foot = 0;
    line->x = line->y = 1;
    for (int i = 0; i < line->n_word; i++) {
        const struct word *word = &line->word[i];
        line->x = fmin(line->x, word->x);
        line->y = fmin(line->y, word->y);
        right = fmax(right, word->x + word->w);
        foot = fmax(foot, word->y + word->h);
    }
    line->w = right - line->x;
    line->h = foot - line->y;
}

/* Rotated lines last, the others by the middle of their boxes. */
static int from_top(const void *a, const void *b)
{
    const struct line *one = a, *two = b;
    if (one->turned != two->turned) return one->turned ? 1 : -1;
    double y = one->y + one->h / 2, z = two->y + two->h / 2;
    if (y != z) return y < z ? -1 : 1;
    return (one->x > two->x) - (one->x < two->x);
}

/* Copies its boxes to each line, from the left. */
static void assign_boxes(const struct grouping *g, struct arena *arena,
                         struct text_lines *out)
{
    for (int l = 0; l < g->n_line; l++) {
        struct line *line = &out->line[l];
        size_t n = (size_t)g->count[l];
        line->word = arena_array(arena, n, sizeof *line->word);
        line->box = arena_array(arena, n, sizeof *line->box);
    }
    for (int k = 0; k < g->n_box; k++) {
        const struct word *box = &g->box[g->order[k]];
        struct line *line = &out->line[g->line_of[g->order[k]]];
        line->box[line->n_word] = g->order[k];
        struct word *own = &line->word[line->n_word++];
        *own = *box;
        if (box->text) own->text = arena_text(arena, "%s", box->text);
    }
}

void text_lines_of_boxes(const struct word *box, int n_box, double aspect,
                         double gap, struct arena *arena,
                         struct text_lines *out)
{
    *out = (struct text_lines){.n_line = 0};
    if (n_box < 1) return;
    size_t n = (size_t)n_box;
    struct grouping g = {.box = box, .n_box = n_box};
    g.aspect = aspect > 0 ? aspect : M_SQRT1_2;
    g.order = order_of(&g, arena);
    g.last = arena_array(arena, n, sizeof *g.last);
    g.line_of = arena_array(arena, n, sizeof *g.line_of);
    g.count = arena_array(arena, n, sizeof *g.count);
    group_boxes(&g);
    out->n_line = g.n_line;
    out->line = arena_array(arena, (size_t)g.n_line, sizeof *out->line);
    out->has_text = box[0].text;
    assign_boxes(&g, arena, out);
    for (int l = 0; l < out->n_line; l++) {
        struct line *line = &out->line[l];
        line->turned = is_turned(&line->word[0], g.aspect);
        enclose(line);
        find_parts(line, gap * usual_height(line, arena) / g.aspect);
        if (out->has_text) join_text(line, arena);
    }
    qsort(out->line, (size_t)out->n_line, sizeof *out->line, from_top);
}

void text_lines_of_words(const struct words *words, struct arena *arena,
                         struct text_lines *out)
{
    text_lines_of_boxes(words->word, words->n_word, words->aspect, text_gap,
                        arena, out);
}

/* The part of the line that contains the word. */
static int part_index(const struct line *line, const struct word *word)
{
    double middle = word->x + word->w / 2;
    int part = 0;
    while (part + 1 < line->n_part && middle >= line->part_x[part + 1])
        part++;
    return part;
}

void text_lines_append_line(const struct line *line, const char *apart,
                            struct buf *out)
{
    for (int i = 0, last = 0; i < line->n_word; i++) {
        int part = part_index(line, &line->word[i]);
        if (i) buf_add_text(out, part != last ? apart : " ");
        buf_add_text(out, line->word[i].text);
        last = part;
    }
}

void text_lines_append_text(const struct text_lines *lines, const char *apart,
                            struct buf *out)
{
    for (int l = 0; l < lines->n_line && lines->has_text; l++) {
        text_lines_append_line(&lines->line[l], apart, out);
        buf_add_text(out, "\n");
    }
}
