/* job.c - see job.h. */
#include "stages/children/raster/picture/job.h"

#include <stdio.h>
#include <unistd.h>

#include "stages/children/raster/picture/shrink.h"
#include "stages/children/wire/raster_protocol.h"
#include "vlm/base/arena.h"

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

struct span job_read(const struct job *job, struct err *err)
{
    if (err_failed(err)) return (struct span){NULL, 0};
    size_t size = (size_t)job->size_bytes, at = 0;
    char *bytes = mem_try_aligned(size);
    if (!bytes)
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "not enough memory for a file of %zu bytes", size);
    while (!err_failed(err) && at < size) {
        ssize_t n = pread(job->fd, bytes + at, size - at, (off_t)at);
        if (n <= 0)
            err_reason(err, ERR_INPUT, "damaged",
                       "the file ends after %zu of %zu bytes", at, size);
        else
            at += (size_t)n;
    }
    if (!err_failed(err)) return (struct span){bytes, size};
    mem_free(bytes);
    return (struct span){NULL, 0};
}

void job_forget(struct span file)
{
    mem_free((void *)(uintptr_t)file.data);
}

void job_note_pictures(struct sheet *sheet, int n)
{
    if (n <= 1) return;
    snprintf(sheet_unread(sheet, RASTER_NOTE_PICTURES), SHEET_TEXT_MAX,
             "the file has %d pictures; only the first was read", n);
}

void job_damage(const struct job *job, struct sheet *sheet, const char *type,
                const char *what, struct err *err)
{
    if (err_failed(err)) return;
    if (!job->lenient)
        err_reason(err, ERR_INPUT, "damaged", "the %s is damaged: %s%s", type,
                   what, job_lenient_hint(&sheet->image));
    snprintf(sheet->missing, sizeof sheet->missing, "damaged %s: %.*s", type,
             SHEET_TEXT_MAX - 30, what);
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
