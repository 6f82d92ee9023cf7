/* raster_wire.h - writes the messages of raster_protocol.h. A parent that has gone ends the
 * process (SIGPIPE), and so does any other failure to write. */
#ifndef STAGES_CHILDREN_RASTER_RASTER_WIRE_H
#define STAGES_CHILDREN_RASTER_RASTER_WIRE_H

#include "stages/children/raster/job.h"

/* Pages of the document, and how many of them will come. */
void raster_wire_count(int n_source, int n_chosen);

/* The e-invoice in the document, or why there is none. */
void raster_wire_invoice(const struct pdf_attachment *attached);

/* Page `number` (from 1): its note and its words, where it has any, then its
 * pixels. */
void raster_wire_sheet(int number, const struct sheet *sheet);

/* What was found on page `number`; is_drawn: it could be looked at. */
struct barcodes;
void raster_wire_codes(int number, const struct image *page,
                       const struct barcodes *codes, bool is_drawn);

/* Why the work ended early, with err's page (0: none); text is cut. */
void raster_wire_fail(const struct err *err);

/* The last message: every page was sent. */
void raster_wire_end(void);

#endif
