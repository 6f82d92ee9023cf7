/* csv_dialect.h - how a spreadsheet wants CSV: what double-clicking a file
 * shows right, without an import dialogue.
 *
 *   rfc4180    UTF-8, commas; the default
 *   excel      the same with a byte order mark, without which Excel takes UTF-8
 *              for the system's old character set
 *   excel-de   for systems with German settings: byte order mark, semicolons,
 *              decimal commas, dates as 22.11.2026
 */
#ifndef PIPELINE_EXPORT_CSV_DIALECT_H
#define PIPELINE_EXPORT_CSV_DIALECT_H

#include <stdbool.h>

#include "vlm/base/buf.h"

struct csv_dialect {
    const char *name;
    const char *separator; /* of cells */
    const char *mark;      /* at the start of the file */
    bool german;           /* numbers and dates */
};

/* The dialect of this name (NULL: the default), or NULL. */
const struct csv_dialect *csv_dialect_find(const char *name);

/* Appends a JSON number. */
void csv_dialect_number(const struct csv_dialect *d, const char *number,
                        struct buf *out);

/* Writes a date, a text of exactly the form 2026-11-22, as the dialect wants
 * it; false: `text` is none, or stays as it is. */
bool csv_dialect_date(const struct csv_dialect *d, const char *text,
                      char out[11]);

#endif
