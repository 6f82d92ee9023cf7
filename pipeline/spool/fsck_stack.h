/* fsck_stack.h - do a stack and its parts know each other? */
#ifndef PIPELINE_SPOOL_FSCK_STACK_H
#define PIPELINE_SPOOL_FSCK_STACK_H

#include "pipeline/spool/spool.h"

enum { FSCK_STACK_TEXT = 256 };

/* What is wrong between the folder `id` of `place` and its stack or its parts,
 * in `text`; NULL where nothing is, or where it is neither. A stack: every part
 * that its record lists lies in parts/, work/, done/ or failed/, and none is
 * left in parts/ once they were let go. A part: its stack lies in done/, lists
 * it with these pages, and both have the same bytes. */
const char *fsck_stack_fault(const struct spool *s, enum spool_place place,
                             const char *id, int folder_fd, size_t most,
                             char text[static FSCK_STACK_TEXT]);

#endif
