/* fsck_stack.h - checks that a stack and its parts refer to each other. */
#ifndef PIPELINE_SPOOL_FSCK_STACK_H
#define PIPELINE_SPOOL_FSCK_STACK_H

#include "pipeline/spool/spool.h"

enum { FSCK_STACK_TEXT = 256 };

/* What is wrong between the folder `id` of `place` and its stack or parts, in
 * `text`; NULL if nothing is, or if it is neither. A stack: every part of its
 * record is in parts/, work/, done/ or failed/, and none is left in parts/
 * after their release. A part: its stack is in done/, lists it with these
 * pages, and both have the same bytes. */
const char *fsck_stack_fault(const struct spool *s, enum spool_place place,
                             const char *id, int folder_fd, size_t most,
                             char text[static FSCK_STACK_TEXT]);

#endif
