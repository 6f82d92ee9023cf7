/* layer_job.c - see layer_job.h. */
#include "stages/children/raster/layer_job.h"

#include "stages/children/packed_words.h"
#include "stages/children/raster/pdf/pdf_layer.h"
#include "stages/children/raster/raster_protocol.h"
#include "vlm/base/arena.h"

enum { SKEW_MOST = 40 * 1000 }; /* a thousandth of a degree */

static void refuse(struct err *err)
{
    err_set(err, ERR_CHILD, "an order that platen does not give");
}

static void *read_block(size_t size, struct err *err)
{
    if (err_failed(err)) return NULL;
    void *block = mem_try_aligned(size + 1);
    if (!block)
        err_reason(err, ERR_SYSTEM, "resource-memory",
                   "out of memory for the document");
    else if (!sandbox_read(block, size))
        refuse(err);
    if (!err_failed(err)) return block;
    mem_free(block);
    return NULL;
}

static bool is_order(const struct raster_layer_page *p,
                     const struct child_frame *f, const struct job *job)
{
    uint64_t n_pixel = (uint64_t)p->width_px * p->height_px;
    return p->quarters < 4 && p->skew >= -SKEW_MOST && p->skew <= SKEW_MOST &&
           p->n_word <= PACKED_WORDS_MAX && p->n_byte <= PACKED_TEXT_MAX &&
           n_pixel <= (uint64_t)job->max_decoded_pixels &&
           (n_pixel == 0 || p->n_channel == 1 || p->n_channel == 3) &&
           f->size == sizeof *p + p->n_word * sizeof(struct packed_word) +
                          p->n_byte + n_pixel * p->n_channel;
}

static void read_words(const struct raster_layer_page *page,
                       struct arena *arena, struct words *words,
                       struct err *err)
{
    struct packed_word *packed =
        arena_array(arena, page->n_word + 1, sizeof *packed);
    char *text = arena_alloc(arena, page->n_byte + 1);
    if (!sandbox_read(packed, page->n_word * sizeof *packed) ||
        !sandbox_read(text, page->n_byte) ||
        !packed_words_unpack(packed, page->n_word, text, page->n_byte, arena,
                             words))
        refuse(err);
    words->skew_degrees = page->skew / 1000.0;
}

static void read_pixels(const struct raster_layer_page *page,
                        struct image *image, struct err *err)
{
    if (err_failed(err) || !page->width_px || !page->height_px) return;
    *image = image_new((int)page->width_px, (int)page->height_px,
                       (int)page->n_channel, err);
    if (!err_failed(err) &&
        !sandbox_read(image->data, image->stride_bytes * page->height_px))
        refuse(err);
}

static void add_page(const struct job *job, struct pdf_layer *layer,
                     enum raster_layer kind, struct span file, struct err *err)
{
    struct child_frame f;
    struct raster_layer_page page;
    struct words words = {.n_word = 0};
    struct layer_picture picture = {.width_pt = 0};
    struct arena *arena = arena_new();
    if (!sandbox_receive(&f, RASTER_LAYER_PAGE) ||
        !sandbox_read(&page, sizeof page) || !is_order(&page, &f, job))
        refuse(err);
    if (!err_failed(err)) read_words(&page, arena, &words, err);
    if (!err_failed(err)) read_pixels(&page, &picture.pixels, err);
    picture.width_pt = page.width / 1000.0;
    picture.height_pt = page.height / 1000.0;
    if (kind == RASTER_LAYER_PDF)
        pdf_layer_page(layer, (int)page.number, (int)page.quarters, &words,
                       err);
    if (kind == RASTER_LAYER_JPEG) picture.jpeg = file;
    if (kind != RASTER_LAYER_PDF)
        pdf_layer_picture(layer, &picture, (int)page.quarters, &words, err);
    image_free(&picture.pixels);
    arena_free(arena);
}

static void send_file(struct span file)
{
    sandbox_send((struct child_frame){.type = RASTER_FILE, .size = file.size});
    sandbox_write(file.data, file.size);
}

void layer_job_run(const struct job *job, struct err *err)
{
    struct child_frame f;
    struct sandbox_profile profile = job_profile(job);
    if (err_failed(err)) return;
    if (!sandbox_receive(&f, RASTER_LAYER_FILE) || f.a >= RASTER_N_LAYER ||
        f.b > (uint32_t)job->max_pages) {
        refuse(err);
        return;
    }
    sandbox_cpu(&profile);
    enum raster_layer kind = (enum raster_layer)f.a;
    char *bytes = read_block(f.size, err);
    struct span file = {bytes, f.size}, none = {"", 0};
    struct pdf_layer *layer =
        pdf_layer_open(kind == RASTER_LAYER_PDF ? file : none, err);
    for (uint32_t i = 0; i < f.b && !err_failed(err); i++) {
        sandbox_cpu(&profile);
        add_page(job, layer, kind, file, err);
    }
    sandbox_cpu(&profile);
    struct span made = pdf_layer_write(layer, err);
    if (!err_failed(err)) send_file(made);
    pdf_layer_close(layer);
    mem_free(bytes);
}
