/* invoice_file.h - an XML file as an e-invoice. */
#ifndef STAGES_CHILDREN_RASTER_INVOICE_FILE_H
#define STAGES_CHILDREN_RASTER_INVOICE_FILE_H

#include "stages/children/raster/invoice_xml.h"
#include "stages/children/raster/job.h"

/* Reads the job's document; the caller frees *out (invoice_xml_free), which is
 * empty after a failure. FAIL: [too-large] above INVOICE_XML_BYTES_MAX;
 * [damaged] if it is not well-formed; [not-e-invoice] for other XML and for a
 * document type declaration. */
void invoice_file_read(const struct job *job, struct invoice_xml *out,
                       struct err *err);

#endif
