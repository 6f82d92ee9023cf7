/* idna.h - labels of internationalised host names.
 *
 * SOURCE  RFC 5890 to 5893 (IDNA 2008) and 3492 (Punycode); the classes of
 * characters are utf8proc's.
 */
#ifndef VLM_SCHEMA_IDNA_H
#define VLM_SCHEMA_IDNA_H

#include "vlm/base/span.h"

enum { IDNA_LABEL_MAX = 63 };

/* May these n code points stand as one label (n >= 1)? */
bool idna_label(const int *rune, int n);

/* Decodes what follows "xn--" into at most IDNA_LABEL_MAX code points; -1 when
 * it is not Punycode. */
int idna_decode(struct span text, int rune[static IDNA_LABEL_MAX]);

/* How many letters Punycode needs for the label, without "xn--". */
int idna_encoded_size(const int *rune, int n);

#endif
