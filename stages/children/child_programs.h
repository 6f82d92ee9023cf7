/* child_programs.h - `platen doctor`'s check of the programs that platen
 * starts. */
#ifndef STAGES_CHILDREN_CHILD_PROGRAMS_H
#define STAGES_CHILDREN_CHILD_PROGRAMS_H

#include "stages/document/settings.h"
#include "vlm/base/buf.h"

/* Checks that platen-raster, platen-ocr (unless ocr is off) and platen-annotate
 * are installed, executable and of this build. Prints one line with a remedy
 * for each that is not, or one line for all. Returns false if one is not. */
bool child_programs_doctor(const struct settings *settings, struct buf *out);

#endif
