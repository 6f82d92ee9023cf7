/* cii.h - reads an invoice in XML (UN/CEFACT Cross Industry Invoice: Factur-X,
 * ZUGFeRD 1 and 2, XRechnung) as values with their EN 16931 terms.
 *
 * The XML is untrusted: declarations are rejected (no DTD, so no entities), and
 * whatever is too deep, too long or too much is dropped.
 *
 * LIFE  cii_read .. cii_free; an empty one is all zero.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_CII_H
#define STAGES_CHILDREN_RASTER_PDF_CII_H

#include "stages/children/packed_invoice.h"

struct cii {
    struct packed_value *value;
    char *byte; /* their concatenated texts, without NULs */
    uint32_t n, n_byte;
    uint32_t capacity, byte_capacity;
};

enum cii_status {
    CII_READ,
    CII_DAMAGED, /* not XML, or with forbidden declarations */
    CII_FOREIGN  /* another kind of XML: UBL, an order, ... */
};

/* Reads `size` bytes; *out is empty unless it is CII_READ. */
enum cii_status cii_read(const char *xml, size_t size, struct cii *out);

/* Appends a value. Returns false if it is too long, empty or one too many.
 * Control characters are removed, white space becomes a single space. */
bool cii_add(struct cii *c, uint32_t term, uint32_t line, const char *text);

/* Frees the memory and makes it empty. */
void cii_free(struct cii *c);

#endif
