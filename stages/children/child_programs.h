/* child_programs.h - the programs that platen starts, as `platen doctor` looks at
 * them. */
#ifndef STAGES_CHILDREN_CHILD_PROGRAMS_H
#define STAGES_CHILDREN_CHILD_PROGRAMS_H

#include "stages/settings.h"
#include "vlm/base/buf.h"

/* Are platen-raster, platen-ocr (unless ocr is off) and platen-annotate
 * there, may they be run, and are they of this build? A line for each that is not
 * so, with what to do, or one that says that all are. False where one is not. */
bool child_programs_doctor(const struct settings *settings, struct buf *out);

#endif
