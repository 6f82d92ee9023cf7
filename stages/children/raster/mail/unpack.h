/* unpack.h - the files in an attachment that only wraps them: a ZIP archive, a
 * winmail.dat, a signature that contains what it signs. The only user of
 * libarchive, libytnef and OpenSSL's CMS in the rasteriser.
 *
 * Of a signature only the content is taken; whether it is valid is not asked.
 */
#ifndef STAGES_CHILDREN_RASTER_MAIL_UNPACK_H
#define STAGES_CHILDREN_RASTER_MAIL_UNPACK_H

#include "vlm/base/span.h"

struct unpack_to {
    size_t bytes_max; /* of all files together */
    void (*file)(void *arg, const char *name, struct span bytes);
    /* a file that is only named, and why */
    void (*other)(void *arg, const char *name, const char *why);
    void *arg;
};

/* Loads what must be loaded before the sandbox is entered. */
void unpack_prepare(void);

/* Gives the files in it; names need not be valid UTF-8. NULL: it was opened; "":
 * it is nothing of the kind; else why it could not be opened. */
const char *unpack(struct span bytes, const struct unpack_to *to);

#endif
