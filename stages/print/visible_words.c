/* visible_words.c - see visible_words.h. */
#include "stages/print/visible_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/utf8.h"

/* A page with more words is not readable, and each is compared with those at
 * its height. */
enum { WORDS_MAX = 8192, HEIGHT_LEAST = 5 /* px */ };

/* Shares of a word's box. A dash has little ink; a blacked-out word is all
 * ink. */
static const double ink_least = 0.02, ink_most = 0.85;

/* The width of the narrowest letter, relative to the box's height. */
static const double letter_least = 0.1;

/* The largest overlap, relative to the smaller of two boxes: closely set lines
 * overlap by less. */
static const double shared_most = 0.3;

/* Share of the page: an image larger than a letterhead can hide words
 * (text_layer_check.c). */
static const double picture_most = 0.15;

struct placed_word {
    const struct word *word;
    bool hidden;
};

/* Whether the box has more letters than a font can fit into it. */
static bool is_crammed(const struct word *w, const struct ink_map *ink)
{
    double high = w->h * ink->height, wide = w->w * ink->width;
    return (double)utf8_count(w->text) * letter_least * high > wide;
}

static bool has_ink(const struct word *w, const struct ink_map *ink)
{
    double area;
    double n = ink_map_in(ink, w->x * ink->width, w->y * ink->height,
                          w->w * ink->width, w->h * ink->height, &area);
    return area > 0 && n >= fmax(2, ink_least * area) && n <= ink_most * area &&
           w->h * ink->height >= HEIGHT_LEAST && !is_crammed(w, ink);
}

static int by_top(const void *a, const void *b)
{
    const struct placed_word *one = a, *two = b;
    if (one->word->y < two->word->y || one->word->y > two->word->y)
        return one->word->y < two->word->y ? -1 : 1;
    return one->word < two->word ? -1 : one->word > two->word;
}

static int by_order(const void *a, const void *b)
{
    const struct placed_word *one = a, *two = b;
    return one->word < two->word ? -1 : one->word > two->word;
}

static double share_of(const struct word *a, const struct word *b)
{
    double w = fmin(a->x + a->w, b->x + b->w) - fmax(a->x, b->x);
    double h = fmin(a->y + a->h, b->y + b->h) - fmax(a->y, b->y);
    double least = fmin(a->w * a->h, b->w * b->h);
    return w > 0 && h > 0 && least > 0 ? w * h / least : 0;
}

/* A word printed twice, for bold or a shadow, counts once; of other overlapping
 * words neither counts. */
static void resolve_overlap(struct placed_word *a, struct placed_word *b)
{
    if (share_of(a->word, b->word) <= shared_most) return;
    b->hidden = true;
    if (strcmp(a->word->text, b->word->text) != 0) a->hidden = true;
}

static void hide_shared(struct placed_word *seen, int n)
{
    qsort(seen, (size_t)n, sizeof *seen, by_top);
    for (int i = 0; i < n; i++) {
        double foot = seen[i].word->y + seen[i].word->h;
        for (int k = i + 1; k < n && seen[k].word->y < foot; k++)
            resolve_overlap(&seen[i], &seen[k]);
    }
    qsort(seen, (size_t)n, sizeof *seen, by_order);
}

void visible_words(const struct words *layer, const struct page_view *page,
                   struct arena *arena, struct words *out, struct err *err)
{
    *out = (struct words){.source = layer->source, .aspect = layer->aspect};
    int n = layer->n_word;
    if (err_failed(err) || n < 1 || n > WORDS_MAX || layer->cut ||
        layer->picture > picture_most)
        return;
    const struct ink_map *ink = page_view_ink(page, err);
    struct placed_word *seen = arena_array(arena, (size_t)n, sizeof *seen);
    for (int i = 0; i < n; i++)
        seen[i].word = &layer->word[i];
    hide_shared(seen, n);
    out->word = arena_array(arena, (size_t)n, sizeof *out->word);
    for (int i = 0; i < n && !err_failed(err); i++)
        if (!seen[i].hidden && has_ink(seen[i].word, ink))
            out->word[out->n_word++] = *seen[i].word;
}
