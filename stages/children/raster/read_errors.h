/* read_errors.h - whether the document itself could be read.
 *
 * Libraries take a read that fails for the end of the file, and call a sound
 * document damaged, or draw a part of it, when a disk fails. So reading functions
 * of this program stand before the C library's own (the dynamic linker finds them
 * first) and remember an error of the device.
 */
#ifndef STAGES_CHILDREN_RASTER_READ_ERRORS_H
#define STAGES_CHILDREN_RASTER_READ_ERRORS_H

#include <stdio.h>

/* Finds the C library's own functions; call once, before the walls are up. */
void read_errors_prepare(void);

/* The first error since the start that is the machine's fault; 0: none. */
int read_errors_error(void);

/* As fdopen(fd, "rb"), through these functions. NULL where there is no memory;
 * closing it leaves fd open. */
FILE *read_errors_open(int fd);

#endif
