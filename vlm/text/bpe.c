/* bpe.c - see bpe.h. */
#include "vlm/text/bpe.h"

#include <assert.h>
#include <limits.h>

struct merge_pair {
    int32_t left, right, merged, rank; /* left < 0: a free slot */
};

struct bpe {
    struct merge_pair *slot;
    uint32_t mask;
    int n_merge, n_most;
};

/* A possible merge; stale once its symbols have changed. */
struct merge_candidate {
    int32_t rank, at; /* `at`: index of the left symbol in the piece */
    int32_t left, right;
    int32_t merged;
};

struct merge_work {
    struct merge_candidate *heap;
    int n_heap;
    int32_t *next, *previous; /* of live symbols; -1 at the ends */
};

static uint32_t hash_pair(int32_t left, int32_t right)
{
    uint64_t h = ((uint64_t)(uint32_t)left << 32) | (uint32_t)right;
    h *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

struct bpe *bpe_new(struct arena *arena, int n_merge)
{
    assert(n_merge >= 0 && n_merge <= 1 << 26);
    struct bpe *b = arena_alloc(arena, sizeof *b);
    uint32_t size = 16;
    while (size < (uint32_t)n_merge * 2)
        size *= 2;
    b->slot = arena_array(arena, size, sizeof *b->slot);
    for (uint32_t i = 0; i < size; i++)
        b->slot[i].left = -1;
    b->mask = size - 1;
    b->n_most = n_merge;
    return b;
}

static struct merge_pair *find_slot(const struct bpe *b, int32_t left,
                                    int32_t right)
{
    uint32_t i = hash_pair(left, right) & b->mask;
    while (b->slot[i].left >= 0 &&
           (b->slot[i].left != left || b->slot[i].right != right))
        i = (i + 1) & b->mask;
    return &b->slot[i];
}

void bpe_add(struct bpe *b, int32_t left, int32_t right, int32_t merged,
             int32_t rank)
{
    assert(left >= 0 && right >= 0 && b->n_merge < b->n_most);
    struct merge_pair *p = find_slot(b, left, right);
    if (p->left >= 0) return;
    *p = (struct merge_pair){left, right, merged, rank};
    b->n_merge++;
}

static bool before(const struct merge_candidate *a,
                   const struct merge_candidate *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void heap_push(struct merge_work *w, struct merge_candidate c)
{
    int i = w->n_heap++;
    while (i > 0 && before(&c, &w->heap[(i - 1) / 2])) {
        w->heap[i] = w->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    w->heap[i] = c;
}

static struct merge_candidate heap_pop(struct merge_work *w)
{
    struct merge_candidate top = w->heap[0], last = w->heap[--w->n_heap];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= w->n_heap) break;
        if (child + 1 < w->n_heap &&
            before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!before(&w->heap[child], &last)) break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return top;
}

static void push_candidate(const struct bpe *b, struct merge_work *w,
                           const int32_t *id, int at)
{
    if (at < 0 || w->next[at] < 0) return;
    const struct merge_pair *p = find_slot(b, id[at], id[w->next[at]]);
    if (p->left < 0) return;
    heap_push(
        w, (struct merge_candidate){p->rank, at, p->left, p->right, p->merged});
}

size_t bpe_scratch_bytes(int n)
{
    /* each of n - 1 merges removes a symbol and adds two candidates */
    return (size_t)n *
           (3 * sizeof(struct merge_candidate) + 2 * sizeof(int32_t));
}

int bpe_merge(const struct bpe *b, int32_t *id, int n, void *scratch)
{
    if (n < 2 || b->n_merge == 0) return n;
    struct merge_work w = {.heap = scratch};
    w.next = (int32_t *)(w.heap + 3 * (size_t)n);
    w.previous = w.next + n;
    for (int i = 0; i < n; i++) {
        w.previous[i] = i - 1;
        w.next[i] = i + 1 < n ? i + 1 : -1;
    }
    for (int i = 0; i + 1 < n; i++)
        push_candidate(b, &w, id, i);
    while (w.n_heap) {
        struct merge_candidate c = heap_pop(&w);
        int right = w.next[c.at];
        if (id[c.at] != c.left || right < 0 || id[right] != c.right) continue;
        id[c.at] = c.merged;
        id[right] = -1;
        w.next[c.at] = w.next[right];
        if (w.next[right] >= 0) w.previous[w.next[right]] = c.at;
        push_candidate(b, &w, id, w.previous[c.at]);
        push_candidate(b, &w, id, c.at);
    }
    int left = 0;
    for (int i = 0; i >= 0; i = w.next[i])
        id[left++] = id[i];
    return left;
}
