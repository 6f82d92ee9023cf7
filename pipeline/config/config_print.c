/* config_print.c - platen config: the effective configuration; see config.h. */
#include <string.h>

#include "pipeline/config/config_schema.h"
#include "pipeline/config/config_table.h"
#include "vlm/base/redact_url.h"

static void print_key(const struct config_key *k, const char *value,
                      const char *origin, struct buf *out)
{
    size_t start = out->size;
    buf_print(out, "%s = ", k->key);
    if (!strcmp(k->unit, "URL") || !strcmp(k->unit, "conninfo"))
        redact_url_secrets(value, out);
    else
        buf_add_text(out, value);
    size_t width = out->size - start;
    buf_print(out, "%*s ; %s", width < 40 ? (int)(40 - width) : 0, "", origin);
}

/* The sections with the keys that they set. */
static void print_schemas(const struct config *c, struct buf *out)
{
    for (const struct config_schema *s = c->schema; s; s = s->next) {
        buf_print(out, "\n[schema.%s]\n", s->name);
        for (size_t i = 0; config_key_at(i); i++) {
            if (!s->value[i]) continue;
            print_key(config_key_at(i), s->value[i], s->origin[i], out);
            if (!config_schema_uses(c, s, i))
                buf_add_text(out, ", not used: a flag or variable is first");
            buf_add_text(out, "\n");
        }
    }
}

void config_print(const struct config *c, struct buf *out)
{
    const char *section = "";
    buf_print(out, "# file: %s\n", *c->file ? c->file : "none found");
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *k = config_key_at(i);
        if (strcmp(section, k->section) != 0)
            buf_print(out, "\n[%s]\n", k->section);
        section = k->section;
        print_key(k, c->value[i], c->origin[i], out);
        buf_add_text(out, "\n");
    }
    print_schemas(c, out);
}
