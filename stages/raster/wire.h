/* wire.h - writes the messages of protocol.h. A parent that has gone ends the
 * process (SIGPIPE), and so does any other failure to write. */
#ifndef STAGES_RASTER_WIRE_H
#define STAGES_RASTER_WIRE_H

#include "stages/raster/job.h"

/* Pages of the document, and how many of them will come. */
void wire_count(int n_source, int n_chosen);

/* The e-invoice in the document, or why there is none. */
void wire_invoice(const struct attached *attached);

/* Page `number` (from 1): its note and its words, where it has any, then its
 * pixels. */
void wire_sheet(int number, const struct sheet *sheet);

/* What was found on page `number`; is_drawn: it could be looked at. */
struct codes;
void wire_codes(int number, const struct image *page, const struct codes *codes,
                bool is_drawn);

/* Why the work ended early, with err's page (0: none); text is cut. */
void wire_fail(const struct err *err);

/* The last message: every page was sent. */
void wire_end(void);

#endif
