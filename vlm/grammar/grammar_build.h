/* grammar_build.h - state of a compilation (private to grammar*.c). */
#ifndef VLM_GRAMMAR_GRAMMAR_BUILD_H
#define VLM_GRAMMAR_GRAMMAR_BUILD_H

#include "vlm/base/text_table.h"
#include "vlm/grammar/grammar_rules.h"
#include "vlm/grammar/intersect.h"
#include "vlm/grammar/notes.h"

/* A cached DFA. */
struct known_dfa {
    const struct dfa *dfa; /* NULL: too large */
};

enum { RULE_TABLE_SIZE = 2 * GRAMMAR_RULE_MAX };

struct build {
    const struct schema *schema;
    struct grammar *g;
    struct intersect *wants; /* [GRAMMAR_RULE_MAX] conditions of each rule */
    int *rule_at; /* [RULE_TABLE_SIZE] hash table of wants: rule + 1, or 0 */
    struct notes notes;
    struct notes open;     /* see grammar_openings */
    struct text_table dfa; /* struct known_dfa, by its patterns */
    long dfa_work;         /* work spent on DFAs */
    long budget;           /* steps left for validating listed values */
    struct cpset_known properties;
    bool closed;           /* no members of free names */
    struct arena *scratch; /* for one rule */
    struct err *err;
};

/* Types as sets. */
enum {
    TYPE_NULL = 1,
    TYPE_BOOLEAN = 2,
    TYPE_INTEGER = 4,  /* whole numbers */
    TYPE_FRACTION = 8, /* the other numbers */
    TYPE_NUMBER = 12,
    TYPE_TEXT = 16,
    TYPE_LIST = 32,
    TYPE_OBJECT = 64,
    TYPE_ALL = 127,
    TYPE_SCALAR = 31
};

/* The types that all conditions admit; if none has "type", those that their
 * keywords apply to. */
unsigned grammar_types(const struct intersect *w);

/* The rule for a value of these conditions, added if new. */
int grammar_rule(struct build *b, const struct intersect *w);

/* Each adds a way to write a value of its type, if there is one. */
void grammar_add_number(struct build *b, struct rule *rule,
                        const struct intersect *w, unsigned types);
void grammar_add_text(struct build *b, struct rule *rule,
                      const struct intersect *w);
void grammar_add_list(struct build *b, struct rule *rule,
                      const struct intersect *w);
void grammar_add_object(struct build *b, struct rule *rule,
                        const struct intersect *w);

/* The names that propertyNames lists (enum, const), in scratch memory; *n of
 * them. */
const char **grammar_listed_names(struct build *b, const struct intersect *w,
                                  int *n);

/* Adds members of free names to the object, except for the names `taken`; its
 * n_least is set. False if some allowed members are never generated. */
bool grammar_add_names(struct build *b, const struct intersect *w,
                       struct object_rule *o, const char *const *taken,
                       int n_taken);

/* Does any of the conditions describe the value (a schema other than {})? */
bool grammar_is_described(const struct intersect *value);

/* Sets *out to the texts that all conditions admit; what cannot be enforced
 * goes to `notes`. False if there are no such texts. */
bool grammar_text(struct build *b, const struct intersect *w,
                  struct notes *notes, struct text_rule *out);

/* The first "enum" or "const" among the conditions, or NULL; *schema contains
 * it. */
const cJSON *grammar_listed_values(const struct intersect *w,
                                   const cJSON **schema);

/* Adds an empty way of this kind to the rule. The pointer is valid until the
 * rule gets another way, since ways move. */
struct way *grammar_way(struct build *b, struct rule *rule, enum way_kind kind);

/* The DFA of a single pattern; NULL if it cannot be made. */
const struct dfa *grammar_pattern(struct build *b, const char *pattern);

/* The value of a limit such as minLength, at most `most`. */
int grammar_limit(const cJSON *limit, int most);

#endif
