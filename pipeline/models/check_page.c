/* check_page.c - see check_page.h. */
#include "pipeline/models/check_page.h"

#include <cairo.h>
#include <stdio.h>
#include <string.h>

enum { ITEM_MAX = 10, ANSWER_MOST = 8000, MARGIN = 10 };

static const double pitch = 1.5, gap = 0.28; /* of the letters' size */

const char check_page_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"merchant\":{\"type\":\"string\"},"
    "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"price\":{\"type\":\"number\"}},"
    "\"required\":[\"name\",\"price\"],\"additionalProperties\":false}},"
    "\"total\":{\"type\":\"number\"}},"
    "\"required\":[\"merchant\",\"items\",\"total\"],"
    "\"additionalProperties\":false}";

struct pen {
    struct check_page *page;
    cairo_t *cr;
    uint32_t seed;
    double size, y, side;
    struct err *err;
};

static int random_below(struct pen *p, int n)
{
    p->seed = p->seed * 1664525 + 1013904223;
    return (int)((p->seed >> 8) % (uint32_t)n);
}

/* A made-up word such as "Tabiro". */
static void make_word(struct pen *p, char *out, size_t size)
{
    static const char consonant[] = "bcdfghjklmnprstvwz", vowel[] = "aeiou";
    size_t n = 0, most = 4 + 2 * (size_t)random_below(p, 2);
    while (n < most && n + 2 < size) {
        out[n++] = consonant[random_below(p, (int)sizeof consonant - 1)];
        out[n++] = vowel[random_below(p, (int)sizeof vowel - 1)];
    }
    out[0] = (char)(out[0] - 'a' + 'A');
    out[n] = '\0';
}

static double text_width(const struct pen *p, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(p->cr, text, &extents);
    return extents.x_advance;
}

static void draw_word(struct pen *p, double x, const char *word)
{
    cairo_text_extents_t e;
    cairo_text_extents(p->cr, word, &e);
    cairo_move_to(p->cr, x, p->y);
    cairo_show_text(p->cr, word);
    if (!(e.width > 0))
        err_set(p->err, ERR_MISSING,
                "no font to draw pages with: install one, such as "
                "fonts-dejavu-core");
}

/* Draws the words of a value from x on. */
static void draw_value(struct pen *p, double x, const char *text)
{
    for (const char *at = text; *at;) {
        char word[48];
        size_t n = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        draw_word(p, x, word);
        x += text_width(p, word) + gap * p->size;
        at += n + (at[n] == ' ');
    }
}

/* Draws an amount at the right margin and adds it to the answer. */
static void draw_amount(struct pen *p)
{
    char text[16];
    snprintf(text, sizeof text, "%d.%02d", 1 + random_below(p, 98),
             random_below(p, 100));
    draw_value(p, p->side - MARGIN - text_width(p, text), text);
    buf_add_text(&p->page->answer, text);
}

/* A name of one or two words that leaves space for an amount. */
static void make_name(struct pen *p, char *out, size_t size)
{
    char one[20], two[20];
    do {
        make_word(p, one, sizeof one);
        make_word(p, two, sizeof two);
        if (random_below(p, 2))
            snprintf(out, size, "%s", one);
        else
            snprintf(out, size, "%s %s", one, two);
    } while (text_width(p, out) > p->side * 0.6);
}

static void draw_item(struct pen *p, int i)
{
    char name[48];
    make_name(p, name, sizeof name);
    draw_value(p, MARGIN + random_below(p, 6), name);
    buf_print(&p->page->answer, "%s{\"name\":\"%s\",\"price\":", i ? "," : "",
              name);
    draw_amount(p);
    buf_add_text(&p->page->answer, "}");
    p->y += pitch * p->size;
}

static void draw_page(struct pen *p)
{
    char merchant[48];
    int n_line = (int)((p->side - 2 * MARGIN) / (pitch * p->size)) - 4;
    int n_item = 2 + random_below(p, 3);
    if (n_line > 5) n_item += random_below(p, n_line - 4);
    if (n_item > ITEM_MAX) n_item = ITEM_MAX;
    p->y = MARGIN + p->size + random_below(p, 12);
    make_name(p, merchant, sizeof merchant);
    draw_value(p, (p->side - text_width(p, merchant)) / 2, merchant);
    buf_print(&p->page->answer, "{\"merchant\":\"%s\",\"items\":[", merchant);
    p->y += 1.5 * pitch * p->size;
    for (int i = 0; i < n_item; i++)
        draw_item(p, i);
    p->y += random_below(p, 8);
    draw_word(p, MARGIN, "Total");
    buf_add_text(&p->page->answer, "],\"total\":");
    draw_amount(p);
    buf_add_text(&p->page->answer, "}");
}

/* The surface's pixels (32 bits: blue, green, red, none) as RGB. */
static void copy_pixels(cairo_surface_t *surface, struct image *out)
{
    cairo_surface_flush(surface);
    const uint8_t *from = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    for (int y = 0; y < out->height_px; y++) {
        uint8_t *to = image_row(out, y);
        for (int x = 0; x < out->width_px; x++, to += 3) {
            uint32_t pixel;
            memcpy(&pixel, from + (size_t)y * stride + 4 * (size_t)x, 4);
            to[0] = (uint8_t)(pixel >> 16);
            to[1] = (uint8_t)(pixel >> 8);
            to[2] = (uint8_t)pixel;
        }
    }
}

struct check_page check_page_draw(int side, uint32_t seed, struct err *err)
{
    static const char *const face[] = {"sans-serif", "serif", "monospace"};
    struct check_page page = {.image = {0}};
    if (err_failed(err)) return page;
    page.answer = buf_limit(ANSWER_MOST);
    page.image = image_new(side, side, 3, err);
    if (err_failed(err)) return page;
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, side, side);
    struct pen p = {.page = &page,
                    .cr = cairo_create(surface),
                    .seed = seed * 2654435761u + 1,
                    .side = side,
                    .err = err};
    cairo_set_source_rgb(p.cr, 1, 1, 1);
    cairo_paint(p.cr);
    cairo_set_source_rgb(p.cr, 0.1, 0.1, 0.1);
    cairo_select_font_face(p.cr, face[seed % 3], CAIRO_FONT_SLANT_NORMAL,
                           seed % 5 ? CAIRO_FONT_WEIGHT_NORMAL
                                    : CAIRO_FONT_WEIGHT_BOLD);
    p.size = 16 + random_below(&p, 3);
    cairo_set_font_size(p.cr, p.size);
    draw_page(&p);
    copy_pixels(surface, &page.image);
    cairo_destroy(p.cr);
    cairo_surface_destroy(surface);
    return page;
}

void check_page_free(struct check_page *page)
{
    image_free(&page->image);
    buf_free(&page->answer);
}
