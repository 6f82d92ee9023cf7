/* intersect.h - what several schemas ask of one value, taken together.
 *
 * Schemas are followed through $ref, allOf, anyOf, oneOf, dependent... and
 * if/then/else until only lists of plain keywords are left: one list for each
 * way the value may go.
 */
#ifndef VLM_GRAMMAR_INTERSECT_H
#define VLM_GRAMMAR_INTERSECT_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct schema;
struct notes;

enum want_kind {
    WANT_SCHEMA,  /* the value is valid for `schema` */
    WANT_NOT,     /* it is not */
    WANT_PRESENT, /* the object has `key` */
    WANT_ABSENT,  /* it has not */
    WANT_OTHER    /* it has `key`, with a value that is not valid for schema */
};

struct want {
    enum want_kind kind;
    const cJSON *schema;
    const char *key;
};

struct intersect {
    struct want *want;
    int n, room;
};

struct ways {
    struct intersect *wants; /* [n] */
    int n;
};

/* Puts one more at the end; the list grows in the arena. */
void intersect_add(struct intersect *w, struct arena *arena, struct want want);

/* The same, in the same order? And a hash of what is compared. */
uint64_t intersect_hash(const struct intersect *w);
bool intersect_equal(const struct intersect *a, const struct intersect *b);

/* All ways that `from` allows; only WANT_SCHEMA of objects is left among the
 * schemas. What the validator is asked is taken from *budget. FAIL: ERR_CONFIG
 * "schema-refused" for too many ways. */
struct ways intersect_expand(const struct schema *s,
                             const struct intersect *from, struct notes *notes,
                             struct arena *arena, long *budget,
                             struct err *err);

/* Is the value valid for all of them? `budget`: as schema_admits_within's. */
bool intersect_admit(const struct schema *s, const struct intersect *w,
                     const cJSON *value, long *budget);

#endif
