/* draw_webp.c - WebP images, with libwebp; of an animation the first frame.
 *
 * libwebp decodes from memory: the file is read whole (its size was checked
 * against max_document_bytes).
 */
#include "stages/children/raster/picture/job.h"

#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

#include "stages/children/raster/picture/blend.h"
#include "stages/children/raster/picture/exif.h"
#include "stages/children/raster/picture/orient.h"
#include "stages/children/raster/picture/shrink.h"
#include "vlm/base/arena.h"

struct draw_webp {
    struct span file;
    WebPData data;
    WebPDemuxer *demux;
    WebPIterator frame;
    WebPBitstreamFeatures features; /* of the frame */
    int width, height;              /* of the canvas */
};

static void *open_webp(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_webp *w = mem_alloc(1, sizeof *w);
    w->file = job_read(job, err);
    if (err_failed(err)) return w;
    w->data = (WebPData){(const uint8_t *)w->file.data, w->file.size};
    w->demux = WebPDemux(&w->data);
    if (!w->demux || !WebPDemuxGetFrame(w->demux, 1, &w->frame)) {
        err_reason(err, ERR_INPUT, "damaged", "the WebP file is incomplete");
        return w;
    }
    w->width = (int)WebPDemuxGetI(w->demux, WEBP_FF_CANVAS_WIDTH);
    w->height = (int)WebPDemuxGetI(w->demux, WEBP_FF_CANVAS_HEIGHT);
    job_check_size(job, (uint32_t)w->width, (uint32_t)w->height, err);
    VP8StatusCode status = WebPGetFeatures(
        w->frame.fragment.bytes, w->frame.fragment.size, &w->features);
    if (status != VP8_STATUS_OK)
        err_reason(err, ERR_INPUT, "damaged", "the WebP header is damaged");
    *n_page = 1;
    return w;
}

static void close_webp(void *handle)
{
    struct draw_webp *w = handle;
    if (w->demux) {
        WebPDemuxReleaseIterator(&w->frame);
        WebPDemuxDelete(w->demux);
    }
    job_forget(w->file);
    mem_free(w);
}

static int orientation_of(const struct draw_webp *w)
{
    WebPChunkIterator chunk;
    int orientation = 1;
    if (!WebPDemuxGetChunk(w->demux, "EXIF", 1, &chunk)) return orientation;
    orientation = exif_orientation(
        (struct span){(const char *)chunk.chunk.bytes, chunk.chunk.size});
    WebPDemuxReleaseChunkIterator(&chunk);
    return orientation;
}

/* Sends the rows of the canvas: white around the frame. */
static void compose(const struct draw_webp *w, const uint8_t *rgba,
                    struct shrink *shrink)
{
    int frame_width = w->features.width, left = w->frame.x_offset;
    size_t stride = (size_t)frame_width * 4;
    uint8_t *row = mem_alloc((size_t)w->width, 3);
    for (int y = 0; y < w->height; y++) {
        int from = y - w->frame.y_offset;
        memset(row, 255, (size_t)w->width * 3);
        if (from >= 0 && from < w->features.height)
            blend_on_white(rgba + (size_t)from * stride, frame_width, 3, false,
                           row + 3 * (size_t)left);
        shrink_row(shrink, row);
    }
    mem_free(row);
}

static void page_webp(void *handle, const struct job *job, int number,
                      struct sheet *sheet, struct err *err)
{
    (void)number;
    struct draw_webp *w = handle;
    if (err_failed(err)) return;
    if (w->frame.x_offset + w->features.width > w->width ||
        w->frame.y_offset + w->features.height > w->height) {
        err_reason(err, ERR_INPUT, "damaged",
                   "a WebP frame extends beyond its canvas");
        return;
    }
    job_note_pictures(sheet, w->frame.num_frames);
    int width, height, got_width, got_height;
    job_fit(job, w->width, w->height, &sheet->dpi, &width, &height);
    uint8_t *rgba =
        WebPDecodeRGBA(w->frame.fragment.bytes, w->frame.fragment.size,
                       &got_width, &got_height);
    if (!rgba) {
        err_reason(err, ERR_INPUT, "damaged", "the WebP data is damaged");
        return;
    }
    struct shrink *shrink =
        shrink_new(w->width, w->height, 3, width, height, err);
    if (shrink) {
        compose(w, rgba, shrink);
        sheet->image = shrink_finish(shrink);
    }
    WebPFree(rgba);
    orient_turn(&sheet->image, orientation_of(w), err);
}

const struct codec draw_webp_codec = {
    .type = "webp", .open = open_webp, .page = page_webp, .close = close_webp};
