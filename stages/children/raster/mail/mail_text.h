/* mail_text.h - files in the text of a mail: written by programs older than MIME
 * (uuencode), or left there by a header or a boundary that is damaged.
 */
#ifndef STAGES_CHILDREN_RASTER_MAIL_MAIL_TEXT_H
#define STAGES_CHILDREN_RASTER_MAIL_MAIL_TEXT_H

#include <stdbool.h>

#include <glib.h>

#include "vlm/base/span.h"

/* Gives each uuencoded file in the text; returns their number. `whole`: it has
 * its end. */
int mail_text_uuencoded(struct span text,
                        void (*file)(void *arg, const char *name,
                                     struct span bytes, bool whole),
                        void *arg);

/* The content of a text that is nothing but base64; NULL: it is not. The caller
 * frees it (g_byte_array_free). */
GByteArray *mail_text_base64(struct span text);

/* Has it lines that base64 cannot have, or does it end within four letters? GMime
 * drops the last ones then. */
bool mail_text_spoils_base64(struct span encoded);

/* Does the text contain a part that its mail does not show as one: the header of
 * an encoded part, or many lines of base64? */
bool mail_text_hides_part(struct span text);

/* Adds the Content-IDs that the text refers to by cid: to the set. */
void mail_text_add_references(struct span text, GHashTable *set);

#endif
