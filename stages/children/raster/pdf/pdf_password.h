/* pdf_password.h - the passwords to try on an encrypted PDF.
 *
 * They come in sealed memory, one a line, in UTF-8, UTF-16 with its mark, or
 * Latin-1, and are read only for a file that
 * needs one. The one that opened the file is kept for libqpdf.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_PDF_PASSWORD_H
#define STAGES_CHILDREN_RASTER_PDF_PDF_PASSWORD_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PDF_PASSWORD_MAX = 127,        /* bytes, as in PDF 2.0 */
    PDF_PASSWORD_FILE_MAX = 65536, /* bytes of all, with their line ends */
    PDF_PASSWORD_TRIES_MAX = 1000
};

struct pdf_password {
    int fd;    /* sealed memory; 0: no passwords */
    int n_try; /* passwords tried on this file */
    char
        *used; /* the one that opened the file, as UTF-8; NULL: none was needed.
                 * Valid until the process ends */
};

/* Call before entering the sandbox: poppler converts passwords to Latin-1, which
 * takes a file of the C library. */
void pdf_password_prepare(void);

/* Calls try for each password, until it returns true; that one becomes `used`.
 * False: none did. */
bool pdf_password_find(struct pdf_password *p,
                       bool (*try)(void *arg, const char *password), void *arg);

/* Writes a UTF-8 text as Latin-1, the encoding of passwords before PDF 2.0. False:
 * it is ASCII, or has other letters. */
bool pdf_password_latin1(const char *text,
                         char out[static PDF_PASSWORD_MAX + 1]);

#endif
