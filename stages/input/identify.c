/* identify.c - see identify.h. */
#include "stages/input/identify.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 1024 }; /* a PDF's header must begin within these */

static bool starts_with(struct span head, const char *magic, size_t n)
{
    return head.size >= n && !memcmp(head.data, magic, n);
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

static enum file_type identify_bytes(struct span head)
{
    if (starts_with(head, "\x89PNG\r\n\x1a\n", 8)) return FILE_PNG;
    if (starts_with(head, "\xff\xd8\xff", 3)) return FILE_JPEG;
    if (starts_with(head, "II*\0", 4) || starts_with(head, "MM\0*", 4) ||
        starts_with(head, "II+\0", 4) || starts_with(head, "MM\0+", 4))
        return FILE_TIFF;
    if (starts_with(head, "RIFF", 4) && head.size >= 12 &&
        !memcmp(head.data + 8, "WEBP", 4))
        return FILE_WEBP;
    for (size_t i = 0; i + 5 <= head.size && i < HEAD_BYTES; i++)
        if (!memcmp(head.data + i, "%PDF-", 5)) return FILE_PDF;
    return is_xml(head) ? FILE_XML : FILE_UNKNOWN;
}

const char *identify_name(enum file_type type)
{
    static const char *const name[] = {
        [FILE_UNKNOWN] = "unknown", [FILE_PDF] = "PDF", [FILE_TIFF] = "TIFF",
        [FILE_JPEG] = "JPEG",       [FILE_PNG] = "PNG", [FILE_WEBP] = "WebP",
        [FILE_XML] = "XML"};
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
        err_reason(
            err, ERR_UNSUPPORTED, "unknown-type",
            "not a PDF, TIFF, JPEG, PNG, WebP or XML file, by its first bytes");
        return;
    }
    if (lseek(doc->fd, 0, SEEK_SET) < 0) {
        err_errno(err, "cannot read the file from its start");
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
