/* draw_jpeg2000.c - JPEG 2000 images (JP2, JPX, bare codestreams), with
 * OpenJPEG.
 *
 * Its warnings are about pixels: each makes the file [damaged], unless lenient
 * is set. Colour profiles are ignored; alpha is blended with white.
 */
#include "stages/children/raster/picture/job.h"

#include <stdio.h>
#include <string.h>

#include <openjpeg.h>

#include "stages/children/raster/picture/blend.h"
#include "stages/children/raster/picture/rows.h"
#include "vlm/base/arena.h"
#include "vlm/base/cursor.h"

enum { COMPONENT_MAX = 4, BUFFER = 1 << 16, CODESTREAM = 0x6a703263 };

struct draw_jpeg2000 {
    struct span file;
    size_t at;
    opj_stream_t *stream;
    opj_codec_t *codec;
    opj_image_t *image;
    int width, height;
    int n_colour; /* channels without alpha */
    bool alpha, ycc, cmyk;
    uint8_t *row; /* all channels of a row */
    char problem[SHEET_TEXT_MAX];
};

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T size, void *user)
{
    struct draw_jpeg2000 *j = user;
    size_t left = j->file.size - j->at;
    if (left == 0) return (OPJ_SIZE_T)-1;
    if (size > left) size = left;
    memcpy(to, j->file.data + j->at, size);
    j->at += size;
    return size;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T n, void *user)
{
    struct draw_jpeg2000 *j = user;
    size_t left = j->file.size - j->at;
    if (n < 0) return -1;
    if ((uint64_t)n > left) n = (OPJ_OFF_T)left;
    j->at += (size_t)n;
    return n;
}

static OPJ_BOOL seek_byte(OPJ_OFF_T at, void *user)
{
    struct draw_jpeg2000 *j = user;
    if (at < 0 || (uint64_t)at > j->file.size) return OPJ_FALSE;
    j->at = (size_t)at;
    return OPJ_TRUE;
}

/* Keeps the first one, without its line end. */
static void on_problem(const char *text, void *user)
{
    struct draw_jpeg2000 *j = user;
    if (!*j->problem)
        snprintf(j->problem, sizeof j->problem, "%.*s",
                 (int)strcspn(text, "\n"), text);
}

static void on_info(const char *text, void *user)
{
    (void)text;
    (void)user;
}

static void refuse(const struct draw_jpeg2000 *j, struct err *err)
{
    bool memory = strstr(j->problem, "emory") != NULL ||
                  strstr(j->problem, "exceeds system limits") != NULL;
    err_reason(err, ERR_INPUT, memory ? "resource-memory" : "damaged",
               "the JPEG 2000 file cannot be decoded: %s",
               *j->problem ? j->problem : "it is damaged");
}

/* Bare codestreams begin with a marker, others with a box. */
static bool is_bare(struct span file)
{
    return file.size > 0 && (unsigned char)file.data[0] == 0xff;
}

static bool start_codec(struct draw_jpeg2000 *j, const struct job *job)
{
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    j->codec =
        opj_create_decompress(is_bare(j->file) ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    j->stream = opj_stream_create(BUFFER, OPJ_STREAM_READ);
    if (!j->codec || !j->stream) return false;
    opj_set_info_handler(j->codec, on_info, j);
    opj_set_warning_handler(j->codec, on_problem, j);
    opj_set_error_handler(j->codec, on_problem, j);
    opj_stream_set_read_function(j->stream, read_bytes);
    opj_stream_set_skip_function(j->stream, skip_bytes);
    opj_stream_set_seek_function(j->stream, seek_byte);
    opj_stream_set_user_data(j->stream, j, NULL);
    opj_stream_set_user_data_length(j->stream, j->file.size);
    return opj_setup_decoder(j->codec, &parameters) &&
           opj_decoder_set_strict_mode(j->codec, !job->lenient);
}

static void *open_jpeg2000(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_jpeg2000 *j = mem_alloc(1, sizeof *j);
    j->file = job_read(job, err);
    if (err_failed(err)) return j;
    if (!start_codec(j, job) ||
        !opj_read_header(j->stream, j->codec, &j->image)) {
        refuse(j, err);
        return j;
    }
    job_check_size(job, j->image->x1 - j->image->x0,
                   j->image->y1 - j->image->y0, err);
    *n_page = 1;
    return j;
}

static void close_jpeg2000(void *handle)
{
    struct draw_jpeg2000 *j = handle;
    if (j->image) opj_image_destroy(j->image);
    if (j->codec) opj_destroy_codec(j->codec);
    if (j->stream) opj_stream_destroy(j->stream);
    job_forget(j->file);
    mem_free(j->row);
    mem_free(j);
}

/* Has the decoder leave out the finest resolutions, if that leaves enough
 * pixels: scans of archives have many. */
static void scale_decoder(struct draw_jpeg2000 *j, const struct job *job)
{
    int width = (int)j->image->comps[0].w, height = (int)j->image->comps[0].h;
    int to_width, to_height;
    double dpi = 0;
    opj_codestream_info_v2_t *info = opj_get_cstr_info(j->codec);
    const opj_tccp_info_t *coding =
        info ? info->m_default_tile_info.tccp_info : NULL;
    job_fit(job, width, height, &dpi, &to_width, &to_height);
    unsigned n = 0;
    while (coding && n + 1 < coding->numresolutions &&
           width >> (n + 1) >= to_width && height >> (n + 1) >= to_height)
        n++;
    if (n > 0) opj_set_decoded_resolution_factor(j->codec, n);
    if (info) opj_destroy_cstr_info(&info);
}

/* --- pixels ----------------------------------------------------------------- */

/* Which channels the picture has. The reference grid can be coarser than the
 * pixels: the first channel decides the size, the others are stretched. */
static void check_channels(struct draw_jpeg2000 *j, const struct job *job,
                           struct err *err)
{
    if (err_failed(err)) return;
    const opj_image_t *m = j->image;
    unsigned n = m->numcomps;
    bool usable = n >= 1 && n <= COMPONENT_MAX;
    for (unsigned i = 0; usable && i < n; i++)
        usable = m->comps[i].data && m->comps[i].w && m->comps[i].h &&
                 m->comps[i].prec >= 1 && m->comps[i].prec <= 31;
    if (!usable) {
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "a JPEG 2000 file of %u channels, or with empty ones: "
                   "convert it to PNG",
                   n);
        return;
    }
    j->cmyk = m->color_space == OPJ_CLRSPC_CMYK && n == 4;
    j->alpha = !j->cmyk && n % 2 == 0;
    j->n_colour = (int)n - j->alpha;
    bool halved = n >= 3 && m->comps[1].w < m->comps[0].w;
    j->ycc =
        j->n_colour == 3 && (m->color_space == OPJ_CLRSPC_SYCC ||
                             (m->color_space != OPJ_CLRSPC_SRGB && halved));
    j->width = (int)m->comps[0].w;
    j->height = (int)m->comps[0].h;
    job_check_size(job, m->comps[0].w, m->comps[0].h, err);
}

/* A channel's value at a pixel of the first channel, as 0 to 255. */
static uint8_t value_at(const struct draw_jpeg2000 *j, int channel, int x,
                        int y)
{
    const opj_image_comp_t *c = &j->image->comps[channel];
    size_t at_x = (size_t)x * c->w / (size_t)j->width;
    size_t at_y = (size_t)y * c->h / (size_t)j->height;
    int64_t value = c->data[at_y * c->w + at_x];
    int64_t most = ((int64_t)1 << c->prec) - 1;
    if (c->sgnd) value += (most + 1) / 2;
    value = value < 0 ? 0 : value > most ? most : value;
    return (uint8_t)((value * 255 + most / 2) / most);
}

static uint8_t clipped(double value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
}

/* Full range, ITU-R BT.601. */
static void to_rgb(uint8_t *pixel)
{
    double y = pixel[0], cb = pixel[1] - 128.0, cr = pixel[2] - 128.0;
    pixel[0] = clipped(y + 1.402 * cr);
    pixel[1] = clipped(y - 0.344136 * cb - 0.714136 * cr);
    pixel[2] = clipped(y + 1.772 * cb);
}

static bool jpeg2000_row(void *decoder, int y, uint8_t *out)
{
    const struct draw_jpeg2000 *j = decoder;
    int n = (int)j->image->numcomps;
    uint8_t *pixel = j->row;
    for (int x = 0; x < j->width; x++, pixel += n) {
        for (int i = 0; i < n; i++)
            pixel[i] = value_at(j, i, x, y);
        if (j->ycc) to_rgb(pixel);
    }
    if (j->cmyk)
        blend_cmyk(j->row, j->width, out);
    else if (j->alpha)
        blend_on_white(j->row, j->width, j->n_colour, false, out);
    else
        memcpy(out, j->row, (size_t)j->width * (size_t)n);
    return true;
}

/* Codestreams among the outermost boxes: a JPX file can have several. */
static int count_codestreams(struct span file)
{
    int n = 0;
    size_t at = 0;
    while (!is_bare(file) && at + 8 <= file.size) {
        uint32_t size = cursor_u32be_at(file.data + at);
        n += cursor_u32be_at(file.data + at + 4) == CODESTREAM;
        if (size < 8) break; /* to the end, or larger than 4 GB */
        at += size;
    }
    return n;
}

static void page_jpeg2000(void *handle, const struct job *job, int number,
                          struct sheet *sheet, struct err *err)
{
    (void)number;
    struct draw_jpeg2000 *j = handle;
    if (err_failed(err)) return;
    scale_decoder(j, job);
    if (!opj_decode(j->codec, j->stream, j->image)) {
        refuse(j, err);
        return;
    }
    check_channels(j, job, err);
    if (err_failed(err)) return;
    j->row = mem_alloc((size_t)j->width, j->image->numcomps);
    struct rows rows = {.type = "JPEG 2000 file",
                        .width = j->width,
                        .height = j->height,
                        .n_channel = j->n_colour == 1 ? 1 : 3,
                        .decoder = j,
                        .row = jpeg2000_row};
    rows_draw(&rows, job, sheet, err);
    if (*j->problem) job_damage(job, sheet, "JPEG 2000 file", j->problem, err);
    job_note_pictures(sheet, count_codestreams(j->file));
}

const struct codec draw_jpeg2000_codec = {.type = "jp2",
                                          .open = open_jpeg2000,
                                          .page = page_jpeg2000,
                                          .close = close_jpeg2000};
