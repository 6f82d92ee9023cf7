/* mark_wire.c - see mark_wire.h. */
#include "stages/mark/mark_wire.h"

#include <string.h>

#include "stages/sandbox/sandbox.h"
#include "vlm/base/arena.h"

static void write_frame(enum mark_kind kind, uint32_t a, uint32_t b)
{
    sandbox_write(&(struct mark_frame){MARK_MAGIC, kind, a, b},
                  sizeof(struct mark_frame));
}

static bool is_order(const struct mark_order *o)
{
    return o->magic == MARK_MAGIC && o->width >= 1 && o->height >= 1 &&
           o->width <= MARK_SIDE_MAX && o->height <= MARK_SIDE_MAX &&
           (uint64_t)o->width * o->height <= MARK_PIXELS_MAX &&
           o->n_mark <= MARK_MARKS_MAX && o->n_box <= MARK_BOXES_MAX &&
           o->n_byte <= 2 * MARK_MARKS_MAX * MARK_TEXT_MAX;
}

/* Each mark with its boxes and texts; false where they are not all there. */
static bool take_apart(const struct mark_order *o, const struct mark_note *note,
                       const struct mark_box *box, const char *text,
                       struct mark_sheet *s)
{
    uint64_t n_box = 0, n_byte = 0;
    for (uint32_t i = 0; i < o->n_mark; i++) {
        const struct mark_note *n = &note[i];
        struct mark_item *m = &s->mark[i];
        if (n->level >= MARK_N_LEVEL || n_box + n->n_box > o->n_box ||
            n_byte + n->n_name + (uint64_t)n->n_value > o->n_byte)
            return false;
        *m = (struct mark_item){.note = *n, .box = box + n_box};
        m->name = (struct span){text + n_byte, n->n_name};
        m->value = (struct span){text + n_byte + n->n_name, n->n_value};
        n_box += n->n_box;
        n_byte += n->n_name + n->n_value;
    }
    s->n_mark = (int)o->n_mark;
    return true;
}

bool mark_wire_order(struct mark_sheet *s)
{
    struct mark_order o;
    struct err err = {0};
    if (!sandbox_read(&o, sizeof o) || !is_order(&o)) return false;
    s->page = image_new((int)o.width, (int)o.height, 3, &err);
    if (err_failed(&err)) return false;
    struct mark_note *note = mem_take(o.n_mark + 1, sizeof *note);
    struct mark_box *box = mem_take(o.n_box + 1, sizeof *box);
    char *text = mem_take(o.n_byte + 1, 1);
    s->mark = mem_take(o.n_mark + 1, sizeof *s->mark);
    return sandbox_read(s->page.data, s->page.stride_bytes * o.height) &&
           sandbox_read(note, o.n_mark * sizeof *note) &&
           sandbox_read(box, o.n_box * sizeof *box) &&
           sandbox_read(text, o.n_byte) && take_apart(&o, note, box, text, s);
}

/* Rows of 32 bits (none, red, green, blue) as RGB. */
void mark_wire_picture(cairo_surface_t *surface)
{
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    const uint8_t *from = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    uint8_t *row = mem_take((size_t)width, 3);
    write_frame(MARK_PAGE, (uint32_t)width, (uint32_t)height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, from + (size_t)y * stride + 4 * (size_t)x, 4);
            row[3 * x] = (uint8_t)(pixel >> 16);
            row[3 * x + 1] = (uint8_t)(pixel >> 8);
            row[3 * x + 2] = (uint8_t)pixel;
        }
        sandbox_write(row, 3 * (size_t)width);
    }
    mem_give(row);
}

void mark_wire_hello(unsigned layers, int landlock_abi)
{
    write_frame(MARK_HELLO, layers, (uint32_t)landlock_abi);
}

void mark_wire_fail(enum mark_status status)
{
    write_frame(MARK_FAIL, status, 0);
}
