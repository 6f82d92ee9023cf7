/* siblings.h - the programs that platen starts, as `platen doctor` looks at
 * them. */
#ifndef STAGES_SIBLINGS_H
#define STAGES_SIBLINGS_H

#include "stages/settings.h"
#include "vlm/base/buf.h"

/* Are platen-raster, platen-read (unless second_reader is off) and platen-mark
 * there, may they be run, and are they of this build? A line for each that is not
 * so, with what to do, or one that says that all are. False where one is not. */
bool siblings_doctor(const struct settings *settings, struct buf *out);

#endif
