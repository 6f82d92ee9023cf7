/* progress.h - the progress of a run: on a terminal one line that is redrawn,
 * otherwise a line per minute for each long document.
 *
 *   37 of 340 documents, page 112 of 2,000, about 14 min left: a.pdf
 *
 * The page is that of the document with the most pages left. The time left is
 * shown once it can be estimated from pages read and documents finished.
 */
#ifndef PIPELINE_OBSERVE_PROGRESS_H
#define PIPELINE_OBSERVE_PROGRESS_H

#include <stdbool.h>

#include "vlm/base/buf.h"

struct progress;

struct progress_step {
    const char *id, *name, *stage;
    int page, n_page; /* present page, from 1, of n_page; 0: unknown */
    int n_read;       /* pages read so far, if they are read one by one */
};

/* terminal: redraw the line on stderr; otherwise, or if stderr is not a
 * terminal, write lines with log_note. */
struct progress *progress_new(bool terminal);
void progress_free(struct progress *p); /* wipes the line; NULL: does nothing */

/* Sets the number of documents that are not finished, including the present
 * ones. */
void progress_expect(struct progress *p, size_t n_left);

/* Sets the progress of a document at the time `now` (clock_seconds). */
void progress_update(struct progress *p, const struct progress_step *step,
                     double now);

/* A document is no longer being read; `ended`: it has an outcome. Unknown ids
 * are ignored. */
void progress_end(struct progress *p, const char *id, bool ended, double now);

/* Prints the present line, at most `columns` wide; "" if no document is being
 * read. */
void progress_print(const struct progress *p, double now, int columns,
                    struct buf *out);

/* Draws the line, at most ten times a second; without a terminal writes the
 * lines that are due. Call it about once a second. */
void progress_draw(struct progress *p);

/* Removes the line before a message; the next progress_draw draws it again.
 * Messages of log.h do this by themselves. */
void progress_wipe(struct progress *p);

#endif
