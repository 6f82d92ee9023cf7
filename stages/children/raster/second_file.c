/* second_file.c - see second_file.h. */
#include "stages/children/raster/second_file.h"

#include <stdint.h>

enum { HEADER_LEAST = 26 }; /* of a BMP */

static uint32_t number(struct span file, size_t at, bool little)
{
    uint32_t n = 0;
    for (size_t i = 0; i < 4; i++)
        n = n << 8 | (unsigned char)file.data[at + (little ? 3 - i : i)];
    return n;
}

/* What begins at `at`, or behind padding there. A short text is no document. */
static enum file_type type_at(struct span file, size_t at)
{
    while (at < file.size && strchr(" \t\r\n", file.data[at]))
        at++; /* a NUL, too */
    if (at >= file.size) return FILE_UNKNOWN;
    size_t n = file.size - at;
    struct span head = {file.data + at,
                        n < FILE_HEAD_BYTES ? n : FILE_HEAD_BYTES};
    enum file_type type = file_type_of(head);
    bool late = type == FILE_PDF && strncmp(head.data, "%PDF-", 5);
    bool weak = type == FILE_PNM || type == FILE_XML || type == FILE_MAIL;
    return late || weak ? FILE_UNKNOWN : type;
}

/* Chunks: their length, a name, content and a sum of four bytes each. */
static enum file_type behind_png(struct span file)
{
    size_t at = 8;
    while (at + 12 <= file.size) {
        bool last = !memcmp(file.data + at + 4, "IEND", 4);
        at += 12 + (size_t)number(file, at, false);
        if (last) return type_at(file, at);
    }
    return FILE_UNKNOWN;
}

/* Boxes; a further file begins where one should. */
static enum file_type behind_boxes(struct span file)
{
    size_t at = 0;
    while (at + 8 <= file.size) {
        enum file_type type = at ? type_at(file, at) : FILE_UNKNOWN;
        size_t size = number(file, at, false);
        if (type) return type;
        if (size == 1 && at + 16 <= file.size)
            size = (size_t)number(file, at + 8, false) << 32 |
                   number(file, at + 12, false);
        if (size < 8 || size > file.size - at) return FILE_UNKNOWN;
        at += size;
    }
    return FILE_UNKNOWN;
}

/* Behind sub-blocks, each with its length before it, and one of 0 at the end. */
static size_t skip_blocks(struct span file, size_t at)
{
    while (at < file.size && file.data[at])
        at += 1 + (size_t)(unsigned char)file.data[at];
    return at + 1;
}

static size_t table_size(char flags)
{
    return flags & 0x80 ? (size_t)6 << (flags & 7) : 0;
}

static enum file_type behind_gif(struct span file)
{
    if (file.size < 13) return FILE_UNKNOWN;
    size_t at = 13 + table_size(file.data[10]);
    while (at + 10 < file.size && file.data[at] != ';') {
        if (file.data[at] == ',')
            at = skip_blocks(file, at + 11 + table_size(file.data[at + 9]));
        else if (file.data[at] == '!')
            at = skip_blocks(file, at + 2);
        else
            return FILE_UNKNOWN;
    }
    return at < file.size && file.data[at] == ';' ? type_at(file, at + 1)
                                                  : FILE_UNKNOWN;
}

/* Versions of a PDF follow each other, but never with a header of their own; an
 * attached PDF ends with the word endstream. */
static enum file_type behind_pdf(struct span file)
{
    static const char mark[] = "%%EOF";
    size_t n = sizeof mark - 1;
    for (size_t at = 0; at + n < file.size; at++) {
        const char *next = memchr(file.data + at, '%', file.size - n - at);
        if (!next) break;
        at = (size_t)(next - file.data);
        if (memcmp(next, mark, n) != 0) continue;
        enum file_type type = type_at(file, at + n);
        if (type) return type;
    }
    return FILE_UNKNOWN;
}

enum file_type second_file_type(struct span file)
{
    struct span head = {
        file.data, file.size < FILE_HEAD_BYTES ? file.size : FILE_HEAD_BYTES};
    switch (file_type_of(head)) {
    case FILE_PDF: return behind_pdf(file);
    case FILE_PNG: return behind_png(file);
    case FILE_WEBP:
        return type_at(file,
                       8 + (((size_t)number(file, 4, true) + 1) & ~(size_t)1));
    case FILE_BMP: {
        size_t end = number(file, 2, true); /* some writers leave it 0 */
        return end < HEADER_LEAST ? FILE_UNKNOWN : type_at(file, end);
    }
    case FILE_HEIF:
    case FILE_AVIF: return behind_boxes(file);
    case FILE_GIF: return behind_gif(file);
    default: return FILE_UNKNOWN;
    }
}
