/* page_time.c - see page_time.h. */
#include "pipeline/models/page_time.h"

#include <math.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/image.h"
#include "vlm/base/resize.h"
#include "vlm/vlm.h"

enum { PART = 4, STEPS = 8 }; /* a quarter of a page; tokens of an answer */

/* A white image of the A4 shape with this area. */
static struct image white_page(const struct vlm_info *info, double pixels,
                               struct err *err)
{
    int width = (int)sqrt(pixels / sqrt(2.0));
    struct resize_size size =
        resize_fit(width, (int)(width * sqrt(2.0)), info->grid,
                   info->min_pixels, info->max_pixels, err);
    if (err_failed(err)) return (struct image){0};
    struct image image = image_new(size.width_px, size.height_px, 3, err);
    if (image.data)
        memset(image.data, 255, image.stride_bytes * (size_t)image.height_px);
    return image;
}

static double area(const struct image *image)
{
    return (double)image->width_px * image->height_px;
}

/* Seconds per token of an answer, after what was fed. */
static double step_time(struct vlm_session *s, struct err *err)
{
    double start = clock_seconds();
    for (int i = 0; i < STEPS; i++) {
        vlm_feed_tokens(s, &(int32_t){1}, 1, err);
        vlm_logits(s, err);
    }
    return (clock_seconds() - start) / STEPS;
}

double page_time_measure(struct vlm *v, int64_t pixels, struct err *err)
{
    if (err_failed(err)) return 0;
    const struct vlm_info *info = vlm_info(v);
    int n_y = 0, n_x = 0;
    double most = fmin((double)pixels, (double)info->max_pixels);
    struct image part = white_page(info, most / PART, err);
    struct vlm_session *s = vlm_session_open(v, err);
    double start = clock_seconds();
    float *rows =
        err_failed(err) ? NULL : vlm_encode_image(v, &part, &n_y, &n_x, err);
    double seen = clock_seconds();
    vlm_feed_rows(s, rows, n_y, n_x, err);
    vlm_logits(s, err);
    double fed = clock_seconds();
    double step = err_failed(err) ? 0 : step_time(s, err);
    double larger = fmax(1, most / fmax(1, area(&part)));
    double row = (fed - seen) / fmax(1, n_y * n_x);
    mem_free(rows);
    vlm_session_close(s);
    image_free(&part);
    if (err_failed(err)) return 0;
    return larger * (seen - start) +
           row * (larger * n_y * n_x + PAGE_TIME_QUESTION) +
           step * PAGE_TIME_ANSWER;
}
