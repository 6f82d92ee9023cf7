/* validate.h - one validation from the inside (for the validate*.c files). */
#ifndef VLM_SCHEMA_VALIDATE_H
#define VLM_SCHEMA_VALIDATE_H

#include "vlm/schema/node.h"

enum {
    VALIDATE_DEPTH_MAX = 500,     /* schemas inside schemas */
    VALIDATE_STEP_MAX = 20000000, /* schemas applied in all */
    VALIDATE_FINDING_MAX = 64,    /* kept; the rest is not looked for */
    VALIDATE_FOUND_MOST = 72,     /* bytes of a value in a finding */
    VALIDATE_WANTED_MOST = 400
};

/* Ranks of findings, worst first. */
enum rank {
    RANK_MISSING,
    RANK_EXTRA,
    RANK_TYPE,
    RANK_VALUE,
    RANK_TEXT,
    RANK_SIZE,
    RANK_CHOICE
};

/* Where a value lies in the instance: a chain up to the root. */
struct place {
    const struct place *parent;
    const char *name; /* or NULL: then an index */
    int index;
};

/* The resources that were entered on the way here, innermost first. */
struct scope {
    const struct scope *outer;
    const struct resource *resource;
};

/* A value that a schema is applied to. `seen` has a byte for each member or
 * item that was evaluated, and is NULL where nobody asks. */
struct spot {
    const cJSON *value;
    const struct place *place;
    const struct scope *scope;
    unsigned char *seen;
};

struct finding_list {
    struct finding finding[VALIDATE_FINDING_MAX];
    int n_finding;
};

struct validation {
    struct arena *keep;         /* of the findings */
    struct arena *scratch;      /* ends with the run */
    struct json_stream *stream; /* of the value's long arrays, or NULL */
    struct finding_list *list;  /* NULL: a verdict is enough */
    int depth;
    long n_step, step_max;
    struct err *err;
};

/* finding.c: adds a finding about the value at `spot`; returns false. `rule`
 * is NULL for the schema `false`. */
bool finding_add(struct validation *r, const struct node *node,
                 const struct keyword_rule *rule, const struct spot *spot,
                 enum rank rank, const char *wanted, ...)
    __attribute__((format(printf, 6, 7)));

/* JSON pointer of a place, in the arena. */
const char *finding_place(struct arena *arena, const struct place *place);

/* Short JSON text of a value, in the scratch arena; "" where nobody asks for
 * findings. */
const char *finding_value(struct validation *r, const cJSON *value);

/* The names of a list or the keys of an object: "a", "b" or "c". */
const char *finding_names(struct validation *r, const cJSON *list);

/* Worst first (by rank, then by place), for people and for the next prompt. */
void finding_sort(struct finding *finding, int n);

#endif
