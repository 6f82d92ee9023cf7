/* shrink_box.c - see shrink_box.h. */
#include "stages/page/shrink_box.h"

#include <math.h>
#include <string.h>

enum {
    CONTRAST = 48,     /* of 255: a smaller difference from paper is not ink */
    WIDE_PX = 1 << 14, /* limit for a word's sides, px */
    RULE_PERCENT = 97, /* of a row of pixels: a rule */
    STEP = 2,          /* every STEP-th pixel is used to find the paper level */
    SMALL_PX = 10      /* height below which letters are a blur */
};

/* Half of a font's free space above capitals and below descenders. */
static const double usual_above = 0.1, usual_below = 0.09;

/* The smallest region around its ink; false if there is none. */
static bool find_ink(const struct image *page, const struct region *r,
                     struct region *ink)
{
    struct levels levels = levels_of(page, *r, STEP);
    int paper = levels_paper(&levels);
    *ink = (struct region){r->right, r->foot, r->left, r->top};
    for (int y = r->top; y < r->foot; y++) {
        const uint8_t *row = image_row(page, y);
        int first = r->right, last = r->left, n = 0;
        for (int x = r->left; x < r->right; x++) {
            int off = row[x] - paper;
            if (off < CONTRAST && off > -CONTRAST) continue;
            if (x < first) first = x;
            last = x + 1;
            n++;
        }
        if (!n || n * 100 >= (r->right - r->left) * RULE_PERCENT) continue;
        if (first < ink->left) ink->left = first;
        if (last > ink->right) ink->right = last;
        if (y < ink->top) ink->top = y;
        ink->foot = y + 1;
    }
    return ink->foot > ink->top && ink->right > ink->left;
}

static void shrink_box(struct word *w, const struct image *page)
{
    double wide = page->width_px, high = page->height_px;
    struct region r = {(int)floor(w->x * wide), (int)floor(w->y * high),
                       (int)ceil((w->x + w->w) * wide),
                       (int)ceil((w->y + w->h) * high)};
    struct region ink;
    if (r.right > page->width_px) r.right = page->width_px;
    if (r.foot > page->height_px) r.foot = page->height_px;
    if (r.foot - r.top < SMALL_PX) {
        w->y += usual_above * w->h;
        w->h *= 1 - usual_above - usual_below;
        return;
    }
    if (r.right - r.left < 3 || r.right - r.left > WIDE_PX ||
        r.foot - r.top > WIDE_PX || !find_ink(page, &r, &ink))
        return;
    double left = (w->x + fmax(w->x, ink.left / wide)) / 2;
    double top = (w->y + fmax(w->y, ink.top / high)) / 2;
    double right = (w->x + w->w + fmin(w->x + w->w, ink.right / wide)) / 2;
    double foot = (w->y + w->h + fmin(w->y + w->h, ink.foot / high)) / 2;
    if (right <= left || foot <= top) return;
    w->x = left;
    w->y = top;
    w->w = right - left;
    w->h = foot - top;
}

struct words shrink_box_words(const struct words *words,
                              const struct page_view *page, struct arena *arena)
{
    struct words out = *words;
    size_t n = (size_t)words->n_word;
    out.word = arena_array(arena, n + 1, sizeof *out.word);
    for (size_t i = 0; i < n; i++) {
        const struct word *w = &words->word[i];
        out.word[i] = *w;
        out.word[i].text = arena_copy(arena, span_of(w->text));
        if (page) shrink_box(&out.word[i], &page->grey);
    }
    return out;
}

/* --- from ink to font ----------------------------------------------------- */

/* Heights above the baseline in font sizes: of capitals and figures, of small
 * letters, of descenders (below it), and of typical fonts. */
static const double capital_high = 0.72, small_high = 0.52, foot_low = 0.2,
                    font_high = 0.93, font_low = 0.23;
static const double side_free = 0.03; /* half of the side bearing */

/* How far the word's letters extend up and down; false if unknown. */
static bool reach_of(const char *text, double *up, double *down)
{
    *up = small_high;
    *down = 0;
    bool any = false;
    for (; *text; text++) {
        char c = *text;
        bool small = c >= 'a' && c <= 'z';
        bool tall = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    (small && strchr("bdfhkltij", c));
        if ((unsigned char)c >= 0x80) return false;
        if (tall) *up = capital_high;
        if (strchr("gjpqyQ()[]", c)) *down = foot_low;
        any |= small || tall;
    }
    return any;
}

static void draw_out(struct word *w, double aspect)
{
    double up, down;
    if (!reach_of(w->text, &up, &down)) return;
    double size = w->h / (up + down), line = w->y + w->h - down * size;
    double side = aspect > 0 ? side_free * size / aspect : 0;
    double left = fmax(w->x - side, 0), right = fmin(w->x + w->w + side, 1);
    double top = fmax(line - (up + font_high) / 2 * size, 0);
    double foot = fmin(line + (down + font_low) / 2 * size, 1);
    *w = (struct word){left,       top,     right - left,
                       foot - top, w->text, w->confidence};
}

struct words shrink_box_of_ink(const struct words *words, struct arena *arena)
{
    struct words out = shrink_box_words(words, NULL, arena);
    for (int i = 0; i < out.n_word; i++)
        draw_out(&out.word[i], out.aspect);
    return out;
}
