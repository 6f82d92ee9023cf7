/* hidden_text.h - a content stream without its invisible text: the layer that a
 * scanner or another program has put over a picture.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_HIDDEN_TEXT_H
#define STAGES_CHILDREN_RASTER_PDF_HIDDEN_TEXT_H

#include <stdbool.h>

#include "vlm/base/buf.h"
#include "vlm/base/span.h"

/* Appends the content without what shows text in the rendering mode 3. Returns
 * whether it had any. */
bool hidden_text_drop(struct span content, struct buf *out);

#endif
