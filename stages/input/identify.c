/* identify.c - see identify.h. */
#include "stages/input/identify.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 1024 }; /* a PDF's header must begin within these */

static bool starts_with(struct span head, const char *magic, size_t n)
{
    return head.size >= n && !memcmp(head.data, magic, n);
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
    for (size_t i = 0; i + 5 <= head.size && i < HEAD_BYTES; i++)
        if (!memcmp(head.data + i, "%PDF-", 5)) return FILE_PDF;
    return is_mail(head) ? FILE_MAIL : FILE_UNKNOWN;
}

const char *identify_name(enum file_type type)
{
    static const char *const name[] = {
        [FILE_UNKNOWN] = "unknown", [FILE_PDF] = "PDF", [FILE_TIFF] = "TIFF",
        [FILE_JPEG] = "JPEG",       [FILE_PNG] = "PNG", [FILE_WEBP] = "WebP",
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
        err_reason(err, ERR_UNSUPPORTED, "unknown-type",
                   "not a PDF, TIFF, JPEG, PNG or WebP file or an e-mail, by "
                   "its first bytes");
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
