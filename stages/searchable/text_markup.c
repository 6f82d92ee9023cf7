/* text_markup.c - see text_markup.h. */
#include "stages/searchable/text_markup.h"

#include <math.h>

#include "stages/pixels/rotate90.h"
#include "vlm/base/utf8.h"

static bool is_xml(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xD800) ||
           (c >= 0xE000 && c < 0xFFFE) || (c >= 0x10000 && c < 0x110000);
}

void text_markup_add(struct buf *out, const char *text)
{
    while (*text) {
        const char *from = text;
        uint32_t c = utf8_take(&text);
        switch (c) {
        case '&': buf_add_text(out, "&amp;"); break;
        case '<': buf_add_text(out, "&lt;"); break;
        case '>': buf_add_text(out, "&gt;"); break;
        case '"': buf_add_text(out, "&quot;"); break;
        case '\'': buf_add_text(out, "&#39;"); break;
        default:
            if (is_xml(c))
                buf_add(out, from, (size_t)(text - from));
            else
                buf_add_text(out, "\xEF\xBF\xBD");
        }
    }
}

static struct box union_of(const struct words *words, int from, int to)
{
    double x0 = 1, y0 = 1, x1 = 0, y1 = 0;
    for (int i = from; i < to; i++) {
        const struct word *w = &words->word[i];
        x0 = fmin(x0, w->x);
        y0 = fmin(y0, w->y);
        x1 = fmax(x1, w->x + w->w);
        y1 = fmax(y1, w->y + w->h);
    }
    if (from >= to) return (struct box){0};
    return (struct box){.x = x0, .y = y0, .w = x1 - x0, .h = y1 - y0};
}

static int pixel(double part, int side)
{
    return (int)lrint(fmin(fmax(part, 0), 1) * side);
}

struct pixel_box text_markup_box(const struct kept_words *page, int from,
                                 int to, const struct page *size)
{
    struct box b =
        rotate90_back(union_of(&page->words, from, to), page->quarter_turns);
    struct pixel_box p = {
        pixel(b.x, size->width_px), pixel(b.y, size->height_px),
        pixel(b.x + b.w, size->width_px), pixel(b.y + b.h, size->height_px)};
    return p;
}
