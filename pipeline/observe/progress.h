/* progress.h - how far a run is: on a terminal one line that is drawn over and
 * over, without one a line a minute about each long document.
 *
 *   37 of 340 documents, page 112 of 2,000, about 14 min left: a.pdf
 *
 * The page is that of the document at hand with the most to read. Nothing is said
 * of the time left before it can be told, by pages that were read and documents
 * that have ended.
 */
#ifndef PIPELINE_OBSERVE_PROGRESS_H
#define PIPELINE_OBSERVE_PROGRESS_H

#include <stdbool.h>

#include "vlm/base/buf.h"

struct progress;

struct progress_step {
    const char *id, *name, *stage;
    int page, n_page; /* at hand, from 1, of how many; 0: not known */
    int n_read;       /* pages that are read, where they are read one by one */
};

/* terminal: the line may be drawn on stderr; else, or where stderr is none,
 * lines are said by log_note. */
struct progress *progress_new(bool terminal);
void progress_free(struct progress *p); /* NULL is fine; wipes the line */

/* So many documents have not ended yet, as far as is known: those at hand,
 * too. */
void progress_expect(struct progress *p, size_t n_left);

/* A document is at hand and has come so far, at the moment `now`
 * (clock_seconds). */
void progress_update(struct progress *p, const struct progress_step *step,
                     double now);

/* It is no longer at hand; `ended`: for good. Unknown ids are fine. */
void progress_end(struct progress *p, const char *id, bool ended, double now);

/* The line as it is, at most so many columns; "" where nothing is at hand. */
void progress_print(const struct progress *p, double now, int columns,
                    struct buf *out);

/* Draws the line, not more than ten times a second; without a terminal says
 * what is due. To be called about once a second. */
void progress_draw(struct progress *p);

/* The line goes, so that a message can be written; it is drawn again by the next
 * progress_draw. What log.h says wipes it by itself. */
void progress_wipe(struct progress *p);

#endif
