/* marker.c - see marker.h: reads mark_protocol.h and believes none of it. */
#include "stages/marker.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "stages/mark/mark_protocol.h"
#include "stages/sandbox/sandbox.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/now.h"

enum { ORDER_MAX = 1 << 28, DOCTOR_SIDE = 100 };

struct marker {
    const struct settings *settings;
    struct jail jail;
    struct err *err;
};

static void bad_protocol(struct marker *m, const char *what)
{
    if (!err_failed(m->err))
        err_set(m->err, ERR_CHILD, "platen-mark broke its protocol: %s", what);
}

static void judge_end(struct marker *m, enum jail_end end)
{
    if (end == JAIL_STOPPED)
        err_reason(m->err, ERR_CANCELLED, "cancelled", "asked to stop");
    else if (end == JAIL_LATE)
        err_set(m->err, ERR_CHILD,
                "platen-mark took longer than %d s (page_wall)",
                m->settings->page_wall_s);
    else if (end == JAIL_CLOSED)
        err_set(m->err, ERR_CHILD, "platen-mark ended early%s%.200s",
                *m->jail.complaint ? ": " : "", m->jail.complaint);
}

static void put(struct marker *m, const void *data, size_t size)
{
    double wall = m->settings->page_wall_s;
    if (err_failed(m->err)) return;
    judge_end(m, jail_write(&m->jail, data, size, wall, now_seconds() + wall));
}

static void get(struct marker *m, void *data, size_t size)
{
    double wall = m->settings->page_wall_s;
    if (err_failed(m->err)) return;
    judge_end(m, jail_read(&m->jail, data, size, wall, now_seconds() + wall));
}

static void start(struct marker *m, struct arena *arena)
{
    const struct settings *s = m->settings;
    const char *argument[JAIL_ARGUMENT_MAX] = {
        "platen-mark",
        "--memory",
        arena_text(arena, "%lld", (long long)s->child_memory),
        "--cpu",
        arena_text(arena, "%d", s->child_cpu_s),
        "--parent",
        arena_text(arena, "%ld", (long)getpid()),
        s->allow_unsandboxed ? "--allow-unsandboxed" : NULL};
    if (access(s->mark_program, X_OK) != 0)
        err_set(m->err, ERR_MISSING,
                "there is no %s, which draws values onto pages (mark_program)",
                s->mark_program);
    jail_open_orders(&m->jail, s->mark_program, argument, m->err);
}

/* --- the order ------------------------------------------------------------- */

static uint32_t to_part(double v)
{
    return (uint32_t)lrint(fmin(fmax(v, 0), 1) * MARK_ONE);
}

/* At most MARK_TEXT_MAX bytes, whole characters. */
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

struct marker_order {
    struct mark_order head;
    struct buf notes, boxes, texts;
};

static void add_mark(struct marker_order *o, const struct marker_mark *mark)
{
    struct mark_note note = {.level = (uint32_t)mark->level};
    for (int i = 0; i < mark->n_box && o->head.n_box < MARK_BOXES_MAX; i++) {
        const struct box *b = &mark->box[i];
        struct mark_box box = {to_part(b->x), to_part(b->y), to_part(b->w),
                               to_part(b->h)};
        buf_add(&o->boxes, (const char *)&box, sizeof box);
        note.n_box++;
        o->head.n_box++;
    }
    note.n_name = add_text(&o->texts, mark->name);
    note.n_value = add_text(&o->texts, mark->value);
    o->head.n_byte += note.n_name + note.n_value;
    o->head.n_mark++;
    buf_add(&o->notes, (const char *)&note, sizeof note);
}

static void send_pixels(struct marker *m, const struct image *page)
{
    size_t width = (size_t)page->width_px;
    uint8_t *row = mem_take(width, 3);
    for (int y = 0; y < page->height_px && !err_failed(m->err); y++) {
        const uint8_t *from = image_row(page, y);
        if (page->n_channel == 3)
            memcpy(row, from, 3 * width);
        else
            for (size_t x = 0; x < width; x++)
                row[3 * x] = row[3 * x + 1] = row[3 * x + 2] = from[x];
        put(m, row, 3 * width);
    }
    mem_give(row);
}

static void send_order(struct marker *m, const struct image *page,
                       const struct marker_mark *mark, int n_mark)
{
    struct marker_order o = {.head = {.magic = MARK_MAGIC,
                                      .width = (uint32_t)page->width_px,
                                      .height = (uint32_t)page->height_px},
                             .notes = buf_limit(ORDER_MAX),
                             .boxes = buf_limit(ORDER_MAX),
                             .texts = buf_limit(ORDER_MAX)};
    for (int i = 0; i < n_mark && i < MARKER_MARKS_MAX; i++)
        add_mark(&o, &mark[i]);
    put(m, &o.head, sizeof o.head);
    send_pixels(m, page);
    put(m, buf_span(&o.notes).data, o.notes.size);
    put(m, buf_span(&o.boxes).data, o.boxes.size);
    put(m, buf_span(&o.texts).data, o.texts.size);
    buf_free(&o.notes);
    buf_free(&o.boxes);
    buf_free(&o.texts);
}

/* --- the picture ------------------------------------------------------------ */

static void judge_failure(struct marker *m, uint32_t status)
{
    static const char *const why[MARK_N_STATUS] = {
        [MARK_NO_SANDBOX] = "has no sandbox here (allow_unsandboxed)",
        [MARK_NO_FONT] = "finds no font; install one, such as "
                         "fonts-dejavu-core",
        [MARK_NO_ORDER] = "does not understand its order: it is of another "
                          "version",
        [MARK_NO_MEMORY] = "has no memory (child_memory)"};
    if (status >= MARK_N_STATUS)
        bad_protocol(m, "an unknown failure");
    else
        err_set(m->err, status == MARK_NO_MEMORY ? ERR_CHILD : ERR_MISSING,
                "platen-mark %s", why[status]);
}

static struct mark_frame read_frame(struct marker *m, enum mark_kind wanted)
{
    struct mark_frame f = {0};
    get(m, &f, sizeof f);
    if (err_failed(m->err)) return f;
    if (f.magic != MARK_MAGIC)
        bad_protocol(m, "a frame without its mark");
    else if (f.kind == MARK_FAIL)
        judge_failure(m, f.a);
    else if (f.kind != wanted)
        bad_protocol(m, "a frame out of turn");
    return f;
}

static struct image read_picture(struct marker *m)
{
    struct image none = {0};
    struct mark_frame f = read_frame(m, MARK_PAGE);
    if (err_failed(m->err)) return none;
    if (f.a < 1 || f.b < 1 || f.a > 2 * MARK_SIDE_MAX ||
        f.b > 2 * MARK_SIDE_MAX || (uint64_t)f.a * f.b > 4 * MARK_PIXELS_MAX) {
        bad_protocol(m, "a picture of a wrong size");
        return none;
    }
    struct image out = image_new((int)f.a, (int)f.b, 3, m->err);
    if (err_failed(m->err)) return none;
    get(m, out.data, out.stride_bytes * f.b);
    if (!err_failed(m->err)) return out;
    image_free(&out);
    return none;
}

/* Draws, or fails; the walls that stood are in *layers. */
static struct image draw_in_jail(struct marker *m, const struct image *page,
                                 const struct marker_mark *mark, int n_mark,
                                 unsigned *layers)
{
    struct image out = {0};
    struct arena *arena = arena_new();
    start(m, arena);
    struct mark_frame hello = read_frame(m, MARK_HELLO);
    *layers = hello.a;
    if (!err_failed(m->err) && !m->settings->allow_unsandboxed &&
        !(hello.a & (SANDBOX_LANDLOCK | SANDBOX_SECCOMP)))
        judge_failure(m, MARK_NO_SANDBOX);
    if (!err_failed(m->err)) send_order(m, page, mark, n_mark);
    if (!err_failed(m->err)) out = read_picture(m);
    jail_close(&m->jail);
    arena_free(arena);
    return out;
}

struct image marker_draw(const struct image *page,
                         const struct marker_mark *mark, int n_mark,
                         const struct settings *settings,
                         const struct jail_stop *stop, struct err *err)
{
    struct marker m = {
        .settings = settings,
        .jail = {.pixels = -1, .complaints = -1, .process = -1, .orders = -1},
        .err = err};
    unsigned layers = 0;
    if (err_failed(err)) return (struct image){0};
    if (stop) m.jail.stop = *stop;
    return draw_in_jail(&m, page, mark, n_mark, &layers);
}

bool marker_doctor(const struct settings *settings, struct buf *out)
{
    struct err err = {0};
    struct marker m = {
        .settings = settings,
        .jail = {.pixels = -1, .complaints = -1, .process = -1, .orders = -1},
        .err = &err};
    struct box box = {0.2, 0.2, 0.5, 0.1};
    struct marker_mark mark = {
        .name = "total", .value = "1.00", .box = &box, .n_box = 1};
    struct image page = image_new(DOCTOR_SIDE, DOCTOR_SIDE, 1, &err);
    unsigned layers = 0;
    struct image picture = draw_in_jail(&m, &page, &mark, 1, &layers);
    image_free(&picture);
    image_free(&page);
    if (!err_failed(&err)) return jail_say_layers("platen-mark", layers, out);
    buf_print(out, "! platen show: cannot draw: %s\n", err.text);
    return false;
}
