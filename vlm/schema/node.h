/* node.h - a loaded schema from the inside (for the files of this folder).
 *
 * Every schema object or boolean is a node; it belongs to a resource (what
 * $id names, with its anchors and vocabularies), which lies in a source (one
 * JSON text). All of it lives in the schema's arena.
 */
#ifndef VLM_SCHEMA_NODE_H
#define VLM_SCHEMA_NODE_H

#include "vlm/base/text_table.h"
#include "vlm/schema/dialect.h"
#include "vlm/schema/format.h"
#include "vlm/schema/keyword.h"
#include "vlm/schema/pattern.h"
#include "vlm/schema/schema.h"

enum {
    NODE_COUNT_MAX = 200000,
    NODE_SOURCE_MAX = 200,
    NODE_DEPTH_MAX = 256,
    NODE_FILE_MOST = 16 << 20,
    NODE_ENUM_SHORT = 8 /* values that are looked at one by one */
};

struct source {
    struct source *next;
    const char *uri;  /* where it came from, without fragment */
    const char *name; /* for messages */
    cJSON *root;
    enum dialect dialect;   /* that it was written in; root is 2020-12 now */
    struct text_table node; /* by pointer */
};

struct anchor {
    const char *name;
    struct node *node;
    bool dynamic;
};

struct resource {
    const char *uri;
    struct source *source;
    struct node *node;
    const struct resource *twin; /* of the same URI and source, or NULL */
    unsigned vocabularies;
    struct text_table anchor; /* struct anchor, by name */
};

/* A schema below a keyword, with the name or pattern it stands under. */
struct branch {
    const char *name;
    const struct pattern *pattern;
    struct node *node;
    const cJSON *names; /* of `dependencies`, instead of node */
};

struct keyword_rule {
    enum keyword id;
    const cJSON *value;
    struct branch *branch; /* in the order of the schema */
    int n_branch;
    struct node *target; /* $ref, $dynamicRef */
    const char *anchor;  /* $dynamicRef that looks outwards, or NULL */
    const struct pattern *pattern;
    const struct format *format; /* NULL: an annotation */
    const cJSON **value_at; /* of a long enum: its values, by hash; else NULL */
    size_t n_value_at;      /* a power of two */
};

struct node {
    struct node *next;
    const cJSON *json;
    struct resource *resource;
    const char *pointer;       /* in its source */
    struct keyword_rule *rule; /* by keyword */
    int n_rule;
    bool looks_back; /* has an unevaluated... keyword */
    unsigned char mark;
    const char *lack; /* its $ref leads to what is not here, in words */
    int n_in_place;   /* the longest chain of those applied to the same value */
};

struct schema {
    struct arena *arena;
    struct schema_options options;
    const char *name;
    struct hash hash;
    struct source *source;
    struct text_table resource, alias; /* by URI; by where a text came from */
    struct text_table sibling; /* path of a file beside it, by its own id */
    bool siblings_read;
    const char *note[SCHEMA_NOTE_MAX]; /* what is odd and harmless */
    int n_note;
    bool missing;              /* source_find has just found no text */
    const char *lack;          /* of the first node that has one */
    struct node *none;         /* that nothing fits */
    struct node *node, **last; /* in order of appearance */
    int n_node;
    struct node *root;
    struct node **table; /* by address of the cJSON node; size a power of 2 */
    size_t n_table;
};

/* The node's rule for a keyword, or NULL; and the node made of a JSON value of
 * the schema, or NULL when it is none. */
const struct keyword_rule *node_rule(const struct node *node, enum keyword id);
struct node *node_find(const struct schema *s, const cJSON *json);

/* Makes nodes of `json` and all below it. `parent` is NULL for the root of a
 * source. FAIL: ERR_CONFIG, "schema-refused". */
struct node *node_add(struct schema *s, const cJSON *json,
                      struct source *source, const struct node *parent,
                      const char *pointer, struct err *err);

/* Says what is wrong at a node: "name#/pointer: ...". Returns false. */
bool node_refuse(const struct node *node, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Is it on a network, from which nothing is fetched? Not a place beside the schema. */
bool source_is_address(const char *uri);

/* source.c: the text behind a URI (without fragment): loaded before, built in,
 * of a file beside the schema's, or from the catalogue. FAIL: ERR_CONFIG; the
 * result is then NULL. */
struct source *source_find(struct schema *s, const char *uri, struct err *err);
struct source *source_add(struct schema *s, const char *uri, const char *name,
                          struct span text, struct err *err);

/* reference.c: gives every $ref and $dynamicRef its target, loading what is
 * needed, then looks for loops. FAIL: as node_add. */
void reference_resolve(struct schema *s, struct err *err);

/* Refuses what is closed where more would then be valid, and notes the rest. */
void reference_lack_check(struct schema *s, struct err *err);

/* check.c: refuses what is valid JSON Schema and cannot be meant. FAIL: as node_add. */
void check_schema(struct schema *s, struct err *err);

/* Does a name or a text in the tree hold U+0000? */
bool check_names_nul(const cJSON *json);

/* metaschema.c: the text of a metaschema (URI without fragment), or NULL. */
const char *metaschema_find(const char *uri);

struct metaschema {
    const char *uri, *text;
};
extern const struct metaschema metaschema_drafts[]; /* ends with NULL */

#endif
