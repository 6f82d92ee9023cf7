/* image_encode.h - encodes a page as PNG, JPEG or data URL, and packs
 * images. */
#ifndef STAGES_PIXELS_IMAGE_ENCODE_H
#define STAGES_PIXELS_IMAGE_ENCODE_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

/* Appends "data:image/png;base64,..." (or jpeg, quality 92) for a grey or RGB
 * image. FAIL: ERR_SYSTEM for lack of memory. */
void image_encode_data_url(const struct image *image, bool jpeg,
                           struct buf *out, struct err *err);

/* Appends the image as a PNG file. FAIL: ERR_SYSTEM for lack of memory. */
void image_encode_png(const struct image *image, struct buf *out,
                      struct err *err);

/* The same as a JPEG file, quality 92. FAIL: as above. */
void image_encode_jpeg(const struct image *image, struct buf *out,
                       struct err *err);

/* An image compressed while it waits. */
struct packed {
    void *data; /* owned; NULL: none */
    size_t size;
};

/* Packs the image and empties it; on failure it is unchanged. */
struct packed image_encode_pack(struct image *image);

/* Restores the image without loss and empties *packed. FAIL: ERR_SYSTEM. */
void image_encode_unpack(struct packed *packed, struct image *image,
                         struct err *err);
void image_encode_drop(struct packed *packed);

#endif
