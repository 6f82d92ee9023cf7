/* job.c - see job.h. */
#include "stages/children/raster/job.h"

#include "stages/children/raster/raster_protocol.h"
#include "stages/children/raster/shrink.h"

struct sandbox_profile job_profile(const struct job *job)
{
    return (struct sandbox_profile){.memory_bytes = job->memory_bytes,
                                    .cpu_s = job->cpu_s,
                                    .turns_max = job->max_pages,
                                    .parent = job->parent};
}

void job_check_size(const struct job *job, uint32_t width, uint32_t height,
                    struct err *err)
{
    if (err_failed(err)) return;
    if (width == 0 || height == 0)
        err_reason(err, ERR_INPUT, "damaged", "the image is %u x %u px", width,
                   height);
    else if ((uint64_t)width * height > (uint64_t)job->max_decoded_pixels)
        err_reason(err, ERR_LIMIT, "too-large",
                   "the image is %u x %u px; the limit is %lld pixels "
                   "(max_decoded_pixels)",
                   width, height, (long long)job->max_decoded_pixels);
}

void job_fit(const struct job *job, int width, int height, double *dpi,
             int *to_width, int *to_height)
{
    double scale = 1;
    if (job->dpi > 0 && *dpi > job->dpi) scale = job->dpi / *dpi;
    shrink_fit(width, height, raster_pixels_max(job->max_pixels, 0), scale,
               to_width, to_height);
    *dpi *= (double)*to_width / width;
}

const char *job_lenient_hint(const struct image *drawn)
{
    size_t n = drawn->data ? drawn->stride_bytes * (size_t)drawn->height_px : 0;
    size_t step = (size_t)drawn->n_channel;
    for (size_t i = step; i < n; i++)
        if (drawn->data[i] != drawn->data[i % step])
            return " (set lenient to accept the part that was drawn)";
    return "";
}
