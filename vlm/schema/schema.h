/* schema.h - a JSON Schema, fully supported or refused: 2020-12 and drafts 4,
 * 6, 7 and 2019-09 (dialect.h).
 *
 * THREADS  Read-only once loaded; can be shared.
 * ERRORS   ERR_CONFIG with reason "schema-refused"; the text names file, JSON
 *          pointer and keyword. Causes: misspelt keyword, contradiction,
 *          unresolvable or circular reference, reference to a file neither in
 *          the schema's folder nor in the catalogue, pattern that PCRE2
 *          rejects, more nodes or depth than the limits.
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
    const char *folder;      /* folder for relative references
                            * (sibling_schema.h), or NULL; set by schema_load */
    const char *folder_base; /* URI of that folder, or NULL */
    bool format_asserts;     /* `format` is an assertion, else an annotation */
    enum dialect dialect;    /* draft assumed for a text without "$schema" */
    /* The schema generates documents and does not validate them. A network
     * reference without a local file is noted and replaced by a schema that
     * nothing matches: what is valid then is valid whatever the missing text
     * says. A name or value with U+0000 is refused: records cannot hold it. */
    bool for_generation;
    bool lenient; /* no notes on unknown keywords, no errors for misspelt ones
                            * (for the test suite) */
    /* Polled while the schema is loaded and its grammar compiled; true cancels
     * with ERR_CANCELLED. NULL: never. `stop_arg` must outlive the schema. */
    bool (*stop)(void *arg);
    void *stop_arg;
};

/* Options may be NULL. FAIL: ERR_CONFIG as above; schema_load also ERR_MISSING
 * and ERR_SYSTEM if the file cannot be read. */
struct schema *schema_load(const char *path, const struct schema_options *o,
                           struct err *err);
struct schema *schema_parse(struct span text, const char *name,
                            const struct schema_options *o, struct err *err);

/* Loads a tree derived from the schema `of`, with the same options. The caller
 * keeps `root`; "$schema" is added to it where needed, as all trees are
 * translated to 2020-12. */
struct schema *schema_of_tree(cJSON *root, const char *name,
                              const struct schema *of, struct err *err);
void schema_free(struct schema *s); /* NULL is fine */

const char *schema_name(const struct schema *s);  /* file stem or given name */
const char *schema_title(const struct schema *s); /* "title", or the name */
const struct hash *schema_hash(const struct schema *s); /* of the source text */
const cJSON *schema_root(const struct schema *s);       /* borrowed */

/* The i-th warning about something odd but harmless: an unknown keyword, a
 * missing metaschema or referenced schema. NULL after the last; at most
 * SCHEMA_NOTE_MAX. */
enum { SCHEMA_NOTE_MAX = 50 };
const char *schema_note(const struct schema *s, int i);

/* Message (with remedy) about the missing schema that `node` refers to, else
 * about the first missing one; NULL if none is missing. See for_generation. */
const char *schema_missing_ref(const struct schema *s, const cJSON *node);

/* The options it was loaded with. */
const struct schema_options *schema_options(const struct schema *s);

/* Polls the `stop` option: true if it asks to stop (err: ERR_CANCELLED) or err
 * has already failed. */
bool schema_stopped(const struct schema *s, struct err *err);

/* How strictly instances are parsed (json.h): strictly by default; a schema
 * without assertions accepts all of RFC 8259, and one that mentions U+0000
 * accepts \u0000. */
struct json_rules schema_rules(const struct schema *s);

/* The final target of a chain of static $refs, or `node` itself. */
const cJSON *schema_follow(const struct schema *s, const cJSON *node);

/* The same, but for "one schema or null" (anyOf, oneOf) the non-null one: the
 * schema of a value that is present. */
const cJSON *schema_follow_nullable(const struct schema *s, const cJSON *node);

/* Does the node's "type" include `name`? Pure. */
bool schema_names_type(const cJSON *node, const char *name);

/* Is the node's "type" just `name`, or `name` and null? Pure. */
bool schema_is_type(const cJSON *node, const char *name);

/* The direct target of the node's $ref or $dynamicRef; NULL without one. Sets
 * *dynamic if an outer scope can redirect it. */
const cJSON *schema_target(const struct schema *s, const cJSON *node,
                           bool *dynamic);

/* The schema bundled: every target of a reference is under "$defs" and all
 * references lead there, so that parts keep their meaning wherever they are
 * put. Redirection of dynamic references is lost. NULL if all references
 * already lead to "$defs" or "definitions", or if it grows too large. Free:
 * schema_free. */
struct schema *schema_bundled(const struct schema *s);

/* A copy of the tree that needs no other file: bundled unless all references
 * are JSON pointers within it. Free: cJSON_Delete. */
cJSON *schema_standalone(const struct schema *s);

/* JSON pointer of a subschema in its file; NULL if `node` is not part of s. */
const char *schema_pointer(const struct schema *s, const cJSON *node);

/* Is the value valid for the subschema `node` of s? */
bool schema_admits(const struct schema *s, const cJSON *node,
                   const cJSON *value);

/* The same for many values: each schema applied subtracts one from *budget.
 * Also false when the budget is exhausted (*budget < 0). */
bool schema_admits_within(const struct schema *s, const cJSON *node,
                          const cJSON *value, long *budget);

/* Can this pattern of patternProperties match the key? Also true if
 * undecidable: an invalid pattern, or one that exceeds its match limit. */
bool schema_pattern_may_cover(const char *pattern, const char *key);

/* Sorts the members of all objects in `value` into the order of the schema's
 * properties; other members come last, in their own order. `value` must have no
 * duplicate keys. */
void schema_order(const struct schema *s, cJSON *value);

/* The same for one row: sorts `member` as item `index` of `array`, an empty
 * array in `value`. `value` is not changed. */
void schema_order_member(const struct schema *s, const cJSON *value,
                         const cJSON *array, int index, cJSON *member);

/* One error in an instance, for people and the retry prompt. */
struct finding {
    const char *instance; /* JSON pointer into the instance, "" for the root */
    const char *schema;   /* JSON pointer into the schema */
    const char *found;    /* the value as JSON, shortened */
    const char *wanted;   /* what the schema requires, in words */
    int rank;             /* enum rank (validate.h): lower is worse */
};

struct findings {
    struct finding *finding; /* worst first; in the arena */
    int n_finding;
};

/* Validates; true if valid. Findings live in `arena`. FAIL: ERR_CONFIG if the
 * schema cannot decide (a pattern exceeds its match limit). */
bool schema_validate(const struct schema *s, const cJSON *value,
                     struct arena *arena, struct findings *out,
                     struct err *err);

/* The same for a value with long arrays in a stream, which are not loaded:
 * uniqueItems and unevaluatedItems take some bytes of memory per item. */
bool schema_validate_stream(const struct schema *s, const cJSON *value,
                            struct json_stream *stream, struct arena *arena,
                            struct findings *out, struct err *err);

#endif
