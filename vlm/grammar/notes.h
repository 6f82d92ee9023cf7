/* notes.h - what a grammar leaves to be checked after generating. */
#ifndef VLM_GRAMMAR_NOTES_H
#define VLM_GRAMMAR_NOTES_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct schema;

enum { NOTES_MAX = 200 };

struct note {
    const cJSON *schema;
    const char *keyword, *why;
};

struct notes {
    const struct schema *schema;
    struct note note[NOTES_MAX];
    int n, n_more; /* kept, and counted only */
};

/* "pointer: keyword: why", once. `why` is static text; `keyword` as well. */
void notes_add(struct notes *n, const cJSON *schema, const char *keyword,
               const char *why);
void notes_print(const struct notes *n, struct buf *out);

/* ERR_CONFIG "schema-refused" that names the place (`schema` NULL: all of it).
 * Returns false. */
bool notes_refuse(const struct notes *n, const cJSON *schema,
                  const char *keyword, const char *why, struct err *err);

#endif
