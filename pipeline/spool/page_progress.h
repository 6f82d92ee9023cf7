/* page_progress.h - the progress of a document, for platen status.
 *
 * Stored in work/<id>/pace while it is read; overwritten, never made durable,
 * and removed by the commit. It can be missing, old or damaged at any time:
 * nothing depends on it.
 *   {stage, page, pages, read, kept, per_minute}
 */
#ifndef PIPELINE_SPOOL_PAGE_PROGRESS_H
#define PIPELINE_SPOOL_PAGE_PROGRESS_H

#include "pipeline/spool/spool.h"

struct page_progress {
    char stage[24];
    int page, n_page;  /* present page, from 1, of n_page; 0: unknown */
    int n_read;        /* pages read so far, if they are read one by one */
    int n_kept;        /* of these, pages that survive a crash */
    double per_minute; /* pages; 0: not known yet */
    double age_s;      /* age of the file when it is read; not stored */
};

/* Writes the file; failures are ignored. */
void page_progress_write(const struct folder *f,
                         const struct page_progress *pace);

/* Reads the file, or sets zeros. Never fails. The present page is valid only
 * while the folder is locked (spool_is_held). */
void page_progress_read(int folder_fd, struct page_progress *pace);

#endif
