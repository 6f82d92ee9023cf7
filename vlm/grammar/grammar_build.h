/* grammar_build.h - a compilation from the inside (grammar_*.c). */
#ifndef VLM_GRAMMAR_GRAMMAR_BUILD_H
#define VLM_GRAMMAR_GRAMMAR_BUILD_H

#include "vlm/base/text_table.h"
#include "vlm/grammar/grammar_rules.h"
#include "vlm/grammar/intersect.h"
#include "vlm/grammar/notes.h"

/* A dfa that was made before. */
struct known_dfa {
    const struct dfa *dfa; /* NULL: too large */
};

enum { RULE_TABLE_SIZE = 2 * GRAMMAR_RULE_MAX };

struct build {
    const struct schema *schema;
    struct grammar *g;
    struct intersect *wants; /* [GRAMMAR_RULE_MAX] what each rule is made of */
    int *rule_at; /* [RULE_TABLE_SIZE] by hash of those: rule + 1, or 0 */
    struct notes notes;
    struct notes open;     /* objects that are closed only while generating */
    struct text_table dfa; /* struct known_dfa, by what it was made of */
    long dfa_work;         /* spent on them */
    long budget;           /* of the validator, for values that are spelt out */
    struct cpset_known properties;
    bool closed;           /* no member has a name of its own */
    struct arena *scratch; /* of one rule */
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

/* The types that all of them admit; narrowed to those that their keywords
 * speak of where none names a type. */
unsigned grammar_types(const struct intersect *w);

/* The rule of such a value, new if need be. */
int grammar_rule(struct build *b, const struct intersect *w);

/* Each adds the way to write a value of its type, if there is one. */
void grammar_add_number(struct build *b, struct rule *rule,
                        const struct intersect *w, unsigned types);
void grammar_add_text(struct build *b, struct rule *rule,
                      const struct intersect *w);
void grammar_add_list(struct build *b, struct rule *rule,
                      const struct intersect *w);
void grammar_add_object(struct build *b, struct rule *rule,
                        const struct intersect *w);

/* Names that propertyNames spells out, in scratch memory; *n of them. */
const char **grammar_names_spelt(struct build *b, const struct intersect *w,
                                 int *n);

/* Gives the object, whose n_least is there, members with names of its own but
 * for the `taken` ones. False when some that are accepted are never written. */
bool grammar_add_names(struct build *b, const struct intersect *w,
                       struct object_rule *o, const char *const *taken,
                       int n_taken);

/* Does some of them say what the value is? */
bool grammar_is_described(const struct intersect *value);

/* The texts that all of them admit, into *out; what cannot be kept goes to
 * `notes`. False when there are none. */
bool grammar_text(struct build *b, const struct intersect *w,
                  struct notes *notes, struct text_rule *out);

/* The first list of values that is spelt out (an enum, or a const), or NULL;
 * and whose it is. */
const cJSON *grammar_spelt_out(const struct intersect *w, const cJSON **schema);

/* Adds an empty way of this kind to the rule. In the grammar's arena, and
 * valid until the rule gets its next way: they move. */
struct way *grammar_way(struct build *b, struct rule *rule, enum way_kind kind);

/* The dfa of a pattern taken alone; NULL when it cannot be had. */
const struct dfa *grammar_pattern(struct build *b, const char *pattern);

/* A limit such as minLength, at most `most`. */
int grammar_limit(const cJSON *limit, int most);

#endif
