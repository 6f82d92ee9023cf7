/* machine.h - pushdown automaton of a grammar over the bytes of an answer.
 *
 * A state describes the token being written (the rest of a key, a string, a
 * number) and its enclosing arrays and objects, as a chain of shared,
 * immutable frames. If alternatives begin alike, several states are alive at
 * once. Each of them can always be completed. MEMORY  Frames of past states
 * stay until machine_compact.
 */
#ifndef VLM_SAMPLE_MACHINE_H
#define VLM_SAMPLE_MACHINE_H

#include "vlm/sample/string_state.h"

enum {
    MACHINE_STATE_MAX = 16,      /* states alive at once; more are dropped */
    MACHINE_FRAME_MAX = 1 << 15, /* frames in total */
    MACHINE_USED_MAX = 1 << 17   /* items and names in total */
};

enum state_kind {
    STATE_VALUE,        /* at the start of a value */
    STATE_LIST_FIRST,   /* after "[" */
    STATE_LIST_NEXT,    /* after an item */
    STATE_OBJECT_FIRST, /* after "{" */
    STATE_OBJECT_NEXT,  /* after a member */
    STATE_OBJECT_KEY,   /* after "," */
    STATE_KEY,          /* in a key, up to its colon */
    STATE_NAME,         /* in a free name (grammar_rules.h) */
    STATE_NAME_END,     /* after its closing quote */
    STATE_LITERAL,
    STATE_NUMBER,
    STATE_TEXT,
    STATE_END /* the answer is complete */
};

/* An open array or object. */
struct frame {
    const struct way *way;
    int parent;   /* enclosing frame; 0: none */
    int n_done;   /* array: items done; object: index after the last member */
    int n_member; /* object: members written */
    int member;   /* object: current member; free names come after the others */
    int depth;    /* from 1 */
    int used;     /* list of earlier items or names to differ from; 0: none */
    int start;    /* offset of the current item or name in the text */
};

struct machine_state {
    enum state_kind kind;
    int frame;             /* 0: not in any array or object */
    int name;              /* STATE_NAME: index of the object's name rule */
    bool clear;            /* STATE_NAME: no taken name begins like this */
    const struct way *way; /* for literal, number, text */
    union {
        int rule;    /* STATE_VALUE */
        int literal; /* STATE_LITERAL, STATE_KEY: node of the trie */
        struct decimal_state number;
        struct string_state chars;
    };
};

struct states {
    int n;
    struct machine_state state[MACHINE_STATE_MAX];
};

/* An earlier item of an array with unique items, or an earlier name of an
 * object. */
struct used {
    int next;       /* the one before it; 0: none */
    int start, end; /* offsets in the text */
    uint64_t hash;  /* of this name and all before it */
};

struct machine {
    const struct grammar *g;
    struct frame *frame; /* [MACHINE_FRAME_MAX] from 1 */
    int n_frame;
    struct used *used; /* [MACHINE_USED_MAX] from 1 */
    int n_used;
    char *text; /* the answer so far, if g->unique; else NULL */
    int at;     /* its size: offset of the next byte */
    int capacity;
    bool sealed; /* names cannot end, since they cannot be compared now */
};

void machine_open(struct machine *m, const struct grammar *g);
void machine_close(struct machine *m);

/* Back to the start of an answer. */
void machine_start(struct machine *m, struct states *s);

/* Sets `to` to the states after the byte; to->n is 0 if it is not legal.
 * Increments m->at; callers that only try bytes restore it, n_frame and
 * n_used. */
void machine_step(struct machine *m, const struct states *from,
                  unsigned char byte, struct states *to);

/* Can the text end here? Must it end here? */
bool machine_may_end(const struct machine *m, const struct states *s);
bool machine_must_end(const struct states *s);

/* Adds the states after a complete value in `frame` (0: the root), which ends
 * at offset `end`. */
void machine_value_done(struct machine *m, int frame, int end,
                        struct states *to);

/* Adds the states after the next byte ends the name of `s`. */
void machine_name_done(struct machine *m, const struct machine_state *s,
                       struct states *to);

/* Drops unused frames once there are many. Moves the others. */
void machine_compact(struct machine *m, struct states *s);

/* member_names.c: can the name still become one that is not taken? Sets
 * `clear`. */
bool member_names_can_continue(const struct machine *m,
                               struct machine_state *s);

/* member_names.c: does name rule `name` have a name that is not taken? */
bool member_names_can_begin(const struct machine *m, int frame, int name);

/* member_names.c: adds the name that ends at text[end - 1] to the used ones;
 * false if it is taken. */
bool member_names_add(struct machine *m, struct frame *f, int name, int end);

/* member_names.c: calls `add` with the name at index `used`. */
void member_names_pointer(const struct machine *m, int used,
                          void (*add)(struct buf *out, const char *key),
                          struct buf *out);

/* member_names.c: name rule i of the object in `frame`. */
const struct name_rule *member_names_rule(const struct machine *m, int frame,
                                          int i);

#endif
