/* write_access.h - a Landlock sandbox for platen review, which may write only
 * to done/, failed/, work/, out/ and pending/ of its spool. */
#ifndef PIPELINE_REVIEW_WRITE_ACCESS_H
#define PIPELINE_REVIEW_WRITE_ACCESS_H

#include "pipeline/spool/spool.h"

/* Restricts this process and its children permanently. False if the kernel has
 * no Landlock. */
bool write_access_restrict(const struct spool *s);

#endif
