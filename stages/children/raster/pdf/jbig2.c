/* jbig2.c - see jbig2.h. (ITU-T T.88, 7.2 to 7.4) */
#include "stages/children/raster/pdf/jbig2.h"

#include <stdbool.h>

#include "vlm/base/cursor.h"

enum {
    TYPE_PATTERNS = 16,
    TYPE_GENERIC_FIRST = 36,
    TYPE_GENERIC_LAST = 39,
    REGION_BYTES = 17, /* size, position and operator of any region */
    LENGTH_UNKNOWN = -1
};

struct jbig2_segment {
    int type;
    int64_t length;
    const uint8_t *data;
};

/* Reads the header at bytes + at. Returns the offset of its data, 0 if cut. */
static size_t read_header(const uint8_t *bytes, size_t size, size_t at,
                          struct jbig2_segment *out)
{
    if (size - at < 6) return 0;
    uint32_t number = cursor_u32be_at(bytes + at);
    uint8_t flags = bytes[at + 4];
    out->type = flags & 63;
    at += 5;
    uint32_t n_reference = bytes[at] >> 5;
    size_t retained = 1;
    if (n_reference == 7) {
        if (size - at < 4) return 0;
        n_reference = cursor_u32be_at(bytes + at) & 0x1fffffff;
        retained = 4 + ((size_t)n_reference + 8) / 8;
    }
    size_t each = number <= 256 ? 1 : number <= 65536 ? 2 : 4;
    size_t rest = retained + each * n_reference + (flags & 64 ? 4 : 1) + 4;
    if (size - at < rest) return 0;
    at += rest;
    uint32_t length = cursor_u32be_at(bytes + at - 4);
    out->length = length == UINT32_MAX ? LENGTH_UNKNOWN : (int64_t)length;
    out->data = bytes + at;
    return at;
}

static bool is_region(int type)
{
    return type == 6 || type == 7 || (type >= 20 && type <= 23) ||
           (type >= TYPE_GENERIC_FIRST && type <= 43);
}

static bool is_mmr(const struct jbig2_segment *s, size_t size)
{
    if (s->type == TYPE_PATTERNS) return size > 0 && s->data[0] & 1;
    bool has_flag =
        (s->type >= 20 && s->type <= 23) ||
        (s->type >= TYPE_GENERIC_FIRST && s->type <= TYPE_GENERIC_LAST);
    return has_flag && size > REGION_BYTES && s->data[REGION_BYTES] & 1;
}

const char *jbig2_check(const uint8_t *bytes, size_t size)
{
    const char *cut = "a JBIG2 image ends early";
    bool any = false;
    size_t at = 0;
    while (at < size) {
        struct jbig2_segment s;
        at = read_header(bytes, size, at, &s);
        if (at == 0) return any ? NULL : cut; /* trailing bytes are harmless */
        size_t left = size - at;
        if (s.length > 0 && (uint64_t)s.length > left) return cut;
        if (is_mmr(&s, s.length < 0 ? left : (size_t)s.length))
            return "a JBIG2 image has a part coded in MMR, which cannot be "
                   "checked";
        bool empty = s.length >= 0 && s.length <= REGION_BYTES;
        if (is_region(s.type) && empty) return cut;
        any |= is_region(s.type);
        if (s.length < 0) break; /* extends to the end of the data */
        at += (size_t)s.length;
    }
    return any ? NULL : "a JBIG2 image is empty";
}
