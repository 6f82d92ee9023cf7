/* grammar_rules.h - a compiled schema from the inside: what is shared by the
 * files that make it and those that write under it (vlm/sample).
 *
 * A rule is what a schema (or several that hold at once) admits for one value:
 * a few alternatives. Texts that are spelt out (null, true, enum, keys) lie in
 * tries of bytes; texts with patterns are DFAs, numbers are ranges of decimals.
 * What is written is compact JSON with the schema's order of keys.
 *
 * LIMITS  Where the schema says nothing: GRAMMAR_TEXT_MAX characters in a
 *         string, GRAMMAR_LIST_MAX items in an array and members with names of
 *         their own in an object, GRAMMAR_NAME_MAX characters in such a name.
 *         Always: GRAMMAR_DEPTH_MAX levels of arrays and objects.
 * CHOICES A schema that names no type and has no keyword of one is a scalar;
 *         an optional property that may be null is always written, any other
 *         may be left out. Members that the schema does not name are written
 *         behind all that it names, where it describes their values; where it
 *         says no more than that they may be there, none is. Their names have
 *         a character at least and match two patterns at most.
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
    GRAMMAR_NEVER = 1 << 20 /* height of what cannot be written */
};

/* A byte in a trie of texts. Children and siblings by index; 0 is none. */
struct literal {
    int child, sibling;
    int height; /* least height of the rules behind the keys below */
    int value;  /* of a key: its member */
    int n_text; /* that end here or below */
    char byte;
    bool final; /* a text ends here */
};

struct text_rule {
    int length_min, length_max; /* characters; the dfa keeps length_min */
    const struct dfa *dfa;      /* NULL: any text */
};

struct list_rule {
    int *prefix; /* rules of the first items */
    int n_prefix;
    int item; /* rule of the others, or -1 */
    int n_min, n_max;
    bool unique;         /* scalars among the items differ */
    const cJSON *schema; /* that wants it; gone when it is compiled */
};

struct member {
    const char *key;
    int rule;
    bool required;
};

/* Members with names of their own. */
struct name_rule {
    struct text_rule text; /* that the names fit */
    int taken; /* trie of those among them that the schema names; 0: none */
    int count; /* of the others, as far as it matters (n_least) */
    int rule;  /* of the values */
};

struct object_rule {
    struct member *member;
    int n_member;
    int *keys;       /* [n_member + 1] trie of the keys that may come next when
                     * member i - 1 was the last; 0: none */
    bool *may_close; /* [n_member + 1]: nothing that is required is to come */
    struct name_rule *name;
    int n_name;
    int n_least, n_most; /* members of all kinds, where there are names */
};

enum way_kind { WAY_LITERAL, WAY_NUMBER, WAY_TEXT, WAY_LIST, WAY_OBJECT };

struct way {
    enum way_kind kind;
    int id;     /* from 0, the same in every grammar of the same schema */
    int height; /* levels that it opens at least: 0 for a scalar */
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
    struct hash schema; /* that it was made of */
    struct rule *rule;
    int n_rule, root;
    struct literal *literal;
    int n_literal, literal_room;
    bool unique; /* some items must differ, or some names */
    struct buf report, openings;
};

/* Adds a text to the trie *root (0: a new one). */
void grammar_literal(struct grammar *g, int *root, struct span text, int value,
                     int height);

/* The node behind `at` for the byte; 0: there is none. */
static inline int grammar_literal_child(const struct grammar *g, int at,
                                        char byte)
{
    int child = g->literal[at].child;
    while (child && g->literal[child].byte != byte)
        child = g->literal[child].sibling;
    return child;
}

/* The trie that has the texts of `root` (0: none) and one more that it has not;
 * `root` stays as it is, and most of it is shared. */
int grammar_literal_with(struct grammar *g, int root, struct span text,
                         int value, int height);

/* Rule of item i of a list; -1 when there can be none. */
static inline int grammar_item(const struct list_rule *l, int i)
{
    return i < l->n_prefix ? l->prefix[i] : l->item;
}

/* Is it one of the texts of the rule, which are UTF-8? */
bool grammar_text_has(const struct text_rule *t, const char *text);

/* Members that an object must have. */
int grammar_count_required(const struct object_rule *o);

/* How many members with names of their own the object must have when it has
 * no others but those that are required. */
int grammar_names_needed(const struct object_rule *o);

/* finish: heights, what cannot be written is taken out, tries of keys. */
void grammar_finish(struct grammar *g);

#endif
