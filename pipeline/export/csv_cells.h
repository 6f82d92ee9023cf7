/* csv_cells.h - cells of CSV as spreadsheets want them: no text is executed as a
 * formula, and what double-clicking a file shows is right, without an import
 * dialogue.
 *
 *   rfc4180    UTF-8, commas; the default
 *   excel      the same with a byte order mark, without which Excel takes UTF-8
 *              for the system's old character set
 *   excel-de   for systems with German settings: byte order mark, semicolons,
 *              decimal commas, dates as 22.11.2026
 */
#ifndef PIPELINE_EXPORT_CSV_CELLS_H
#define PIPELINE_EXPORT_CSV_CELLS_H

#include <stdbool.h>

#include "vlm/base/buf.h"

struct csv_dialect {
    const char *name;
    const char *separator; /* of cells */
    const char *mark;      /* at the start of the file */
    bool german;           /* numbers and dates */
};

/* The dialect of this name (NULL: the default), or NULL. */
const struct csv_dialect *csv_cells_find(const char *name);

/* Appends a text, quoted where it must be. A leading apostrophe disarms formulas; text
 * with a leading apostrophe of its own gets another. */
void csv_cells_text(struct buf *out, const char *text);

/* Appends a JSON number. */
void csv_cells_number(const struct csv_dialect *d, const char *number,
                      struct buf *out);

/* Writes a date, a text of exactly the form 2026-11-22, as the dialect wants
 * it; false: `text` is none, or stays as it is. */
bool csv_cells_date(const struct csv_dialect *d, const char *text,
                    char out[11]);

#endif
