/* job.h - what the child was asked to do, and the sheet it hands on. */
#ifndef STAGES_CHILDREN_RASTER_JOB_H
#define STAGES_CHILDREN_RASTER_JOB_H

#include <stdint.h>

#include "stages/children/raster/pdf/pdf_attachment.h"
#include "stages/children/raster/pdf/text_layer.h"
#include "stages/children/sandbox/sandbox.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

struct job {
    const char *type;  /* pdf, tiff, jpeg, png, webp */
    const char *pages; /* "1-3,7", "" for all */
    int fd;            /* the document */
    int64_t size_bytes;
    int dpi;            /* wanted; 0: as the budget allows */
    int64_t max_pixels; /* of a page as sent */
    int grid;           /* sides of PDF pages are multiples of it */
    int64_t max_decoded_pixels;
    int max_pages;
    int64_t memory_bytes; /* address space; 0: no limit */
    int cpu_s;            /* for opening, and for each page */
    long parent;          /* process id, to notice that it has gone */
    bool words;           /* the text layer is sent, too */
    bool invoice;         /* an e-invoice among the attachments is sent */
    bool lenient;         /* a damaged but decodable picture is taken */
    bool allow_unsandboxed;
    bool codes; /* what the codes on the pages say is wanted, not the pixels */
};

enum { SHEET_TEXT_MAX = 200 };

/* A page as drawn, upright. */
struct sheet {
    struct image image;
    double dpi;                   /* 0: not known */
    char note[SHEET_TEXT_MAX];    /* a fault that costs nothing, or "" */
    char missing[SHEET_TEXT_MAX]; /* what may be missing from it, or "" */
    char unread[SHEET_TEXT_MAX];  /* what else the file holds that no page
                                   * shows, with its first page; or "" */
    struct text_layer text;       /* empty unless asked for */
};

/* One kind of file. A handle's memory ends with the process or in close. */
struct codec {
    const char *type;
    /* What must be read before the walls go up. NULL: nothing. */
    void (*prepare)(void);
    /* Opens the document and counts its pages. */
    void *(*open)(const struct job *job, int *n_page, struct err *err);
    /* Draws page `number`, from 1. */
    void (*page)(void *handle, const struct job *job, int number,
                 struct sheet *sheet, struct err *err);
    void (*close)(void *handle);
    /* The e-invoice in the document. NULL: there can be none. */
    void (*invoice)(void *handle, struct pdf_attachment *out);
};

extern const struct codec draw_pdf_codec, draw_tiff_codec, draw_jpeg_codec,
    draw_png_codec, draw_webp_codec;

/* What the walls let it take. */
struct sandbox_limits job_limits(const struct job *job);

/* Fails with [too-large] where width x height passes max_decoded_pixels, with
 * [damaged] where a side is 0. */
void job_check_size(const struct job *job, uint32_t width, uint32_t height,
                    struct err *err);

/* What to add to the text of a failure on damage: that the setting lenient would
 * take the page as it was drawn, where that shows anything; else "". */
const char *job_lenient_hint(const struct image *drawn);

/* Where a picture of this size and resolution (0: unknown) ends up: the sides
 * to send, and their resolution into *dpi. */
void job_fit(const struct job *job, int width, int height, double *dpi,
             int *to_width, int *to_height);

#endif
