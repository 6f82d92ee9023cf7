/* pretoken_class.h - classes of characters as PCRE2 should see them. */
#ifndef VLM_TEXT_PRETOKEN_CLASS_H
#define VLM_TEXT_PRETOKEN_CLASS_H

#include "vlm/base/buf.h"

/* Adds what stands inside [...] for a general category ('L', 'M' or 'N'): the
 * characters that are of it for PCRE2 or for utf8proc, whichever is newer. */
void pretoken_class(struct buf *out, char class);

#endif
