/* vlm_product.c - which tensor of the file a product's weight lies in. */
#include <stdlib.h>

#include "vlm/model/gguf.h"
#include "vlm/vlm_inside.h"

static int by_place(const void *a, const void *b)
{
    const struct gguf_tensor *const *x = a, *const *y = b;
    uintptr_t p = (uintptr_t)(*x)->data, q = (uintptr_t)(*y)->data;
    return p < q ? -1 : p > q;
}

void vlm_product_open(struct vlm *v)
{
    int n = gguf_n_tensor(v->gguf);
    v->by_place = arena_array(v->arena, (size_t)n, sizeof *v->by_place);
    for (int i = 0; i < n; i++)
        v->by_place[i] = gguf_tensor(v->gguf, i);
    qsort(v->by_place, (size_t)n, sizeof *v->by_place, by_place);
}

/* The last tensor that begins at or before `raw`. */
static const struct gguf_tensor *tensor_at(const struct vlm *v, const void *raw)
{
    int low = 0, high = gguf_n_tensor(v->gguf);
    while (low < high) {
        int middle = (low + high) / 2;
        if ((uintptr_t)v->by_place[middle]->data <= (uintptr_t)raw)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? v->by_place[low - 1] : NULL;
}

void vlm_product_tell(void *arg, const void *raw, const float *x, int n,
                      int n_col)
{
    const struct vlm *v = arg;
    const struct gguf_tensor *t = tensor_at(v, raw);
    size_t at = t ? (size_t)((uintptr_t)raw - (uintptr_t)t->data) : 0;
    if (!t || at >= t->size_bytes) return; /* of the eye */
    const struct vlm_product product = {
        .tensor = t->name,
        .matrix = (int)(at / (t->size_bytes / (size_t)t->ne[2])),
        .n_matrix = (int)t->ne[2],
        .x = x,
        .n = n,
        .n_col = n_col};
    v->options.product(v->options.product_arg, &product);
}
