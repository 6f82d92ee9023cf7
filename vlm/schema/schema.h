/* schema.h - a JSON Schema that is fully understood, or refused: 2020-12, and
 * drafts 4, 6, 7 and 2019-09 (dialect.h).
 *
 * THREADS  Read-only once loaded; may be shared.
 * ERRORS   ERR_CONFIG with reason "schema-refused": names file, JSON pointer
 *          and keyword (unknown keyword, contradiction, reference that leads
 *          nowhere or in a loop, reference to what lies neither beside the
 *          schema's file nor in the catalogue,
 *          pattern that PCRE2 refuses, budget of nodes or depth passed).
 */
#ifndef VLM_SCHEMA_SCHEMA_H
#define VLM_SCHEMA_SCHEMA_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/hash.h"
#include "vlm/base/span.h"
#include "vlm/json/json.h"
#include "vlm/schema/dialect.h"

struct schema;

struct schema_options {
    const char *catalogue;   /* folder for remote references, or NULL */
    const char *folder;      /* where references beside the schema's file lead
                            * (sibling_schema.h), or NULL; schema_load sets both */
    const char *folder_base; /* what the folder's address is, or NULL */
    bool format_asserts;     /* `format` is an assertion, else an annotation */
    enum dialect dialect;    /* of a text that names none in "$schema" */
    /* Where a document is to be written, not judged: an address on a network
     * whose text is not here stands for a schema that nothing fits, with a
     * note. What is valid by that is valid whatever the text says. A name or a
     * value with U+0000, which no record can hold, is refused. */
    bool closes;
    bool lenient; /* unknown keywords are no warnings, near misses no
                            * errors (the test suite) */
    /* Polled while the schema is loaded and while its grammar is compiled:
     * true ends that with ERR_CANCELLED. NULL: never. `stop_arg` must outlive
     * the schema. */
    bool (*stop)(void *arg);
    void *stop_arg;
};

/* FAIL also: ERR_MISSING, ERR_SYSTEM when the file cannot be read. */
struct schema *schema_load(const char *path, const struct schema_options *o,
                           struct err *err);
struct schema *schema_parse(struct span text, const char *name,
                            const struct schema_options *o, struct err *err);

/* A schema of what was made of the tree of another, whose options it has. `root`
 * stays the caller's, and is given the draft that such trees are written in where
 * it names none. */
struct schema *schema_of_tree(cJSON *root, const char *name,
                              const struct schema *of, struct err *err);
void schema_free(struct schema *s); /* NULL is fine */

const char *schema_name(const struct schema *s);  /* file stem or given name */
const char *schema_title(const struct schema *s); /* title, or the name */
const struct hash *schema_hash(const struct schema *s); /* of the source text */
const cJSON *schema_root(const struct schema *s);       /* borrowed */

/* What is odd about the schema and makes nothing valid that is not: keywords
 * that no draft knows, a metaschema and places whose schema is not here;
 * SCHEMA_NOTE_MAX at most. NULL behind the last. */
enum { SCHEMA_NOTE_MAX = 50 };
const char *schema_note(const struct schema *s, int i);

/* That the schema of the node is not here ("closes"), with what to do; of the
 * first one that is not here where the node's own is; NULL when all are. */
const char *schema_lack(const struct schema *s, const cJSON *node);

/* The options it was loaded with. */
const struct schema_options *schema_options(const struct schema *s);

/* Was asked to stop, which err then says, or has failed already? */
bool schema_stopped(const struct schema *s, struct err *err);

/* How instances of this schema are read (json.h): strictly; but a schema that
 * asks for nothing takes all that RFC 8259 takes, and one that itself speaks
 * of U+0000 takes \u0000. */
struct json_rules schema_rules(const struct schema *s);

/* The node a static $ref leads to (followed to its end), or `node` itself. */
const cJSON *schema_follow(const struct schema *s, const cJSON *node);

/* The same, and where that offers one schema or null, the one: what a value that
 * is there must fit. */
const cJSON *schema_follow_nullable(const struct schema *s, const cJSON *node);

/* Is it among what the node's "type" names? Pure. */
bool schema_names_type(const cJSON *node, const char *name);

/* The same, and nothing besides it but null. */
bool schema_is_type(const cJSON *node, const char *name);

/* Where the node's own $ref or $dynamicRef leads, one step; NULL when it has
 * none. `dynamic`: the place may be another one, seen from outside. */
const cJSON *schema_target(const struct schema *s, const cJSON *node,
                           bool *dynamic);

/* The same schema in one piece: each place that a reference leads to stands under
 * "$defs", and no other reference is left, so that it says the same wherever parts
 * of it come to stand. What a dynamic reference finds further out is not kept. NULL
 * where all references lead to "$defs" or "definitions" anyway, and for one that
 * grows too large. The caller's (schema_free). */
struct schema *schema_gathered(const struct schema *s);

/* A copy of its tree for who has no other file: in one piece where more is needed
 * than to follow pointers within it. The caller's. */
cJSON *schema_alone(const struct schema *s);

/* The JSON pointer of a schema in its file; NULL when it is none of s. */
const char *schema_pointer(const struct schema *s, const cJSON *node);

/* Is the value valid for the schema at `node` (one of s), taken alone? */
bool schema_admits(const struct schema *s, const cJSON *node,
                   const cJSON *value);

/* The same, for callers that ask about many values: each schema that is applied
 * takes one from *budget. False as well where that is used up (*budget < 0). */
bool schema_admits_within(const struct schema *s, const cJSON *node,
                          const cJSON *value, long *budget);

/* May this pattern of patternProperties cover the key? True as well where that
 * cannot be told: it is no pattern, or passes its match limit. */
bool schema_pattern_may_cover(const char *pattern, const char *key);

/* Puts the members of all objects in `value` into the order of the schema's
 * properties; members that it does not name come last, in their own order.
 * `value` is strict JSON: no key twice. */
void schema_order(const struct schema *s, cJSON *value);

/* The same for a member that `array`, an empty one in `value`, has at `index`;
 * `value` stays as it is. */
void schema_order_member(const struct schema *s, const cJSON *value,
                         const cJSON *array, int index, cJSON *member);

/* One thing that is wrong with an instance, for people and the retry prompt. */
struct finding {
    const char *instance; /* JSON pointer into the instance, "" for the root */
    const char *schema;   /* JSON pointer into the schema */
    const char *found;    /* short, escaped */
    const char *wanted;
    int rank; /* lower is worse */
};

struct findings {
    struct finding *finding; /* worst first; in the arena */
    int n_finding;
};

/* Validates; true when valid. FAIL (err): ERR_CONFIG when the schema itself
 * cannot decide (a pattern hit its match limit). */
bool schema_validate(const struct schema *s, const cJSON *value,
                     struct arena *arena, struct findings *out,
                     struct err *err);

/* The same for a value whose long arrays are not in memory, and stay so: with
 * uniqueItems or unevaluatedItems, some bytes a member are. */
bool schema_validate_stream(const struct schema *s, const cJSON *value,
                            struct json_stream *stream, struct arena *arena,
                            struct findings *out, struct err *err);

#endif
