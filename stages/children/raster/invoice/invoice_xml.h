/* invoice_xml.h - reads an e-invoice (EN 16931) in XML as values with their
 * terms: UBL 2.1 Invoice and CreditNote (XRechnung, Peppol BIS), and UN/CEFACT
 * Cross Industry Invoice (XRechnung, Factur-X, ZUGFeRD 1 and 2).
 *
 * The XML is untrusted: declarations are rejected (no DTD, so no entities), and
 * whatever is too deep, too long or too much is dropped and counted.
 *
 * LIFE  invoice_xml_read .. invoice_xml_free; an empty one is all zero.
 */
#ifndef STAGES_CHILDREN_RASTER_INVOICE_INVOICE_XML_H
#define STAGES_CHILDREN_RASTER_INVOICE_INVOICE_XML_H

#include "stages/children/wire/packed_invoice.h"

enum { INVOICE_XML_BYTES_MAX = 4 << 20, INVOICE_XML_FAULT_MAX = 300 };

struct invoice_xml {
    struct packed_value *value;
    char *byte; /* their concatenated texts and paths, without NULs */
    uint32_t n, n_byte;
    uint32_t n_dropped; /* values that were too long, too deep or too many */
};

enum invoice_xml_status {
    INVOICE_XML_READ,
    INVOICE_XML_DAMAGED,  /* not well-formed */
    INVOICE_XML_DECLARED, /* with a document type declaration */
    INVOICE_XML_FOREIGN   /* another kind of XML: an order, a picture, ... */
};

/* Reads `size` bytes; *out is empty unless it is INVOICE_XML_READ. `whole`:
 * also elements that are no term, with the term INVOICE_TERM_UNKNOWN, and the
 * path of each value; else paths are empty. If it is not read, `fault` says
 * why, with the line. */
enum invoice_xml_status invoice_xml_read(const char *xml, size_t size,
                                         bool whole, struct invoice_xml *out,
                                         char fault[INVOICE_XML_FAULT_MAX]);

/* Calls `file` for each file in the e-invoice (BG-24): its name, "" if it has
 * none, and its content in base64. Returns false for what is not read. */
typedef void invoice_xml_file_fn(void *arg, const char *name,
                                 const char *base64);
bool invoice_xml_files(const char *xml, size_t size, invoice_xml_file_fn *file,
                       void *arg);

/* Appends a value; only term, line and row of `as` are used. Returns false if
 * it is too long, empty or one too many. Control characters are removed, white
 * space becomes a single space. */
bool invoice_xml_add(struct invoice_xml *c, struct packed_value as,
                     const char *text, const char *path);

/* Frees the memory and makes it empty. */
void invoice_xml_free(struct invoice_xml *c);

#endif
