/* wrong_file.h - recognises what is often saved in place of the wanted file. */
#ifndef VLM_BASE_WRONG_FILE_H
#define VLM_BASE_WRONG_FILE_H

#include "vlm/base/span.h"

/* What the file with this start is, and the remedy: "a Git LFS pointer, not the
 * file itself: ..."; NULL if it is neither that nor an HTML page. Static
 * text. */
const char *wrong_file_name(struct span head);

#endif
