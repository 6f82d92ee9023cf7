/* lossy_picture.h - whether a picture lost something when it was compressed, so
 * that JPEG may be used for it again. */
#ifndef STAGES_SEARCHABLE_LOSSY_PICTURE_H
#define STAGES_SEARCHABLE_LOSSY_PICTURE_H

#include <stdbool.h>

#include "stages/document.h"

/* Looks at the type and the head of the file: HEIC and AVIF, WebP unless it is
 * lossless or animated, TIFF whose first page is a JPEG. */
bool lossy_picture_is(const struct document *doc);

#endif
