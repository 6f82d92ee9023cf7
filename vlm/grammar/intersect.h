/* intersect.h - combination of several schemas for one value.
 *
 * $ref, allOf, anyOf, oneOf, dependent... and if/then/else are expanded until
 * only lists of schemas with plain keywords are left: one list for each
 * alternative.
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
    WANT_NOT,     /* the value is not valid for `schema` */
    WANT_PRESENT, /* the object has `key` */
    WANT_ABSENT,  /* the object does not have `key` */
    WANT_OTHER    /* the object has `key`, with a value invalid for `schema` */
};

/* A condition on a value. */
struct want {
    enum want_kind kind;
    const cJSON *schema;
    const char *key;
};

/* Conditions that must all hold for a value. */
struct intersect {
    struct want *want;
    int n;
};

/* Alternatives. */
struct ways {
    struct intersect *wants; /* [n] */
    int n;
};

/* Appends a condition; the list grows in the arena. */
void intersect_add(struct intersect *w, struct arena *arena, struct want want);

/* Hash of the list, and comparison: the same conditions in the same order? */
uint64_t intersect_hash(const struct intersect *w);
bool intersect_equal(const struct intersect *a, const struct intersect *b);

/* All alternatives of `from`, without boolean schemas (except in WANT_OTHER).
 * Validation steps are subtracted from *budget. FAIL: ERR_CONFIG
 * "schema-refused" for too many alternatives. */
struct ways intersect_expand(const struct schema *s,
                             const struct intersect *from, struct notes *notes,
                             struct arena *arena, long *budget,
                             struct err *err);

/* Do all conditions hold for the value? `budget` as in schema_admits_within. */
bool intersect_admit(const struct schema *s, const struct intersect *w,
                     const cJSON *value, long *budget);

#endif
