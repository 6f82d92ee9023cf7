/* format.c - see format.h. */
#include "vlm/schema/format.h"

#include "vlm/schema/pattern.h"

static const struct format table[] = {
    {"uuid", "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$", NULL},
};

const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name)) return &table[i];
    return NULL;
}

bool format_holds(const struct format *format, const struct pattern *pattern,
                  struct span text)
{
    if (pattern && pattern_match(pattern, text) != PATTERN_YES) return false;
    return !format->check || format->check(text);
}
