/* mail_file.h - finds the attachments of an e-mail; the only user of GMime.
 *
 * What a part is its bytes say (file_type.h), not what is declared of it.
 *
 * THE RULES
 *   text           without a name that is not attached: no attachment, but a file
 *                  in it is one: uuencoded, or a PDF declared as text
 *   signature      of PGP or S/MIME, a Macintosh file's other half: by-products,
 *                  if they are nothing else; what is signed is looked at
 *   picture        that a text shows (by cid:) and is not marked as attached:
 *                  layout; named if the mail has nothing else
 *   container      a mail, a ZIP archive, a winmail.dat, a signature around what
 *                  it signs: what it holds takes its place, three levels deep;
 *                  deeper ones are named
 *   named only     what is encrypted, XML that is no e-invoice, what is nested
 *                  more than 32 deep; and where a mail is damaged, that it is
 *   attachment     any other part
 */
#ifndef STAGES_CHILDREN_RASTER_MAIL_MAIL_FILE_H
#define STAGES_CHILDREN_RASTER_MAIL_MAIL_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { MAIL_DEPTH_MAX = 32, MAIL_INSIDE_MAX = 3, MAIL_PARTS_MAX = 1000 };

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
    size_t bytes_max; /* of what a container holds */
};

/* Call before entering the sandbox: character sets of names are in files of the C
 * library. */
void mail_file_prepare(void);

/* Reads a mail, which is copied. False: it is none. */
bool mail_file_read(const void *bytes, size_t size,
                    const struct mail_file_to *to);

#endif
