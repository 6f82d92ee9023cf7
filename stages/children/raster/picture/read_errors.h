/* read_errors.h - detects I/O errors on the document.
 *
 * Libraries take a failed read for the end of the file: if a disk fails, they
 * report an intact document as damaged, or draw a part of it. So this program
 * overrides reading functions of the C library (the dynamic linker finds its
 * own first), and they remember device errors.
 */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_READ_ERRORS_H
#define STAGES_CHILDREN_RASTER_PICTURE_READ_ERRORS_H

#include <stdio.h>

/* Finds the C library's functions; call once, before entering the sandbox. */
void read_errors_prepare(void);

/* The errno of the first device error since the start; 0: none. */
int read_errors_error(void);

/* As fdopen(fd, "rb"), with these functions. NULL for lack of memory. Closing
 * the file leaves fd open. */
FILE *read_errors_open(int fd);

#endif
