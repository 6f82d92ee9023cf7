/* new_file.h - a file that is seen whole or not at all, after a power cut, too. */
#ifndef PIPELINE_COMMAND_NEW_FILE_H
#define PIPELINE_COMMAND_NEW_FILE_H

#include <stdio.h>

#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum { NEW_FILE_PATH_MAX = 4096 };

/* One that is being written: beside its place until new_file_end. */
struct new_file {
    FILE *file; /* NULL: none is open */
    char path[NEW_FILE_PATH_MAX], beside[NEW_FILE_PATH_MAX + 8];
};

/* Begins the file that shall stand at `path`; with the permissions of the one that
 * stands there now, if any. FAIL: ERR_SYSTEM. */
void new_file_begin(struct new_file *f, const char *path, struct err *err);

/* Puts it into its place, durably; where `err` has failed, or this fails
 * (ERR_SYSTEM), nothing is left behind and what stood there stands there still.
 * Nothing happens where none is open. */
void new_file_end(struct new_file *f, struct err *err);

/* Leaves nothing of one that is open, and what stood in its place. */
void new_file_drop(struct new_file *f);

/* A file of these bytes. FAIL: ERR_SYSTEM. */
void new_file_write(const char *path, struct span bytes, struct err *err);

#endif
