/* annotate_wire.c - see annotate_wire.h. */
#include "stages/children/annotate/annotate_wire.h"

#include <string.h>

#include "stages/children/sandbox/sandbox.h"
#include "vlm/base/arena.h"

/* The number of bytes that follow the header of an order of these sizes. */
static uint64_t order_size(const struct child_frame *o)
{
    return (uint64_t)o->a * o->b * 3 + o->c * sizeof(struct mark_note) +
           o->d * sizeof(struct mark_box) + o->e;
}

static bool is_order(const struct child_frame *o)
{
    return o->a >= 1 && o->b >= 1 && o->a <= MARK_SIDE_MAX &&
           o->b <= MARK_SIDE_MAX && (uint64_t)o->a * o->b <= MARK_PIXELS_MAX &&
           o->c <= MARK_MARKS_MAX && o->d <= MARK_BOXES_MAX &&
           o->e <= 2 * MARK_MARKS_MAX * MARK_TEXT_MAX &&
           o->size == order_size(o);
}

/* Splits off each mark with its boxes and texts; false if they exceed the
 * data. */
static bool parse_marks(const struct child_frame *o,
                        const struct mark_note *note,
                        const struct mark_box *box, const char *text,
                        struct mark_sheet *s)
{
    uint64_t n_box = 0, n_byte = 0;
    for (uint32_t i = 0; i < o->c; i++) {
        const struct mark_note *n = &note[i];
        struct mark_item *m = &s->mark[i];
        if (n->level >= MARK_N_LEVEL || n_box + n->n_box > o->d ||
            n_byte + n->n_name + (uint64_t)n->n_value > o->e)
            return false;
        *m = (struct mark_item){.note = *n, .box = box + n_box};
        m->name = (struct span){text + n_byte, n->n_name};
        m->value = (struct span){text + n_byte + n->n_name, n->n_value};
        n_box += n->n_box;
        n_byte += n->n_name + n->n_value;
    }
    s->n_mark = (int)o->c;
    return true;
}

bool annotate_wire_order(struct mark_sheet *s)
{
    struct child_frame o;
    struct err err = {0};
    if (!sandbox_receive(&o, MARK_ORDER) || !is_order(&o)) return false;
    s->page = image_new((int)o.a, (int)o.b, 3, &err);
    if (err_failed(&err)) return false;
    struct mark_note *note = mem_alloc(o.c + 1, sizeof *note);
    struct mark_box *box = mem_alloc(o.d + 1, sizeof *box);
    char *text = mem_alloc(o.e + 1, 1);
    s->mark = mem_alloc(o.c + 1, sizeof *s->mark);
    return sandbox_read(s->page.data, s->page.stride_bytes * o.b) &&
           sandbox_read(note, o.c * sizeof *note) &&
           sandbox_read(box, o.d * sizeof *box) && sandbox_read(text, o.e) &&
           parse_marks(&o, note, box, text, s);
}

/* Sends rows of 32 bits (unused, red, green, blue) as RGB. */
void annotate_wire_picture(cairo_surface_t *surface)
{
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    const uint8_t *from = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    uint8_t *row = mem_alloc((size_t)width, 3);
    sandbox_send(
        (struct child_frame){.type = MARK_PAGE,
                             .size = 3 * (uint64_t)width * (uint64_t)height,
                             .a = (uint32_t)width,
                             .b = (uint32_t)height});
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
    mem_free(row);
}

void annotate_wire_fail(enum mark_status status)
{
    static const char *const why[MARK_N_STATUS] = {
        [MARK_NO_FONT] =
            "platen-annotate cannot find a font; install one, such as "
            "fonts-dejavu-core",
        [MARK_NO_ORDER] =
            "platen-annotate cannot read its order: it is of another build",
        [MARK_NO_MEMORY] =
            "platen-annotate has run out of memory (child_memory_limit)"};
    sandbox_send_text((struct child_frame){.type = FRAME_FAIL, .a = status},
                      why[status], FRAME_TEXT_MAX);
}
