/* draw_heif.c - HEIC, HEIF and AVIF images, with libheif; of several pictures
 * the primary one.
 *
 * libheif turns and mirrors as the file's properties (irot, imir) say. The
 * orientation in the EXIF block repeats them; it counts in files without these
 * properties, such as heif-enc 1.15 makes of a photograph in JPEG. Debian 13
 * has the decoders in plugins, which are loaded before the sandbox is entered.
 */
#include "stages/children/raster/picture/job.h"

#include <stdio.h>
#include <string.h>

#include <libheif/heif.h>

#include "stages/children/raster/picture/blend.h"
#include "stages/children/raster/picture/exif.h"
#include "stages/children/raster/picture/orient.h"
#include "stages/children/raster/picture/rows.h"
#include "stages/children/wire/installed.h"
#include "vlm/base/arena.h"
#include "vlm/base/cursor.h"

enum {
    ZEROS_MAX = 4096, /* an intact file ends in fewer */
    PLUGINS_MAX = 8
};

struct draw_heif {
    struct span file;
    struct heif_context *context;
    struct heif_image_handle *handle;
    struct heif_image *image;
    const uint8_t *pixel;
    int stride, width;
    bool alpha, premultiplied;
};

/* The system's plugins, and a bundle's (make bundle). */
static void prepare_heif(void)
{
    char folder[INSTALLED_PATH];
    const struct heif_plugin_info *loaded[PLUGINS_MAX];
    int n = 0;
    heif_init(NULL);
    if (installed_path("heif", folder))
        heif_load_plugins(folder, loaded, &n, PLUGINS_MAX);
}

/* The content of the first outermost box of this type; empty if there is
 * none. */
static struct span find_box(struct span file, const char *type)
{
    size_t at = 0;
    while (at + 8 <= file.size) {
        size_t size = cursor_u32be_at(file.data + at), left = file.size - at;
        if (size < 8 || size > left) size = left;
        if (!memcmp(file.data + at + 4, type, 4))
            return (struct span){file.data + at + 8, size - 8};
        at += size;
    }
    return (struct span){NULL, 0};
}

static bool contains(struct span box, const char *word)
{
    for (size_t i = 0; i + 4 <= box.size; i++)
        if (!memcmp(box.data + i, word, 4)) return true;
    return false;
}

/* Whether the file lists a brand of image sequences. */
static bool is_sequence(struct span file)
{
    struct span brands = find_box(file, "ftyp");
    return contains(brands, "msf1") || contains(brands, "hevc") ||
           contains(brands, "hevx") || contains(brands, "avis");
}

/* The orientation that libheif has not applied; 1: none. */
static int orientation_of(const struct draw_heif *h)
{
    struct span meta = find_box(h->file, "meta");
    heif_item_id id;
    if (contains(meta, "irot") || contains(meta, "imir") ||
        heif_image_handle_get_list_of_metadata_block_IDs(h->handle, "Exif", &id,
                                                         1) < 1)
        return 1;
    size_t size = heif_image_handle_get_metadata_size(h->handle, id);
    char *block = size > 4 ? mem_try_aligned(size) : NULL;
    int orientation = 1;
    if (block &&
        heif_image_handle_get_metadata(h->handle, id, block).code ==
            heif_error_Ok &&
        cursor_u32be_at(block) < size - 4) {
        /* the number at its start says where the EXIF block begins */
        size_t at = 4 + cursor_u32be_at(block);
        orientation = exif_orientation((struct span){block + at, size - at});
    }
    mem_free(block);
    return orientation;
}

/* A copy that was interrupted can have its full size, with zeros at its end.
 * HEVC decoders draw something else there and report nothing. */
static void check_end(struct span file, struct err *err)
{
    size_t n = 0;
    while (n < file.size && n < ZEROS_MAX && !file.data[file.size - 1 - n])
        n++;
    if (!err_failed(err) && n == ZEROS_MAX)
        err_reason(err, ERR_INPUT, "damaged",
                   "the HEIF file was not copied completely: it ends in %d or "
                   "more zero bytes",
                   ZEROS_MAX);
}

static void check_still(struct span file, struct err *err)
{
    if (!err_failed(err) && !find_box(file, "meta").data &&
        find_box(file, "moov").data)
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "the HEIF file has a sequence without a still picture: "
                   "save one of its pictures as JPEG");
}

/* Records libheif's error; true if there is one. */
static bool refuse(const struct heif_error *e, struct err *err)
{
    if (e->code == heif_error_Ok) return false;
    int n = (int)strcspn(e->message, "\n");
    if (e->code == heif_error_Memory_allocation_error)
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "the HEIF file needs too much memory: %.*s", n, e->message);
    else if (e->subcode == heif_suberror_Unsupported_codec ||
             e->code == heif_error_Plugin_loading_error)
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "no decoder for this HEIF file: %.*s; install "
                   "libheif-plugin-libde265 (HEIC) and libheif-plugin-dav1d "
                   "(AVIF), or convert it to JPEG",
                   n, e->message);
    else if (e->code == heif_error_Unsupported_feature ||
             e->code == heif_error_Unsupported_filetype)
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "the HEIF file cannot be decoded: %.*s; convert it to JPEG",
                   n, e->message);
    else
        err_reason(err, ERR_INPUT, "damaged", "the HEIF file is damaged: %.*s",
                   n, e->message);
    return true;
}

static void *open_heif(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_heif *h = mem_alloc(1, sizeof *h);
    h->file = job_read(job, err);
    if (!job->lenient) check_end(h->file, err);
    check_still(h->file, err);
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
    orient_turn(&sheet->image, orientation_of(h), err);
    check_warnings(h, job, sheet, err);
    job_note_pictures(sheet,
                      heif_context_get_number_of_top_level_images(h->context));
    char *note = sheet_unread(sheet, RASTER_NOTE_PICTURES);
    if (!*note && is_sequence(h->file))
        snprintf(note, SHEET_TEXT_MAX,
                 "the file has a sequence of pictures; only its still picture "
                 "was read");
}

const struct codec draw_heif_codec = {.type = "heif",
                                      .threads = true,
                                      .prepare = prepare_heif,
                                      .open = open_heif,
                                      .page = page_heif,
                                      .close = close_heif};
