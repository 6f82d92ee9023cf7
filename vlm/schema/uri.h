/* uri.h - resolution of URI references (RFC 3986, section 5.2). */
#ifndef VLM_SCHEMA_URI_H
#define VLM_SCHEMA_URI_H

#include "vlm/base/arena.h"
#include "vlm/base/span.h"

/* The five parts, borrowed from the text; an absent part has data NULL. */
struct uri {
    struct span scheme, authority, path, query, fragment;
};

/* Resolves `ref` against `base` (any bytes are accepted) and removes dot
 * segments. The fragment is not part of the result: it goes to *fragment,
 * percent-decoded, "" if there is none. */
const char *uri_resolve(struct arena *arena, const char *base, const char *ref,
                        const char **fragment);

#endif
