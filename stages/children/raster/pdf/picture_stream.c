/* picture_stream.c - see picture_stream.h. */
#include "stages/children/raster/pdf/picture_stream.h"

#include <stdint.h>
#include <string.h>

#include "stages/children/raster/pdf/tiff_jpeg.h"
#include "stages/children/raster/picture/jpeg_facts.h"
#include "vlm/base/cursor.h"
#include "vlm/base/err.h"

/* --- JPEG ------------------------------------------------------------------- */

static bool describe_jpeg(struct picture_stream *out)
{
    struct err err = {0};
    struct jpeg_facts facts;
    jpeg_facts_read(out->bytes, &facts, &err);
    if (err_failed(&err)) return false;
    out->filter = "/DCTDecode";
    out->width_px = facts.width_px;
    out->height_px = facts.height_px;
    out->n_colour = facts.n_component;
    out->orientation = facts.orientation;
    return true;
}

static bool find_in_tiff(struct span file, int number,
                         struct picture_stream *out)
{
    int orientation = tiff_jpeg_join(file, number, &out->made);
    out->bytes = buf_span(&out->made);
    if (!orientation || !describe_jpeg(out)) return false;
    out->orientation = orientation;
    return true;
}

/* --- JPEG 2000 (ISO 15444-1, annexes A and I) ------------------------------- */

enum {
    BOX_HEAD = 8,
    CODESTREAM_HEAD = 0x6A703268, /* jp2h */
    CODESTREAM = 0x6A703263,      /* jp2c */
    SIGNATURE = 0x6A502020,
    FILE_TYPE = 0x66747970,
    IMAGE_HEAD = 0x69686472,
    COLOUR = 0x636F6C72,
    RESOLUTION = 0x72657320,
    BY_NUMBER = 1,
    BY_PROFILE = 2,
    IS_SRGB = 16,
    IS_GREY = 17,
    SIZE_AT = 4, /* the marker SIZ begins after those of the start */
    SIZE_BYTES = 40,
    COMPONENT_BYTES = 3,
    EIGHT_BITS = 7, /* unsigned; one less */
    COMPRESSION = 7 /* the only one */
};

struct jp2_box {
    uint32_t type;
    struct span body;
};

/* Takes the next box off the bytes; one without length reaches to their end. */
static bool take_box(struct span *bytes, struct jp2_box *box)
{
    if (bytes->size < BOX_HEAD) return false;
    size_t size = cursor_u32be_at(bytes->data);
    if (size == 0) size = bytes->size;
    if (size < BOX_HEAD || size > bytes->size) return false;
    box->type = cursor_u32be_at(bytes->data + 4);
    box->body = (struct span){bytes->data + BOX_HEAD, size - BOX_HEAD};
    *bytes = (struct span){bytes->data + size, bytes->size - size};
    return true;
}

/* Grey or RGB; without a palette, other channels, or depths of their own. */
static bool is_plain_head(struct span bytes)
{
    struct jp2_box box;
    int n_colour = 0, n_head = 0;
    while (take_box(&bytes, &box)) {
        const char *body = box.body.data;
        switch (box.type) {
        case IMAGE_HEAD: n_head++; break;
        case RESOLUTION: break;
        case COLOUR:
            if (box.body.size < 3) return false;
            n_colour++;
            if (body[0] == BY_PROFILE) break;
            if (body[0] != BY_NUMBER || box.body.size < 7 ||
                (cursor_u32be_at(box.body.data + 3) != IS_SRGB &&
                 cursor_u32be_at(box.body.data + 3) != IS_GREY))
                return false;
            break;
        default: return false;
        }
    }
    return n_head == 1 && n_colour == 1 && bytes.size == 0;
}

/* The marker SIZ: one grid for all components, which begins at its corner. */
static bool describe_codestream(struct span c, struct picture_stream *out)
{
    if (c.size < SIZE_AT + SIZE_BYTES ||
        memcmp(c.data, "\xFF\x4F\xFF\x51", SIZE_AT))
        return false;
    uint32_t width = cursor_u32be_at(c.data + SIZE_AT + 4),
             height = cursor_u32be_at(c.data + SIZE_AT + 8);
    const char *n = c.data + SIZE_AT + 36;
    out->n_colour = n[1];
    if (n[0] || (n[1] != 1 && n[1] != 3) || width > INT16_MAX * 4 ||
        height > INT16_MAX * 4 || cursor_u32be_at(c.data + SIZE_AT + 12) ||
        cursor_u32be_at(c.data + SIZE_AT + 16))
        return false;
    for (int i = 0; i < n[1]; i++) {
        size_t at = (size_t)(SIZE_AT + 38 + COMPONENT_BYTES * i);
        if (at + COMPONENT_BYTES > c.size || c.data[at] != EIGHT_BITS ||
            c.data[at + 1] != 1 || c.data[at + 2] != 1)
            return false;
    }
    out->filter = "/JPXDecode";
    out->width_px = (int)width;
    out->height_px = (int)height;
    out->orientation = 1;
    return width > 0 && height > 0;
}

/* PDF wants the file's head as well (annex I.5). */
static bool wrap_codestream(struct span c, struct picture_stream *out)
{
    static const uint8_t start[] = {
        0,   0,   0,   12,  'j', 'P', ' ', ' ', 13,  10,  0x87, 10,
        0,   0,   0,   20,  'f', 't', 'y', 'p', 'j', 'p', '2',  ' ',
        0,   0,   0,   0,   'j', 'p', '2', ' ', 0,   0,   0,    45,
        'j', 'p', '2', 'h', 0,   0,   0,   22,  'i', 'h', 'd',  'r'};
    if (!describe_codestream(c, out)) return false;
    uint8_t n = (uint8_t)out->n_colour;
    const uint8_t head[] = {0,           n,   EIGHT_BITS,
                            COMPRESSION, 0,   0,
                            0,           0,   0,
                            15,          'c', 'o',
                            'l',         'r', BY_NUMBER,
                            0,           0,   0,
                            0,           0,   n == 1 ? IS_GREY : IS_SRGB,
                            0,           0,   0,
                            0,           'j', 'p',
                            '2',         'c'};
    buf_add(&out->made, start, sizeof start);
    buf_add(&out->made, c.data + SIZE_AT + 8, 4); /* height */
    buf_add(&out->made, c.data + SIZE_AT + 4, 4); /* width */
    buf_add(&out->made, head, sizeof head);
    buf_add(&out->made, c.data, c.size);
    out->bytes = buf_span(&out->made);
    return !out->made.full;
}

static bool find_jpeg2000(struct span file, struct picture_stream *out)
{
    struct span rest = file;
    struct jp2_box box;
    int n_head = 0, n_codestream = 0;
    while (take_box(&rest, &box)) {
        if (box.type == CODESTREAM_HEAD) {
            n_head++;
            if (!is_plain_head(box.body)) return false;
        }
        if (box.type == CODESTREAM) {
            n_codestream++;
            if (!describe_codestream(box.body, out)) return false;
        }
    }
    out->bytes = file;
    return n_head == 1 && n_codestream == 1 && rest.size == 0;
}

/* --- any -------------------------------------------------------------------- */

bool picture_stream_find(struct span file, int number,
                         struct picture_stream *out)
{
    *out = (struct picture_stream){.bytes = file, .made = buf_limit(SIZE_MAX)};
    bool found = false;
    if (file.size < BOX_HEAD) return false;
    if (!memcmp(file.data, "\xFF\xD8", 2))
        found = describe_jpeg(out);
    else if (cursor_u32be_at(file.data + 4) == SIGNATURE)
        found = find_jpeg2000(file, out);
    else if (!memcmp(file.data, "\xFF\x4F", 2))
        found = wrap_codestream(file, out);
    else if (!memcmp(file.data, "II", 2) || !memcmp(file.data, "MM", 2))
        found = find_in_tiff(file, number, out);
    if (!found) picture_stream_free(out);
    return found;
}

void picture_stream_free(struct picture_stream *stream)
{
    buf_free(&stream->made);
    *stream = (struct picture_stream){.orientation = 1};
}
