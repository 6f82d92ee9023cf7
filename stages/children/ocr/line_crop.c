/* line_crop.c - see line_crop.h. */
#include "stages/children/ocr/line_crop.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "vlm/base/arena.h"

enum {
    SAMPLES_MAX = 8, /* per side of a pixel */
    CONTRAST = 24,   /* smallest difference between paper and ink */
    LEVELS = 256
};

static const double gap_least = 0.5; /* of the height: two spaces */

/* --- drawing ---------------------------------------------------------------- */

static double pixel_at(const struct image *page, double x, double y)
{
    x = fmin(fmax(x - 0.5, 0), page->width_px - 1);
    y = fmin(fmax(y - 0.5, 0), page->height_px - 1);
    int x0 = (int)x, y0 = (int)y;
    int x1 = x0 + (x0 + 1 < page->width_px);
    int y1 = y0 + (y0 + 1 < page->height_px);
    const uint8_t *a = image_row(page, y0), *b = image_row(page, y1);
    double fx = x - x0, fy = y - y0;
    return (1 - fy) * ((1 - fx) * a[x0] + fx * a[x1]) +
           fy * ((1 - fx) * b[x0] + fx * b[x1]);
}

static int samples_for(double page, int own)
{
    return (int)fmin(fmax(ceil(page / own - 0.25), 1), SAMPLES_MAX);
}

void line_crop_draw(const struct image *page, const struct text_box *box,
                    int width, int height, uint8_t *out)
{
    double c = cos(box->angle), s = sin(box->angle);
    int nx = samples_for(box->w, width), ny = samples_for(box->h, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double sum = 0;
            for (int k = 0; k < nx * ny; k++) {
                double u = ((x + (k % nx + 0.5) / nx) / width - 0.5) * box->w;
                double v = ((y + (k / nx + 0.5) / ny) / height - 0.5) * box->h;
                sum += pixel_at(page, box->x + c * u - s * v,
                                box->y + s * u + c * v);
            }
            out[(size_t)y * (size_t)width + (size_t)x] =
                (uint8_t)(sum / (nx * ny) + 0.5);
        }
}

/* --- words ----------------------------------------------------------------- */

struct ink {
    const uint8_t *picture;
    int width, height;
    int paper, least; /* ink differs from the paper by more than `least` */
    bool *column;     /* has ink in the middle rows */
};

static bool is_ink(const struct ink *ink, int x, int y)
{
    int v = ink->picture[(size_t)y * (size_t)ink->width + (size_t)x];
    int far = v > ink->paper ? v - ink->paper : ink->paper - v;
    return far > ink->least;
}

/* Paper is the middle of all grey values: print covers less than half of a
 * line, black on white or white on black. */
static void find_paper(struct ink *ink)
{
    int n[LEVELS] = {0}, all = ink->width * ink->height, sum = 0;
    int low = -1, middle = -1, high = 0;
    for (int i = 0; i < all; i++)
        n[ink->picture[i]]++;
    for (int v = 0; v < LEVELS; v++) {
        sum += n[v];
        if (low < 0 && 50 * sum >= all) low = v;
        if (middle < 0 && 2 * sum >= all) middle = v;
        if (50 * (all - sum) >= all) high = v;
    }
    int far = middle - low > high - middle ? middle - low : high - middle;
    ink->paper = middle;
    ink->least = 2 * far / 5 > CONTRAST ? 2 * far / 5 : CONTRAST;
}

static void find_columns(struct ink *ink)
{
    ink->column = mem_alloc((size_t)ink->width, sizeof *ink->column);
    for (int x = 0; x < ink->width; x++)
        for (int y = ink->height / 8; y < ink->height - ink->height / 8; y++)
            ink->column[x] |= is_ink(ink, x, y);
}

/* The longest run of paper between two columns; *middle is its middle, that of
 * the columns if there is none. */
static int longest_gap(const struct ink *ink, double from, double to,
                       double *middle)
{
    int best = 0, run = 0;
    *middle = (from + to) / 2;
    for (int x = (int)from; x < (int)to && x < ink->width; x++) {
        run = ink->column[x] ? 0 : run + 1;
        if (run <= best) continue;
        best = run;
        *middle = x + 1 - run / 2.0;
    }
    return best;
}

/* The rows of ink around the row with most of it: further ones, beyond paper as
 * high as the dot of an i is far, are of another line. */
static void find_rows(const struct ink *ink, struct line_word *word)
{
    int height = ink->height, apart = height / 7;
    int best = 0, most = 0;
    int *n = mem_alloc((size_t)height, sizeof *n);
    for (int y = 0; y < height; y++) {
        for (int x = word->left; x < word->right; x++)
            n[y] += is_ink(ink, x, y);
        if (y >= height / 4 && y < height - height / 4 && n[y] > most) {
            most = n[y];
            best = y;
        }
    }
    word->top = 0;
    word->bottom = height;
    if (most > 0) {
        word->top = word->bottom = best;
        for (int y = best; y >= 0 && word->top - y <= apart; y--)
            if (n[y]) word->top = y;
        for (int y = best; y < height && y - word->bottom <= apart; y++)
            if (n[y]) word->bottom = y;
        word->bottom++;
    }
    mem_free(n);
}

/* Shrinks the word to the ink in it. */
static void shrink(const struct ink *ink, struct line_word *word)
{
    int left = word->left, right = word->right;
    while (left < right && !ink->column[left])
        left++;
    while (right > left && !ink->column[right - 1])
        right--;
    if (left < right) {
        word->left = left;
        word->right = right;
    }
    find_rows(ink, word);
}

static int clamp_column(const struct ink *ink, double x)
{
    return (int)fmin(fmax(x + 0.5, 0), ink->width);
}

static bool is_space(const struct ctc_character *c)
{
    return !strcmp(c->text, " ") || !strcmp(c->text, "\xE3\x80\x80");
}

/* Whether the word ends before character i; *at is where. */
static bool ends_before(const struct ink *ink, double step,
                        const struct ctc_character *c, int n, int i, int last,
                        double *at)
{
    if (i == n) {
        *at = ink->width;
        return true;
    }
    if (is_space(&c[i])) return false; /* decided at the next character */
    int gap = longest_gap(ink, c[last].at * step, c[i].at * step, at);
    return last + 1 < i || gap > gap_least * ink->height;
}

int line_crop_words(const uint8_t *picture, int width, int height, double step,
                    const struct ctc_character *c, int n,
                    struct line_word *word)
{
    struct ink ink = {.picture = picture, .width = width, .height = height};
    int n_word = 0, last = -1;
    double at = 0, from = 0;
    find_paper(&ink);
    find_columns(&ink);
    for (int i = 0; i <= n; i++) {
        if (last >= 0 && ends_before(&ink, step, c, n, i, last, &at)) {
            struct line_word *w = &word[n_word++];
            w->left = clamp_column(&ink, from);
            w->right = clamp_column(&ink, at);
            if (w->left == ink.width) w->left--;
            if (w->right <= w->left) w->right = w->left + 1;
            shrink(&ink, w);
            from = at;
            last = -1;
        }
        if (i == n || is_space(&c[i])) continue;
        if (last < 0) word[n_word] = (struct line_word){.first = i, .p = 1};
        last = i;
        word[n_word].n = i + 1 - word[n_word].first;
        word[n_word].p = fmin(word[n_word].p, c[i].p);
    }
    mem_free(ink.column);
    return n_word;
}

void line_crop_place(const struct text_box *box, int width, int height,
                     const struct line_word *word, double corner[4])
{
    double c = cos(box->angle), s = sin(box->angle);
    corner[0] = corner[1] = HUGE_VAL;
    corner[2] = corner[3] = -HUGE_VAL;
    for (int k = 0; k < 4; k++) {
        double x = k & 1 ? word->right : word->left;
        double y = k & 2 ? word->bottom : word->top;
        double u = (x / width - 0.5) * box->w, v = (y / height - 0.5) * box->h;
        double px = box->x + c * u - s * v, py = box->y + s * u + c * v;
        corner[0] = fmin(corner[0], px);
        corner[1] = fmin(corner[1], py);
        corner[2] = fmax(corner[2], px);
        corner[3] = fmax(corner[3], py);
    }
}
