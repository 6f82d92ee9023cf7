/* node.h - internal structure of a loaded schema (private to this folder).
 *
 * Each schema object or boolean is a node. It belongs to a resource
 * (identified by $id, with its anchors and vocabularies), which is part of a
 * source (one JSON text). Everything lives in the schema's arena.
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
    NODE_ENUM_SHORT = 8 /* enums from this length on get a hash table */
};

struct source {
    struct source *next;
    const char *uri;  /* its address, without fragment */
    const char *name; /* for messages */
    cJSON *root;
    enum dialect dialect;   /* original draft; root is translated to 2020-12 */
    struct text_table node; /* struct node, by JSON pointer */
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
    const struct resource *twin; /* another with the same URI in the source */
    unsigned vocabularies;       /* bits of enum vocabulary */
    struct text_table anchor;    /* struct anchor, by name */
};

/* A subschema of a keyword. */
struct branch {
    const char *name;              /* its key, or NULL */
    const struct pattern *pattern; /* the key of patternProperties, else NULL */
    struct node *node;
    const cJSON *names; /* list of names in `dependencies`, instead of node */
};

struct keyword_rule {
    enum keyword id;
    const cJSON *value;
    struct branch *branch; /* in document order */
    int n_branch;
    struct node *target; /* of $ref and $dynamicRef */
    const char *anchor;  /* $dynamicAnchor to look up at run time, or NULL */
    const struct pattern *pattern;
    const struct format *format; /* NULL: an annotation */
    const cJSON **value_at; /* hash table of a long enum's values, or NULL */
    size_t n_value_at;      /* its size, a power of two */
};

struct node {
    struct node *next;
    const cJSON *json;
    struct resource *resource;
    const char *pointer;       /* JSON pointer in its source */
    struct keyword_rule *rule; /* sorted by keyword */
    int n_rule;
    bool looks_back;         /* has an unevaluated... keyword */
    unsigned char mark;      /* state of the search for loops (reference.c) */
    const char *missing_ref; /* message about its missing target, or NULL */
    int n_in_place; /* longest chain of schemas applied to the same value */
};

struct schema {
    struct arena *arena;
    struct schema_options options;
    const char *name;
    struct hash hash;
    struct source *source;
    struct text_table resource; /* struct resource, by URI */
    struct text_table alias;    /* root resource of a source, by its URI */
    struct text_table sibling;  /* path of a sibling file, by its $id */
    bool siblings_read;         /* `sibling` is filled */
    const char *note[SCHEMA_NOTE_MAX]; /* see schema_note */
    int n_note;
    bool missing;              /* the last source_find found no text */
    const char *missing_ref;   /* message of the first node that has one */
    struct node *nothing;      /* schema that no value matches, or NULL */
    struct node *node, **last; /* list in order of appearance, and its end */
    int n_node;
    struct node *root;
    struct node **table; /* hash table by address of the cJSON node */
    size_t n_table;      /* its size, a power of 2 */
};

/* The node's rule for a keyword, or NULL. */
const struct keyword_rule *node_rule(const struct node *node, enum keyword id);

/* The node made of a JSON value of the schema, or NULL. */
struct node *node_find(const struct schema *s, const cJSON *json);

/* Makes nodes of `json` and its subschemas. `parent` is NULL for the root of a
 * source. FAIL: ERR_CONFIG, "schema-refused". */
struct node *node_add(struct schema *s, const cJSON *json,
                      struct source *source, const struct node *parent,
                      const char *pointer, struct err *err);

/* Sets the error "name#/pointer: ..." for a node. Returns false. */
bool node_refuse(const struct node *node, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Is it a network address, and not a file in the schema's folder? */
bool source_is_address(const char *uri);

/* source.c: finds the text of a URI (without fragment): already loaded, built
 * in, in the catalogue or in the schema's folder; never on a network. Returns
 * NULL on failure. FAIL: ERR_CONFIG; s->missing is set if there is no such
 * text. */
struct source *source_find(struct schema *s, const char *uri, struct err *err);

/* Parses and translates a text. Returns NULL on failure. FAIL: ERR_CONFIG. */
struct source *source_add(struct schema *s, const char *uri, const char *name,
                          struct span text, struct err *err);

/* reference.c: resolves every $ref and $dynamicRef, loading texts as needed,
 * then looks for loops. FAIL: as node_add. */
void reference_resolve(struct schema *s, struct err *err);

/* Refuses missing references that would make more documents valid, and adds
 * notes on all others. FAIL: as node_add. */
void reference_missing_check(struct schema *s, struct err *err);

/* check.c: refuses valid JSON Schema that cannot be intended, such as limits
 * that contradict each other. FAIL: as node_add. */
void check_schema(struct schema *s, struct err *err);

/* Does a key or a string in the tree contain U+0000? */
bool check_names_nul(const cJSON *json);

/* metaschema.c: the text of a metaschema (URI without fragment), or NULL. */
const char *metaschema_find(const char *uri);

#endif
