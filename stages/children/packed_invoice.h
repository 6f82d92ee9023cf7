/* packed_invoice.h - the e-invoice that lies in a PDF (Factur-X, ZUGFeRD,
 * XRechnung in CII) as the rasteriser's child sends it, and as its parent takes
 * it: a flat list of values, each with its term of EN 16931 by number (BT-112 is
 * 112).
 */
#ifndef STAGES_CHILDREN_PACKED_INVOICE_H
#define STAGES_CHILDREN_PACKED_INVOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INVOICE_VALUES_MAX = 50000,  /* the rest is left out */
    INVOICE_BYTES_MAX = 1 << 20, /* of their texts together */
    INVOICE_VALUE_MAX = 1000,    /* of one; longer ones are left out */
    INVOICE_LINES_MAX = 10000,
    INVOICE_TERM_MAX = 200 /* EN 16931 counts to 165 */
};

/* A value in the document's order: its term, the line of the invoice that it
 * belongs to (from 1; 0: none), bytes of text (UTF-8, no control character), 1
 * at least. Term 0 is the attachment's name. */
struct packed_value {
    uint32_t term, line, size;
};

struct invoice_value {
    int term, line;
    const char *text; /* dates as YYYY-MM-DD, numbers as XML has them */
};

struct invoice {
    const char *name; /* of the attachment, or "" */
    const struct invoice_value *value;
    int n;
};

struct arena;

/* Makes an e-invoice of what came: n packed values and their texts, n_byte
 * bytes one behind the other, all of it believed by nobody. False unless terms,
 * lines and texts are what is said above and the sizes add up to n_byte. Lives
 * in the arena. */
bool packed_invoice_unpack(const struct packed_value *packed, size_t n,
                           const char *text, size_t n_byte, struct arena *arena,
                           struct invoice *out);

#endif
