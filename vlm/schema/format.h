/* format.h - the formats that `format` can assert. */
#ifndef VLM_SCHEMA_FORMAT_H
#define VLM_SCHEMA_FORMAT_H

#include "vlm/base/span.h"

struct pattern;

struct format {
    const char *name;
    const char *pattern; /* PCRE2 pattern, or NULL */
    /* further check, for text that the pattern matches; NULL: none */
    bool (*check)(struct span text);
};

/* NULL for an unknown name, which asserts nothing. */
const struct format *format_find(const char *name);

/* Does the text have the format? `pattern` is format->pattern compiled, or
 * NULL. */
bool format_holds(const struct format *format, const struct pattern *pattern,
                  struct span text);

#endif
