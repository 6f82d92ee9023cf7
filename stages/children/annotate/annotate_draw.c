/* annotate_draw.c - see annotate_draw.h. */
#include "stages/children/annotate/annotate_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"

static const double side_least = 1200, scale_most = 8;
static const double text_least = 11, text_most = 20, text_share = 1.0 / 80;
static const double pitch = 1.35, icon = 1.2, gap = 0.45; /* of the text */
static const double margin_most = 0.7; /* of the page's width */
static const double box_gap = 3;       /* between print and line */

/* Green, orange and red of similar brightness, from Okabe and Ito's palette for
 * colour-blind people, darkened for lines on white. */
static const struct {
    double red, green, blue, width, dash;
} style[MARK_N_LEVEL] = {[MARK_SURE] = {0.00, 0.50, 0.35, 2, 0},
                         [MARK_DOUBT] = {0.88, 0.54, 0.00, 2, 5},
                         [MARK_WRONG] = {0.80, 0.05, 0.20, 3.5, 0}};

/* A margin: its marks from top to bottom, and the width of its texts. */
struct margin {
    struct mark_item *mark;
    int n;
    double width;
};

struct picture {
    cairo_t *cr;
    struct mark_fonts *fonts;
    double scale, page_x, width, height; /* of the page in the image */
    double text, whole_height;
};

static double part(uint32_t n)
{
    return (double)n / MARK_ONE;
}

static double middle_y(const struct mark_item *m)
{
    return m->note.n_box ? part(m->box->y) + part(m->box->h) / 2 : 2;
}

static bool is_right(const struct mark_item *m)
{
    return m->note.n_box && part(m->box->x) + part(m->box->w) / 2 > 0.5;
}

/* Left before right, then from top to bottom; otherwise the order is kept. */
static int by_place(const void *a, const void *b)
{
    const struct mark_item *one = a, *two = b;
    if (is_right(one) != is_right(two)) return is_right(one) ? 1 : -1;
    double y = middle_y(one), other = middle_y(two);
    return y < other                         ? -1
           : y > other                       ? 1
           : one->name.data < two->name.data ? -1
                                             : 1;
}

static int by_order(const void *a, const void *b)
{
    const struct mark_item *one = a, *two = b;
    return one->name.data < two->name.data ? -1 : 1;
}

static void set_colour(const struct picture *p, const struct mark_item *m,
                       double alpha)
{
    uint32_t l = m->note.level;
    cairo_set_source_rgba(p->cr, style[l].red, style[l].green, style[l].blue,
                          alpha);
}

/* Shortens the text to fit; returns whether it was cut. */
static bool cut_to_width(const struct picture *p, struct span *text,
                         double room)
{
    bool cut = false;
    while (text->size && annotate_text_width(p->fonts, *text, p->text) > room) {
        text->size -= text->size / 8 + 1;
        while (text->size && ((unsigned)text->data[text->size] & 0xc0) == 0x80)
            text->size--;
        cut = true;
    }
    return cut;
}

static double label_width(const struct picture *p, const struct mark_item *m)
{
    return (icon + 2 * gap + m->cut) * p->text + 4 +
           annotate_text_width(p->fonts, m->name, p->text) +
           annotate_text_width(p->fonts, m->value, p->text);
}

static void measure(const struct picture *p, struct margin *m)
{
    double room = fmax(margin_most * p->width, 30 * p->text) - 6 * p->text;
    for (int i = 0; i < m->n; i++) {
        struct mark_item *own = &m->mark[i];
        cut_to_width(p, &own->name, room / 2);
        own->cut = cut_to_width(
            p, &own->value,
            room - annotate_text_width(p->fonts, own->name, p->text));
        m->width = fmax(m->width, label_width(p, own) + 2 * p->text);
    }
}

/* Sorts marks on one line of print into their original order. */
static void sort_lines(struct margin *m)
{
    for (int from = 0, to; from < m->n; from = to) {
        const struct mark_item *first = &m->mark[from];
        double foot = middle_y(first);
        if (first->note.n_box) foot += part(first->box->h) / 2;
        for (to = from + 1; to < m->n && middle_y(&m->mark[to]) < foot;)
            to++;
        qsort(m->mark + from, (size_t)(to - from), sizeof *m->mark, by_order);
    }
}

/* Places the middles of the texts at least one step apart and as near to their
 * boxes as that allows: crowded texts are spread around their common middle. */
static void place(const struct picture *p, const struct margin *m, double *y)
{
    double step = pitch * p->text, end = p->whole_height - step / 2;
    int *size = mem_alloc((size_t)m->n + 1, sizeof *size), n = 0;
    for (int i = 0; i < m->n; i++) {
        double at = fmin(middle_y(&m->mark[i]), 1) * p->height;
        y[n] = at - i * step;
        for (size[n] = 1; n > 0 && y[n - 1] > y[n]; n--) {
            int both = size[n - 1] + size[n];
            y[n - 1] = (y[n - 1] * size[n - 1] + y[n] * size[n]) / both;
            size[n - 1] = both;
        }
        n++;
    }
    for (int i = m->n - 1; i >= 0; i--) {
        double most = end - (m->n - 1 - i) * step, least = (i + 0.5) * step;
        y[i] = fmax(fmin(y[n - 1] + i * step, most), least);
        if (--size[n - 1] == 0) n--;
    }
    mem_free(size);
}

static void draw_icon(const struct picture *p, const struct mark_item *m,
                      double x, double y)
{
    double r = p->text * 0.5;
    cairo_t *cr = p->cr;
    set_colour(p, m, 1);
    cairo_arc(cr, x + r, y, r, 0, 2 * M_PI);
    cairo_fill(cr);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_set_line_width(cr, r * 0.32);
    cairo_set_dash(cr, NULL, 0, 0);
    if (m->note.level == MARK_SURE) {
        cairo_move_to(cr, x + 0.5 * r, y + 0.05 * r);
        cairo_line_to(cr, x + 0.88 * r, y + 0.45 * r);
        cairo_line_to(cr, x + 1.5 * r, y - 0.45 * r);
    } else if (m->note.level == MARK_WRONG) {
        for (int sign = -1; sign <= 1; sign += 2) {
            cairo_move_to(cr, x + 0.58 * r, y - 0.42 * sign * r);
            cairo_line_to(cr, x + 1.42 * r, y + 0.42 * sign * r);
        }
    } else {
        cairo_arc(cr, x + r, y - 0.25 * r, 0.34 * r, M_PI, 2.45 * M_PI);
        cairo_line_to(cr, x + r, y + 0.28 * r);
    }
    cairo_stroke(cr);
    if (m->note.level != MARK_DOUBT) return;
    cairo_arc(cr, x + r, y + 0.6 * r, 0.16 * r, 0, 2 * M_PI);
    cairo_fill(cr);
}

/* A box with some padding, with all of its lines on the page. */
static void add_box(const struct picture *p, const struct mark_box *b,
                    double line)
{
    double x = part(b->x) * p->width, y = part(b->y) * p->height;
    double right = x + part(b->w) * p->width, foot = y + part(b->h) * p->height;
    double least = line / 2;
    x = fmax(fmin(x, p->width) - box_gap, least);
    y = fmax(fmin(y, p->height) - box_gap, least);
    right = fmax(fmin(right + box_gap, p->width - least), x + line);
    foot = fmax(fmin(foot + box_gap, p->height - least), y + line);
    cairo_rectangle(p->cr, p->page_x + x, y, right - x, foot - y);
}

static void draw_boxes(const struct picture *p, const struct mark_item *m)
{
    double dash = style[m->note.level].dash;
    set_colour(p, m, 1);
    cairo_set_line_width(p->cr, style[m->note.level].width);
    cairo_set_dash(p->cr, &dash, dash > 0, 0);
    for (uint32_t i = 0; i < m->note.n_box; i++)
        add_box(p, &m->box[i], style[m->note.level].width);
    cairo_stroke(p->cr);
}

/* From the box to the text: horizontal to the page's edge, then straight. */
static void draw_line(const struct picture *p, const struct mark_item *m,
                      double x, double y)
{
    const struct mark_box *b = m->box;
    bool right = is_right(m);
    if (!m->note.n_box) return;
    double from = part(b->x) + (right ? part(b->w) : 0);
    double at = (part(b->y) + part(b->h) / 2) * p->height;
    set_colour(p, m, 0.55);
    cairo_set_line_width(p->cr, 1);
    cairo_set_dash(p->cr, NULL, 0, 0);
    cairo_move_to(p->cr, p->page_x + from * p->width + (right ? 3 : -3), at);
    cairo_line_to(p->cr, p->page_x + (right ? p->width : 0), at);
    cairo_line_to(p->cr, x, y);
    cairo_stroke(p->cr);
}

static void draw_label(const struct picture *p, const struct mark_item *m,
                       double x, double y)
{
    double base = y + 0.36 * p->text;
    double name = annotate_text_width(p->fonts, m->name, p->text);
    draw_icon(p, m, x, y);
    x += (icon + gap) * p->text;
    cairo_set_source_rgb(p->cr, 0.40, 0.40, 0.40);
    annotate_text_show(p->fonts, p->cr, m->name, x, base, p->text);
    cairo_set_source_rgb(p->cr, 0, 0, 0);
    x += name + gap * p->text;
    annotate_text_show(p->fonts, p->cr, m->value, x, base, p->text);
    if (!m->cut) return;
    x += annotate_text_width(p->fonts, m->value, p->text);
    annotate_text_show(p->fonts, p->cr, (struct span){"\xe2\x80\xa6", 3}, x,
                       base, p->text);
}

static void draw_margin(const struct picture *p, const struct margin *m,
                        double left, bool right)
{
    double *y = mem_alloc((size_t)m->n + 1, sizeof *y);
    double inner = right ? left + p->text : left + m->width - p->text;
    place(p, m, y);
    for (int i = 0; i < m->n; i++)
        draw_line(p, &m->mark[i], inner, y[i]);
    for (int i = 0; i < m->n; i++)
        draw_boxes(p, &m->mark[i]);
    cairo_save(p->cr);
    cairo_rectangle(p->cr, left, 0, m->width, p->whole_height);
    cairo_clip(p->cr);
    for (int i = 0; i < m->n; i++) {
        double x = right ? inner + 2 : inner - label_width(p, &m->mark[i]);
        draw_label(p, &m->mark[i], fmax(x, left), y[i]);
    }
    cairo_restore(p->cr);
    mem_free(y);
}

/* Copies the page to a surface. */
static cairo_surface_t *surface_of(const struct image *page)
{
    cairo_surface_t *s = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, page->width_px, page->height_px);
    uint8_t *data = cairo_image_surface_get_data(s);
    size_t stride = (size_t)cairo_image_surface_get_stride(s);
    if (cairo_surface_status(s) != CAIRO_STATUS_SUCCESS) return s;
    for (int y = 0; y < page->height_px; y++) {
        const uint8_t *from = image_row(page, y);
        uint8_t *to = data + (size_t)y * stride;
        for (int x = 0; x < page->width_px; x++, from += 3, to += 4) {
            uint32_t pixel =
                (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
            memcpy(to, &pixel, sizeof pixel);
        }
    }
    cairo_surface_mark_dirty(s);
    return s;
}

static void draw_page(const struct picture *p, const struct image *page)
{
    cairo_surface_t *s = surface_of(page);
    cairo_set_source_rgb(p->cr, 0.96, 0.96, 0.96);
    cairo_paint(p->cr);
    cairo_save(p->cr);
    cairo_translate(p->cr, p->page_x, 0);
    cairo_scale(p->cr, p->width / page->width_px, p->height / page->height_px);
    cairo_set_source_surface(p->cr, s, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(p->cr), CAIRO_FILTER_GOOD);
    cairo_paint(p->cr);
    cairo_restore(p->cr);
    cairo_surface_destroy(s);
}

/* Makes text as large as the page and the number of marks allow. */
static void choose_sizes(struct picture *p, const struct image *page, int most)
{
    double side = fmax(page->width_px, page->height_px);
    p->scale = fmin(fmax(1, side_least / side), scale_most);
    p->width = ceil(page->width_px * p->scale);
    p->height = ceil(page->height_px * p->scale);
    p->text = fmin(text_most, fmax(p->width, p->height) * text_share);
    if (most * pitch * p->text > p->height)
        p->text = p->height / (most * pitch);
    p->text = fmax(p->text, text_least);
    p->whole_height = ceil(fmax(p->height, (most + 0.5) * pitch * p->text));
}

cairo_surface_t *annotate_draw_page(const struct image *page,
                                    struct mark_item *mark, int n_mark,
                                    struct mark_fonts *fonts)
{
    struct picture p = {.fonts = fonts};
    struct margin left = {.mark = mark}, right;
    qsort(mark, (size_t)n_mark, sizeof *mark, by_place);
    while (left.n < n_mark && !is_right(&mark[left.n]))
        left.n++;
    right = (struct margin){.mark = mark + left.n, .n = n_mark - left.n};
    choose_sizes(&p, page, left.n > right.n ? left.n : right.n);
    sort_lines(&left);
    sort_lines(&right);
    measure(&p, &left);
    measure(&p, &right);
    p.page_x = ceil(left.width);
    double width = p.page_x + p.width + ceil(right.width);
    cairo_surface_t *out = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)width, (int)p.whole_height);
    p.cr = cairo_create(out);
    draw_page(&p, page);
    draw_margin(&p, &left, 0, false);
    draw_margin(&p, &right, p.page_x + p.width, true);
    cairo_destroy(p.cr);
    cairo_surface_flush(out);
    return out;
}
