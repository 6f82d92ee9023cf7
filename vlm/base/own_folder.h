/* own_folder.h - folders whose files are believed: of this user, and written by
 * nobody else, such as the cache. In /tmp another user may have made one of the
 * same name, or a link. */
#ifndef VLM_BASE_OWN_FOLDER_H
#define VLM_BASE_OWN_FOLDER_H

#include <stdbool.h>

#include "vlm/base/err.h"

/* Is it a folder (not a link to one) of this user, which only this user may
 * write to? False for NULL and "". */
bool own_folder_is(const char *path);

/* Makes it if it is missing, with those above it. FAIL: ERR_CONFIG if it is not
 * own_folder_is; ERR_SYSTEM. */
void own_folder_make(const char *path, struct err *err);

#endif
