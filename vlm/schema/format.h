/* format.h - what `format` names mean, when it is an assertion. */
#ifndef VLM_SCHEMA_FORMAT_H
#define VLM_SCHEMA_FORMAT_H

#include "vlm/base/span.h"

struct pattern;

struct format {
    const char *name;
    const char *pattern; /* in PCRE2's syntax, or NULL */
    /* looks at what the pattern cannot say; NULL: nothing */
    bool (*check)(struct span text);
};

/* NULL for a name that is not known, which then asserts nothing. */
const struct format *format_find(const char *name);

/* `pattern` is the compiled form of format->pattern. */
bool format_holds(const struct format *format, const struct pattern *pattern,
                  struct span text);

#endif
