/* uri.h - references resolved against a base (RFC 3986, section 5.2). */
#ifndef VLM_SCHEMA_URI_H
#define VLM_SCHEMA_URI_H

#include "vlm/base/arena.h"
#include "vlm/base/span.h"

/* The five parts; a part that is absent has data NULL. Borrowed from text. */
struct uri {
    struct span scheme, authority, path, query, fragment;
};

/* `ref` seen from `base` (both without surprises: any bytes are taken), its
 * dot segments removed, without the fragment, which goes to *fragment ("" when
 * there is none), percent-decoded. */
const char *uri_resolve(struct arena *arena, const char *base, const char *ref,
                        const char **fragment);

#endif
