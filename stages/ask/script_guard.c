/* script_guard.c - see script_guard.h. */
#include "stages/ask/script_guard.h"

#include <string.h>

/* Does the model's name contain "qwen", in any case? */
static bool is_qwen(const char *name)
{
    for (; *name; name++)
        if ((*name | 32) == 'q' && (name[1] | 32) == 'w' &&
            (name[2] | 32) == 'e' && (name[3] | 32) == 'n')
            return true;
    return false;
}

/* The scripts that the model reads (print/script.h); NULL: unknown, an endpoint
 * with a model of another name. */
static const char *script_guard_known(const struct engine_facts *facts)
{
    if (facts->outline) return "Latin"; /* the only script it was trained on */
    bool is_own = !strcmp(facts->name, "native");
    return is_own || is_qwen(facts->model) ? script_qwen : NULL;
}

void script_guard_page(struct document *doc, const struct engine_facts *facts,
                       int number, const struct script *script)
{
    if (script_is_read(script, script_guard_known(facts))) return;
    document_warn(doc,
                  &(struct warning){.code = WARN_SCRIPT_UNREAD, .page = number},
                  "page %d: review all values: it is written in %s, which the "
                  "model is not known to read",
                  number, script->name);
}
