/* image_encode.h - a page as a file in memory, for sending to an endpoint and for people. */
#ifndef STAGES_ENGINE_IMAGE_ENCODE_H
#define STAGES_ENGINE_IMAGE_ENCODE_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

/* Appends "data:image/png;base64,..." (or jpeg, quality 92) of a grey or RGB
 * image. FAIL: ERR_SYSTEM when there is no memory. */
void image_encode_data_url(const struct image *image, bool jpeg,
                           struct buf *out, struct err *err);

/* Appends the image as a PNG file. FAIL: ERR_SYSTEM when there is no memory. */
void image_encode_png(const struct image *image, struct buf *out,
                      struct err *err);

/* The same as a JPEG file, quality 92. FAIL: as above. */
void image_encode_jpeg(const struct image *image, struct buf *out,
                       struct err *err);

/* A picture that waits, in less room. */
struct packed {
    void *data; /* owned; NULL: none */
    size_t size;
};

/* Packs the image, which is empty then; where that fails it stays as it is. */
struct packed image_encode_pack(struct image *image);

/* The image again, to the last bit; *packed is empty then. FAIL: ERR_SYSTEM. */
void image_encode_unpack(struct packed *packed, struct image *image,
                         struct err *err);
void image_encode_drop(struct packed *packed);

#endif
