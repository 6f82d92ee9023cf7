/* draw_page.c - see draw_page.h. */
#include "pipeline/review/draw_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/engine/image_encode.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/print/ocr.h"
#include "stages/print/text_layer_check.h"
#include "vlm/base/resize.h"
#include "vlm/json/json.h"

enum { OUT_MAX = 64 << 20, WIDTH_OF_WORDS = 1240 };

/* Height by width. Longer pages are rare, and drawn smaller. */
static const double height_most = 1.6;

struct page_job {
    const struct draw_job *job;
    struct settings settings;
    struct document *doc;
    struct raster *raster;
    struct buf out;
};

static void print_words(const struct words *words, const char *source,
                        struct buf *out)
{
    buf_print(out, "{\"source\":\"%s\",\"words\":[", source);
    for (int i = 0; i < words->n_word; i++) {
        const struct word *w = &words->word[i];
        buf_print(out, "%s{\"text\":", i ? "," : "");
        json_print_string(out, span_of(w->text));
        buf_print(out, ",\"box\":[%.5f,%.5f,%.5f,%.5f]}", w->x, w->y, w->w,
                  w->h);
    }
    buf_print(out, "]}");
}

/* Words of the text layer if it is usable, else of OCR, even if `ocr` is off:
 * the user asked for them. */
static void read_words(struct page_job *s, const struct image *image,
                       struct err *err)
{
    struct text_layer_check_verdict layer;
    struct ocr_page seen = {0};
    const struct words *words = rasterise_words(s->raster);
    struct page_view *view = page_view_new(image, false, s->doc->arena, err);
    text_layer_check_judge(words, view, &layer, err);
    page_view_close(view);
    if (err_failed(err)) return;
    if (text_layer_check_is_usable(&layer)) {
        print_words(words, "text layer", &s->out);
        return;
    }
    s->settings.ocr = "always";
    struct ocr *ocr = ocr_new(s->doc, &s->settings, NULL);
    bool read = ocr_read(ocr, s->job->page, image, s->doc->page[0].dpi,
                         OCR_WORDS, &seen);
    print_words(&seen.words, read ? "OCR" : "", &s->out);
    ocr_free(ocr);
}

/* Scales down a page that is drawn larger than requested (up to four times). */
static void encode_picture(struct page_job *s, struct image *image,
                           struct err *err)
{
    int width = s->job->width;
    if (image->width_px > width + width / 2) {
        int height = (int)((double)image->height_px * width / image->width_px);
        struct image small =
            resize_bicubic(image, width, height > 0 ? height : 1, err);
        if (err_failed(err)) return;
        image_free(image);
        *image = small;
    }
    image_encode_jpeg(image, &s->out, err);
}

static void draw_job_page(struct page_job *s, struct err *err)
{
    char page[16];
    struct image image = {0};
    bool words = s->job->what == DRAW_WORDS;
    double width = words ? WIDTH_OF_WORDS : s->job->width;
    struct prepare_target target = {.grid = 1,
                                    .min_pixels = 1,
                                    .max_pixels =
                                        (int64_t)(width * width * height_most)};
    snprintf(page, sizeof page, "%d", s->job->page);
    s->settings.pages = page;
    s->settings.lenient = true;
    s->settings.dpi = 0;
    s->settings.max_pixels = target.max_pixels;
    s->doc->want_words = words;
    identify_document(s->doc, &s->settings, err);
    s->raster = rasterise_open(s->doc, &s->settings, &target, NULL, err);
    if (!rasterise_next(s->raster, &image, err)) return;
    if (words)
        read_words(s, &image, err);
    else
        encode_picture(s, &image, err);
    image_free(&image);
}

static void write_all(int fd, struct span text)
{
    for (size_t n = 0; n < text.size;) {
        ssize_t put = write(fd, text.data + n, text.size - n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return;
        n += (size_t)put;
    }
}

void draw_page_write(int folder_fd, const struct draw_job *job,
                     const struct config *config, int out)
{
    struct err err = {0};
    int fd = openat(folder_fd, "doc", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct page_job s = {.job = job,
                         .settings = config->stage,
                         .doc = document_new(job->id, "the document", fd),
                         .out = buf_limit(OUT_MAX)};
    if (fd < 0) err_set(&err, ERR_MISSING, "the document was removed");
    if (!err_failed(&err)) draw_job_page(&s, &err);
    bool ok = !err_failed(&err) && s.out.size && !s.out.full;
    write_all(out, span_of(ok ? "+" : "-"));
    write_all(out, ok ? buf_span(&s.out)
                      : span_of(*err.text ? err.text : "no such page"));
    rasterise_close(s.raster);
    document_free(s.doc);
    buf_free(&s.out);
    if (fd >= 0) close(fd);
}
