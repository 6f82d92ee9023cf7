/* picture.h - a page as a file in memory, for sending to an endpoint. */
#ifndef STAGES_ENGINE_PICTURE_H
#define STAGES_ENGINE_PICTURE_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

/* Appends "data:image/png;base64,..." (or jpeg, quality 92) of a grey or RGB
 * image. FAIL: ERR_SYSTEM when there is no memory. */
void picture_data_url(const struct image *image, bool jpeg, struct buf *out,
                      struct err *err);

#endif
