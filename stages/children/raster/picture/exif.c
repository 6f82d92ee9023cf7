/* exif.c - see exif.h. One pass over one directory; no offsets are followed. */
#include "stages/children/raster/picture/exif.h"

#include <stdint.h>

#include "vlm/base/text.h"

enum {
    TAG_ORIENTATION = 0x0112,
    TYPE_SHORT = 3,
    TYPE_LONG = 4,
    ENTRY = 12,
    TEXT_BYTES_MAX = 65536 /* of a block, as in a JPEG */
};

struct tiff_block {
    struct span block;
    bool big;
};

/* Reads n bytes (2 or 4) at `at`; the caller has checked the bounds. */
static uint32_t number_at(const struct tiff_block *r, size_t at, int n)
{
    uint32_t value = 0;
    for (int i = 0; i < n; i++) {
        int k = r->big ? i : n - 1 - i;
        value = value << 8 | (unsigned char)r->block.data[at + (size_t)k];
    }
    return value;
}

static bool open_block(struct tiff_block *r, struct span block)
{
    static const char prefix[6] = "Exif\0";
    if (block.size >= sizeof prefix &&
        !memcmp(block.data, prefix, sizeof prefix)) {
        block.data += sizeof prefix;
        block.size -= sizeof prefix;
    }
    if (block.size < 8) return false;
    r->block = block;
    r->big = block.data[0] == 'M';
    return (!memcmp(block.data, "II", 2) || !memcmp(block.data, "MM", 2)) &&
           number_at(r, 2, 2) == 42;
}

int exif_orientation(struct span block)
{
    struct tiff_block r;
    if (!open_block(&r, block)) return 0;
    size_t size = r.block.size, at = number_at(&r, 4, 4);
    if (at > size - 2) return 0;
    uint32_t n = number_at(&r, at, 2);
    at += 2;
    for (uint32_t i = 0; i < n && size - at >= ENTRY; i++, at += ENTRY) {
        if (number_at(&r, at, 2) != TAG_ORIENTATION) continue;
        uint32_t type = number_at(&r, at + 2, 2);
        uint32_t value = number_at(&r, at + 8, type == TYPE_LONG ? 4 : 2);
        bool is_one = number_at(&r, at + 4, 4) == 1;
        bool is_number = type == TYPE_SHORT || type == TYPE_LONG;
        return is_one && is_number && value >= 1 && value <= 8 ? (int)value : 0;
    }
    return 0;
}

/* Skips the next word, which is the name or the size. */
static size_t skip_word(struct span text, size_t at)
{
    while (at < text.size && text_is_space(text.data[at]))
        at++;
    while (at < text.size && !text_is_space(text.data[at]))
        at++;
    return at;
}

int exif_orientation_of_text(struct span text)
{
    char block[TEXT_BYTES_MAX];
    size_t n = 0;
    int high = -1;
    for (size_t at = skip_word(text, skip_word(text, 0));
         at < text.size && n < sizeof block; at++) {
        int digit = text_hex_digit(text.data[at]);
        if (digit < 0 && text_is_space(text.data[at])) continue;
        if (digit < 0) break;
        if (high >= 0) block[n++] = (char)(high << 4 | digit);
        high = high < 0 ? digit : -1;
    }
    return exif_orientation((struct span){block, n});
}
