/* vlm_leaves.h - how sure the values of an answer are, while it is written. */
#ifndef VLM_VLM_LEAVES_H
#define VLM_VLM_LEAVES_H

#include "vlm/vlm.h"

struct vlm_leaf_token {
    int leaf;
    int32_t token;
    double p;
};

/* {0} at first. */
struct vlm_leaves {
    struct vlm_leaf *leaf;
    struct vlm_leaf_token *token; /* of the leaves, in their order */
    int n_leaf, room_leaf, n_token, room_token;
};

/* Room for an answer of usual length, so that few tokens take memory. */
void vlm_leaves_begin(struct vlm_leaves *l);
void vlm_leaves_end(struct vlm_leaves *l);

/* A token of the value at `pointer`, chosen with the probability p; p_legal, of
 * a value's first token, is its leaf's. */
void vlm_leaves_add(struct vlm_leaves *l, const char *pointer, int32_t token,
                    double p, double p_legal, struct arena *arena);

/* Is the last token's value the one at `pointer`? */
bool vlm_leaves_is_last(const struct vlm_leaves *l, const char *pointer);

/* The leaves as an answer has them, in the arena. */
struct vlm_leaf *vlm_leaves_give(const struct vlm_leaves *l,
                                 struct arena *arena);

#endif
