/* page_progress.h - how far the document at hand is: a note for people (platen status).
 *
 * Kept in work/<id>/pace while it is read, written over and over and never made
 * durable: nothing is decided by it, it may be missing, old or noise at any time,
 * and it goes at the commit.
 *   {stage, page, pages, read, kept, per_minute}
 */
#ifndef PIPELINE_SPOOL_PAGE_PROGRESS_H
#define PIPELINE_SPOOL_PAGE_PROGRESS_H

#include "pipeline/spool/spool.h"

struct page_progress {
    char stage[24];
    int page, n_page;  /* at hand, from 1, of how many; 0: not known */
    int n_read;        /* pages that are read, where they are read one by one */
    int n_kept;        /* of them need not be read again after a crash */
    double per_minute; /* pages; 0: too early to tell */
    double age_s;      /* of the note, when it is read; not written */
};

/* Writes the note. What fails is of no consequence. */
void page_progress_write(const struct folder *f,
                         const struct page_progress *pace);

/* The note, or zeroes. Never fails. What it says of the page at hand holds while
 * somebody holds the folder (spool_is_held). */
void page_progress_read(int folder_fd, struct page_progress *pace);

#endif
