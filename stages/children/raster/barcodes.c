/* barcodes.c - see barcodes.h. */
#include "stages/children/raster/barcodes.h"

#include <string.h>

#include <zbar.h>

#include "stages/children/raster/picture/shrink.h"
#include "stages/children/raster/separator_sheet.h"
#include "stages/pixels/thumbnail.h"
#include "vlm/base/arena.h"

enum { FOURCC_GREY = 0x30303859 /* "Y800" */, FINE_STEP = 3 };
enum { MEASURED_LINES = 8 }; /* with fewer, the code's length is unreliable */
/* A4 at 100 dpi: enough to tell letters from dirt. */
enum { MARKS_PIXELS = 900000 };

/* Scans every step-th line; the time taken is proportional to the lines. */
static zbar_image_scanner_t *scanner_new(int step)
{
    static const zbar_symbol_type_t wanted[] = {ZBAR_CODE128, ZBAR_CODE39,
                                                ZBAR_CODE93, ZBAR_QRCODE};
    zbar_image_scanner_t *scanner = zbar_image_scanner_create();
    if (!scanner) return NULL;
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        zbar_image_scanner_set_config(scanner, wanted[i], ZBAR_CFG_ENABLE, 1);
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_X_DENSITY, step);
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_Y_DENSITY, step);
    return scanner;
}

/* Copies the text; false if it is too long or not printable. */
static bool copy_text(const zbar_symbol_t *symbol, char *out)
{
    const char *text = zbar_symbol_get_data(symbol);
    size_t n = zbar_symbol_get_data_length(symbol);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\n'))
        n--;
    if (n == 0 || n > FRAME_TEXT_MAX) return false;
    for (size_t i = 0; i < n; i++)
        if (text[i] < ' ' || text[i] > '~') return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

static void find_box(const zbar_symbol_t *symbol, int scale, struct code *code)
{
    int left = 0, top = 0, right = 0, bottom = 0;
    unsigned n = zbar_symbol_get_loc_size(symbol);
    for (unsigned i = 0; i < n; i++) {
        int x = zbar_symbol_get_loc_x(symbol, i) * scale;
        int y = zbar_symbol_get_loc_y(symbol, i) * scale;
        if (i == 0 || x < left) left = x;
        if (i == 0 || x > right) right = x;
        if (i == 0 || y < top) top = y;
        if (i == 0 || y > bottom) bottom = y;
    }
    code->x = left;
    code->y = top;
    code->width = right - left;
    code->height = bottom - top;
    code->is_square = zbar_symbol_get_type(symbol) == ZBAR_QRCODE;
    /* a bar code has a point per line read, at either end */
    if (!code->is_square && n < MEASURED_LINES) code->width = code->height = 0;
}

/* Boxes of both scales agree to within a few pixels. */
enum { NEAR = 16 };

static bool overlap(const struct code *a, const struct code *b)
{
    return a->x <= b->x + b->width + NEAR && b->x <= a->x + a->width + NEAR &&
           a->y <= b->y + b->height + NEAR && b->y <= a->y + a->height + NEAR;
}

/* Most codes are found at both scales. */
static bool is_known(const struct barcodes *codes, const struct code *code)
{
    for (int i = 0; i < codes->n; i++)
        if (!strcmp(codes->code[i].text, code->text) &&
            codes->code[i].is_square == code->is_square &&
            overlap(&codes->code[i], code))
            return true;
    return false;
}

static void add_symbols(zbar_image_t *image, int scale, struct barcodes *out)
{
    const zbar_symbol_t *symbol = zbar_image_first_symbol(image);
    for (; symbol; symbol = zbar_symbol_next(symbol)) {
        struct code code;
        if (out->n == RASTER_CODE_MAX || !copy_text(symbol, code.text))
            continue;
        find_box(symbol, scale, &code);
        if (!is_known(out, &code)) out->code[out->n++] = code;
    }
}

static void scan(const struct image *grey, int scale, struct barcodes *out,
                 struct err *err)
{
    if (err_failed(err)) return;
    zbar_image_scanner_t *scanner = scanner_new(scale == 1 ? FINE_STEP : 1);
    zbar_image_t *image = scanner ? zbar_image_create() : NULL;
    if (!image) {
        err_set(err, ERR_SYSTEM, "not enough memory to read bar codes");
        zbar_image_scanner_destroy(scanner);
        return;
    }
    zbar_image_set_format(image, FOURCC_GREY);
    zbar_image_set_size(image, (unsigned)grey->width_px,
                        (unsigned)grey->height_px);
    zbar_image_set_data(image, grey->data,
                        grey->stride_bytes * (size_t)grey->height_px, NULL);
    if (zbar_scan_image(scanner, image) > 0) add_symbols(image, scale, out);
    zbar_image_destroy(image);
    zbar_image_scanner_destroy(scanner);
}

static struct image half_size(const struct image *grey, struct err *err)
{
    int width = (grey->width_px + 1) / 2, height = (grey->height_px + 1) / 2;
    struct shrink *s =
        shrink_new(grey->width_px, grey->height_px, 1, width, height, err);
    if (err_failed(err)) return (struct image){0};
    for (int y = 0; y < grey->height_px; y++)
        shrink_row(s, image_row(grey, y));
    return shrink_finish(s);
}

static bool is_blank(const struct image *grey, struct err *err)
{
    struct image glance = thumbnail_new(grey, err);
    bool blank = !err_failed(err) && thumbnail_unmarked(&glance);
    image_free(&glance);
    return blank;
}

void barcodes_read(const struct image *page, double dpi, struct barcodes *out,
                   struct err *err)
{
    out->n = 0;
    out->marks = 0;
    out->blank = false;
    if (err_failed(err)) return;
    struct image grey = image_to_grey(page, err), half = {0};
    if (!err_failed(err)) half = half_size(&grey, err);
    scan(&grey, 1, out, err);
    scan(&half, 2, out, err);
    bool coarse = (int64_t)half.width_px * half.height_px < MARKS_PIXELS;
    if (!err_failed(err) && out->n)
        out->marks = coarse
                         ? separator_sheet_count(&grey, dpi, out, 1, err)
                         : separator_sheet_count(&half, dpi / 2, out, 2, err);
    if (!err_failed(err) && !out->n) out->blank = is_blank(&grey, err);
    image_free(&half);
    image_free(&grey);
}
