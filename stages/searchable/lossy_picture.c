/* lossy_picture.c - see lossy_picture.h. */
#include "stages/searchable/lossy_picture.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    HEAD = 8, /* of a file, or a chunk of WebP */
    CHUNKS_MAX = 64,
    TIFF_ENTRY = 12,
    TIFF_COMPRESSION = 259,
    TIFF_JPEG = 7
};

static bool read_at(const struct document *doc, int64_t at, uint8_t *out,
                    size_t size)
{
    return at >= 0 && pread(doc->fd, out, size, at) == (ssize_t)size;
}

static uint32_t number(const uint8_t *byte, int size, bool big)
{
    uint32_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | byte[big ? i : size - 1 - i];
    return value;
}

/* A lossless picture is in a chunk of another name. */
static bool is_lossy_webp(const struct document *doc)
{
    uint8_t chunk[HEAD];
    int64_t at = 12;
    for (int i = 0; i < CHUNKS_MAX && read_at(doc, at, chunk, HEAD); i++) {
        if (!memcmp(chunk, "VP8 ", 4)) return true;
        int64_t size = number(chunk + 4, 4, false);
        at += HEAD + size + size % 2;
    }
    return false;
}

static bool is_jpeg_tiff(const struct document *doc)
{
    uint8_t head[HEAD], count[2], entry[TIFF_ENTRY];
    if (!read_at(doc, 0, head, HEAD)) return false;
    bool big = head[0] == 'M';
    int64_t at = number(head + 4, 4, big);
    if (number(head + 2, 2, big) != 42 || !read_at(doc, at, count, 2))
        return false;
    int n = (int)number(count, 2, big);
    for (int i = 0; i < n; i++) {
        if (!read_at(doc, at + 2 + TIFF_ENTRY * i, entry, TIFF_ENTRY))
            return false;
        if (number(entry, 2, big) == TIFF_COMPRESSION)
            return number(entry + 8, 2, big) == TIFF_JPEG;
    }
    return false;
}

bool lossy_picture_is(const struct document *doc)
{
    switch (doc->type) {
    case FILE_HEIF: return true;
    case FILE_WEBP: return is_lossy_webp(doc);
    case FILE_TIFF: return is_jpeg_tiff(doc);
    default: return false;
    }
}
