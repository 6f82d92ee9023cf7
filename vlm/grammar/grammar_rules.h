/* grammar_rules.h - internal structure of a grammar, for the files that make
 * it and for vlm/sample.
 *
 * A rule lists the ways (alternatives) to write one value that a schema, or
 * several at once, admit. Listed texts (null, true, enum, keys) are in byte
 * tries; texts with patterns are DFAs, numbers are ranges of decimals. Output
 * is compact JSON with keys in the schema's order.
 *
 * LIMITS  Unless the schema says otherwise: GRAMMAR_TEXT_MAX characters in a
 *         string, GRAMMAR_LIST_MAX items in an array and members of free names
 *         in an object, GRAMMAR_NAME_MAX characters in such a name.
 *         Always: GRAMMAR_DEPTH_MAX levels of arrays and objects.
 * CHOICES A schema without "type" or keywords of a type means a scalar. An
 *         optional property that can be null is always written; any other can
 *         be omitted. Members of free names come after the named ones, if the
 *         schema describes their values; if it merely allows them, none are
 *         generated. Their names have at least one character and match at most
 *         two patterns.
 */
#ifndef VLM_GRAMMAR_GRAMMAR_RULES_H
#define VLM_GRAMMAR_GRAMMAR_RULES_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/hash.h"
#include "vlm/grammar/decimal.h"
#include "vlm/grammar/dfa.h"
#include "vlm/grammar/grammar.h"

enum {
    GRAMMAR_TEXT_MAX = 4096,
    GRAMMAR_LIST_MAX = 1000,
    GRAMMAR_NAME_MAX = 256,
    GRAMMAR_DEPTH_MAX = 32,
    GRAMMAR_RULE_MAX = 50000,
    GRAMMAR_WAY_MAX = 2000,        /* alternatives of one rule */
    GRAMMAR_LITERAL_MAX = 2000000, /* bytes of keys and enums */
    GRAMMAR_MEMBER_MAX = 20000,
    GRAMMAR_NEVER = 1 << 20 /* height of a rule that cannot be written */
};

/* A byte in a trie of texts. */
struct literal {
    int child, sibling; /* index; 0: none */
    int height;         /* least height of the values of the keys below */
    int value;          /* for a key: index of its member */
    int n_text;         /* texts that end here or below */
    char byte;
    bool final; /* a text ends here */
};

struct text_rule {
    int length_min,
        length_max;        /* characters; a dfa enforces length_min itself */
    const struct dfa *dfa; /* NULL: any text */
};

struct list_rule {
    int *prefix; /* rules of the first items */
    int n_prefix;
    int item; /* rule of further items, or -1 */
    int n_min, n_max;
    bool unique;         /* scalar items must be unique */
    const cJSON *schema; /* with "uniqueItems"; only valid during compilation */
};

struct member {
    const char *key;
    int rule;
    bool required;
};

/* Members of free names: names that the schema does not list. */
struct name_rule {
    struct text_rule text; /* the names */
    int taken; /* trie of those excluded as already named; 0: none */
    int count; /* number of other names, counted up to n_least + 1 */
    int rule;  /* of the values */
};

struct object_rule {
    struct member *member;
    int n_member;
    int *keys;       /* [n_member + 1] trie of the possible keys after member
                     * i - 1; 0: none */
    bool *may_close; /* [n_member + 1]: no required member follows */
    struct name_rule *name;
    int n_name;
    int n_least, n_most; /* members of all kinds; only used if n_name > 0 */
};

enum way_kind { WAY_LITERAL, WAY_NUMBER, WAY_TEXT, WAY_LIST, WAY_OBJECT };

struct way {
    enum way_kind kind;
    int id;     /* from 0, the same in every grammar of the same schema */
    int height; /* least levels of nesting: 0 for a scalar */
    union {
        int literal; /* root of a trie */
        struct decimal number;
        struct text_rule text;
        struct list_rule list;
        struct object_rule object;
    };
};

struct rule {
    struct way *way;
    int n_way;
    int height; /* least of the ways */
    bool leaf;  /* every way is a scalar */
};

struct grammar {
    struct arena *arena;
    struct hash schema; /* hash of the schema's text */
    struct rule *rule;
    int n_rule, root;
    struct literal *literal;
    int n_literal;
    bool unique;                 /* some items or names must be unique */
    struct buf report, openings; /* see grammar_report, grammar_openings */
};

/* Adds a text to the trie *root (0: makes one). */
void grammar_literal(struct grammar *g, int *root, struct span text, int value,
                     int height);

/* The child of node `at` for a byte; 0: none. */
static inline int grammar_literal_child(const struct grammar *g, int at,
                                        char byte)
{
    int child = g->literal[at].child;
    while (child && g->literal[child].byte != byte)
        child = g->literal[child].sibling;
    return child;
}

/* A new trie with the texts of `root` (0: none) and one more. `root` is not
 * changed; most nodes are shared. */
int grammar_literal_with(struct grammar *g, int root, struct span text,
                         int value, int height);

/* Rule of item i of a list; -1 if there is no such item. */
static inline int grammar_item(const struct list_rule *l, int i)
{
    return i < l->n_prefix ? l->prefix[i] : l->item;
}

/* Is the UTF-8 text one of the rule's texts? */
bool grammar_text_has(const struct text_rule *t, const char *text);

/* Number of required members of an object. */
int grammar_count_required(const struct object_rule *o);

/* Number of members of free names that the object needs in addition to the
 * required ones. */
int grammar_names_needed(const struct object_rule *o);

/* Computes heights, removes what cannot be written, makes the tries of keys. */
void grammar_finish(struct grammar *g);

#endif
