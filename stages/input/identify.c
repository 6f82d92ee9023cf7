/* identify.c - see identify.h. */
#include "stages/input/identify.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vlm/base/wrong_file.h"

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
    char head[FILE_HEAD_BYTES];
    ssize_t n = pread(doc->fd, head, sizeof head, 0);
    if (n < 0) {
        err_errno(err, "cannot read the file");
        return;
    }
    doc->type = file_type_of((struct span){head, (size_t)n});
    if (doc->type == FILE_UNKNOWN) {
        struct span start = {head, (size_t)n};
        const char *what = wrong_file_name(start);
        if (!what) what = file_type_foreign(start);
        err_reason(err, ERR_UNSUPPORTED, "unknown-type", "%s",
                   what
                       ? what
                       : "not a PDF, TIFF, JPEG, PNG, WebP, HEIC, AVIF, JPEG "
                         "2000, BMP, GIF, PNM or XML file or an e-mail, by its "
                         "first bytes");
        return;
    }
    doc->sha256 = hash_fd(doc->fd, err);
    if (doc->unlocked > 0) doc->fd = doc->unlocked;
    doc->unlocked = 0;
}

void identify_document(struct document *doc, const struct settings *settings,
                       struct err *err)
{
    if (err_failed(err)) return;
    check_file(doc, settings, err);
    if (err_failed(err) && err->sys == EIO) err->reason = "io-error";
}
