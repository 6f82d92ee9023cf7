/* text_lines.c - see text_lines.h. */
#include "stages/page/text_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/pixels/deskew.h"
#include "stages/pixels/rotate90.h"
#include "vlm/base/sort.h"
#include "vlm/base/utf8.h"

static void text_lines_of_boxes(const struct word *box, int n_box,
                                double aspect, double gap, struct arena *arena,
                                struct text_lines *out);

/* --- text lines ink -------------------------------------------------------- */

/* Lines of print found without text: see text_lines.h.
 *
 * Ink is darker than its neighbourhood, and than the pixels right next to it.
 * Long straight runs of ink are rules and are removed; connected runs are
 * pieces, about a letter each; pieces of a letter's size are grouped like
 * words. */

static const double ink_gap = 1.2; /* in letter heights: separates columns */

enum { INK_PERCENT = 85 /* of the mean around */, REACH_MAX = 100 };

enum { BESIDE_SHARE = 80 /* of the width: about a letter */, BESIDE_LEAST = 6 };

/* A pixel of a mask. SHADE is darker than its neighbourhood, but not than the
 * pixels next to it: a rule, or a highlighter's stroke. */
enum { PAPER, INK, RULE, SHADE };

enum { PIECES_MAX = 32768, RUNS_MAX = 1 << 21 };

/* The pixels of a page, as above. */
struct mask {
    uint8_t *ink;
    int width, height;
};

/* A run of ink in a row; pieces are trees of runs (union-find). */
struct run {
    int from, to, row, parent;
};

struct pieces {
    struct run *run;
    int n_run;
};

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

/* A ring of rows of a summed-area table of grey: row y has the sums of all rows
 * before y. Sums wrap; their differences do not. */
struct sums {
    uint32_t *ring;
    size_t side; /* of a row: width + 1 */
    int n_row, next;
};

static uint32_t *sums_row(const struct sums *sums, int y)
{
    return sums->ring + (size_t)(y % sums->n_row) * sums->side;
}

/* Adds the page's rows up to row `foot`. */
static void sums_until(struct sums *sums, const struct image *page, int foot)
{
    for (; sums->next <= foot; sums->next++) {
        const uint32_t *above = sums_row(sums, sums->next - 1);
        uint32_t *own = sums_row(sums, sums->next), along = 0;
        own[0] = 0;
        for (int x = 0; x < page->width_px; x++) {
            along += image_grey(page, x, sums->next - 1);
            own[x + 1] = above[x + 1] + along;
        }
    }
}

static uint8_t brighter(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* Writes the brightest grey within `reach` of each pixel of row y to
 * out[width], followed by working space, 3 * (width + 2 * reach) in all. A
 * highlighter's stroke is darker than the paper around it, and print on it is
 * darker still. Uses spans of 2 reach + 1 pixels: the maxima from a span's
 * start to each pixel, and from each pixel to its end; any window is the end of
 * one span and the start of the next (van Herk; Gil and Werman). */
static void brightest_beside(const struct image *page, int y, int reach,
                             uint8_t *out)
{
    int span = 2 * reach + 1, width = page->width_px, n = width + 2 * reach;
    uint8_t *begin = out + n, *end = begin + n;
    for (int i = 0; i < n; i++) {
        int x = i - reach;
        uint8_t own = x < 0 || x >= width ? 0 : image_grey(page, x, y);
        end[i] = own;
        begin[i] = i % span ? brighter(begin[i - 1], own) : own;
    }
    for (int i = n - 2; i >= 0; i--)
        if ((i + 1) % span) end[i] = brighter(end[i], end[i + 1]);
    for (int x = 0; x < width; x++)
        out[x] = brighter(end[x], begin[x + 2 * reach]);
}

static void find_ink(const struct image *page, struct mask *mask)
{
    int beside = at_least(page->width_px / BESIDE_SHARE, BESIDE_LEAST);
    int reach = at_most(at_least(page->width_px / 24, 8), REACH_MAX);
    struct sums sums = {NULL, (size_t)page->width_px + 1, 2 * reach + 2, 1};
    sums.ring = mem_alloc((size_t)sums.n_row * sums.side, sizeof *sums.ring);
    uint8_t *paper =
        mem_alloc(3 * ((size_t)page->width_px + 2 * (size_t)beside), 1);
    for (int y = 0; y < mask->height; y++) {
        uint8_t *ink = mask->ink + (size_t)y * (size_t)mask->width;
        int top = at_least(y - reach, 0),
            foot = at_most(y + reach, mask->height);
        sums_until(&sums, page, foot);
        const uint32_t *above = sums_row(&sums, top);
        const uint32_t *below = sums_row(&sums, foot);
        brightest_beside(page, y, beside, paper);
        for (int x = 0; x < mask->width; x++) {
            int left = at_least(x - reach, 0);
            int right = at_most(x + reach, mask->width);
            uint32_t all =
                below[right] - below[left] - above[right] + above[left];
            uint32_t area = (uint32_t)((right - left) * (foot - top));
            /* 200 x 200 pixels of 255 times 100 are below 2^32 */
            unsigned grey = image_grey(page, x, y);
            bool dark = grey * area * 100 < all * INK_PERCENT;
            bool print = grey * 100 < paper[x] * (unsigned)INK_PERCENT;
            ink[x] = !dark ? PAPER : print ? INK : SHADE;
        }
    }
    mem_free(sums.ring);
    mem_free(paper);
}

/* Marks runs of at least `least` pixels in a row as rules; they stay ink for
 * rules that cross them. Of a rule or a highlighter's stroke only the very ends
 * are ink; print on such a stroke remains. */
static void mark_runs(uint8_t *ink, int n, int least)
{
    int since = 0;
    for (int i = 0; i <= n; i++) {
        if (i < n && ink[i]) continue;
        for (int k = since; i - since >= least && k < i; k++)
            if (ink[k] == SHADE) ink[k] = RULE;
        since = i + 1;
    }
}

/* Marks the run of `n` pixels above row y as a rule if most of it is ink. */
static void mark_column(const struct mask *mask, size_t x, int y, int n)
{
    size_t w = (size_t)mask->width;
    int n_ink = 0;
    for (int k = 1; k <= n; k++)
        n_ink += mask->ink[(size_t)(y - k) * w + x] == INK;
    for (int k = 1; 2 * n_ink >= n && k <= n; k++)
        mask->ink[(size_t)(y - k) * w + x] = RULE;
}

/* The same for columns, row by row. */
static void mark_columns(struct mask *mask, int least)
{
    size_t w = (size_t)mask->width;
    int *run = mem_alloc(w, sizeof *run);
    for (int y = 0; y <= mask->height; y++)
        for (size_t x = 0; x < w; x++) {
            if (y < mask->height && mask->ink[(size_t)y * w + x]) {
                run[x]++;
                continue;
            }
            if (run[x] >= least) mark_column(mask, x, y, run[x]);
            run[x] = 0;
        }
    mem_free(run);
}

static void mark_rules(struct mask *mask)
{
    size_t w = (size_t)mask->width;
    mark_columns(mask, at_least(mask->height / 25, 24));
    for (int y = 0; y < mask->height; y++)
        mark_runs(mask->ink + (size_t)y * w, mask->width,
                  at_least(mask->width / 15, 24));
}

static int root_of(struct run *run, int i)
{
    while (run[i].parent != i)
        i = run[i].parent = run[run[i].parent].parent;
    return i;
}

static void add_run(struct pieces *p, struct run run)
{
    run.parent = p->n_run;
    *MEM_ADD(p->run, p->n_run) = run;
}

/* Joins the runs of a row with those above that they touch. */
static void tie_runs(struct pieces *p, int above, int first)
{
    for (int i = first; i < p->n_run; i++) {
        while (above < first && p->run[above].to < p->run[i].from)
            above++;
        for (int k = above; k < first && p->run[k].from <= p->run[i].to; k++)
            p->run[root_of(p->run, k)].parent = root_of(p->run, i);
    }
}

static void find_runs(const struct mask *mask, struct pieces *p)
{
    int above = 0;
    for (int y = 0; y < mask->height && p->n_run < RUNS_MAX; y++) {
        const uint8_t *ink = mask->ink + (size_t)y * (size_t)mask->width;
        int first = p->n_run;
        for (int x = 0, from; x < mask->width; x++) {
            if (ink[x] != INK) continue;
            for (from = x; x < mask->width && ink[x] == INK;)
                x++;
            add_run(p, (struct run){.from = from, .to = x, .row = y});
        }
        tie_runs(p, above, first);
        above = first;
    }
}

/* The boxes of all pieces at least 4 px high, in pixels. */
static int find_boxes(struct pieces *p, struct word *box)
{
    int *index = mem_alloc((size_t)p->n_run, sizeof *index), n = 0;
    for (int i = 0; i < p->n_run; i++) {
        const struct run *run = &p->run[i];
        int root = root_of(p->run, i);
        if (!index[root] && n == PIECES_MAX) continue;
        if (!index[root]) {
            box[n] = (struct word){run->from, run->row, 0, 0, NULL, 1};
            index[root] = ++n;
        }
        struct word *own = &box[index[root] - 1];
        double right = own->x + own->w;
        if (run->to > right) right = run->to;
        if (run->from < own->x) own->x = run->from;
        own->w = right - own->x;
        own->h = run->row + 1 - own->y;
    }
    mem_free(index);
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (box[i].h >= 4 && box[i].w >= 2) box[kept++] = box[i];
    return kept;
}

static int lower_first(const void *a, const void *b)
{
    const struct word *one = a, *two = b;
    return (one->h > two->h) - (one->h < two->h);
}

/* Keeps boxes of a letter's size, in 0..1 of the page. */
static int keep_letters(struct word *box, int n, const struct image *page)
{
    if (n == 0) return 0;
    qsort(box, (size_t)n, sizeof *box, lower_first);
    double usual = box[n / 2].h;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        struct word piece = box[i];
        if (piece.h < usual / 2 || piece.h > 3 * usual) continue;
        piece.x /= page->width_px;
        piece.w /= page->width_px;
        piece.y /= page->height_px;
        piece.h /= page->height_px;
        if (piece.w < 0.5) box[kept++] = piece;
    }
    return kept;
}

void text_lines_turn_boxes(struct word *box, int n, double degrees,
                           double aspect)
{
    double sine = sin(degrees * M_PI / 180), cosine = cos(degrees * M_PI / 180);
    for (int i = 0; i < n && degrees != 0; i++) {
        double dx = (box[i].x + box[i].w / 2 - 0.5) * aspect;
        double dy = box[i].y + box[i].h / 2 - 0.5;
        box[i].x = 0.5 + (dx * cosine + dy * sine) / aspect - box[i].w / 2;
        box[i].y = 0.5 + dy * cosine - dx * sine - box[i].h / 2;
    }
}

void text_lines_of_ink(const struct image *page, double degrees,
                       struct arena *arena, struct text_lines *out,
                       struct err *err)
{
    *out = (struct text_lines){.n_line = 0};
    if (err_failed(err)) return;
    struct mask mask = {.width = page->width_px, .height = page->height_px};
    size_t area = (size_t)mask.width * (size_t)mask.height;
    mask.ink = mem_try_aligned(area);
    if (!mask.ink) {
        err_set(err, ERR_SYSTEM, "not enough memory for a page's ink");
        return;
    }
    struct pieces pieces = {.n_run = 0};
    find_ink(page, &mask);
    mark_rules(&mask);
    find_runs(&mask, &pieces);
    mem_free(mask.ink);
    struct word *box =
        mem_alloc((size_t)at_most(pieces.n_run, PIECES_MAX), sizeof *box);
    int n = find_boxes(&pieces, box);
    mem_free(pieces.run);
    n = keep_letters(box, n, page);
    double aspect = (double)page->width_px / page->height_px;
    text_lines_turn_boxes(box, n, degrees, aspect);
    text_lines_of_boxes(box, n, aspect, ink_gap, arena, out);
    mem_free(box);
}

/* --- text lines ------------------------------------------------------------ */

/* Of the lower of two boxes: half, less rounding errors. */
static const double overlap_least = 0.48;

static const double as_much = 0.04; /* overlaps this close count as equal */

static const double height_ratio_max = 4;

static const double text_gap = 0.8; /* in line heights: splits a line */
/* Of the width of a letter: by so much the ink of words and of a blank differs from their
 * letters on a typewriter. */
static const double typewriter_most = 0.4;

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
    return box->text && utf8_count(box->text) >= 3 &&
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

/* "B  &  BEST": a sign that joins two words in wide print. */
static bool joins(const struct word *word)
{
    return word->text && !strcmp(word->text, "&");
}

/* Whether the gap before the word is a blank of print whose letters are all as wide as
 * one another: there it is as wide as a letter. */
static bool is_blank_of_typewriter(const struct word *word)
{
    const struct word *last = word - 1;
    if (!word->text || !last->text || !*word->text || !*last->text)
        return false;
    double n = (double)utf8_count(last->text),
           m = (double)utf8_count(word->text);
    double wide = (word->x - last->x) / (n + 1); /* of a letter, or a blank */
    double longer = n > m ? last->w / n : word->w / m;
    return fabs(last->w - n * wide) <= typewriter_most * wide &&
           fabs(word->w - m * wide) <= typewriter_most * wide &&
           word->x - last->x - last->w <= (1 + typewriter_most) * longer;
}

static void find_parts(struct line *line, double wide)
{
    double end = 0;
    for (int i = 0; i < line->n_word; i++) {
        const struct word *word = &line->word[i];
        bool joined = i && (joins(word) || joins(word - 1));
        bool apart = i == 0 || (word->x - end > (joined ? 2 * wide : wide) &&
                                !is_blank_of_typewriter(word));
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

/* Groups boxes, in any order, into lines: boxes whose vertical extents overlap
 * by half are on one line, compared from neighbour to neighbour, so that the
 * page can be slightly skewed. A gap wider than `gap` times the line's usual
 * height splits it into parts. `aspect` is the page's width / height. Texts
 * (all or none NULL) are copied; the result lives in the arena. */
static void text_lines_of_boxes(const struct word *box, int n_box,
                                double aspect, double gap, struct arena *arena,
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

/* Scales boxes about the page's centre. */
static void grow_boxes(struct word *box, int n, double growth)
{
    for (int i = 0; i < n; i++) {
        box[i].x = 0.5 + (box[i].x - 0.5) * growth;
        box[i].y = 0.5 + (box[i].y - 0.5) * growth;
        box[i].w *= growth;
        box[i].h *= growth;
    }
}

void text_lines_skew_words(struct words *words)
{
    double slope = fabs(words->skew_degrees) * M_PI / 180;
    if (slope <= 0 || words->aspect <= 0) return;
    grow_boxes(words->word, words->n_word,
               deskew_growth(words->aspect, words->skew_degrees));
    text_lines_turn_boxes(words->word, words->n_word, -words->skew_degrees,
                          words->aspect);
    for (int i = 0; i < words->n_word; i++) {
        struct word *word = &words->word[i];
        double w = word->w * words->aspect, h = word->h;
        double x = word->x + word->w / 2, y = word->y + h / 2;
        double wide = (w * cos(slope) + h * sin(slope)) / words->aspect;
        double high = h * cos(slope) + w * sin(slope);
        word->x = fmin(fmax(x - wide / 2, 0), 1);
        word->y = fmin(fmax(y - high / 2, 0), 1);
        word->w = fmax(fmin(x + wide / 2, 1) - word->x, 0);
        word->h = fmax(fmin(y + high / 2, 1) - word->y, 0);
    }
}

/* Undoes what a slope adds to the boxes of words: one of width W and height H
 * has a box of W cos + H sin by W sin + H cos. */
static void straighten_sizes(struct word *box, int n, double degrees,
                             double aspect)
{
    double slope = fabs(degrees) * M_PI / 180, all = cos(2 * slope);
    for (int i = 0; i < n; i++) {
        double w = box[i].w * aspect, h = box[i].h;
        double wide = (w * cos(slope) - h * sin(slope)) / all / aspect;
        double high = (h * cos(slope) - w * sin(slope)) / all;
        if (wide < box[i].w / 2 || high < h / 4) continue;
        box[i].x += (box[i].w - wide) / 2;
        box[i].y += (h - high) / 2;
        box[i].w = wide;
        box[i].h = high;
    }
}

void text_lines_of_words(const struct words *words, struct arena *arena,
                         struct text_lines *out)
{
    size_t n = (size_t)words->n_word;
    struct word *box = words->word;
    if (words->skew_degrees != 0 && words->aspect > 0) {
        box = arena_array(arena, n + 1, sizeof *box);
        memcpy(box, words->word, n * sizeof *box);
        straighten_sizes(box, words->n_word, words->skew_degrees,
                         words->aspect);
        text_lines_turn_boxes(box, words->n_word, words->skew_degrees,
                              words->aspect);
    }
    text_lines_of_boxes(box, words->n_word, words->aspect, text_gap, arena,
                        out);
}

/* --- text on its side ------------------------------------------------------ */

struct word text_lines_word_back(struct word w, int quarters)
{
    struct box b = rotate90_back((struct box){w.x, w.y, w.w, w.h}, quarters);
    w.x = b.x, w.y = b.y, w.w = b.w, w.h = b.h;
    return w;
}

/* Whether most words run up or down the page. */
static bool is_on_side(const struct words *words)
{
    int n_turned = 0, n_level = 0;
    for (int i = 0; i < words->n_word; i++) {
        bool is_long = strlen(words->word[i].text) >= 3;
        bool turned = is_turned(&words->word[i], words->aspect);
        n_turned += turned;
        n_level += is_long && !turned;
    }
    return n_turned > n_level;
}

/* Whether text runs up the page, judging by the order of the file: words that
 * follow each other in a line are beside each other in one column. */
static bool runs_up(const struct words *words)
{
    int n_up = 0, n_down = 0;
    for (int i = 0; i + 1 < words->n_word; i++) {
        const struct word *a = &words->word[i], *b = a + 1;
        double shared = fmin(a->x + a->w, b->x + b->w) - fmax(a->x, b->x);
        if (shared < overlap_least * fmin(a->w, b->w)) continue;
        n_up += b->y + b->h <= a->y + a->h / 2;
        n_down += b->y >= a->y + a->h / 2;
    }
    return n_up >= n_down;
}

/* --- tables side by side ----------------------------------------------------- */

/* Where a heading repeats on its line, as on telephone bills and lists of members,
 * the lines below belong to as many tables, up to one with a word from one half to
 * the next: all lines of the first half, then those of the second. */

enum { SIDES_MOST = 4, HEADS_LEAST = 2 /* words of a heading that repeat */ };

static const double label_edge = 0.02; /* of the page's width */

/* A table of several halves: where each begins, and its lines. */
struct halves {
    int n;
    double from[SIDES_MOST + 1]; /* the last: right of the page */
    int first, end;              /* lines, the heading included */
};

/* Whether it is a word of a heading: without digits. */
static bool is_heading_word(const char *text)
{
    bool letter = false;
    for (; *text; text++) {
        if (*text >= '0' && *text <= '9') return false;
        letter |= (*text | 32) >= 'a' && (*text | 32) <= 'z';
        letter |= (unsigned char)*text >= 0x80;
    }
    return letter;
}

/* Whether the words of the line are the same words n times. */
static bool repeats(const struct line *line, int n)
{
    int each = line->n_word / n;
    if (line->n_word % n || each < HEADS_LEAST ||
        line->n_part < HEADS_LEAST * n)
        return false;  /* one name twice, of who is billed and who receives */
    bool units = true; /* "mm mm mm mm" */
    for (int i = 0; i < each; i++) {
        if (!is_heading_word(line->word[i].text)) return false;
        units = units && !strcmp(line->word[i].text, line->word->text);
    }
    for (int i = each; i < line->n_word; i++)
        if (strcmp(line->word[i].text, line->word[i - each].text) != 0)
            return false;
    return !units;
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
    if (!out->n_part ||
        out->part_x[0] > out->x) { /* it began in the half before */
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

/* The index after the table whose heading is line h->first: below stand two lines
 * at least, none of which crosses a gap, or begins left of the heading, as the
 * labels of a single table do ("2025 2024 2025 2024"). 0: there is no table. */
static int end_of_table(const struct text_lines *lines, const struct halves *h)
{
    const struct line *head = &lines->line[h->first];
    int end = h->first;
    while (end < lines->n_line && is_cut(&lines->line[end], h) &&
           lines->line[end].x >= head->x - label_edge)
        end++;
    return end > h->first + 2 ? end : 0;
}

/* The number of lines, if each word were one. */
static size_t n_words(const struct text_lines *lines)
{
    size_t n = 1;
    for (int i = 0; i < lines->n_line; i++)
        n += (size_t)lines->line[i].n_word + 1;
    return n;
}

static void cut_side_tables(struct text_lines *lines, struct arena *arena)
{
    struct line *all = NULL;
    int n = 0;
    for (int i = 0; i < lines->n_line; i++) {
        struct halves h = {.first = i};
        h.end = read_heading(&lines->line[i], &h) ? end_of_table(lines, &h) : 0;
        if (h.end && !all) {
            all = arena_array(arena, n_words(lines), sizeof *all);
            memcpy(all, lines->line, (size_t)i * sizeof *all);
            n = i;
        }
        for (int s = 0; s < h.n && h.end; s++)
            for (int k = i; k < h.end; k++)
                n += cut_line(&lines->line[k], h.from[s], h.from[s + 1], arena,
                              &all[n]);
        if (h.end)
            i = h.end - 1;
        else if (all)
            all[n++] = lines->line[i];
    }
    if (!all) return;
    lines->line = all;
    lines->n_line = n;
}

void text_lines_of_upright(const struct words *words, struct arena *arena,
                           struct text_lines *out)
{
    int quarters = words->turns == 2    ? 2
                   : !is_on_side(words) ? 0
                   : runs_up(words)     ? 3
                                        : 1;
    if (words->aspect <= 0 || !quarters) {
        text_lines_of_words(words, arena, out);
        cut_side_tables(out, arena);
        return;
    }
    size_t n = (size_t)words->n_word;
    struct word *box = arena_array(arena, n + 1, sizeof *box);
    for (size_t i = 0; i < n; i++)
        box[i] = text_lines_word_back(words->word[i], quarters);
    text_lines_of_boxes(box, words->n_word,
                        quarters % 2 ? 1 / words->aspect : words->aspect,
                        text_gap, arena, out);
    out->quarters = quarters;
    cut_side_tables(out, arena);
}

/* --- text ------------------------------------------------------------------ */

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
