/* text_layer.c - see text_layer.h.
 *
 * poppler delivers the page's text and a box for each character. A word ends at
 * white space, and where the next character's box does not touch: poppler
 * writes no space between the columns of a line. A word's box is the union of
 * its characters' boxes.
 */
#include "stages/children/raster/pdf/text_layer.h"

#include <math.h>
#include <string.h>

#include <poppler.h>

#include "vlm/base/arena.h"

enum { AREA = 1000000 }; /* points: wider than any page */

/* A page's characters and boxes, and the current word. */
struct layer_reader {
    struct text_layer *layer;
    double width, height; /* of the page, points */
    PopplerRectangle box;
    int depth;      /* of poppler's direction marks */
    bool closed;    /* the previous character was the last closing mark */
    bool any;       /* `box` has been set */
    uint32_t begin; /* start of the word in layer->byte */
    uint32_t word_capacity, byte_capacity;
};

static bool is_direction_mark(gunichar c)
{
    return (c >= 0x202A && c <= 0x202E) || c == 0x200E || c == 0x200F ||
           (c >= 0x2066 && c <= 0x2069);
}

/* The letters of a ligature, or NULL. */
static const char *spelt_out(gunichar c)
{
    static const char *const text[] = {"ff",  "fi", "fl", "ffi",
                                       "ffl", "st", "st"};
    return c >= 0xFB00 && c <= 0xFB06 ? text[c - 0xFB00] : NULL;
}

static void add_bytes(struct layer_reader *r, const char *bytes, size_t n)
{
    struct text_layer *layer = r->layer;
    if (layer->n_byte + n > PACKED_TEXT_MAX) {
        layer->cut = true;
        return;
    }
    if (layer->n_byte + n > r->byte_capacity) {
        r->byte_capacity = 2 * r->byte_capacity + 4096;
        layer->byte = mem_grow(layer->byte, r->byte_capacity, 1);
    }
    memcpy(layer->byte + layer->n_byte, bytes, n);
    layer->n_byte += (uint32_t)n;
}

static void add_character(struct layer_reader *r, gunichar c)
{
    char bytes[6];
    const char *ligature = spelt_out(c);
    if (ligature)
        add_bytes(r, ligature, strlen(ligature));
    else if (c > 0x20 && !is_direction_mark(c) &&
             (c == 0xAD || g_unichar_type(c) != G_UNICODE_CONTROL))
        add_bytes(r, bytes, (size_t)g_unichar_to_utf8(c, bytes));
}

/* Whether the box touches that of the previous character; within a poppler word
 * they share an edge. */
static bool touches(const PopplerRectangle *a, const PopplerRectangle *b)
{
    double near = 0.05 * fmax(fabs(b->x2 - b->x1), fabs(b->y2 - b->y1));
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
    if (layer->n_word == r->word_capacity) {
        r->word_capacity = 2 * r->word_capacity + 256;
        layer->word =
            mem_grow(layer->word, r->word_capacity, sizeof *layer->word);
    }
    layer->word[layer->n_word++] = word;
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
    r->begin = layer->n_byte;
    r->any = false;
}

/* poppler inserts direction marks without a box; a file can have its own, with
 * boxes. */
static bool marks_have_boxes(const char *text, guint n_box)
{
    return (guint)g_utf8_strlen(text, -1) <= n_box;
}

/* A mark without a box. On right-to-left pages poppler omits the spaces: an
 * opening mark after a closing one starts the next word. */
static void follow_mark(struct layer_reader *r, gunichar c)
{
    bool opens = c == 0x202A || c == 0x202B;
    if (opens && r->depth == 0 && r->closed) end_word(r);
    if (opens) r->depth++;
    if (c == 0x202C && r->depth > 0) r->depth--;
    r->closed = c == 0x202C && r->depth == 0;
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
            follow_mark(r, c);
            continue;
        }
        r->closed = false;
        if (i == n_box) break;
        const PopplerRectangle *own = &box[i++];
        if (g_unichar_isspace(c)) {
            end_word(r);
            continue;
        }
        if (r->any && !touches(own, own - 1)) end_word(r);
        add_character(r, c);
        add_box(r, own);
    }
    end_word(r);
}

static double overlap(double from, double to, double side)
{
    double first = fmax(fmin(from, to), 0), last = fmin(fmax(from, to), side);
    return last > first ? last - first : 0;
}

/* The sum of the images' areas on the page; overlapping ones count twice, up to
 * the whole page. */
static uint32_t picture_part(PopplerPage *page, double width, double height)
{
    double sum = 0;
    GList *all = poppler_page_get_image_mapping(page);
    for (const GList *at = all; at; at = at->next) {
        const PopplerRectangle *area =
            &((const PopplerImageMapping *)at->data)->area;
        sum += overlap(area->x1, area->x2, width) *
               overlap(area->y1, area->y2, height);
    }
    poppler_page_free_image_mapping(all);
    double part = sum / (width * height);
    return part >= 0 ? (uint32_t)(fmin(part, 1) * 1000 + 0.5) : 0;
}

void text_layer_read(PopplerPage *page, struct text_layer *layer)
{
    *layer = (struct text_layer){.n_word = 0};
    struct layer_reader r = {.layer = layer};
    poppler_page_get_size(page, &r.width, &r.height);
    /* With the page itself as the area, poppler starts at the block nearest to
     * its corner and omits blocks that it takes to precede it. */
    PopplerRectangle everything = {-AREA, -AREA, AREA, AREA}, *box = NULL;
    guint n_box = 0;
    char *given = poppler_page_get_text_for_area(page, &everything);
    if (given && *given &&
        poppler_page_get_text_layout_for_area(page, &everything, &box,
                                              &n_box)) {
        char *text = g_utf8_make_valid(given, -1);
        read_characters(&r, text, box, n_box);
        if (layer->n_word > 0)
            layer->picture = picture_part(page, r.width, r.height);
        g_free(text);
    }
    g_free(box);
    g_free(given);
}

void text_layer_free(struct text_layer *layer)
{
    mem_free(layer->word);
    mem_free(layer->byte);
    *layer = (struct text_layer){.n_word = 0};
}
