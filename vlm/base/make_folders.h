/* make_folders.h - the folders that a new file needs. */
#ifndef VLM_BASE_MAKE_FOLDERS_H
#define VLM_BASE_MAKE_FOLDERS_H

#include "vlm/base/err.h"

/* Makes each folder above `file` that is not there, with these rights. FAIL:
 * ERR_SYSTEM, ERR_MISSING, naming the folder. */
void make_folders_above(const char *file, unsigned mode, struct err *err);

#endif
