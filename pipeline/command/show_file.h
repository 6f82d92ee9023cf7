/* show_file.h - a picture becomes a file: seen whole or not at all. */
#ifndef PIPELINE_COMMAND_SHOW_FILE_H
#define PIPELINE_COMMAND_SHOW_FILE_H

#include "vlm/base/err.h"
#include "vlm/base/span.h"

/* Writes a file of these bytes, in place of one that is there. FAIL: ERR_SYSTEM,
 * and nothing is left behind. */
void show_file_write(const char *path, struct span bytes, struct err *err);

#endif
