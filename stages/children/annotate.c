/* annotate.c - see annotate.h: the parent's side of annotate_protocol.h. */
#include "stages/children/annotate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/child.h"
#include "stages/children/wire/annotate_protocol.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"

enum { ORDER_MAX = 1 << 28, DOCTOR_SIDE = 100 };

static const struct child_status status_table[MARK_N_STATUS] = {
    [MARK_NO_FONT] = {ERR_MISSING, NULL},
    [MARK_NO_ORDER] = {ERR_MISSING, NULL},
    [MARK_NO_MEMORY] = {ERR_CHILD, NULL}};

static const struct child_program program = {.called = "platen-annotate",
                                             .status = status_table,
                                             .n_status = MARK_N_STATUS};

/* --- the order ------------------------------------------------------------ */

static uint32_t to_part(double v)
{
    return (uint32_t)lrint(fmin(fmax(v, 0), 1) * MARK_ONE);
}

/* Appends at most MARK_TEXT_MAX bytes of whole characters; returns the size. */
static uint32_t add_text(struct buf *out, const char *text)
{
    static const char more[] = "\xe2\x80\xa6";
    size_t n = strlen(text), most = MARK_TEXT_MAX - sizeof more;
    bool cut = n > most;
    for (n = cut ? most : n; cut && n && ((unsigned)text[n] & 0xc0) == 0x80;)
        n--;
    buf_add(out, text, n);
    if (cut) buf_add_text(out, more);
    return (uint32_t)(n + (cut ? sizeof more - 1 : 0));
}

struct annotate_order {
    struct child_frame head;
    struct buf notes, boxes, texts;
};

static void add_mark(struct annotate_order *o, const struct annotate_mark *mark)
{
    struct mark_note note = {.level = (uint32_t)mark->level};
    for (int i = 0; i < mark->n_box && o->head.d < MARK_BOXES_MAX; i++) {
        const struct box *b = &mark->box[i];
        struct mark_box box = {to_part(b->x), to_part(b->y), to_part(b->w),
                               to_part(b->h)};
        buf_add(&o->boxes, (const char *)&box, sizeof box);
        note.n_box++;
        o->head.d++;
    }
    note.n_name = add_text(&o->texts, mark->name);
    note.n_value = add_text(&o->texts, mark->value);
    o->head.e += note.n_name + note.n_value;
    o->head.c++;
    buf_add(&o->notes, (const char *)&note, sizeof note);
}

static void send_pixels(struct child *m, const struct image *page,
                        struct err *err)
{
    size_t width = (size_t)page->width_px;
    uint8_t *row = mem_alloc(width, 3);
    for (int y = 0; y < page->height_px && !err_failed(err); y++) {
        const uint8_t *from = image_row(page, y);
        if (page->n_channel == 3)
            memcpy(row, from, 3 * width);
        else
            for (size_t x = 0; x < width; x++)
                row[3 * x] = row[3 * x + 1] = row[3 * x + 2] = from[x];
        child_write_bytes(m, row, 3 * width, err);
    }
    mem_free(row);
}

static void send_order(struct child *m, const struct image *page,
                       const struct annotate_mark *mark, int n_mark,
                       struct err *err)
{
    struct annotate_order o = {.head = {.type = MARK_ORDER,
                                        .a = (uint32_t)page->width_px,
                                        .b = (uint32_t)page->height_px},
                               .notes = buf_limit(ORDER_MAX),
                               .boxes = buf_limit(ORDER_MAX),
                               .texts = buf_limit(ORDER_MAX)};
    for (int i = 0; i < n_mark && i < ANNOTATE_MARKS_MAX; i++)
        add_mark(&o, &mark[i]);
    o.head.size = 3 * (uint64_t)o.head.a * o.head.b + o.notes.size +
                  o.boxes.size + o.texts.size;
    child_allow(m, m->settings->page_timeout_s, "page_timeout");
    child_write(m, o.head, err);
    send_pixels(m, page, err);
    child_write_bytes(m, buf_span(&o.notes).data, o.notes.size, err);
    child_write_bytes(m, buf_span(&o.boxes).data, o.boxes.size, err);
    child_write_bytes(m, buf_span(&o.texts).data, o.texts.size, err);
    buf_free(&o.notes);
    buf_free(&o.boxes);
    buf_free(&o.texts);
}

/* --- the picture ---------------------------------------------------------- */

static struct image read_picture(struct child *m, struct err *err)
{
    struct image none = {0};
    struct child_frame f;
    child_allow(m, m->settings->page_timeout_s, "page_timeout");
    child_expect(m, MARK_PAGE, &f, err);
    if (err_failed(err)) return none;
    if (f.a < 1 || f.b < 1 || f.a > 2 * MARK_SIDE_MAX ||
        f.b > 2 * MARK_SIDE_MAX || (uint64_t)f.a * f.b > 4 * MARK_PIXELS_MAX) {
        child_broke_protocol(m, "an image of the wrong size", err);
        return none;
    }
    struct image out = image_new((int)f.a, (int)f.b, 3, err);
    if (err_failed(err)) return none;
    child_read_bytes(m, out.data, out.stride_bytes * f.b, err);
    if (!err_failed(err)) return out;
    image_free(&out);
    return none;
}

/* Runs platen-annotate; its active sandbox layers are in m->layers. */
static struct image draw_marks(struct child *m, const struct image *page,
                               const struct annotate_mark *mark, int n_mark,
                               const struct settings *s,
                               const struct child_process_stop *stop,
                               struct err *err)
{
    struct image out = {0};
    const struct spawn_job job = {.program = SPAWN_ANNOTATE};
    child_init(m, &program, s, stop);
    child_start(m, &job, -1, err);
    child_greet(m, err);
    child_check_walls(m, NULL, "", err);
    if (!err_failed(err)) send_order(m, page, mark, n_mark, err);
    if (!err_failed(err)) out = read_picture(m, err);
    child_close(m);
    return out;
}

struct image annotate_draw(const struct image *page,
                           const struct annotate_mark *mark, int n_mark,
                           const struct settings *settings,
                           const struct child_process_stop *stop,
                           struct err *err)
{
    struct child m;
    if (err_failed(err)) return (struct image){0};
    return draw_marks(&m, page, mark, n_mark, settings, stop, err);
}

bool annotate_doctor(const struct settings *settings, struct buf *out)
{
    struct err err = {0};
    struct child m;
    struct box box = {0.2, 0.2, 0.5, 0.1};
    struct annotate_mark mark = {
        .name = "total", .value = "1.00", .box = &box, .n_box = 1};
    struct image page = image_new(DOCTOR_SIDE, DOCTOR_SIDE, 1, &err);
    struct image picture =
        draw_marks(&m, &page, &mark, 1, settings, NULL, &err);
    image_free(&picture);
    image_free(&page);
    if (!err_failed(&err))
        return child_process_print_layers("platen-annotate", m.layers, out);
    buf_print(out, "! platen show: cannot draw: %s\n", err.text);
    return false;
}
