/* raster_bench.c - files to prepared pixels, and what that costs.
 *
 *   raster-bench PLATEN-RASTER MAX_PIXELS FILE...
 *
 * prints a line a file: pages, seconds of processor time (this process and
 * the rasteriser), the two processes' peak memory, size of the first page.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/page/prepare.h"

static double cpu_seconds(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double peak_mb(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)u.ru_maxrss / 1024;
}

static void run(const char *path, const struct settings *settings,
                const struct prepare_target *target, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        err_errno(err, "%s", path);
        return;
    }
    double before = cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN);
    struct document *doc = document_new("bench", path, fd);
    identify_document(doc, settings, err);
    struct raster *r = rasterise_open(doc, settings, target, NULL, err);
    struct image image;
    int n = 0, width = 0, height = 0;
    while (!err_failed(err) && rasterise_next(r, &image, err)) {
        if (n == 0) width = image.width_px, height = image.height_px;
        prepare_page(&image, NULL, &doc->page[n++], target, settings, err);
        image_free(&image);
    }
    rasterise_close(r);
    document_free(doc);
    close(fd);
    double after = cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN);
    if (!err_failed(err))
        printf("%d %.4f %.1f %.1f %d %d %s\n", n, after - before,
               peak_mb(RUSAGE_SELF), peak_mb(RUSAGE_CHILDREN), width, height,
               path);
}

int main(int argc, char **argv)
{
    if (argc < 4) return 1;
    mallopt(M_MMAP_THRESHOLD, 1 << 18); /* as pipeline/main.c */
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    struct settings settings = {.raster_program = argv[1],
                                .pages = "",
                                .deskew = true,
                                .skip_blank = true,
                                .max_document_bytes = 1 << 30,
                                .max_pages = 10000,
                                .max_decoded_pixels = 100000000,
                                .child_memory_limit = (int64_t)2 << 30,
                                .child_cpu_limit_s = 60,
                                .page_timeout_s = 60,
                                .document_timeout_s = 600};
    struct prepare_target target = {.grid = 32,
                                    .min_pixels = 65536,
                                    .max_pixels = strtoll(argv[2], NULL, 10)};
    int failed = 0;
    for (int i = 3; i < argc; i++) {
        struct err err = {0};
        run(argv[i], &settings, &target, &err);
        if (err_failed(&err)) fprintf(stderr, "%s: %s\n", argv[i], err.text);
        failed |= err_failed(&err);
    }
    return failed;
}
