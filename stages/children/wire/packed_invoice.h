/* packed_invoice.h - an e-invoice (in a PDF, or an XML file) in the format
 * between the rasteriser and its parent: a flat list of values, each with the
 * number of its EN 16931 term (112 for BT-112).
 */
#ifndef STAGES_CHILDREN_WIRE_PACKED_INVOICE_H
#define STAGES_CHILDREN_WIRE_PACKED_INVOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INVOICE_VALUES_MAX = 100000,  /* further values are dropped */
    INVOICE_BYTES_MAX = 16 << 20, /* all texts and paths together */
    INVOICE_VALUE_MAX = 8000, /* bytes of a value; longer ones are dropped */
    INVOICE_PATH_MAX = 1000,
    INVOICE_LINES_MAX = 10000,
    INVOICE_TERM_UNKNOWN = 199, /* no term of EN 16931 */
    INVOICE_TERM_MAX = 200      /* the highest in EN 16931 is 165 */
};

/* A value in document order: its term, its invoice line (from 1; 0: none), its
 * row (from 1; 0: none), which values of one tax rate, one allowance or one
 * attachment share, and the sizes of its text (UTF-8, no control character, at
 * least 1 byte) and of the XPath of its element, which follows the text. Term 0
 * is the attachment's name. */
struct packed_value {
    uint32_t term, line, row, size, n_path;
};

struct invoice_value {
    int term, line, row;
    const char *text; /* dates as YYYY-MM-DD, numbers as XML has them */
    const char *path; /* XPath, with the prefixes of the file */
};

struct invoice {
    const char *name; /* of the attachment, or "" */
    const struct invoice_value *value;
    int n;
    int n_dropped; /* values that exceeded a limit above */
};

struct arena;

/* Unpacks untrusted data: n packed values and their concatenated texts and
 * paths of n_byte bytes. Returns false unless terms, lines, rows and texts are
 * as described above and the sizes add up to n_byte. *out lives in the
 * arena. */
bool packed_invoice_unpack(const struct packed_value *packed, size_t n,
                           const char *text, size_t n_byte, struct arena *arena,
                           struct invoice *out);

#endif
