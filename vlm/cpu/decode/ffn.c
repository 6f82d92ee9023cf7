/* ffn.c - dense feed-forward part: down(silu(gate a) * up a). */
#include "vlm/cpu/decode/layer.h"

size_t ffn_work(const struct shape *s, int n)
{
    return 2 * layer_room((size_t)n * (size_t)s->n_ff);
}

struct activation {
    const struct lanes *lanes;
    float *gate, *up;
    int n_ff;
};

static void activate(void *arg, int first, int last, int thread)
{
    const struct activation *a = arg;
    (void)thread;
    for (int i = first; i < last; i++) {
        float *gate = a->gate + (size_t)i * (size_t)a->n_ff;
        a->lanes->silu_mul(gate, gate, a->up + (size_t)i * (size_t)a->n_ff,
                           a->n_ff);
    }
}

void ffn_apply(struct decoder *d, const struct layer *w, int n, float *h)
{
    size_t size = (size_t)n * (size_t)d->shape->n_ff;
    float *at = d->work;
    struct activation a = {.lanes = d->lanes, .n_ff = d->shape->n_ff};
    a.gate = layer_take(&at, size);
    a.up = layer_take(&at, size);

    const struct weight *const in[] = {&w->ffn.gate, &w->ffn.up};
    float *const out[] = {a.gate, a.up};
    matmul_many(d->backend, d->pool, in, 2, h, n, out, d->scratch);
    pool_run(d->pool, n, 4, activate, &a);
    matmul(d->backend, d->pool, &w->ffn.down, a.gate, n, h, d->scratch);
}
