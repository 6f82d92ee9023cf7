/* write_access.h - what platen review may change: done/, failed/, work/, out/ and
 * pending/ of its spool, and nothing else of the file system. */
#ifndef PIPELINE_REVIEW_WRITE_ACCESS_H
#define PIPELINE_REVIEW_WRITE_ACCESS_H

#include "pipeline/spool/spool.h"

/* Puts it up for this process and its children, for good. False where the kernel
 * has no Landlock. */
bool write_access_up(const struct spool *s);

#endif
