/* draw_jpeg.c - JPEG images, with libjpeg-turbo.
 *
 * libjpeg continues after damage and only counts warnings: here each warning
 * that affects pixels makes the file [damaged], unless lenient is set.
 */
#include "stages/children/raster/picture/job.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jpeglib.h>

#include <jerror.h>

#include "stages/children/raster/picture/blend.h"
#include "stages/children/raster/picture/exif.h"
#include "stages/children/raster/picture/jpeg_read.h"
#include "stages/children/raster/picture/orient.h"
#include "stages/children/raster/picture/read_errors.h"
#include "stages/children/raster/picture/shrink.h"
#include "vlm/base/arena.h"

enum { SCAN_MAX = 500, MARKER_EXIF = JPEG_APP0 + 1, MARKER_BYTES = 65533 };

struct draw_jpeg {
    struct jpeg_decompress_struct cinfo;
    struct jpeg_error_mgr error;
    struct jpeg_progress_mgr progress;
    jmp_buf out; /* where libjpeg's fatal errors go */
    struct err *err;
    FILE *file;
    struct shrink *shrink;
    uint8_t *row, *rgb; /* a decoded row; a converted row */
    int n_warning;
    bool from_the_start; /* the first warning came before any row */
    char warning[SHEET_TEXT_MAX];
};

static const char *reason_of_code(int code)
{
    switch (code) {
#if JPEG_LIB_VERSION < 70 /* later interfaces decode arithmetic coding */
    case JERR_ARITH_NOTIMPL:
#endif
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL: return "unsupported-image";
    case JERR_IMAGE_TOO_BIG: return "too-large";
    case JERR_OUT_OF_MEMORY: return "resource-memory";
    }
    return "damaged";
}

static _Noreturn void on_error(j_common_ptr cinfo)
{
    struct draw_jpeg *j = cinfo->client_data;
    char text[JMSG_LENGTH_MAX];
    cinfo->err->format_message(cinfo, text);
    err_reason(j->err, ERR_INPUT, reason_of_code(cinfo->err->msg_code),
               "the JPEG cannot be decoded: %s", text);
    longjmp(j->out, 1);
}

static void on_message(j_common_ptr cinfo, int level)
{
    struct draw_jpeg *j = cinfo->client_data;
    int code = cinfo->err->msg_code;
    /* these two do not affect pixels */
    if (level >= 0 || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM)
        return;
    char text[JMSG_LENGTH_MAX];
    cinfo->err->format_message(cinfo, text);
    if (j->n_warning == 0)
        j->from_the_start =
            !j->cinfo.output_scanline && !jpeg_has_multiple_scans(&j->cinfo);
    if (j->n_warning++ == 0)
        snprintf(j->warning, sizeof j->warning, "%.*s", SHEET_TEXT_MAX - 1,
                 text);
}

static void count_scans(j_common_ptr cinfo)
{
    struct draw_jpeg *j = cinfo->client_data;
    if (j->cinfo.input_scan_number <= SCAN_MAX) return;
    err_reason(j->err, ERR_LIMIT, "resource-cpu",
               "the JPEG has more than %d scans", SCAN_MAX);
    longjmp(j->out, 1);
}

static void *open_jpeg(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_jpeg *j = mem_alloc(1, sizeof *j);
    j->err = err;
    j->cinfo.err = jpeg_std_error(&j->error);
    j->error.error_exit = on_error;
    j->error.emit_message = on_message;
    j->progress.progress_monitor = count_scans;
    j->cinfo.client_data = j;
    j->file = read_errors_open(job->fd);
    if (!j->file) {
        err_errno(err, "cannot read the file");
        return j;
    }
    if (setjmp(j->out)) return j;
    jpeg_create_decompress(&j->cinfo);
    j->cinfo.client_data = j;
    j->cinfo.progress = &j->progress;
    jpeg_stdio_src(&j->cinfo, j->file);
    jpeg_save_markers(&j->cinfo, MARKER_EXIF, MARKER_BYTES);
    jpeg_read_header(&j->cinfo, TRUE);
    job_check_size(job, j->cinfo.image_width, j->cinfo.image_height, err);
    *n_page = 1;
    return j;
}

static void close_jpeg(void *handle)
{
    struct draw_jpeg *j = handle;
    jpeg_destroy_decompress(&j->cinfo);
    if (j->file) fclose(j->file);
    shrink_free(j->shrink);
    mem_free(j->row);
    mem_free(j->rgb);
    mem_free(j);
}

static int orientation_of(const struct draw_jpeg *j)
{
    for (jpeg_saved_marker_ptr m = j->cinfo.marker_list; m; m = m->next) {
        struct span block = {(const char *)m->data, m->data_length};
        if (m->marker != MARKER_EXIF || block.size < 6 ||
            memcmp(block.data, "Exif\0", 6))
            continue;
        int orientation = exif_orientation(block);
        if (orientation) return orientation;
    }
    return 1;
}

static double dpi_of(const struct draw_jpeg *j)
{
    double density = j->cinfo.X_density;
    if (!j->cinfo.saw_JFIF_marker || density < 10) return 0;
    if (j->cinfo.density_unit == 1) return density;
    return j->cinfo.density_unit == 2 ? density * 2.54 : 0;
}

/* Lets the decoder scale down if that leaves enough pixels. */
static void scale_decoder(struct jpeg_decompress_struct *cinfo, int to_width,
                          int to_height)
{
    for (unsigned n = 1; n <= 8; n *= 2) {
        cinfo->scale_num = n;
        cinfo->scale_denom = 8;
        jpeg_calc_output_dimensions(cinfo);
        if (cinfo->output_width >= (unsigned)to_width &&
            cinfo->output_height >= (unsigned)to_height)
            return;
    }
}

static void choose_colours(struct jpeg_decompress_struct *cinfo)
{
    if (cinfo->num_components == 1)
        cinfo->out_color_space = JCS_GRAYSCALE;
    else if (cinfo->num_components == 4)
        cinfo->out_color_space = JCS_CMYK;
    else
        cinfo->out_color_space = JCS_RGB;
}

/* CMYK JPEGs are stored inverted (as Adobe started it): 255 is no ink. */
static void row_to_rgb(struct draw_jpeg *j)
{
    unsigned n = j->cinfo.output_width;
    for (unsigned i = 0; i < 4 * n; i++)
        j->row[i] = (uint8_t)(255 - j->row[i]);
    blend_cmyk(j->row, (int)n, j->rgb);
}

static void read_rows(struct draw_jpeg *j)
{
    while (j->cinfo.output_scanline < j->cinfo.output_height) {
        JSAMPROW row = j->row;
        jpeg_read_scanlines(&j->cinfo, &row, 1);
        if (j->rgb) row_to_rgb(j);
        shrink_row(j->shrink, j->rgb ? j->rgb : j->row);
    }
}

static void page_jpeg(void *handle, const struct job *job, int number,
                      struct sheet *sheet, struct err *err)
{
    (void)number;
    struct draw_jpeg *j = handle;
    struct jpeg_decompress_struct *cinfo = &j->cinfo;
    if (err_failed(err) || setjmp(j->out)) return;
    sheet->dpi = dpi_of(j);
    int width, height;
    job_fit(job, (int)cinfo->image_width, (int)cinfo->image_height, &sheet->dpi,
            &width, &height);
    choose_colours(cinfo);
    scale_decoder(cinfo, width, height);
    jpeg_start_decompress(cinfo);
    int n = cinfo->output_components == 1 ? 1 : 3;
    j->shrink = shrink_new((int)cinfo->output_width, (int)cinfo->output_height,
                           n, width, height, err);
    if (err_failed(err)) return;
    j->row = mem_alloc(cinfo->output_width, (size_t)cinfo->output_components);
    if (cinfo->output_components == 4)
        j->rgb = mem_alloc(cinfo->output_width, 3);
    read_rows(j);
    const char *missing = jpeg_read_missing(cinfo);
    if (missing && j->n_warning++ == 0)
        snprintf(j->warning, sizeof j->warning, "%s", missing);
    int orientation = orientation_of(j); /* jpeg_finish frees the markers */
    jpeg_finish_decompress(cinfo);
    sheet->image = shrink_finish(j->shrink);
    j->shrink = NULL;
    orient_turn(&sheet->image, orientation, err);
    if (j->n_warning == 0) return;
    if (!job->lenient)
        err_reason(err, ERR_INPUT, "damaged", "the JPEG is damaged: %s%s",
                   j->warning,
                   j->from_the_start ? "" : job_lenient_hint(&sheet->image));
    snprintf(sheet->missing, sizeof sheet->missing, "damaged JPEG: %.*s",
             SHEET_TEXT_MAX - 20, j->warning);
}

const struct codec draw_jpeg_codec = {
    .type = "jpeg", .open = open_jpeg, .page = page_jpeg, .close = close_jpeg};
