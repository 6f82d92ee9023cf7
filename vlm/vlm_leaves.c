/* vlm_leaves.c - see vlm_leaves.h. */
#include "vlm/vlm_leaves.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF_START = 64, TOKEN_START = 1024 };

void vlm_leaves_begin(struct vlm_leaves *l)
{
    l->room_leaf = LEAF_START;
    l->leaf = mem_take(LEAF_START, sizeof *l->leaf);
    l->room_token = TOKEN_START;
    l->token = mem_take(TOKEN_START, sizeof *l->token);
}

void vlm_leaves_end(struct vlm_leaves *l)
{
    mem_give(l->leaf);
    mem_give(l->token);
    *l = (struct vlm_leaves){.n_leaf = 0};
}

bool vlm_leaves_is_last(const struct vlm_leaves *l, const char *pointer)
{
    return l->n_leaf && !strcmp(l->leaf[l->n_leaf - 1].pointer, pointer);
}

static struct vlm_leaf *leaf_of(struct vlm_leaves *l, const char *pointer,
                                double p_legal, struct arena *arena)
{
    if (vlm_leaves_is_last(l, pointer)) return &l->leaf[l->n_leaf - 1];
    if (l->n_leaf == l->room_leaf) {
        l->room_leaf *= 2;
        l->leaf = mem_grow(l->leaf, (size_t)l->room_leaf, sizeof *l->leaf);
    }
    struct vlm_leaf *leaf = &l->leaf[l->n_leaf++];
    *leaf = (struct vlm_leaf){.pointer = arena_copy(arena, span_of(pointer)),
                              .p = 1,
                              .p_min = 1,
                              .p_kin = 1,
                              .p_legal = p_legal};
    return leaf;
}

void vlm_leaves_add(struct vlm_leaves *l, const char *pointer, int32_t token,
                    double p, double p_legal, struct arena *arena)
{
    struct vlm_leaf *leaf = leaf_of(l, pointer, p_legal, arena);
    leaf->p *= p;
    leaf->n_token++;
    if (p < leaf->p_min) leaf->p_min = p;
    if (l->n_token == l->room_token) {
        l->room_token *= 2;
        l->token = mem_grow(l->token, (size_t)l->room_token, sizeof *l->token);
    }
    l->token[l->n_token++] = (struct vlm_leaf_token){l->n_leaf - 1, token, p};
}

/* The same token together, the least probable first. */
static int by_token(const void *a, const void *b)
{
    const struct vlm_leaf_token *one = a, *two = b;
    if (one->token != two->token)
        return (one->token > two->token) - (one->token < two->token);
    return (one->p > two->p) - (one->p < two->p);
}

struct vlm_leaf *vlm_leaves_give(const struct vlm_leaves *l,
                                 struct arena *arena)
{
    size_t n_leaf = (size_t)l->n_leaf, n = (size_t)l->n_token;
    struct vlm_leaf *leaf = arena_array(arena, n_leaf, sizeof *leaf);
    struct vlm_leaf_token *token = arena_array(arena, n, sizeof *token);
    if (n_leaf) memcpy(leaf, l->leaf, n_leaf * sizeof *leaf);
    if (n) memcpy(token, l->token, n * sizeof *token);
    qsort(token, n, sizeof *token, by_token);
    double least = 1;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || token[i].token != token[i - 1].token) least = token[i].p;
        struct vlm_leaf *own = &leaf[token[i].leaf];
        if (least < own->p_kin) own->p_kin = least;
    }
    return leaf;
}
