/* gpu_state.c - see gpu_state.h. */
#include "vlm/device/gpu/gpu_state.h"

#include "vlm/base/arena.h"
#include "vlm/device/gpu/gpu_inside.h"

static size_t times(int a, int b)
{
    return (size_t)a * (size_t)b;
}

/* The offset of the next `bytes` bytes. */
static int64_t next(size_t *at, size_t bytes)
{
    size_t here = *at;
    *at += (bytes + 255) / 256 * 256;
    return (int64_t)here;
}

/* Bytes of a head's numbers, rounded up to a multiple of 4. */
static int kept_row(enum gpu_kept kept, int dim)
{
    int bytes = kept == GPU_KEPT_F32   ? 4 * dim
                : kept == GPU_KEPT_F16 ? 2 * dim
                                       : dim + 2 * gpu_blocks(dim, 32);
    return gpu_blocks(bytes, 4) * 4;
}

void gpu_state_plan(const struct shape *s, int n_ctx, enum device_kv kv,
                    struct gpu_plan *p)
{
    size_t at = 0, delta = times(s->n_gdn_v, s->gdn_dim) * (size_t)s->gdn_dim;
    size_t tail = times(s->conv_kernel, s->conv_width);
    *p = (struct gpu_plan){.n_ctx = n_ctx};
    p->kept = kv == DEVICE_KV_F32  ? GPU_KEPT_F32
              : kv == DEVICE_KV_Q8 ? GPU_KEPT_Q8
                                   : GPU_KEPT_F16;
    p->kept_row = kept_row(p->kept, s->n_embd_head);
    p->token_bytes = times(s->n_head_kv, p->kept_row);
    for (int l = 0; l < s->n_layer; l++) {
        if (s->attends[l]) continue;
        p->at[l] = next(&at, delta * sizeof(float));
        p->tail[l] = next(&at, tail * sizeof(float));
    }
    p->last = next(&at, (size_t)s->n_embd * sizeof(float));
    p->fixed_bytes = at;
    for (int l = 0; l < s->n_layer; l++)
        if (s->attends[l])
            p->at[l] = next(&at, 2 * (size_t)n_ctx * p->token_bytes);
    p->kv_bytes = at - p->fixed_bytes;
}

static struct gpu_state *state_of(const struct device_state *s)
{
    return (struct gpu_state *)(uintptr_t)s;
}

static struct gpu_device *device_of(const struct device_state *s)
{
    return gpu_device_of(s->device);
}

const float *gpu_state_last(const struct device_state *s)
{
    return (const float *)(const void *)(state_of(s)->block +
                                         device_of(s)->plan.last);
}

struct device_state *gpu_state_new(struct device *d, struct err *err)
{
    if (err_failed(err)) return NULL;
    const struct gpu_device *g = gpu_device_of(d);
    char *block = gpu_driver_alloc(g->driver,
                                   g->plan.fixed_bytes + g->plan.kv_bytes, err);
    if (!block) return NULL;
    struct gpu_state *s = mem_alloc(1, sizeof *s);
    s->base.device = d;
    s->block = block;
    return &s->base;
}

void gpu_state_free(struct device_state *state)
{
    struct gpu_state *s = state_of(state);
    struct gpu_driver *driver = device_of(state)->driver;
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        gpu_driver_free(driver, s->point[i].fixed);
    gpu_driver_free(driver, s->block);
    mem_free(s);
}

static void forget_points(struct gpu_state *s)
{
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (s->point[i].n_past > s->base.n_past) s->point[i].set = false;
}

void gpu_state_clear(struct device_state *state)
{
    struct gpu_state *s = state_of(state);
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        s->point[i].set = false;
    s->base.n_past = 0;
}

void gpu_state_copy(struct device_state *to, const struct device_state *from,
                    struct err *err)
{
    if (err_failed(err)) return;
    const struct gpu_device *g = device_of(to);
    const struct gpu_plan *p = &g->plan;
    char *a = state_of(to)->block;
    const char *b = state_of(from)->block;
    size_t used = (size_t)from->n_past * p->token_bytes;
    size_t half = (size_t)p->n_ctx * p->token_bytes;
    gpu_state_clear(to);
    gpu_driver_copy(g->driver, a, b, p->fixed_bytes, err);
    for (int l = 0; l < g->shape->n_layer; l++) {
        if (!g->shape->attends[l]) continue;
        gpu_driver_copy(g->driver, a + p->at[l], b + p->at[l], used, err);
        gpu_driver_copy(g->driver, a + p->at[l] + half, b + p->at[l] + half,
                        used, err);
    }
    if (!err_failed(err)) to->n_past = from->n_past;
}

void gpu_state_mark(struct device_state *state, int point, struct err *err)
{
    if (err_failed(err)) return;
    struct gpu_state *s = state_of(state);
    const struct gpu_device *g = device_of(state);
    struct gpu_point *p = &s->point[point];
    if (!p->fixed)
        p->fixed = gpu_driver_alloc(g->driver, g->plan.fixed_bytes, err);
    p->set = false;
    gpu_driver_copy(g->driver, p->fixed, s->block, g->plan.fixed_bytes, err);
    if (err_failed(err)) return;
    p->n_past = state->n_past;
    p->set = true;
}

void gpu_state_rewind(struct device_state *state, int point, struct err *err)
{
    if (err_failed(err)) return;
    struct gpu_state *s = state_of(state);
    const struct gpu_device *g = device_of(state);
    const struct gpu_point *p = &s->point[point];
    if (!p->set) {
        err_set(err, ERR_ARGS, "checkpoint %d is not set", point);
        return;
    }
    gpu_driver_copy(g->driver, s->block, p->fixed, g->plan.fixed_bytes, err);
    if (err_failed(err)) return;
    state->n_past = p->n_past;
    forget_points(s);
}
