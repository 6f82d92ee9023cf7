/* wire.h - writes the frames of protocol.h. A parent that has gone ends the
 * process (SIGPIPE), and so does any other failure to write. */
#ifndef STAGES_RASTER_WIRE_H
#define STAGES_RASTER_WIRE_H

#include "stages/raster/job.h"

void wire_hello(unsigned layers, int landlock_abi);
void wire_count(int n_source, int n_chosen);
void wire_sheet(int number, const struct sheet *sheet);
void wire_fail(const struct err *err);
void wire_end(void);

#endif
