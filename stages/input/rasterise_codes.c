/* rasterise_codes.c - codes on pages, found by the sandboxed child; see
 * rasterise.h. */
#include "stages/input/rasterise_inside.h"

#include <limits.h>

enum { CODES_PIXELS = 9000000 }; /* A4 at 300 dpi: fine bars on a sticker */

/* The settings are read while the child is started, and its limits later. */
struct raster *rasterise_open_codes(struct document *doc,
                                    const struct settings *settings,
                                    const struct jail_stop *stop,
                                    struct err *err)
{
    struct settings own = *settings;
    doc->n_page = 0;
    int64_t most = CODES_PIXELS;
    own.dpi = 0;
    /* of pictures four times as many pixels come (raster_pixels_max) */
    struct prepare_target target = {
        .grid = 1, .max_pixels = doc->type == FILE_PDF ? most : most / 4};
    struct raster *r = rasterise_child(doc, &own, &target, 0, stop, true, err);
    if (r) r->settings = r->child.settings = settings;
    return r;
}

static void take_code(struct raster *r, struct page_codes *codes,
                      struct err *err)
{
    char text[FRAME_TEXT_MAX + 1];
    struct child_frame f;
    child_expect(&r->child, RASTER_CODE, &f, err);
    if (err_failed(err)) return;
    if (f.a != (uint32_t)codes->number || f.b > INT_MAX || f.c > INT_MAX)
        child_broke_protocol(&r->child, "not the code that is due", err);
    child_read_text(&r->child, FRAME_TEXT_MAX, text, err);
    if (err_failed(err)) return;
    codes->code[codes->n_code++] = (struct page_code){
        arena_copy(r->doc->arena, span_of(text)), (int)f.b, (int)f.c};
}

bool rasterise_next_codes(struct raster *r, struct page_codes *codes,
                          struct err *err)
{
    struct child_frame f;
    if (err_failed(err) || r->at_end) return false;
    if (r->n_read == r->doc->n_page) {
        rasterise_expect_end(r, err);
        return false;
    }
    int number = r->doc->page[r->n_read].number;
    *codes = (struct page_codes){.number = number};
    child_expect(&r->child, RASTER_CODES, &f, err);
    if (!err_failed(err) && (f.a != (uint32_t)number || f.b > RASTER_CODE_MAX ||
                             f.c > INT_MAX || f.d > 1 || f.e > 1))
        child_broke_protocol(&r->child, "not the codes that are due", err);
    if (err_failed(err)) return false;
    codes->marks = (int)f.c;
    codes->is_drawn = !f.d;
    codes->is_blank = f.e && !f.b;
    codes->code =
        arena_array(r->doc->arena, RASTER_CODE_MAX, sizeof *codes->code);
    for (uint32_t i = 0; i < f.b && !err_failed(err); i++)
        take_code(r, codes, err);
    r->n_read++;
    return !err_failed(err);
}
