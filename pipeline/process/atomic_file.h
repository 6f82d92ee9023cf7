/* atomic_file.h - a file that is seen whole or not at all, after a power cut, too. */
#ifndef PIPELINE_PROCESS_ATOMIC_FILE_H
#define PIPELINE_PROCESS_ATOMIC_FILE_H

#include <stdio.h>

#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum { ATOMIC_FILE_PATH_MAX = 4096 };

/* One that is being written: beside its place until atomic_file_end. */
struct atomic_file {
    FILE *file; /* NULL: none is open */
    char path[ATOMIC_FILE_PATH_MAX], beside[ATOMIC_FILE_PATH_MAX + 8];
};

/* Begins the file that shall stand at `path`; with the permissions of the one that
 * stands there now, if any. FAIL: ERR_SYSTEM. */
void atomic_file_begin(struct atomic_file *f, const char *path,
                       struct err *err);

/* Puts it into its place, durably; where `err` has failed, or this fails
 * (ERR_SYSTEM), nothing is left behind and what stood there stands there still.
 * Nothing happens where none is open. */
void atomic_file_end(struct atomic_file *f, struct err *err);

/* Leaves nothing of one that is open, and what stood in its place. */
void atomic_file_drop(struct atomic_file *f);

/* A file of these bytes. FAIL: ERR_SYSTEM. */
void atomic_file_write(const char *path, struct span bytes, struct err *err);

#endif
