/* annotate_main.c - platen-annotate: draws boxes and values onto one page.
 *
 * Started by stages/children/annotate.c; not for direct use. The values are
 * untrusted text, which a model read from an untrusted document: shaping it
 * needs a process that cannot open files. The order is read only after the
 * sandbox is entered.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "stages/children/annotate/annotate_draw.h"
#include "stages/children/sandbox/sandbox.h"
#include "stages/children/wire/build.h"
#include "stages/children/wire/installed.h"
#include "vlm/base/arena.h"

/* A parsed order. */
struct mark_sheet {
    struct image page;
    struct mark_item *mark;
    int n_mark;
};

/* --- annotate wire --------------------------------------------------------- */

/* The child's side of annotate_protocol.h. Any failure to
 * write ends the process; if the parent has gone, SIGPIPE does. */

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

/* Reads the order; its memory lives until the process ends. False: invalid. */
static bool annotate_wire_order(struct mark_sheet *s)
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
static void annotate_wire_picture(cairo_surface_t *surface)
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

/* Sends why there is no picture, as the last message. */
static void annotate_wire_fail(enum mark_status status)
{
    static const char *const why[MARK_N_STATUS] = {
        [MARK_NO_FONT] =
            "no font is installed; install one, such as fonts-dejavu-core",
        [MARK_NO_ORDER] =
            "platen-annotate cannot read its order: it is of another build",
        [MARK_NO_MEMORY] =
            "platen-annotate has run out of memory (child_memory_limit)"};
    sandbox_send_text((struct child_frame){.type = FRAME_FAIL, .a = status},
                      why[status], FRAME_TEXT_MAX);
}

/* --- annotate main --------------------------------------------------------- */

/* LeakSanitizer needs ptrace, which the sandbox forbids. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

struct mark_task {
    struct sandbox_profile profile;
    bool allow_unsandboxed;
};

static bool read_options(struct mark_task *task, int argc, char **argv)
{
    enum { MEMORY = 1, CPU, PARENT, UNSANDBOXED };
    static const struct option options[] = {
        {"memory", required_argument, NULL, MEMORY},
        {"cpu", required_argument, NULL, CPU},
        {"parent", required_argument, NULL, PARENT},
        {"allow-unsandboxed", no_argument, NULL, UNSANDBOXED},
        {0}};
    int option;
    task->profile.turns_max = 1;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        long long n = optarg ? strtoll(optarg, NULL, 10) : 0;
        switch (option) {
        case MEMORY: task->profile.memory_bytes = n; break;
        case CPU: task->profile.cpu_s = (int)n; break;
        case PARENT: task->profile.parent = (long)n; break;
        case UNSANDBOXED: task->allow_unsandboxed = true; break;
        default: return false;
        }
    }
    return optind == argc;
}

static void draw_order(struct mark_fonts *fonts)
{
    struct mark_sheet sheet = {.n_mark = 0};
    if (!fonts) {
        annotate_wire_fail(MARK_NO_FONT);
        return;
    }
    if (!annotate_wire_order(&sheet)) {
        annotate_wire_fail(MARK_NO_ORDER);
        return;
    }
    cairo_surface_t *picture =
        annotate_draw_page(&sheet.page, sheet.mark, sheet.n_mark, fonts);
    if (cairo_surface_status(picture) == CAIRO_STATUS_SUCCESS)
        annotate_wire_picture(picture);
    else
        annotate_wire_fail(MARK_NO_MEMORY);
}

int main(int argc, char **argv)
{
    struct mark_task task = {.allow_unsandboxed = false};
    const char *path[SANDBOX_PATH_MAX];
    struct stat st;
    if (build_asked(argc, argv)) return 0;
    if (!read_options(&task, argc, argv) || fstat(SANDBOX_FD_OUT, &st)) {
        fputs("platen-annotate is started by platen; see "
              "stages/children/annotate.c\n",
              stderr);
        return 1;
    }
    installed_fonts();
    struct mark_fonts *fonts = annotate_text_fonts();
    int n_path = annotate_text_folders(path, SANDBOX_PATH_MAX);
    task.profile.readable = path;
    task.profile.n_readable = n_path;
    struct sandbox_layers walls = sandbox_confine_child(&task.profile);
    if (sandbox_greet(&walls, task.allow_unsandboxed)) draw_order(fonts);
    return 0;
}
