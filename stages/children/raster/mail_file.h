/* mail_file.h - finds the attachments of an e-mail; the only user of GMime.
 *
 * THE RULES
 *   body           text without a name that is not attached: no attachment
 *   signature      of PGP or S/MIME: no attachment; what it signs is looked at
 *   logo           a picture that the body shows (it has a Content-ID, and is
 *                  not marked as attached) of fewer than 100,000 bytes: no
 *                  attachment
 *   named only     a mail inside the mail, what is encrypted, a winmail.dat,
 *                  what is nested more than 32 deep
 *   attachment     any other part
 */
#ifndef STAGES_CHILDREN_RASTER_MAIL_FILE_H
#define STAGES_CHILDREN_RASTER_MAIL_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { MAIL_LOGO_BYTES = 100000, MAIL_DEPTH_MAX = 32, MAIL_PARTS_MAX = 1000 };

/* Of the header, in UTF-8; "" if it is missing. */
struct mail_head {
    const char *from, *date, *message_id, *subject; /* date: RFC 3339, UTC */
};

/* What is found, in this order; pointers are valid during the call. */
struct mail_file_to {
    void (*head)(void *arg, const struct mail_head *head);
    /* name: "" if it has none */
    void (*file)(void *arg, const char *name, const void *bytes, size_t size);
    /* an attachment that is only named, and why */
    void (*other)(void *arg, const char *name, const char *why);
    void *arg;
};

/* Call before entering the sandbox: character sets of names are in files of the C
 * library. */
void mail_file_prepare(void);

/* Reads a mail, which is copied. False: it is none. */
bool mail_file_read(const void *bytes, size_t size,
                    const struct mail_file_to *to);

#endif
