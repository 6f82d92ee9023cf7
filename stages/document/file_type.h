/* file_type.h - what a file is, by its bytes: its first ones decide. The program
 * and the rasteriser share it: what is attached to a mail is known by the same
 * rules as what is dropped.
 */
#ifndef STAGES_DOCUMENT_FILE_TYPE_H
#define STAGES_DOCUMENT_FILE_TYPE_H

#include "vlm/base/span.h"

enum file_type {
    FILE_UNKNOWN,
    FILE_PDF,
    FILE_TIFF,
    FILE_JPEG,
    FILE_PNG,
    FILE_WEBP,
    FILE_HEIF,
    FILE_AVIF,
    FILE_JPEG2000,
    FILE_BMP,
    FILE_GIF,
    FILE_PNM,
    FILE_XML, /* document_is_xml_invoice */
    FILE_MAIL /* only its attachments are read */
};

/* As many of a file's first bytes decide its type: printer language before a
 * PDF can be long. */
enum { FILE_HEAD_BYTES = 64 << 10 };

/* The type of a file that begins with these bytes. */
enum file_type file_type_of(struct span head);

const char *file_type_name(enum file_type type); /* "PDF" */

/* What a file of an unknown type is, and the remedy: "a 7z archive: ..."; NULL
 * if that is not known. Static text. */
const char *file_type_foreign(struct span head);

/* Where a mail begins: behind a byte order mark and empty lines. */
size_t file_type_mail_start(struct span head);

/* The type of a second document behind the end of this PDF, PNG, JPEG, WebP, HEIC,
 * AVIF, JPEG 2000, BMP or GIF: what draws the first never looks there, but for
 * further pictures of JPEG 2000 and PNM. FILE_UNKNOWN: nothing, or nothing that
 * can be read. */
enum file_type file_type_behind(struct span file);

#endif
