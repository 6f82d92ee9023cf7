/* draw_heif.c - HEIC, HEIF and AVIF images, with libheif; of several pictures
 * the primary one.
 *
 * libheif turns and mirrors as the file's properties (irot, imir) say. The
 * orientation in the EXIF block repeats them and is ignored, as the standard
 * wants (ISO/IEC 23008-12, A.2). Debian 13 has the decoders in plugins, which
 * are loaded before the sandbox is entered.
 */
#include "stages/children/raster/job.h"

#include <stdio.h>
#include <string.h>

#include <libheif/heif.h>

#include "stages/children/raster/blend.h"
#include "stages/children/raster/rows.h"
#include "vlm/base/arena.h"

struct draw_heif {
    struct span file;
    struct heif_context *context;
    struct heif_image_handle *handle;
    struct heif_image *image;
    const uint8_t *pixel;
    int stride, width;
    bool alpha, premultiplied;
};

static void prepare_heif(void)
{
    heif_init(NULL);
}

/* Whether the first box lists a brand of image sequences. */
static bool is_sequence(struct span file)
{
    static const char *const brands[] = {"msf1", "hevc", "hevx", "avis"};
    size_t size = 0;
    for (size_t i = 0; i < 4 && file.size >= 16; i++)
        size = size << 8 | (unsigned char)file.data[i];
    for (size_t at = 8; at + 4 <= size && at + 4 <= file.size; at += 4)
        for (size_t i = 0; at != 12 && i < sizeof brands / sizeof brands[0];
             i++)
            if (!memcmp(file.data + at, brands[i], 4)) return true;
    return false;
}

/* Records libheif's error; true if there is one. */
static bool refuse(const struct heif_error *e, struct err *err)
{
    if (e->code == heif_error_Ok) return false;
    if (e->code == heif_error_Memory_allocation_error)
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "the HEIF file needs too much memory: %s", e->message);
    else if (e->subcode == heif_suberror_Unsupported_codec ||
             e->code == heif_error_Unsupported_filetype)
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "no decoder for this HEIF file: %s; install "
                   "libheif-plugin-libde265 (HEIC) and libheif-plugin-dav1d "
                   "(AVIF), or convert it to JPEG",
                   e->message);
    else if (e->code == heif_error_Unsupported_feature)
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "the HEIF file uses something unknown: %s", e->message);
    else if (e->subcode == heif_suberror_No_meta_box)
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "the HEIF file has no still picture, or is cut off: %s",
                   e->message);
    else
        err_reason(err, ERR_INPUT, "damaged", "the HEIF file is damaged: %s",
                   e->message);
    return true;
}

static void *open_heif(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_heif *h = mem_alloc(1, sizeof *h);
    h->file = job_read(job, err);
    if (err_failed(err)) return h;
    h->context = heif_context_alloc();
    if (!h->context) {
        err_set(err, ERR_SYSTEM, "not enough memory to read a HEIF file");
        return h;
    }
    heif_context_set_max_decoding_threads(h->context, 0);
    struct heif_error e = heif_context_read_from_memory_without_copy(
        h->context, h->file.data, h->file.size, NULL);
    if (refuse(&e, err)) return h;
    e = heif_context_get_primary_image_handle(h->context, &h->handle);
    if (refuse(&e, err)) return h;
    job_check_size(job, (uint32_t)heif_image_handle_get_width(h->handle),
                   (uint32_t)heif_image_handle_get_height(h->handle), err);
    *n_page = 1;
    return h;
}

static void close_heif(void *handle)
{
    struct draw_heif *h = handle;
    if (h->image) heif_image_release(h->image);
    if (h->handle) heif_image_handle_release(h->handle);
    if (h->context) heif_context_free(h->context);
    job_forget(h->file);
    mem_free(h);
}

static void decode(struct draw_heif *h, const struct job *job, struct err *err)
{
    if (err_failed(err)) return;
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (!options) {
        err_set(err, ERR_SYSTEM, "not enough memory to decode a HEIF file");
        return;
    }
    options->convert_hdr_to_8bit = 1;
    options->strict_decoding = !job->lenient;
    h->alpha = heif_image_handle_has_alpha_channel(h->handle);
    h->premultiplied = heif_image_handle_is_premultiplied_alpha(h->handle);
    struct heif_error e = heif_decode_image(
        h->handle, &h->image, heif_colorspace_RGB,
        h->alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
        options);
    heif_decoding_options_free(options);
    if (refuse(&e, err)) return;
    h->pixel = heif_image_get_plane_readonly(h->image, heif_channel_interleaved,
                                             &h->stride);
    h->width = heif_image_get_width(h->image, heif_channel_interleaved);
    if (!h->pixel)
        err_reason(err, ERR_INPUT, "damaged", "the HEIF file has no pixels");
}

static bool heif_row(void *decoder, int y, uint8_t *out)
{
    const struct draw_heif *h = decoder;
    const uint8_t *row = h->pixel + (size_t)y * (size_t)h->stride;
    if (h->alpha)
        blend_on_white(row, h->width, 3, h->premultiplied, out);
    else
        memcpy(out, row, (size_t)h->width * 3);
    return true;
}

/* Damage that the decoder worked around. */
static void check_warnings(struct draw_heif *h, const struct job *job,
                           struct sheet *sheet, struct err *err)
{
    struct heif_error warning;
    if (err_failed(err) ||
        heif_image_get_decoding_warnings(h->image, 0, &warning, 1) < 1)
        return;
    job_damage(job, sheet, "HEIF file", warning.message, err);
}

static void page_heif(void *handle, const struct job *job, int number,
                      struct sheet *sheet, struct err *err)
{
    (void)number;
    struct draw_heif *h = handle;
    decode(h, job, err);
    if (err_failed(err)) return;
    struct rows rows = {
        .type = "HEIF file",
        .width = h->width,
        .height = heif_image_get_height(h->image, heif_channel_interleaved),
        .n_channel = 3,
        .decoder = h,
        .row = heif_row};
    job_check_size(job, (uint32_t)rows.width, (uint32_t)rows.height, err);
    rows_draw(&rows, job, sheet, err);
    check_warnings(h, job, sheet, err);
    job_note_pictures(sheet,
                      heif_context_get_number_of_top_level_images(h->context));
    if (!*sheet->pictures && is_sequence(h->file))
        snprintf(sheet->pictures, sizeof sheet->pictures,
                 "the file has a sequence of pictures; only its still picture "
                 "was read");
}

const struct codec draw_heif_codec = {.type = "heif",
                                      .threads = true,
                                      .prepare = prepare_heif,
                                      .open = open_heif,
                                      .page = page_heif,
                                      .close = close_heif};
