/* identify.c - see identify.h. */
#include "stages/input/identify.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vlm/base/stand_in.h"

enum { HEAD_BYTES = 1024 }; /* a PDF's header must begin within these */

static bool starts_with(struct span head, const char *magic, size_t n)
{
    return head.size >= n && !memcmp(head.data, magic, n);
}

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
    return found && starts_with(head, "BM", 2);
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

/* A document within its signature (.p7m), in DER. */
static bool is_signed(struct span head)
{
    static const char signed_data[] = "\x06\x09*\x86H\x86\xf7\x0d\x01\x07\x02";
    const size_t n = sizeof signed_data - 1;
    for (size_t at = 2; at <= 6 && at + n <= head.size; at++)
        if (head.data[0] == '0' && !memcmp(head.data + at, signed_data, n))
            return true;
    return false;
}

/* XML, with or without a byte order mark and a declaration; HTML that begins
 * with a document type is none. */
static bool is_xml(struct span head)
{
    if (starts_with(head, "\xff\xfe<\0", 4) ||
        starts_with(head, "\xfe\xff\0<", 4))
        return true;
    size_t at = starts_with(head, "\xef\xbb\xbf", 3) ? 3 : 0;
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

/* A mail has no magic number: it begins with header fields, and two of them are
 * of mails. */
static bool is_mail(struct span head)
{
    static const char *const known[] = {
        "received",     "return-path", "delivered-to", "from",
        "to",           "date",        "subject",      "message-id",
        "mime-version", "x-received",  "arc-seal",     "dkim-signature"};
    int n_known = 0;
    while (head.size && head.data[0] != '\r' && head.data[0] != '\n') {
        const char *end = memchr(head.data, '\n', head.size);
        size_t line = end ? (size_t)(end - head.data) + 1 : head.size;
        bool goes_on = head.data[0] == ' ' || head.data[0] == '\t';
        size_t n = field_size((struct span){head.data, line});
        if (!goes_on && !n && end) return false;
        for (size_t i = 0; !goes_on && i < sizeof known / sizeof *known; i++)
            n_known +=
                strlen(known[i]) == n && !strncasecmp(head.data, known[i], n);
        head.data += line;
        head.size -= line;
    }
    return n_known >= 2;
}

enum file_type identify_bytes(struct span head)
{
    if (starts_with(head, "\x89PNG\r\n\x1a\n", 8)) return FILE_PNG;
    if (starts_with(head, "\xff\xd8\xff", 3)) return FILE_JPEG;
    if (starts_with(head, "II*\0", 4) || starts_with(head, "MM\0*", 4) ||
        starts_with(head, "II+\0", 4) || starts_with(head, "MM\0+", 4))
        return FILE_TIFF;
    if (starts_with(head, "RIFF", 4) && head.size >= 12 &&
        !memcmp(head.data + 8, "WEBP", 4))
        return FILE_WEBP;
    if (starts_with(head, "GIF87a", 6) || starts_with(head, "GIF89a", 6))
        return FILE_GIF;
    if (starts_with(head, "\0\0\0\x0cjP  \r\n\x87\n", 12) ||
        starts_with(head, "\xff\x4f\xff\x51", 4))
        return FILE_JPEG2000;
    if (is_bmp(head)) return FILE_BMP;
    if (is_pnm(head)) return FILE_PNM;
    if (type_of_brands(head)) return type_of_brands(head);
    for (size_t i = 0; i + 5 <= head.size && i < HEAD_BYTES; i++)
        if (!memcmp(head.data + i, "%PDF-", 5)) return FILE_PDF;
    if (is_xml(head) && !stand_in_name(head)) return FILE_XML;
    return is_mail(head) ? FILE_MAIL : FILE_UNKNOWN;
}

const char *identify_name(enum file_type type)
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

static void check_file(struct document *doc, const struct settings *settings,
                       struct err *err)
{
    if (err_failed(err)) return;
    struct stat st;
    if (fstat(doc->fd, &st)) {
        err_errno(err, "cannot get the file's status");
        return;
    }
    doc->size_bytes = st.st_size;
    if (!S_ISREG(st.st_mode)) {
        err_reason(err, ERR_INPUT, "not-regular", "not a regular file");
    } else if (st.st_size == 0) {
        err_reason(err, ERR_INPUT, "empty", "the file is empty");
    } else if (st.st_size > settings->max_document_bytes) {
        err_reason(
            err, ERR_LIMIT, "too-large",
            "the file has %lld bytes; the limit is %lld (max_document_bytes)",
            (long long)st.st_size, (long long)settings->max_document_bytes);
    }
    if (err_failed(err)) return;
    char head[HEAD_BYTES];
    ssize_t n = pread(doc->fd, head, sizeof head, 0);
    if (n < 0) {
        err_errno(err, "cannot read the file");
        return;
    }
    doc->type = identify_bytes((struct span){head, (size_t)n});
    if (doc->type == FILE_UNKNOWN) {
        const char *what = stand_in_name((struct span){head, (size_t)n});
        if (is_signed((struct span){head, (size_t)n}))
            what = "a document within its signature (.p7m): take it out with "
                   "openssl cms -verify -noverify -inform DER -in FILE -out "
                   "DOCUMENT";
        err_reason(err, ERR_UNSUPPORTED, "unknown-type", "%s",
                   what
                       ? what
                       : "not a PDF, TIFF, JPEG, PNG, WebP, HEIC, AVIF, JPEG "
                         "2000, BMP, GIF, PNM or XML file or an e-mail, by its "
                         "first bytes");
        return;
    }
    doc->sha256 = hash_fd(doc->fd, err);
}

void identify_document(struct document *doc, const struct settings *settings,
                       struct err *err)
{
    if (err_failed(err)) return;
    check_file(doc, settings, err);
    if (err_failed(err) && err->sys == EIO) err->reason = "io-error";
}
