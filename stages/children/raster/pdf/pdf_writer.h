/* pdf_writer.h - a searchable PDF: a PDF, or pictures as pages, with invisible
 * words. With pdf_file.c the only user of libqpdf.
 *
 * Pages stay as they are, but for what options ask for: the words are drawn
 * before their own content, in a font of a name that the page does not use.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_WRITER_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "stages/document/words.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/span.h"

struct pdf_writer;

/* A picture of a page: the part of its file that a PDF can hold as it is
 * (picture_stream.h), or its pixels. */
struct pdf_writer_picture {
    double width_pt, height_pt; /* of the page, upright */
    struct span file;           /* can be empty */
    int number;                 /* of the page in the file, from 1 */
    struct image pixels;        /* grey or RGB, upright */
    bool lossy; /* pixels of a lossy file, which become a JPEG */
};

/* Opens a PDF, or an empty one for pictures, with the options (enum
 * raster_layer_option); the bytes must stay until pdf_writer_close. FAIL:
 * [damaged]; [encrypted]: a file with permissions cannot be changed; [signed];
 * [not-pdfa]. */
struct pdf_writer *pdf_writer_open(struct span pdf, unsigned options,
                                   struct err *err);
void pdf_writer_close(struct pdf_writer *writer); /* NULL is fine */

/* Keeps page `number` (from 1) of the PDF, and puts the words onto it; pages
 * come in ascending order. `quarters`: clockwise turns of the page as displayed
 * after which the words are upright. FAIL: [damaged] if there is no such
 * page; [not-pdfa]. */
void pdf_writer_page(struct pdf_writer *writer, int number, int quarters,
                     const struct words *words, struct err *err);

/* Appends a page with a picture and words. FAIL: [damaged], [too-large],
 * [resource-memory]. */
void pdf_writer_picture(struct pdf_writer *writer,
                        const struct pdf_writer_picture *picture, int quarters,
                        const struct words *words, struct err *err);

/* The finished PDF, without pages that were not kept; valid until
 * pdf_writer_close. FAIL: [damaged]. */
struct span pdf_writer_end(struct pdf_writer *writer, struct err *err);

#endif
