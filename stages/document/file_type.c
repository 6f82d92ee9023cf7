/* file_type.c - see file_type.h. */
#include "stages/document/file_type.h"

#include <stdint.h>
#include <strings.h>

#include "vlm/base/wrong_file.h"

enum { PDF_BYTES = 1024, HEADER_BYTES = 1024 };

/* By the brands in the first box of an ISO file: the one that it was written
 * for, and those that can read it. */
static enum file_type type_of_brands(struct span head)
{
    static const char still[] = "heic heix heim heis hevc hevx mif1 mif2 msf1";
    if (head.size < 16 || memcmp(head.data + 4, "ftyp", 4)) return FILE_UNKNOWN;
    const unsigned char *b = (const unsigned char *)head.data;
    size_t size = (size_t)b[2] << 8 | b[3];
    enum file_type found = FILE_UNKNOWN;
    for (size_t at = 8; at + 4 <= size && at + 4 <= head.size; at += 4) {
        char brand[5] = "";
        memcpy(brand, head.data + at, 4);
        if (at == 12) continue; /* a version */
        if (!strcmp(brand, "avif") || !strcmp(brand, "avis")) return FILE_AVIF;
        if (strlen(brand) == 4 && strstr(still, brand)) found = FILE_HEIF;
    }
    return found;
}

/* "BM" and the size of a known header. */
static bool is_bmp(struct span head)
{
    static const unsigned char known[] = {12, 40, 52, 56, 64, 108, 124};
    bool found = false;
    for (size_t i = 0; i < sizeof known && head.size >= 18; i++)
        found |= (unsigned char)head.data[14] == known[i] && !head.data[15] &&
                 !head.data[16] && !head.data[17];
    return found && span_starts(head, "BM");
}

/* P1 to P6, a blank, and the width or a comment. */
static bool is_pnm(struct span head)
{
    if (head.size < 4 || head.data[0] != 'P' || head.data[1] < '1' ||
        head.data[1] > '6' || !strchr(" \t\r\n", head.data[2]))
        return false;
    for (size_t i = 2; i < head.size; i++) {
        char c = head.data[i];
        if (c == '#' || (c >= '0' && c <= '9')) return true;
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return false;
    }
    return false;
}

/* XML, with or without a byte order mark and a declaration; HTML that begins
 * with a document type is none. */
static bool is_xml(struct span head)
{
    if (span_starts_with(head, "\xff\xfe<\0", 4) ||
        span_starts_with(head, "\xfe\xff\0<", 4))
        return true;
    size_t at = span_starts(head, "\xef\xbb\xbf") ? 3 : 0;
    while (at < head.size && strchr(" \t\r\n", head.data[at]) && head.data[at])
        at++;
    if (at + 2 > head.size || head.data[at] != '<') return false;
    char next = head.data[at + 1];
    return next == '?' || (next >= 'A' && next <= 'Z') ||
           (next >= 'a' && next <= 'z');
}

/* The size of the name of the header field at the start; 0: there is none. */
static size_t field_size(struct span text)
{
    size_t n = 0;
    while (n < text.size && text.data[n] > ' ' && text.data[n] < 127 &&
           text.data[n] != ':')
        n++;
    return n < text.size && text.data[n] == ':' ? n : 0;
}

static struct span from(struct span head, size_t at)
{
    return at ? (struct span){head.data + at, head.size - at} : head;
}

static size_t line_size(struct span text)
{
    const char *end = memchr(text.data, '\n', text.size);
    return end ? (size_t)(end - text.data) + 1 : text.size;
}

size_t file_type_mail_start(struct span head)
{
    size_t at = span_starts(head, "\xef\xbb\xbf") ? 3 : 0;
    while (at < head.size && (head.data[at] == '\r' || head.data[at] == '\n'))
        at++;
    return at;
}

/* A mail has no magic number: it begins with header fields, and two of them are
 * of mails. Before them can be what a mailbox has: a line "From ". */
static bool is_mail(struct span head)
{
    static const char *const known[] = {
        "received",     "return-path", "delivered-to", "from",
        "to",           "date",        "subject",      "message-id",
        "mime-version", "x-received",  "arc-seal",     "dkim-signature"};
    int n_known = 0;
    head = from(head, file_type_mail_start(head));
    if (span_starts(head, "From ")) head = from(head, line_size(head));
    while (head.size && head.data[0] != '\r' && head.data[0] != '\n') {
        size_t line = line_size(head);
        bool ends = head.data[line - 1] == '\n';
        bool goes_on = head.data[0] == ' ' || head.data[0] == '\t';
        size_t n = field_size((struct span){head.data, line});
        if (!goes_on && !n && ends) break; /* a header without its end */
        for (size_t i = 0; !goes_on && i < sizeof known / sizeof *known; i++)
            n_known +=
                strlen(known[i]) == n && !strncasecmp(head.data, known[i], n);
        head = from(head, line);
    }
    return n_known >= 2;
}

/* Where "%PDF-" begins within the first `most` bytes. */
static bool has_pdf(struct span head, size_t most)
{
    for (size_t i = 0; i + 5 <= head.size && i < most; i++)
        if (!memcmp(head.data + i, "%PDF-", 5)) return true;
    return false;
}

/* Printer language, which a printer's port leaves before a PDF. */
static bool is_printer_language(struct span head)
{
    return span_starts(head, "\x1b%-12345X") || span_starts(head, "@PJL") ||
           span_starts_with(head,
                            "\x1b"
                            "E",
                            2);
}

static struct span cut(struct span head, size_t most)
{
    return (struct span){head.data, head.size < most ? head.size : most};
}

/* Types with a magic number. */
static enum file_type type_of_magic(struct span head)
{
    if (span_starts(head, "%PDF-")) return FILE_PDF;
    if (span_starts(head, "\x89PNG\r\n\x1a\n")) return FILE_PNG;
    if (span_starts(head, "\xff\xd8\xff")) return FILE_JPEG;
    if (span_starts_with(head, "II*\0", 4) ||
        span_starts_with(head, "MM\0*", 4) ||
        span_starts_with(head, "II+\0", 4) ||
        span_starts_with(head, "MM\0+", 4))
        return FILE_TIFF;
    if (span_starts(head, "RIFF") && head.size >= 12 &&
        !memcmp(head.data + 8, "WEBP", 4))
        return FILE_WEBP;
    if (span_starts(head, "GIF87a") || span_starts(head, "GIF89a"))
        return FILE_GIF;
    if (span_starts_with(head, "\0\0\0\x0cjP  \r\n\x87\n", 12) ||
        span_starts(head, "\xff\x4f\xff\x51"))
        return FILE_JPEG2000;
    if (is_bmp(head)) return FILE_BMP;
    if (is_pnm(head)) return FILE_PNM;
    return type_of_brands(head);
}

/* What only few bytes tell, or all of a text, is asked last; what is certain to
 * be something else is no PDF that begins late. */
enum file_type file_type_of(struct span head)
{
    enum file_type type = type_of_magic(head);
    if (type) return type;
    if (is_mail(cut(head, HEADER_BYTES))) return FILE_MAIL;
    if (file_type_foreign(head)) return FILE_UNKNOWN;
    size_t late = is_printer_language(head) ? FILE_HEAD_BYTES : PDF_BYTES;
    if (!span_starts(head, "<?xml") && has_pdf(head, late)) return FILE_PDF;
    return is_xml(head) && !wrong_file_name(head) ? FILE_XML : FILE_UNKNOWN;
}

const char *file_type_name(enum file_type type)
{
    static const char *const name[] = {[FILE_UNKNOWN] = "unknown",
                                       [FILE_PDF] = "PDF",
                                       [FILE_TIFF] = "TIFF",
                                       [FILE_JPEG] = "JPEG",
                                       [FILE_PNG] = "PNG",
                                       [FILE_WEBP] = "WebP",
                                       [FILE_HEIF] = "HEIF",
                                       [FILE_AVIF] = "AVIF",
                                       [FILE_JPEG2000] = "JPEG 2000",
                                       [FILE_BMP] = "BMP",
                                       [FILE_GIF] = "GIF",
                                       [FILE_PNM] = "PNM",
                                       [FILE_XML] = "XML",
                                       [FILE_MAIL] = "mail"};
    return name[type];
}

/* --- files of other programs ------------------------------------------------ */

static bool has(struct span head, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i + n <= head.size; i++)
        if (!memcmp(head.data + i, text, n)) return true;
    return false;
}

/* Office files are ZIP archives with a file that says so. */
static const char *name_of_zip(struct span head)
{
    static const char *const office[] = {"[Content_Types].xml", "_rels/",
                                         "mimetypeapplication/", "docProps/"};
    head = cut(head, PDF_BYTES);
    for (size_t i = 0; i < sizeof office / sizeof *office; i++)
        if (has(head, office[i])) return "an office document: export it as PDF";
    return "a ZIP archive: unpack it and drop the files in it";
}

const char *file_type_foreign(struct span head)
{
    static const char cms[] = "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07";
    static const struct {
        size_t at, size;
        const char *magic, *name;
    } known[] = {
        {0, 6, "7z\xbc\xaf\x27\x1c",
         "a 7z archive: unpack it and drop the files in it"},
        {0, 6, "Rar!\x1a\x07",
         "a RAR archive: unpack it and drop the files in it"},
        {257, 5, "ustar", "a TAR archive: unpack it and drop the files in it"},
        {0, 3, "\x1f\x8b\x08",
         "a gzip file: unpack it and drop the file in it"},
        {0, 3, "BZh", "a bzip2 file: unpack it and drop the file in it"},
        {0, 6,
         "\xfd"
         "7zXZ",
         "an xz file: unpack it and drop the file in it"},
        {0, 8, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
         "a file of Microsoft Office: save an Outlook .msg as .eml, and export "
         "a document as PDF"},
        {0, 4, "\x78\x9f\x3e\x22",
         "Outlook's own format TNEF: attach it to a mail, or ask for the mail "
         "as MIME"},
        {0, 5, "{\\rtf", "an RTF document: export it as PDF"},
        {0, 21, "-----BEGIN PGP MESSAGE", "encrypted with PGP"},
    };
    if (span_starts(head, "\x30") && has(cut(head, 24), cms))
        return "a document within its signature (.p7m): attach it to a mail, "
               "or "
               "take it out with openssl cms -verify -noverify -inform DER "
               "-in FILE -out DOCUMENT";
    if (span_starts(head, "PK\3\4") || span_starts(head, "PK\5\6"))
        return name_of_zip(head);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (head.size >= known[i].at + known[i].size &&
            !memcmp(head.data + known[i].at, known[i].magic, known[i].size))
            return known[i].name;
    return NULL;
}

/* --- what follows the end --------------------------------------------------- */

enum { HEADER_LEAST = 26 }; /* of a BMP */

static uint32_t number(struct span file, size_t at, bool little)
{
    uint32_t n = 0;
    for (size_t i = 0; i < 4; i++)
        n = n << 8 | (unsigned char)file.data[at + (little ? 3 - i : i)];
    return n;
}

/* What begins at `at`. A short text is no document. */
static enum file_type type_here(struct span file, size_t at)
{
    size_t n = file.size - at;
    struct span head = {file.data + at,
                        n < FILE_HEAD_BYTES ? n : FILE_HEAD_BYTES};
    enum file_type type = file_type_of(head);
    bool late = type == FILE_PDF && strncmp(head.data, "%PDF-", 5);
    bool weak = type == FILE_PNM || type == FILE_XML || type == FILE_MAIL;
    return late || weak ? FILE_UNKNOWN : type;
}

/* What begins at `at`, or behind padding there, of which up to three NULs can be
 * its own: the length of its first box. */
static enum file_type type_at(struct span file, size_t at)
{
    size_t from = at;
    enum file_type type = FILE_UNKNOWN;
    while (at < file.size && strchr(" \t\r\n", file.data[at]))
        at++; /* a NUL, too */
    for (size_t i = 0; at < file.size && i <= 3 && from + i <= at && !type; i++)
        type = type_here(file, at - i);
    return type;
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

/* Segments with their length, and after some of them coded pixels, in which a
 * mark is followed by a NUL or counts. A second JPEG is no document: cameras add
 * previews. */
static enum file_type behind_jpeg(struct span file)
{
    size_t at = 2;
    while (at + 4 <= file.size && file.data[at] == '\xff') {
        unsigned char mark = (unsigned char)file.data[at + 1];
        bool counts = mark >= 0xd0 && mark <= 0xd7;
        if (mark == 0xd9) {
            enum file_type type = type_at(file, at + 2);
            return type == FILE_JPEG ? FILE_UNKNOWN : type;
        }
        at += mark == 0xff ? 1
              : counts || !mark
                  ? 2
                  : 2 + ((size_t)(unsigned char)file.data[at + 2] << 8 |
                         (unsigned char)file.data[at + 3]);
        if (!counts && mark && mark != 0xda) continue;
        const char *next = at < file.size
                               ? memchr(file.data + at, 0xff, file.size - at)
                               : NULL;
        at = next ? (size_t)(next - file.data) : file.size;
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

enum file_type file_type_behind(struct span file)
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
    case FILE_JPEG: return behind_jpeg(file);
    case FILE_JPEG2000: {
        enum file_type type = behind_boxes(file);
        return type == FILE_JPEG2000 ? FILE_UNKNOWN : type;
    }
    case FILE_GIF: return behind_gif(file);
    default: return FILE_UNKNOWN;
    }
}
