/* glyph_boxes.c - see glyph_boxes.h.
 *
 * Ink is darker than its neighbourhood by a share of the darkest ink on the
 * page, which also works for worn and dotted letters. Runs of rows with ink are
 * lines; runs higher than a line are split at their thinnest row. Gaps without
 * ink split a line into cells, with the threshold of the line's own darkest
 * ink.
 */
#include "stages/fallback/glyph_boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/sort.h"

enum {
    FINE = 8,         /* steps of darkness per grey level */
    LEAST = 6 * FINE, /* darkness above noise */
    STEPS = 256 * FINE,
    REACH_MAX = 100, /* 201 x 201 pixels of 255 are below 2^32 / FINE */
    LINE_LEAST = 4   /* least height of a line, pixels */
};
static const double ink_share = 0.35, darkest = 0.995;
static const double edge = 0.01; /* share of the width on each side: ignored */
static const double column_most = 0.5; /* more ink in a column: paper's edge */
/* In median line heights: lower runs are dirt; higher ones are several lines;
 * margin that is never split; least gap between cells. */
static const double lowest = 0.45, highest = 1.9, whole = 0.6, gap_least = 1.5;
/* Most ink in a row between two lines, as a share of a line's: in runs that are
 * too high, and in any run. */
static const double thin = 0.35, empty = 0.12;
static const double pitch_most = 1.2; /* letter distance, in line heights */
static const double alike = 0.4;      /* least ratio of the ink of two lines */

/* How much darker each pixel is than its neighbourhood. */
struct darkness {
    int16_t *at;
    int width, height;
};

/* Sums of grey above and left of each pixel; sums can wrap, differences are
 * correct. */
static uint32_t *integral_image(const struct image *page)
{
    size_t side = (size_t)page->width_px + 1;
    uint32_t *sum =
        mem_alloc(side * ((size_t)page->height_px + 1), sizeof *sum);
    for (int y = 0; y < page->height_px; y++) {
        const uint32_t *above = sum + (size_t)y * side;
        uint32_t *own = sum + ((size_t)y + 1) * side, along = 0;
        for (int x = 0; x < page->width_px; x++) {
            along += image_grey(page, x, y);
            own[x + 1] = above[x + 1] + along;
        }
    }
    return sum;
}

/* Mean grey within `reach` of a pixel, in FINE steps of a level. */
static int local_mean(const uint32_t *sum, const struct darkness *d, int y,
                      int x, int reach)
{
    int top = y > reach ? y - reach : 0, left = x > reach ? x - reach : 0;
    int foot = y + reach < d->height ? y + reach + 1 : d->height;
    int right = x + reach < d->width ? x + reach + 1 : d->width;
    size_t side = (size_t)d->width + 1;
    const uint32_t *above = sum + (size_t)top * side;
    const uint32_t *below = sum + (size_t)foot * side;
    uint32_t all = below[right] - below[left] - above[right] + above[left];
    return (int)(all * FINE / (uint32_t)((foot - top) * (right - left)));
}

static struct darkness measure_darkness(const struct image *page)
{
    struct darkness d = {NULL, page->width_px, page->height_px};
    int reach = d.width / 40 < 8 ? 8 : d.width / 40;
    if (reach > REACH_MAX) reach = REACH_MAX;
    uint32_t *sum = integral_image(page);
    d.at = mem_alloc((size_t)d.width * (size_t)d.height, sizeof *d.at);
    for (int y = 0; y < d.height; y++)
        for (int x = 0; x < d.width; x++)
            d.at[(size_t)y * (size_t)d.width + (size_t)x] =
                (int16_t)(local_mean(sum, &d, y, x, reach) -
                          local_mean(sum, &d, y, x, 1));
    mem_free(sum);
    return d;
}

/* The least darkness of ink in some rows. */
static int ink_threshold(const struct darkness *d, int top, int foot)
{
    size_t count[STEPS] = {0}, n = (size_t)(foot - top) * (size_t)d->width;
    const int16_t *at = d->at + (size_t)top * (size_t)d->width;
    for (size_t i = 0; i < n; i++)
        count[at[i] < 0 ? 0 : at[i] >= STEPS ? STEPS - 1 : at[i]]++;
    size_t below = 0;
    int most = 0;
    while (most < STEPS - 1 &&
           (double)(below += count[most]) <= darkest * (double)n)
        most++;
    return (int)fmax(LEAST, ink_share * most);
}

/* --- lines --------------------------------------------------------------- */

/* Rows of the page. */
struct print_band {
    int top, foot;
};

struct line_finder {
    const struct darkness *d;
    struct arena *arena;
    bool *paper;     /* columns to ignore: the edge of the paper */
    double *profile; /* ink of each row, smoothed over three rows */
    struct print_band *band;
    int n_band;
    double usual;
};

static void find_margins(struct line_finder *b, int ink)
{
    const struct darkness *d = b->d;
    int border = (int)fmax(1, edge * d->width);
    int *n = arena_array(b->arena, (size_t)d->width, sizeof *n);
    b->paper = arena_array(b->arena, (size_t)d->width, sizeof *b->paper);
    for (int y = 0; y < d->height; y++)
        for (int x = 0; x < d->width; x++)
            n[x] += d->at[(size_t)y * (size_t)d->width + (size_t)x] > ink;
    for (int x = 0; x < d->width; x++)
        b->paper[x] = x < border || x >= d->width - border ||
                      n[x] > column_most * d->height;
}

static void find_profile(struct line_finder *b, int ink)
{
    const struct darkness *d = b->d;
    size_t n = (size_t)d->height;
    double *plain = arena_array(b->arena, n + 2, sizeof *plain);
    b->profile = arena_array(b->arena, n + 1, sizeof *b->profile);
    for (size_t y = 0; y < n; y++)
        for (int x = 0; x < d->width; x++)
            plain[y + 1] +=
                !b->paper[x] && d->at[y * (size_t)d->width + (size_t)x] > ink;
    for (size_t y = 0; y < n; y++)
        b->profile[y] = (plain[y] + plain[y + 1] + plain[y + 2]) / 3;
}

/* The row of a run with least ink, without `margin` rows at either end. */
static int thinnest_row(const struct line_finder *b, struct print_band run,
                        int margin)
{
    int at = run.top + margin;
    for (int y = at; y < run.foot - margin; y++)
        if (b->profile[y] < b->profile[at]) at = y;
    return at;
}

/* The ink of a run's fuller rows (80th percentile). */
static double fullness(const struct line_finder *b, struct print_band run)
{
    size_t n = (size_t)(run.foot - run.top);
    double *sorted = mem_alloc(n + 1, sizeof *sorted);
    memcpy(sorted, b->profile + run.top, n * sizeof *sorted);
    sort_doubles(sorted, n);
    double full = sorted[n * 4 / 5];
    mem_free(sorted);
    return full;
}

/* Splits a run that is full above and below a thin row: lines set close,
 * whatever the height of other lines. */
static void split_even(struct line_finder *b, struct print_band run,
                       struct print_band *out, int *n)
{
    int height = run.foot - run.top, margin = (int)(0.3 * height);
    int at = thinnest_row(b, run, margin);
    struct print_band above = {run.top, at}, below = {at, run.foot};
    bool two = margin >= LINE_LEAST;
    if (two) {
        double one = fullness(b, above), other = fullness(b, below);
        two = b->profile[at] < empty * fmin(one, other) &&
              fmin(one, other) > alike * fmax(one, other);
    }
    if (two) split_even(b, above, out, n);
    if (two) split_even(b, below, out, n);
    if (!two) out[(*n)++] = run;
}

/* Finds the runs of rows with ink; returns their number. */
static int find_runs(struct line_finder *b, struct print_band *run)
{
    double least = fmax(2, 0.004 * b->d->width);
    int n = 0, top = -1;
    for (int y = 0; y <= b->d->height; y++) {
        bool on = y < b->d->height && b->profile[y] > least;
        if (on && top < 0) top = y;
        if (on || top < 0) continue;
        if (y - top >= LINE_LEAST)
            split_even(b, (struct print_band){top, y}, run, &n);
        top = -1;
    }
    return n;
}

/* The median of all heights except the lowest. */
static double usual_height(const struct print_band *run, int n,
                           struct arena *arena)
{
    double *h = arena_array(arena, (size_t)n + 1, sizeof *h);
    for (int i = 0; i < n; i++)
        h[i] = run[i].foot - run[i].top;
    sort_doubles(h, (size_t)n);
    int first = n * 2 / 5;
    while (first < n - 1 && h[first] <= LINE_LEAST)
        first++;
    return n ? h[(first + n) / 2] : 0;
}

static void split_run(struct line_finder *b, struct print_band run)
{
    double height = run.foot - run.top;
    int at = thinnest_row(b, run, (int)(whole * b->usual));
    if (height > highest * b->usual &&
        b->profile[at] < thin * fullness(b, run)) {
        split_run(b, (struct print_band){run.top, at});
        split_run(b, (struct print_band){at, run.foot});
    } else if (height >= lowest * b->usual) {
        b->band[b->n_band++] = run;
    }
}

static void find_bands(struct line_finder *b)
{
    int ink = ink_threshold(b->d, 0, b->d->height);
    size_t most = (size_t)b->d->height + 1;
    struct print_band *run = arena_array(b->arena, most, sizeof *run);
    b->band = arena_array(b->arena, most, sizeof *b->band);
    find_margins(b, ink);
    find_profile(b, ink);
    int n = find_runs(b, run);
    b->usual = usual_height(run, n, b->arena);
    for (int i = 0; i < n; i++)
        split_run(b, run[i]);
}

/* --- cells --------------------------------------------------------------- */

/* A line that is being cut into cells. */
struct cell_cutter {
    struct line_finder *b;
    size_t *apart; /* histogram of letter distances on the page, by pixels */
    struct print_band band;
    bool *ink; /* columns with ink */
    struct glyph_boxes *out;
    double widest_px;
};

/* The middle of the widest gap in the middle half of a span, or -1. */
static int widest_gap(const struct cell_cutter *c, int from, int to)
{
    int quarter = (to - from) / 4, best = 0, at = -1, run = 0;
    for (int x = from + quarter; x < to - quarter; x++) {
        run = c->ink[x] ? 0 : run + 1;
        if (run <= best) continue;
        best = run;
        at = x - run / 2;
    }
    return at;
}

/* Adds the cells of a span; left and right: half way to its neighbours. */
static void add_span(struct cell_cutter *c, int from, int to, int left,
                     int right)
{
    while (from < to && !c->ink[from])
        from++;
    while (to > from && !c->ink[to - 1])
        to--;
    if (to - from < 2) return;
    int at = to - from > c->widest_px ? widest_gap(c, from, to) : -1;
    if (at >= 0) {
        add_span(c, from, at, left, at);
        add_span(c, at, to, at, right);
        return;
    }
    c->out->cell[c->out->n_cell++] =
        (struct print_cell){.x = from,
                            .y = c->band.top,
                            .w = to - from,
                            .h = c->band.foot - c->band.top,
                            .left = left,
                            .right = right};
}

static void find_ink(struct cell_cutter *c)
{
    const struct darkness *d = c->b->d;
    int ink = ink_threshold(d, c->band.top, c->band.foot);
    memset(c->ink, 0, (size_t)d->width * sizeof *c->ink);
    for (int y = c->band.top; y < c->band.foot; y++)
        for (int x = 0; x < d->width; x++)
            c->ink[x] |= !c->b->paper[x] &&
                         d->at[(size_t)y * (size_t)d->width + (size_t)x] > ink;
}

/* Counts letter distances; a letter is a run of columns with ink. */
static void count_pitch(struct cell_cutter *c)
{
    int from = -1;
    for (int x = 1; x < c->b->d->width; x++) {
        if (!c->ink[x] || c->ink[x - 1]) continue;
        if (from >= 0 && x - from < pitch_most * c->b->usual)
            c->apart[x - from]++;
        from = x;
    }
}

static double pitch_of(const size_t *apart, int n)
{
    size_t all = 0, below = 0;
    for (int i = 0; i < n; i++)
        all += apart[i];
    for (int i = 0; i < n; i++)
        if (all && (below += apart[i]) * 2 >= all) return i;
    return 0;
}

/* Cuts the line at wide gaps. */
static void cut_line(struct cell_cutter *c)
{
    int width = c->b->d->width, from = -1, end = 0, left = 0;
    find_ink(c);
    count_pitch(c);
    for (int x = 0; x < width; x++) {
        if (!c->ink[x]) continue;
        if (from >= 0 && x - end > gap_least * c->b->usual) {
            add_span(c, from, end, left, (end + x) / 2);
            left = (end + x) / 2;
            from = x;
        }
        if (from < 0) from = x;
        end = x + 1;
    }
    if (from >= 0) add_span(c, from, end, left, width);
}

void glyph_boxes_find(const struct image *page, double widest,
                      struct arena *arena, struct glyph_boxes *out)
{
    struct darkness d = measure_darkness(page);
    struct line_finder b = {.d = &d, .arena = arena};
    *out = (struct glyph_boxes){.n_cell = 0};
    find_bands(&b);
    size_t most = (size_t)b.n_band * ((size_t)d.width / 2) + 1;
    out->cell = arena_array(arena, most, sizeof *out->cell);
    out->usual = b.usual;
    bool *ink = arena_array(arena, (size_t)d.width, sizeof *ink);
    size_t *apart = arena_array(arena, (size_t)d.width, sizeof *apart);
    for (int i = 0; i < b.n_band; i++)
        cut_line(&(struct cell_cutter){.b = &b,
                                       .apart = apart,
                                       .band = b.band[i],
                                       .ink = ink,
                                       .out = out,
                                       .widest_px = widest * b.usual});
    out->pitch = pitch_of(apart, d.width);
    mem_free(d.at);
}
