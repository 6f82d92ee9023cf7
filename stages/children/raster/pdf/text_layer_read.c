/* text_layer_read.c - see text_layer_read.h.
 *
 * poppler delivers the page's text and a box for each character. A word ends at
 * white space, unless that is too narrow for one, and where the next character's
 * box does not touch: poppler writes no space between the columns of a line. A
 * word's box is the union of its characters' boxes.
 */
#include "stages/children/raster/pdf/text_layer_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <poppler.h>

#include "stages/children/raster/pdf/visible_glyphs.h"
#include "stages/document/words.h"
#include "vlm/base/arena.h"

enum { AREA = 1000000 }; /* points: wider than any page */

/* Points: what is smaller cannot be read. */
static const double size_least = 2;

/* The least width of a space between words, relative to the height of a line. In 230
 * real PDFs 345 narrower ones were gaps in a word, and 4 spaces of tight justified lines;
 * from 0.13 on nearly all were spaces. */
static const double space_least = 0.125;

/* The widest gap between letters that touch, relative to the longer side of a box. */
static const double touching = 0.05;

/* The largest overlap of the ink of two words, relative to the smaller one. */
static const double shared_most = 0.3;

/* Words of more different heights are print and a watermark across it. */
static const double heights_most = 2;

/* A visible word. */
struct visible_word {
    struct drawn_box ink;
    uint32_t index, begin; /* in layer->word and layer->byte */
};

/* A page's characters and boxes, and the current word. */
struct layer_reader {
    struct text_layer *layer;
    const struct visible_glyphs *drawn;
    double width, height;    /* of the page, points */
    double x_scale, y_scale; /* pixels per point */
    PopplerRectangle box;
    struct drawn_box ink; /* of the word; empty: right is not above left */
    double size;          /* the longest side of a character */
    bool hidden;          /* a character is not visible */
    struct visible_word *visible;
    uint32_t n_visible;
    int depth;      /* of poppler's direction marks */
    bool closed;    /* the previous character was the last closing mark */
    bool any;       /* `box` has been set */
    uint32_t begin; /* start of the word in layer->byte */
    uint32_t at;    /* where its next character goes */
};

static bool is_direction_mark(gunichar c)
{
    return (c >= 0x202A && c <= 0x202E) || c == 0x200E || c == 0x200F ||
           (c >= 0x2066 && c <= 0x2069);
}

/* Whether the character is a ligature, or an Arabic or Hebrew letter in the form that it
 * has in its place of the word. */
static bool is_form(gunichar c)
{
    return (c >= 0xFB00 && c <= 0xFDFF) || (c >= 0xFE70 && c < 0xFEFF);
}

/* Inserts the character at r->at. */
static void add_letter(struct layer_reader *r, gunichar c)
{
    struct text_layer *layer = r->layer;
    char bytes[6];
    size_t n = (size_t)g_unichar_to_utf8(c, bytes);
    if (layer->n_byte + n > PACKED_TEXT_MAX) {
        layer->cut = true;
        return;
    }
    layer->byte = mem_room(layer->byte, layer->n_byte, n, 1);
    char *at = layer->byte + r->at;
    memmove(at + n, at, layer->n_byte - r->at);
    memcpy(at, bytes, n);
    layer->n_byte += (uint32_t)n;
    r->at += (uint32_t)n;
}

static void add_character(struct layer_reader *r, gunichar c)
{
    gunichar letter[G_UNICHAR_MAX_DECOMPOSITION_LENGTH];
    gsize n = 1;
    *letter = c;
    if (is_form(c))
        n = g_unichar_fully_decompose(c, TRUE, letter,
                                      G_UNICHAR_MAX_DECOMPOSITION_LENGTH);
    else if (c <= 0x20 || is_direction_mark(c) ||
             (c != 0xAD && g_unichar_type(c) == G_UNICODE_CONTROL))
        return;
    for (gsize i = 0; i < n; i++)
        if (letter[i] > 0x20) add_letter(r, letter[i]);
}

/* Whether the box touches that of the previous character; within a poppler word
 * they share an edge. */
static bool touches(const PopplerRectangle *a, const PopplerRectangle *b)
{
    double near = touching * fmax(fabs(b->x2 - b->x1), fabs(b->y2 - b->y1));
    double x = fmax(fmin(a->x1, a->x2), fmin(b->x1, b->x2)) -
               fmin(fmax(a->x1, a->x2), fmax(b->x1, b->x2));
    double y = fmax(fmin(a->y1, a->y2), fmin(b->y1, b->y2)) -
               fmin(fmax(a->y1, a->y2), fmax(b->y1, b->y2));
    return x <= near && y <= near;
}

static void add_box(struct layer_reader *r, const PopplerRectangle *box)
{
    double x1 = fmin(box->x1, box->x2), x2 = fmax(box->x1, box->x2);
    double y1 = fmin(box->y1, box->y2), y2 = fmax(box->y1, box->y2);
    if (!isfinite(x1 + x2 + y1 + y2)) return;
    PopplerRectangle *all = &r->box;
    if (!r->any) *all = (PopplerRectangle){x1, y1, x2, y2};
    r->any = true;
    all->x1 = fmin(all->x1, x1);
    all->x2 = fmax(all->x2, x2);
    all->y1 = fmin(all->y1, y1);
    all->y2 = fmax(all->y2, y2);
}

static double longer_side(const struct drawn_box *box)
{
    return fmax(box->right - box->left, box->bottom - box->top);
}

static void add_ink(struct drawn_box *all, const struct drawn_box *ink)
{
    if (all->right <= all->left)
        *all = *ink;
    else
        *all = (struct drawn_box){
            fmin(all->left, ink->left), fmin(all->top, ink->top),
            fmax(all->right, ink->right), fmax(all->bottom, ink->bottom)};
}

/* Whether the character is printed by itself: no space, accent or mark. */
static bool has_own_ink(gunichar c)
{
    return g_unichar_isgraph(c) && !g_unichar_ismark(c) &&
           g_unichar_type(c) != G_UNICODE_FORMAT;
}

/* A letter or digit has at least this part of its box's longer side. */
static const double letter_least = 0.1;

static bool is_large_enough(gunichar c, const struct drawn_box *ink,
                            const struct drawn_box *box)
{
    return !g_unichar_isalnum(c) ||
           longer_side(ink) >= letter_least * longer_side(box);
}

/* Looks for the visible ink of a character. */
static void find_ink(struct layer_reader *r, gunichar c,
                     const PopplerRectangle *at)
{
    struct drawn_box ink, box = {fmin(at->x1, at->x2) * r->x_scale,
                                 fmin(at->y1, at->y2) * r->y_scale,
                                 fmax(at->x1, at->x2) * r->x_scale,
                                 fmax(at->y1, at->y2) * r->y_scale};
    r->size = fmax(r->size, fmax(fabs(at->x2 - at->x1), fabs(at->y2 - at->y1)));
    if (!has_own_ink(c)) return;
    if (r->drawn && visible_glyphs_shows(r->drawn, &box, &ink) &&
        is_large_enough(c, &ink, &box))
        add_ink(&r->ink, &ink);
    else
        r->hidden = true;
}

/* Soft hyphens in the word: one at its end is printed, others are not. */
static void resolve_hyphens(struct layer_reader *r)
{
    char *to = r->layer->byte + r->begin, *at = to;
    const char *end = r->layer->byte + r->layer->n_byte;
    while (at < end) {
        bool soft = end - at >= 2 && !memcmp(at, "\xC2\xAD", 2);
        if (soft && at + 2 == end && to > r->layer->byte + r->begin)
            *to++ = '-';
        else if (!soft)
            *to++ = *at;
        at += soft ? 2 : 1;
    }
    r->layer->n_byte = (uint32_t)(to - r->layer->byte);
}

/* Scales `from` to `to` of a side to PACKED_WORD_ONE-ths, clipped, not
 * empty. */
static void scale_side(double from, double to, double side, uint32_t *at,
                       uint32_t *size)
{
    double one = PACKED_WORD_ONE;
    double first = fmin(fmax(floor(from / side * one), 0), one - 1);
    double last = fmin(fmax(ceil(to / side * one), first + 1), one);
    *at = (uint32_t)first;
    *size = (uint32_t)(last - first);
}

static void add_word(struct layer_reader *r, struct packed_word word)
{
    struct text_layer *layer = r->layer;
    bool hidden = r->hidden || r->size < size_least;
    layer->shown = mem_room(layer->shown, layer->n_word, 1, 1);
    layer->shown[layer->n_word] = hidden ? WORD_HIDDEN : WORD_SHOWN;
    if (!hidden && r->ink.right > r->ink.left)
        *MEM_ADD(r->visible, r->n_visible) =
            (struct visible_word){r->ink, layer->n_word, r->begin};
    *MEM_ADD(layer->word, layer->n_word) = word;
}

/* Ends the word; it is kept if its middle is on the page. */
static void end_word(struct layer_reader *r)
{
    struct text_layer *layer = r->layer;
    PopplerRectangle box = r->box;
    double x = (box.x1 + box.x2) / 2, y = (box.y1 + box.y2) / 2;
    bool inside = r->any && x >= 0 && y >= 0 && x <= r->width && y <= r->height;
    if (layer->n_byte > r->begin) resolve_hyphens(r);
    if (layer->n_word == PACKED_WORDS_MAX) layer->cut = true;
    if (!inside || layer->cut) layer->n_byte = r->begin;
    struct packed_word word = {.size = layer->n_byte - r->begin};
    if (word.size > 0) {
        scale_side(box.x1, box.x2, r->width, &word.x, &word.w);
        scale_side(box.y1, box.y2, r->height, &word.y, &word.h);
        add_word(r, word);
    }
    r->begin = r->at = layer->n_byte;
    r->any = r->hidden = false;
    r->ink = (struct drawn_box){0};
    r->size = 0;
}

/* poppler inserts direction marks without a box; a file can have its own, with
 * boxes. */
static bool marks_have_boxes(const char *text, guint n_box)
{
    return (guint)g_utf8_strlen(text, -1) <= n_box;
}

/* Whether the letters from `next` on continue a right-to-left word to the right. poppler
 * takes each letter that a program sets to the left of the one before as a word. */
static bool precedes_word(const struct layer_reader *r,
                          const PopplerRectangle *next)
{
    double high = r->box.y2 - r->box.y1;
    return r->any && fabs(next->y1 - r->box.y1) < touching * high &&
           fabs(next->x1 - r->box.x2) < space_least * high;
}

/* A mark without a box, before the character in the box `next`. On right-to-left pages
 * poppler omits the spaces: an opening mark after a closing one starts the next word. */
static void follow_mark(struct layer_reader *r, gunichar c,
                        const PopplerRectangle *next)
{
    bool opens = c == 0x202A || c == 0x202B;
    if (opens && r->depth == 0 && r->closed) {
        if (c == 0x202B && next && precedes_word(r, next))
            r->at = r->begin;
        else
            end_word(r);
    }
    if (opens) r->depth++;
    if (c == 0x202C && r->depth > 0) r->depth--;
    r->closed = c == 0x202C && r->depth == 0;
}

static bool is_right_to_left(gunichar c)
{
    return (c >= 0x0590 && c <= 0x08FF) || (c >= 0xFB1D && is_form(c));
}

/* Whether the space at `at` is none, for the character before it and the one after it, or
 * direction marks: poppler divides words at a tenth of the type's size, and some programs
 * set as much behind an "r" ("Br uttosumme"). */
static bool is_gap_in_word(const char *text, const char *at,
                           const PopplerRectangle *box)
{
    const char *before = at, *after = g_utf8_next_char(at);
    do
        before = g_utf8_find_prev_char(text, before);
    while (before && is_direction_mark(g_utf8_get_char(before)));
    while (is_direction_mark(g_utf8_get_char(after)))
        after = g_utf8_next_char(after);
    gunichar next = g_utf8_get_char(after);
    return before && g_unichar_isalpha(g_utf8_get_char(before)) &&
           (g_unichar_islower(next) || is_right_to_left(next)) &&
           fabs(box->x2 - box->x1) < space_least * fabs(box->y2 - box->y1);
}

static void read_characters(struct layer_reader *r, const char *text,
                            const PopplerRectangle *box, guint n_box)
{
    bool boxed = marks_have_boxes(text, n_box);
    guint i = 0;
    for (const char *at = text; *at && !r->layer->cut;
         at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        if (!boxed && is_direction_mark(c)) {
            follow_mark(r, c, i < n_box ? &box[i] : NULL);
            continue;
        }
        if (i == n_box) break;
        const PopplerRectangle *own = &box[i++];
        if (g_unichar_isspace(c)) {
            if (!is_gap_in_word(text, at, own)) end_word(r);
            continue;
        }
        r->closed = false;
        if (r->any && r->at > r->begin && !touches(own, own - 1)) end_word(r);
        add_character(r, c);
        find_ink(r, c, own);
        add_box(r, own);
    }
    end_word(r);
}

/* --- words over words ----------------------------------------------------- */

static int by_top(const void *a, const void *b)
{
    const struct visible_word *one = a, *two = b;
    if (one->ink.top != two->ink.top)
        return one->ink.top < two->ink.top ? -1 : 1;
    return (one->index > two->index) - (one->index < two->index);
}

static bool overlap(const struct drawn_box *a, const struct drawn_box *b)
{
    double w = fmin(a->right, b->right) - fmax(a->left, b->left);
    double h = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
    double high = a->bottom - a->top, its_high = b->bottom - b->top;
    double least =
        fmin((a->right - a->left) * high, (b->right - b->left) * its_high);
    return w > 0 && h > 0 && w * h > shared_most * least &&
           fmax(high, its_high) <= heights_most * fmin(high, its_high);
}

static bool is_same(const struct text_layer *layer,
                    const struct visible_word *a, const struct visible_word *b)
{
    uint32_t n = layer->word[a->index].size;
    return n == layer->word[b->index].size &&
           !memcmp(layer->byte + a->begin, layer->byte + b->begin, n);
}

static void cover_overlapping(struct layer_reader *r)
{
    struct visible_word *all = r->visible;
    if (r->n_visible) qsort(all, r->n_visible, sizeof *all, by_top);
    for (uint32_t i = 0; i < r->n_visible; i++)
        for (uint32_t k = i + 1;
             k < r->n_visible && all[k].ink.top < all[i].ink.bottom; k++) {
            if (!overlap(&all[i].ink, &all[k].ink)) continue;
            bool same = is_same(r->layer, &all[i], &all[k]);
            r->layer->shown[all[k].index] = same ? WORD_HIDDEN : WORD_COVERED;
            if (!same) r->layer->shown[all[i].index] = WORD_COVERED;
        }
}

/* Text of a page, with a box for each character but poppler's marks. */
struct selected {
    char *text;
    PopplerRectangle *box;
    guint n_box;
};

static void free_selected(struct selected *s)
{
    g_free(s->text);
    g_free(s->box);
}

/* Selects from the left or the right upper corner to the opposite one, both far
 * from the page: with the page itself as the area, poppler starts at the block
 * nearest to its corner and omits blocks that it takes to precede it. */
static struct selected select_from(PopplerPage *page, bool right)
{
    double begin = right ? AREA : -AREA;
    PopplerRectangle all = {begin, -AREA, -begin, AREA};
    struct selected s = {.text = poppler_page_get_text_for_area(page, &all)};
    if (s.text && *s.text)
        poppler_page_get_text_layout_for_area(page, &all, &s.box, &s.n_box);
    return s;
}

/* Selects the whole page. On one that is read from right to left, a selection
 * from the left lacks words of the first and of the last line. */
static struct selected select_text(PopplerPage *page)
{
    static const char rightwards[] = "\u202B";
    struct selected s = select_from(page, false);
    if (!s.text || !strstr(s.text, rightwards)) return s;
    struct selected other = select_from(page, true);
    bool more = other.n_box > s.n_box;
    free_selected(more ? &s : &other);
    return more ? other : s;
}

void text_layer_read(PopplerPage *page, const struct visible_glyphs *drawn,
                     int width_px, int height_px, struct text_layer *layer)
{
    *layer = (struct text_layer){.n_word = 0};
    struct layer_reader r = {.layer = layer, .drawn = drawn};
    poppler_page_get_size(page, &r.width, &r.height);
    r.x_scale = width_px / r.width;
    r.y_scale = height_px / r.height;
    struct selected all = select_text(page);
    if (all.text && *all.text && all.box) {
        char *text = g_utf8_make_valid(all.text, -1);
        read_characters(&r, text, all.box, all.n_box);
        cover_overlapping(&r);
        g_free(text);
    }
    mem_free(r.visible);
    free_selected(&all);
}

void text_layer_read_free(struct text_layer *layer)
{
    mem_free(layer->word);
    mem_free(layer->shown);
    mem_free(layer->byte);
    *layer = (struct text_layer){.n_word = 0};
}
