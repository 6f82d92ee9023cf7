/* schema_parts.h - a schema split into alternatives, each a list of parts that
 * all apply. For mapping.c.
 *
 * Whatever is left out (too many parts, other keywords) makes a form wider,
 * never narrower.
 */
#ifndef STAGES_RECORD_SCHEMA_PARTS_H
#define STAGES_RECORD_SCHEMA_PARTS_H

#include "stages/record/mapping.h"

enum { SCHEMA_PARTS_MAX = 16, SCHEMA_PARTS_ALTERNATIVE_MAX = 16 };

enum schema_parts_type {
    SCHEMA_PARTS_NULL = 1 << 0,
    SCHEMA_PARTS_BOOLEAN = 1 << 1,
    SCHEMA_PARTS_STRING = 1 << 2,
    SCHEMA_PARTS_INTEGER = 1 << 3,
    SCHEMA_PARTS_NUMBER = 1 << 4,
    SCHEMA_PARTS_OBJECT = 1 << 5,
    SCHEMA_PARTS_ARRAY = 1 << 6
};

struct schema_parts_alternative {
    const cJSON *part[SCHEMA_PARTS_MAX];
    int n;
    unsigned types;     /* enum schema_parts_type */
    const cJSON *typed; /* the part that gives `types`; NULL: no part does, and
                         * `types` follows from its members or items */
};

struct schema_parts_list {
    struct schema_parts_alternative parts[SCHEMA_PARTS_ALTERNATIVE_MAX];
    int n;
    bool anything; /* any value: too little is known */
    bool by_reference;
};

/* Adds the alternatives of a schema to *out. */
void schema_parts_add(struct schema_parts_list *out, const struct schema *s,
                      const cJSON *node);

/* The members that the parts name, indexed: there can be many thousands. */
struct schema_parts_members {
    struct text_table declared, required;
};

/* Fills in *out, in the arena. */
void schema_parts_members(struct schema_parts_members *out,
                          const struct schema_parts_alternative *p,
                          struct arena *arena);

/* The schema of a member; NULL if no part declares it. */
const cJSON *schema_parts_declared(const struct schema_parts_members *m,
                                   const char *key);

/* Can the part's objects have other members of any kind? */
bool schema_parts_is_open(const cJSON *part);

/* The part that describes the items of arrays, or NULL. */
const cJSON *schema_parts_of_items(const struct schema_parts_alternative *p);

/* Is the member required by one of the parts? */
bool schema_parts_requires(const struct schema_parts_members *m,
                           const char *key);

#endif
