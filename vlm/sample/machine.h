/* machine.h - an answer in progress as states of a grammar.
 *
 * A state says what is being written (the rest of a key, a string, a number)
 * and in which arrays and objects it lies: a chain of frames that is shared and
 * never changed. Where alternatives begin alike, several states are alive at
 * once. Each one, by itself, can always be brought to an end.
 * MEMORY  Frames of past states stay until machine_tidy.
 */
#ifndef VLM_SAMPLE_MACHINE_H
#define VLM_SAMPLE_MACHINE_H

#include "vlm/sample/string_state.h"

enum {
    MACHINE_STATE_MAX = 16,      /* alive at once; others are given up */
    MACHINE_FRAME_MAX = 1 << 15, /* in all */
    MACHINE_USED_MAX = 1 << 17
};

enum state_kind {
    STATE_VALUE,        /* at the start of a value */
    STATE_LIST_FIRST,   /* behind "[" */
    STATE_LIST_NEXT,    /* behind an item */
    STATE_OBJECT_FIRST, /* behind "{" */
    STATE_OBJECT_NEXT,  /* behind a member */
    STATE_OBJECT_KEY,   /* behind "," */
    STATE_KEY,          /* in a key, up to its colon */
    STATE_NAME,         /* in a name of the object's own */
    STATE_NAME_END,     /* behind its closing quote */
    STATE_LITERAL,
    STATE_NUMBER,
    STATE_TEXT,
    STATE_END /* the answer is complete */
};

struct frame {
    const struct way *way;
    int parent;
    int n_done;   /* items; or the member behind the last one */
    int n_member; /* written, of an object */
    int member; /* being written, of an object; names of its own come behind */
    int depth;  /* from 1 */
    int used;   /* earlier items or names that must differ; 0: none */
    int start;  /* of the present one, in the text */
};

struct machine_state {
    enum state_kind kind;
    int frame;  /* 0: not in any array or object */
    int name;   /* STATE_NAME: by which rule of the object */
    bool clear; /* STATE_NAME: no name that is taken begins like this */
    const struct way *way; /* of literal, number, text */
    union {
        int rule;    /* STATE_VALUE */
        int literal; /* STATE_LITERAL, STATE_KEY: where in the trie */
        struct decimal_state number;
        struct string_state_init chars;
    };
};

struct states {
    int n;
    struct machine_state state[MACHINE_STATE_MAX];
};

/* An earlier item of an array whose items must differ, or an earlier name of
 * an object. */
struct used {
    int next;
    int start, end; /* in the text */
    uint64_t hash;  /* of this name and all before it */
};

struct machine {
    const struct grammar *g;
    struct frame *frame; /* [MACHINE_FRAME_MAX] from 1 */
    int n_frame;
    struct used *used; /* [MACHINE_USED_MAX] from 1 */
    int n_used;
    char *text; /* what was written; kept where g->unique */
    int at;     /* how much of it: the next byte comes here */
    int room;
    bool sealed; /* no name may end: what it differs from is not known */
};

void machine_open(struct machine *m, const struct grammar *g);
void machine_close(struct machine *m);

/* Back to the beginning. */
void machine_start(struct machine *m, struct states *s);

/* What `from` becomes behind the byte; to->n is 0 when it is not legal. Counts
 * m->at up; who tries bytes puts it (and n_frame, n_used) back. */
void machine_step(struct machine *m, const struct states *from,
                  unsigned char byte, struct states *to);

/* The text may end here; and nothing else may follow. */
bool machine_may_end(const struct machine *m, const struct states *s);
bool machine_must_end(const struct states *s);

/* The value of `frame` (0: the root) is complete: what follows. */
void machine_value_done(struct machine *m, int frame, int end,
                        struct states *to);

/* The name of this state ends with the byte that comes next: what follows. */
void machine_name_done(struct machine *m, const struct machine_state *s,
                       struct states *to);

/* Drops frames that no state needs, when many have come together. */
void machine_tidy(struct machine *m, struct states *s);

/* member_names.c: may the name still become one that is not taken? Sets `clear`. */
bool member_names_go_on(const struct machine *m, struct machine_state *s);

/* member_names.c: is there such a name at all? */
bool member_names_may_begin(const struct machine *m, int frame, int name);

/* member_names.c: the name ends at text[end - 1]; false when it is taken. */
bool member_names_take(struct machine *m, struct frame *f, int name, int end);

/* member_names.c: calls `add` with the name. */
void member_names_pointer(const struct machine *m, int used,
                          void (*add)(struct buf *out, const char *key),
                          struct buf *out);
const struct name_rule *member_names_rule(const struct machine *m, int frame,
                                          int i);

#endif
