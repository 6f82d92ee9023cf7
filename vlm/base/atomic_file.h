/* atomic_file.h - writing a file that appears complete or not at all, even
 * after a power cut. */
#ifndef VLM_BASE_ATOMIC_FILE_H
#define VLM_BASE_ATOMIC_FILE_H

#include <stdio.h>

#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum { ATOMIC_FILE_PATH_MAX = 4096 };

/* A file being written, under a temporary name until atomic_file_end. */
struct atomic_file {
    FILE *file; /* NULL: none is open */
    char path[ATOMIC_FILE_PATH_MAX], temporary[ATOMIC_FILE_PATH_MAX + 8];
};

/* Begins a file for `path`, with the permissions of an existing one. FAIL:
 * ERR_SYSTEM. */
void atomic_file_begin(struct atomic_file *f, const char *path,
                       struct err *err);

/* Moves it to its path, durably. If `err` has failed before, or this fails
 * (ERR_SYSTEM), it is deleted and an old file stays. Does nothing if none is
 * open. */
void atomic_file_end(struct atomic_file *f, struct err *err);

/* Deletes an open one; an old file stays. */
void atomic_file_drop(struct atomic_file *f);

/* Makes the name of a file durable, by fsync of its folder. False, and errno. */
bool atomic_file_keep_name(const char *path);

/* Writes a file with these bytes. FAIL: ERR_SYSTEM. */
void atomic_file_write(const char *path, struct span bytes, struct err *err);

#endif
