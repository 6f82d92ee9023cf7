/* validate.h - state and findings of one validation (private to validate.c,
 * finding.c). */
#ifndef VLM_SCHEMA_VALIDATE_H
#define VLM_SCHEMA_VALIDATE_H

#include "vlm/schema/node.h"

enum {
    VALIDATE_DEPTH_MAX = 500,     /* nested schemas */
    VALIDATE_STEP_MAX = 20000000, /* schemas applied in total */
    VALIDATE_FINDING_MAX = 64,    /* findings; further ones are dropped */
    VALIDATE_FOUND_MOST = 72,     /* bytes of a value in a finding */
    VALIDATE_WANTED_MOST = 400    /* bytes of a list of names */
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

/* Position of a value in the instance: a chain up to the root. */
struct place {
    const struct place *parent;
    const char *name; /* key in an object; NULL in an array */
    int index;        /* index in an array */
};

/* Resources entered so far (the dynamic scope), innermost first. */
struct scope {
    const struct scope *outer;
    const struct resource *resource;
};

/* A value that a schema is applied to. */
struct spot {
    const cJSON *value;
    const struct place *place;
    const struct scope *scope;
    unsigned char *seen; /* 1 for each evaluated member or item; or NULL */
};

struct finding_list {
    struct finding finding[VALIDATE_FINDING_MAX];
    int n_finding;
};

struct validation {
    struct arena *keep;         /* for findings */
    struct arena *scratch;      /* for the duration of the run */
    struct json_stream *stream; /* long arrays of the value, or NULL */
    struct finding_list *list;  /* NULL: only the verdict is wanted */
    int depth;                  /* nested schemas now */
    long n_step, step_max;      /* schemas applied, and their limit */
    struct err *err;
};

/* finding.c: adds a finding about the value at `spot`, if findings are wanted;
 * returns false. `rule` is NULL for the schema `false`. */
bool finding_add(struct validation *r, const struct node *node,
                 const struct keyword_rule *rule, const struct spot *spot,
                 enum rank rank, const char *wanted, ...)
    __attribute__((format(printf, 6, 7)));

/* JSON pointer of a place, in the arena. */
const char *finding_place(struct arena *arena, const struct place *place);

/* Short JSON text of a value, in the scratch arena; "" if no findings are
 * wanted. */
const char *finding_value(struct validation *r, const cJSON *value);

/* The values of a list or the keys of an object: "a", "b" or "c". */
const char *finding_names(struct validation *r, const cJSON *list);

/* Sorts by rank, worst first; equal ranks keep their order. */
void finding_sort(struct finding *finding, int n);

#endif
