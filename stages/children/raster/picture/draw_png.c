/* draw_png.c - PNG images, with libpng.
 *
 * Alpha is blended with white, 16 bits are reduced to 8, palettes are expanded,
 * and only the first frame of an animation is drawn. Colour profiles are
 * skipped unread: they are not needed and can be decompression bombs. Of texts,
 * within the limits below, only one with the orientation is used. Like a chunk
 * eXIf, it can follow the pixels; errors there do not affect them.
 */
#include "stages/children/raster/picture/job.h"

#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <png.h>

#include "stages/children/raster/picture/blend.h"
#include "stages/children/raster/picture/exif.h"
#include "stages/children/raster/picture/orient.h"
#include "stages/children/raster/picture/read_errors.h"
#include "stages/children/raster/picture/shrink.h"
#include "vlm/base/arena.h"

enum { SIDE_MAX = 1000000, CHUNK_BYTES_MAX = 1 << 20, CHUNK_CACHE_MAX = 64 };

struct draw_png {
    png_structp png;
    png_infop info;
    struct err *err;
    FILE *file;
    struct shrink *shrink;
    uint8_t *row, *opaque;
    uint8_t *whole; /* the pixels of an interlaced image */
    png_bytep *rows;
    int width, height, n_channel; /* as decoded, alpha included */
    bool drawn; /* all rows are decoded: later errors are ignored */
};

static _Noreturn void on_error(png_structp png, png_const_charp text)
{
    struct draw_png *p = png_get_error_ptr(png);
    if (p->drawn) png_longjmp(png, 1);
    bool memory = strstr(text, "emory") != NULL;
    err_reason(p->err, ERR_INPUT, memory ? "resource-memory" : "damaged",
               "the PNG cannot be decoded: %s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text; /* libpng's warnings are about chunks other than pixels */
}

static void skip_chunks(png_structp png)
{
    static const png_byte names[] = "iCCP\0sPLT\0hIST";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, names, 3);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS,
                                (png_const_bytep) "acTL", 1);
}

/* Converts everything to 8 bits of grey or RGB, with or without alpha. */
static void choose_transforms(struct draw_png *p)
{
    png_set_expand(p->png);
    png_set_strip_16(p->png);
    png_set_interlace_handling(p->png);
    png_read_update_info(p->png, p->info);
    p->n_channel = png_get_channels(p->png, p->info);
}

static void *open_png(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_png *p = mem_alloc(1, sizeof *p);
    p->err = err;
    p->file = read_errors_open(job->fd);
    if (!p->file) {
        err_errno(err, "cannot read the file");
        return p;
    }
    p->png =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, p, on_error, on_warning);
    p->info = p->png ? png_create_info_struct(p->png) : NULL;
    if (!p->info) {
        err_set(err, ERR_SYSTEM, "not enough memory to read a PNG");
        return p;
    }
    if (setjmp(png_jmpbuf(p->png))) return p;
    png_init_io(p->png, p->file);
    png_set_user_limits(p->png, SIDE_MAX, SIDE_MAX);
    png_set_chunk_malloc_max(p->png, CHUNK_BYTES_MAX);
    png_set_chunk_cache_max(p->png, CHUNK_CACHE_MAX);
    skip_chunks(p->png);
    png_read_info(p->png, p->info);
    uint32_t width = png_get_image_width(p->png, p->info);
    uint32_t height = png_get_image_height(p->png, p->info);
    job_check_size(job, width, height, err);
    p->width = (int)width;
    p->height = (int)height;
    *n_page = 1;
    return p;
}

static void close_png(void *handle)
{
    struct draw_png *p = handle;
    png_destroy_read_struct(&p->png, &p->info, NULL);
    if (p->file) fclose(p->file);
    shrink_free(p->shrink);
    mem_free(p->row);
    mem_free(p->opaque);
    mem_free(p->whole);
    mem_free(p->rows);
    mem_free(p);
}

static double dpi_of(const struct draw_png *p)
{
    return png_get_x_pixels_per_meter(p->png, p->info) * 0.0254;
}

/* Pictures of an animation (APNG), which libpng does not know: the chunk acTL
 * begins with their number. */
static int pictures_of(const struct draw_png *p)
{
    png_unknown_chunkp chunk = NULL;
    int n = png_get_unknown_chunks(p->png, p->info, &chunk);
    for (int i = 0; i < n; i++)
        if (!memcmp(chunk[i].name, "acTL", 4) && chunk[i].size >= 4)
            return (int)(png_get_uint_32(chunk[i].data) & INT_MAX);
    return 1;
}

static int orientation_of(const struct draw_png *p)
{
    png_bytep block = NULL;
    png_uint_32 size = 0;
    png_textp text = NULL;
    int n = 0, found = 0;
    if (png_get_eXIf_1(p->png, p->info, &size, &block) && block)
        found = exif_orientation((struct span){(const char *)block, size});
    png_get_text(p->png, p->info, &text, &n);
    for (int i = 0; i < n && !found; i++)
        if (!strcmp(text[i].key, "Raw profile type exif") ||
            !strcmp(text[i].key, "Raw profile type APP1"))
            found = exif_orientation_of_text(span_of(text[i].text));
    return found ? found : 1;
}

static void read_tail(struct draw_png *p)
{
    p->drawn = true;
    if (!setjmp(png_jmpbuf(p->png))) png_read_end(p->png, p->info);
}

static void take_row(struct draw_png *p, const uint8_t *row)
{
    if (p->n_channel % 2 == 0) {
        blend_on_white(row, p->width, p->n_channel - 1, false, p->opaque);
        row = p->opaque;
    }
    shrink_row(p->shrink, row);
}

static void read_interlaced(struct draw_png *p, struct err *err)
{
    size_t stride = png_get_rowbytes(p->png, p->info);
    size_t height = (size_t)p->height;
    p->whole = mem_try_aligned(stride * height);
    if (!p->whole) {
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "not enough memory for an interlaced PNG of %d x %d px",
                   p->width, p->height);
        return;
    }
    memset(p->whole, 0, stride * height);
    p->rows = mem_alloc(height, sizeof *p->rows);
    for (size_t y = 0; y < height; y++)
        p->rows[y] = p->whole + y * stride;
    png_read_image(p->png, p->rows);
    for (size_t y = 0; y < height; y++)
        take_row(p, p->rows[y]);
}

static void page_png(void *handle, const struct job *job, int number,
                     struct sheet *sheet, struct err *err)
{
    (void)number;
    struct draw_png *p = handle;
    if (err_failed(err) || setjmp(png_jmpbuf(p->png))) return;
    sheet->dpi = dpi_of(p);
    job_note_pictures(sheet, pictures_of(p));
    int width, height;
    job_fit(job, p->width, p->height, &sheet->dpi, &width, &height);
    int interlaced =
        png_get_interlace_type(p->png, p->info) != PNG_INTERLACE_NONE;
    choose_transforms(p);
    int n = p->n_channel < 3 ? 1 : 3;
    p->shrink = shrink_new(p->width, p->height, n, width, height, err);
    if (err_failed(err)) return;
    p->row = mem_alloc(1, png_get_rowbytes(p->png, p->info));
    p->opaque = mem_alloc((size_t)p->width, (size_t)n);
    if (interlaced)
        read_interlaced(p, err);
    else
        for (int y = 0; y < p->height; y++) {
            png_read_row(p->png, p->row, NULL);
            take_row(p, p->row);
        }
    if (err_failed(err)) return;
    sheet->image = shrink_finish(p->shrink);
    p->shrink = NULL;
    read_tail(p);
    orient_turn(&sheet->image, orientation_of(p), err);
}

const struct codec draw_png_codec = {
    .type = "png", .open = open_png, .page = page_png, .close = close_png};
