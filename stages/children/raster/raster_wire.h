/* raster_wire.h - writes the messages of raster_protocol.h. Any failure to
 * write ends the process; if the parent has gone, SIGPIPE does. */
#ifndef STAGES_CHILDREN_RASTER_RASTER_WIRE_H
#define STAGES_CHILDREN_RASTER_RASTER_WIRE_H

#include "stages/children/raster/job.h"

/* Sends the number of pages of the document, and of those that will be
 * drawn. */
void raster_wire_count(int n_source, int n_chosen);

/* Sends the e-invoice in the document, or why there is none. */
void raster_wire_invoice(const struct pdf_attachment *attached);

/* Sends page `number` (from 1): its notes and words, if any, then its
 * pixels. */
void raster_wire_sheet(int number, const struct sheet *sheet);

/* Sends what was found on page `number`; is_drawn: it could be examined. */
struct barcodes;
void raster_wire_codes(int number, const struct image *page,
                       const struct barcodes *codes, bool is_drawn);

/* Sends why the work ended early, with err's page (0: none); text is cut. */
void raster_wire_fail(const struct err *err);

/* Sends the last message: all pages were sent. */
void raster_wire_end(void);

#endif
