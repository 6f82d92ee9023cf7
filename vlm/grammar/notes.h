/* notes.h - list of what a grammar leaves to be checked after generation. */
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
    int n, n_more; /* notes kept; further notes, only counted */
};

/* Adds a note, unless there is one for this schema and keyword. `keyword` and
 * `why` must outlive the notes. */
void notes_add(struct notes *n, const cJSON *schema, const char *keyword,
               const char *why);

/* Prints "pointer: keyword: why" lines. */
void notes_print(const struct notes *n, struct buf *out);

/* Sets ERR_CONFIG "schema-refused" for the place (`schema` NULL: the whole
 * schema). Returns false. */
bool notes_refuse(const struct notes *n, const cJSON *schema,
                  const char *keyword, const char *why, struct err *err);

#endif
