/* cii.h - an invoice in XML (UN/CEFACT Cross Industry Invoice: Factur-X, ZUGFeRD
 * 1 and 2, XRechnung) as values with their terms of EN 16931.
 *
 * The XML is a stranger's: it may declare nothing (no DTD, so no entities), and
 * what is too deep, too long or too much is left out.
 *
 * LIFE  cii_read .. cii_free; an empty one is all zero.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_CII_H
#define STAGES_CHILDREN_RASTER_PDF_CII_H

#include "stages/children/packed_invoice.h"

struct cii {
    struct packed_value *value;
    char *byte; /* their texts one behind the other, without NULs */
    uint32_t n, n_byte;
    uint32_t room, room_byte;
};

enum cii_status {
    CII_READ,
    CII_DAMAGED, /* no XML, or one that declares what it must not */
    CII_FOREIGN  /* XML of another kind: UBL, an order, ... */
};

/* Reads `size` bytes; *out is empty unless it is CII_READ. */
enum cii_status cii_read(const char *xml, size_t size, struct cii *out);

/* Puts a value behind the others; false where it is too long, empty, or one too
 * many. Control characters are left out, white space becomes one space. */
bool cii_add(struct cii *c, uint32_t term, uint32_t line, const char *text);

/* Gives the memory back and leaves it empty. */
void cii_free(struct cii *c);

#endif
