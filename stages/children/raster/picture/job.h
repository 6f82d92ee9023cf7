/* job.h - the child's job, and the sheet it produces for each page. */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_JOB_H
#define STAGES_CHILDREN_RASTER_PICTURE_JOB_H

#include <stdint.h>

#include "stages/children/sandbox/sandbox.h"
#include "stages/children/wire/packed_words.h"
#include "stages/children/wire/raster_protocol.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/span.h"

struct pdf_attachment;
struct pdf_password;

struct pdf_attachment;
struct pdf_password;

struct pdf_attachment;
struct pdf_password;

struct job {
    const char *type;  /* of a codec, "pdf"; or "xml"; mail for its files */
    const char *pages; /* "1-3,7", "" for all */
    int skip;          /* pages of these to leave out at the start */
    int fd;            /* the document */
    int64_t size_bytes;
    int dpi;            /* wanted resolution; 0: as max_pixels allows */
    int64_t max_pixels; /* limit for a page as sent */
    int grid;           /* sides of PDF pages are multiples of it */
    int64_t max_decoded_pixels;
    int max_pages;
    int64_t memory_bytes; /* address space; 0: no limit */
    int cpu_s;            /* for opening, and for each page */
    long parent;          /* process ID, to notice when it has gone */
    bool words;           /* send the text layer, too */
    bool invoice;         /* send the e-invoice among the attachments */
    bool lenient;         /* accept a damaged but decodable image */
    bool allow_unsandboxed;
    bool files;        /* send the attached files, not the pixels */
    int64_t max_bytes; /* of an attached file */
    bool codes;        /* send the bar codes on the pages, not the pixels */
    bool unlock;       /* send the PDF without its encryption */
    bool layer;        /* make a searchable PDF (pdf/pdf_writer.h) */
    struct pdf_password *password; /* for encrypted PDFs; never NULL */
};

enum {
    SHEET_TEXT_MAX = 200,
    SHEET_N_UNREAD = RASTER_N_NOTE - RASTER_NOTE_UNREAD
};

/* A drawn page, upright. */
struct sheet {
    struct image image;
    double dpi;                   /* 0: not known */
    char note[SHEET_TEXT_MAX];    /* a harmless fault, or "" */
    char missing[SHEET_TEXT_MAX]; /* what may be missing from the page, or "" */
    /* content of the file that no page shows, each text once, for enum
     * raster_note from RASTER_NOTE_UNREAD on; or "" */
    char unread[SHEET_N_UNREAD][SHEET_TEXT_MAX];
    struct text_layer text; /* empty unless requested */
};

/* What sheet->unread has for a note from RASTER_NOTE_UNREAD on. */
static inline char *sheet_unread(struct sheet *sheet, enum raster_note note)
{
    return sheet->unread[note - RASTER_NOTE_UNREAD];
}

/* A file format. A handle's memory is freed by close or the end of the
 * process. */
struct codec {
    const char *type;
    bool needs_fonts; /* can read the system's fonts in the sandbox */
    bool threads;     /* its library does not work without threads */
    /* Reads what must be read before the sandbox is entered. NULL: nothing. */
    void (*prepare)(void);
    /* Opens the document and counts its pages. */
    void *(*open)(const struct job *job, int *n_page, struct err *err);
    /* Draws page `number`, from 1. */
    void (*page)(void *handle, const struct job *job, int number,
                 struct sheet *sheet, struct err *err);
    void (*close)(void *handle);
    /* Finds the e-invoice in the document. NULL: the format has none. */
    void (*invoice)(void *handle, struct pdf_attachment *out);
};

extern const struct codec draw_pdf_codec, draw_tiff_codec, draw_jpeg_codec,
    draw_png_codec, draw_webp_codec, draw_heif_codec, draw_jpeg2000_codec,
    draw_bmp_codec, draw_gif_codec, draw_pnm_codec;

/* The job's sandbox; no file is readable. */
struct sandbox_profile job_profile(const struct job *job);

/* FAIL: [too-large] if width x height exceeds max_decoded_pixels, [damaged] if
 * a side is 0. */
void job_check_size(const struct job *job, uint32_t width, uint32_t height,
                    struct err *err);

/* The whole document, for what decodes from memory, until job_forget. FAIL:
 * [resource-memory], [damaged]; it is then empty. */
struct span job_read(const struct job *job, struct err *err);
void job_forget(struct span file);

/* Notes that only the first of a file's n pictures was read; none for n <= 1. */
void job_note_pictures(struct sheet *sheet, int n);

/* A damaged picture, of which sheet->image is what could be decoded: with
 * lenient it is noted as missing. `type` as people call it, "BMP". FAIL:
 * [damaged] unless lenient. */
void job_damage(const struct job *job, struct sheet *sheet, const char *type,
                const char *what, struct err *err);

/* What to append to an error about damage: if the partly drawn page shows
 * anything, a hint that the setting lenient would accept it; else "". */
const char *job_lenient_hint(const struct image *drawn);

/* The size at which to send an image of this size and resolution (0: unknown);
 * *dpi becomes its resolution. */
void job_fit(const struct job *job, int width, int height, double *dpi,
             int *to_width, int *to_height);

#endif
