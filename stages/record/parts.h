/* parts.h - what a schema says about one value, taken apart: the
 * alternatives, and of each the parts that all hold. For mapping.c.
 *
 * What is left out (too many parts, keywords that are not looked at) makes a
 * form wider, never narrower.
 */
#ifndef STAGES_RECORD_PARTS_H
#define STAGES_RECORD_PARTS_H

#include "stages/record/mapping.h"

enum { PARTS_MAX = 16, PARTS_ALTERNATIVE_MAX = 16 };

enum parts_type {
    PARTS_NULL = 1 << 0,
    PARTS_BOOLEAN = 1 << 1,
    PARTS_STRING = 1 << 2,
    PARTS_INTEGER = 1 << 3,
    PARTS_NUMBER = 1 << 4,
    PARTS_OBJECT = 1 << 5,
    PARTS_ARRAY = 1 << 6
};

struct parts_alternative {
    const cJSON *part[PARTS_MAX];
    int n;
    unsigned types;     /* enum parts_type */
    const cJSON *typed; /* the part that tells them, or NULL: those of what
                         * it has members or items for, and any other */
};

struct parts_list {
    struct parts_alternative parts[PARTS_ALTERNATIVE_MAX];
    int n;
    bool anything; /* too little is known: any value */
    bool by_reference;
};

/* Adds the alternatives of a schema. */
void parts_add(struct parts_list *out, const struct schema *s,
               const cJSON *node);

/* The members that the parts name: an object may have many thousands. */
struct parts_members {
    struct text_table declared, required;
};

/* Fills in *out, in the arena. */
void parts_members(struct parts_members *out, const struct parts_alternative *p,
                   struct arena *arena);

/* The schema that the parts have for a member that one of them names; NULL
 * when none does. */
const cJSON *parts_declared(const struct parts_members *m, const char *key);

/* May the part's objects have members of any kind that it does not name? */
bool parts_is_open(const cJSON *part);

/* The part that says what items arrays have, or NULL. */
const cJSON *parts_of_items(const struct parts_alternative *p);

/* Is the member required by one of the parts? */
bool parts_requires(const struct parts_members *m, const char *key);

#endif
