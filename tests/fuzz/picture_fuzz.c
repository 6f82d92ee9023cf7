/* picture_fuzz.c - any bytes as a HEIF, JPEG 2000, BMP, GIF or PNM file, which
 * the first byte chooses: a sheet as large as was asked for, or a reason.
 */
#define _GNU_SOURCE 1 /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stages/children/raster/picture/job.h"

#ifdef FUZZING
/* As in the child, which has a memory limit, and ends after one document:
 * decoders may ask for more, and libheif and libdav1d lose what they had when
 * they refuse data. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024:"
           "detect_leaks=0";
}
#endif

enum { PIXELS_MAX = 1 << 16, DECODED_MAX = 1 << 18 };

static void check_sheet(const struct sheet *sheet, bool lenient)
{
    const struct image *m = &sheet->image;
    assert(m->data && m->width_px > 0 && m->height_px > 0);
    assert(m->n_channel == 1 || m->n_channel == 3);
    assert((int64_t)m->width_px * m->height_px <= 4 * PIXELS_MAX);
    assert(lenient || !*sheet->missing);
    uint32_t sum = 0; /* reads all of it, for a sanitizer */
    for (size_t i = 0; i < m->stride_bytes * (size_t)m->height_px; i++)
        sum += m->data[i];
    assert(sum <= 255u * m->stride_bytes * (size_t)m->height_px);
}

int picture_fuzz(const uint8_t *data, size_t size)
{
    static const struct codec *const codecs[] = {
        &draw_heif_codec, &draw_jpeg2000_codec, &draw_bmp_codec,
        &draw_gif_codec, &draw_pnm_codec};
    if (size < 2) return 0;
    const struct codec *codec = codecs[data[0] % 5];
    struct job job = {.fd = memfd_create("picture", MFD_CLOEXEC),
                      .size_bytes = (int64_t)size - 1,
                      .max_pixels = PIXELS_MAX,
                      .max_decoded_pixels = DECODED_MAX,
                      .lenient = data[0] >= 128};
    assert(job.fd >= 0 && write(job.fd, data + 1, size - 1) == job.size_bytes);
    struct sheet sheet = {.dpi = 0};
    struct err err = {0};
    int n_page = 0;
    void *handle = codec->open(&job, &n_page, &err);
    assert(handle && (err_failed(&err) || n_page == 1));
    if (!err_failed(&err)) codec->page(handle, &job, 1, &sheet, &err);
    if (!err_failed(&err)) check_sheet(&sheet, job.lenient);
    assert(!err_failed(&err) || *err.text);
    codec->close(handle);
    image_free(&sheet.image);
    close(job.fd);
    return 0;
}
