/* make_folders.h - creates a folder, or the parent folders of a new file. */
#ifndef VLM_BASE_MAKE_FOLDERS_H
#define VLM_BASE_MAKE_FOLDERS_H

#include "vlm/base/err.h"

/* Creates each missing folder above `file`, with this mode. FAIL: ERR_SYSTEM,
 * ERR_MISSING, naming the folder. */
void make_folders_above(const char *file, unsigned mode, struct err *err);

/* Creates the folder unless it exists; NULL: does nothing. FAIL: ERR_SYSTEM,
 * naming the folder. */
void make_folders_one(const char *path, struct err *err);

#endif
