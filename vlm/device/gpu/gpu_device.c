/* gpu_device.c - open and close, images, and the function table (gpu_device.h,
 * device.h). */
#include "vlm/device/gpu/gpu_device.h"

#include "vlm/base/arena.h"
#include "vlm/base/resize.h"
#include "vlm/device/gpu/gpu_check.h"
#include "vlm/device/gpu/gpu_choice.h"
#include "vlm/device/gpu/gpu_inside.h"
#include "vlm/device/gpu/gpu_ptx.h"
#include "vlm/device/gpu/gpu_weights.h"

enum { IMAGE_SIDE_MOST = 16384 }; /* of the square used to plan memory */

/* ---- what the kernels do not support ----------------------------------------- */

static const char *refused_model(const struct device_model *m)
{
    const struct shape *s = m->shape;
    const struct vision_shape *v = m->vision_weights ? m->vision_shape : NULL;
    if (s->n_expert > GPU_EXPERTS_MAX) return "this number of experts";
    if (s->n_embd_head > GPU_HEAD_MAX || s->n_embd_head % 2)
        return "attention heads of this size";
    if (s->n_head % s->n_head_kv || s->n_head / s->n_head_kv > GPU_QUERIES)
        return "this number of query heads per key head";
    if (s->gdn_dim > GPU_DELTA_MAX) return "delta rule heads of this size";
    if (v && v->n_embd / v->n_head > GPU_EYE_HEAD)
        return "vision encoder heads of this size";
    return gpu_weights_unknown(m);
}

static const char *refused_options(const struct device_options *o)
{
    if (o->exact) return "exact products";
    if (o->product) return "collecting activations";
    return NULL;
}

static bool check_supported(const struct device_model *m,
                            const struct device_options *o, struct err *err)
{
    const char *what = refused_options(o);
    if (!what) what = refused_model(m);
    if (what)
        return err_set(err, ERR_UNSUPPORTED,
                       "no GPU kernels for %s; set engine_device = cpu", what);
    if (!o->cuda && !gpu_ptx_text())
        return err_set(err, ERR_UNSUPPORTED,
                       "this platen was built without kernels for a GPU");
    return true;
}

/* ---- memory needed ------------------------------------------------------------- */

static size_t buffers_bytes(struct gpu_device *g)
{
    struct gpu_arena count = {0};
    gpu_buffers_plan(g, &count);
    return count.at;
}

/* Fails before anything is allocated unless weights, buffers and one sequence
 * fit. Further sequences fail when they are allocated. */
static void check_fit(struct gpu_device *g, const struct device_model *m,
                      struct err *err)
{
    size_t left = gpu_driver_left(g->driver, err), kv = g->plan.kv_bytes;
    g->buffers_bytes = buffers_bytes(g);
    size_t rest = gpu_weights_bytes(m) + g->buffers_bytes + g->plan.fixed_bytes;
    if (err_failed(err) || rest + kv <= left) return;
    size_t token = kv / (size_t)g->base.n_ctx + 1;
    const char *name = gpu_driver_name(g->driver);
    if (rest < left)
        err_reason(err, ERR_SYSTEM, "engine-error",
                   "%s has %zu MiB free, a context of %d tokens needs %zu; "
                   "lower n_ctx: one of %zu would fit",
                   name, left >> 20, g->base.n_ctx, (rest + kv) >> 20,
                   (left - rest) / token);
    else
        err_reason(err, ERR_SYSTEM, "engine-error",
                   "%s has %zu MiB free, the model needs %zu without any "
                   "context; use a smaller model, or engine_device = cpu",
                   name, left >> 20, rest >> 20);
}

/* ---- open ------------------------------------------------------------------ */

static void alloc_buffers(struct gpu_device *g, struct err *err)
{
    struct gpu_arena arena = {
        .base = gpu_driver_alloc(g->driver, g->buffers_bytes, err)};
    if (!arena.base) return;
    gpu_buffers_plan(g, &arena);
    gpu_driver_clear(g->driver, g->buffers.count,
                     g->buffers.n_count * sizeof *g->buffers.count, err);
    g->stage = mem_alloc(1, (size_t)(arena.base + arena.at - g->buffers.sent));
}

/* "cuda:0 NVIDIA GB10" */
static const char *label_of(const struct gpu_device *g, int ordinal)
{
    return arena_text(g->arena, "cuda:%d %s", ordinal,
                      gpu_driver_name(g->driver));
}

/* The configured context, or what fits for one sequence beside the weights. */
static int context(const struct gpu_device *g, const struct device_model *m,
                   const struct device_options *o, struct err *err)
{
    if (o->n_ctx > 0 || err_failed(err)) return o->n_ctx;
    size_t left = gpu_driver_left(g->driver, err), take = gpu_weights_bytes(m);
    left = left > take ? left - take : 0;
    return shape_context_default(m->shape, left + 1);
}

/* The driver with the kernels that this model needs. */
static struct gpu_driver *open_driver(const struct device_model *m,
                                      const struct device_options *o,
                                      struct err *err)
{
    const char *text = gpu_ptx_text();
    bool types[QUANT_NVFP4 + 1], without[GPU_N_KERNEL] = {false};
    gpu_weights_types(m, types);
    gpu_matmul_unused(types, without);
    char *some = gpu_ptx_without(text ? text : "", without);
    struct gpu_driver *g =
        gpu_driver_open(o->cuda, some, without, o->ordinal, err);
    mem_free(some);
    return g;
}

static void open_parts(struct gpu_device *g, const struct device_model *m,
                       const struct device_options *o, struct err *err)
{
    if (!check_supported(m, o, err)) return;
    g->driver = open_driver(m, o, err);
    if (!g->driver) return;
    g->vision_shape = m->vision_weights ? m->vision_shape : NULL;
    g->rope = rope_plan(m->shape, g->arena);
    int n_ctx = context(g, m, o, err);
    int rows = n_ctx < o->n_ubatch ? n_ctx : o->n_ubatch;
    if (rows < o->n_run_max) rows = o->n_run_max;
    gpu_state_plan(m->shape, n_ctx, o->kv, &g->plan);
    g->base = (struct device){.api = &gpu_device_api,
                              .label = label_of(g, o->ordinal),
                              .n_row_max = rows,
                              .n_run_max = o->n_run_max,
                              .n_ctx = n_ctx,
                              .n_embd = m->shape->n_embd,
                              .chunk = GPU_CHUNK,
                              .steps = GPU_STEPS,
                              .n_thread = 1};
    struct gpu_samples samples = {0};
    check_fit(g, m, err);
    gpu_weights_upload(g->driver, m, o->n_thread, g->arena, &g->w, &g->vision,
                       &samples, err);
    alloc_buffers(g, err);
    if (o->trusted || err_failed(err)) return;
    gpu_choice_make(g, o->timings, err);
    g->base.kernels = gpu_choice_text(g);
    gpu_check(g, m, o, &samples, err);
}

static void gpu_close(struct device *d)
{
    struct gpu_device *g = gpu_device_of(d);
    gpu_driver_close(g->driver);
    mem_free(g->stage);
    arena_free(g->arena);
}

static struct device *gpu_open(const struct device_model *model,
                               const struct device_options *options,
                               struct err *err)
{
    struct arena *arena = arena_new();
    struct gpu_device *g = arena_alloc(arena, sizeof *g);
    g->arena = arena;
    g->shape = model->shape;
    open_parts(g, model, options, err);
    if (!err_failed(err)) return &g->base;
    gpu_close(&g->base);
    return NULL;
}

/* ---- memory ------------------------------------------------------------------ */

/* Memory for scratch and rows of the largest square image. */
static size_t image_bytes(const struct gpu_device *g, int64_t max_pixels)
{
    struct err err = {0};
    const struct vision_shape *s = g->vision_shape;
    if (!s) return 0;
    int unit = s->patch_size * s->merge_size;
    struct resize_size size = resize_fit(IMAGE_SIDE_MOST, IMAGE_SIDE_MOST, unit,
                                         s->min_pixels, max_pixels, &err);
    if (err_failed(&err)) return 0;
    size_t rows =
        (size_t)(size.width_px / unit) * (size_t)(size.height_px / unit);
    return gpu_vision_bytes(g, size.width_px / s->patch_size,
                            size.height_px / s->patch_size) +
           rows * (size_t)g->base.n_embd * sizeof(float);
}

static struct device_memory gpu_memory(const struct device *d,
                                       int64_t max_pixels)
{
    const struct gpu_device *g = gpu_device_of(d);
    struct err err = {0};
    return (struct device_memory){.left = gpu_driver_left(g->driver, &err),
                                  .kv = g->plan.kv_bytes,
                                  .recurrent = g->plan.fixed_bytes,
                                  .compute = g->buffers_bytes,
                                  .vision = image_bytes(g, max_pixels)};
}

/* ---- images ------------------------------------------------------------------ */

static size_t rows_bytes(const struct device_rows *r)
{
    size_t n = (size_t)r->n_y * (size_t)r->n_x;
    return n * (size_t)r->device->n_embd * sizeof(float);
}

static float *rows_data(const struct device_rows *r)
{
    return ((const struct gpu_rows *)r)->row;
}

static void gpu_rows_free(struct device_rows *r)
{
    gpu_driver_free(gpu_device_of(r->device)->driver, rows_data(r));
    mem_free(r);
}

static struct device_rows *alloc_rows(struct device *d, int n_y, int n_x,
                                      struct err *err)
{
    struct gpu_rows *r = mem_alloc(1, sizeof *r);
    r->base = (struct device_rows){d, n_y, n_x};
    r->row =
        gpu_driver_alloc(gpu_device_of(d)->driver, rows_bytes(&r->base), err);
    if (r->row) return &r->base;
    mem_free(r);
    return NULL;
}

/* The rows, or NULL after a failure. */
static struct device_rows *rows_or_null(struct device_rows *r,
                                        const struct err *err)
{
    if (!err_failed(err)) return r;
    if (r) gpu_rows_free(r);
    return NULL;
}

static struct device_rows *gpu_encode_image(struct device *d,
                                            const struct image *image,
                                            struct err *err)
{
    struct gpu_device *g = gpu_device_of(d);
    const struct vision_shape *s = g->vision_shape;
    if (!s) {
        err_set(err, ERR_ARGS, "no vision file is open; add --mmproj");
        return NULL;
    }
    int unit = s->patch_size * s->merge_size;
    int n_y = image->height_px / unit, n_x = image->width_px / unit;
    if (n_y < 1 || n_x < 1 || image->width_px % unit ||
        image->height_px % unit) {
        err_set(err, ERR_ARGS,
                "an image of %d x %d pixels: sides must be multiples of %d",
                image->width_px, image->height_px, unit);
        return NULL;
    }
    struct device_rows *r = alloc_rows(d, n_y, n_x, err);
    if (r) gpu_vision_encode(g, image, rows_data(r), err);
    return rows_or_null(r, err);
}

static struct device_rows *gpu_rows_new(struct device *d, const float *rows,
                                        int n_y, int n_x, struct err *err)
{
    struct device_rows *r = alloc_rows(d, n_y, n_x, err);
    if (r)
        gpu_driver_upload(gpu_device_of(d)->driver, rows_data(r), rows,
                          rows_bytes(r), err);
    return rows_or_null(r, err);
}

static void gpu_rows_read(const struct device_rows *r, float *out,
                          struct err *err)
{
    gpu_driver_get(gpu_device_of(r->device)->driver, out, rows_data(r),
                   rows_bytes(r), err);
}

static float *gpu_floats_new(struct device *d, size_t n)
{
    return gpu_driver_host_new(gpu_device_of(d)->driver, n * sizeof(float));
}

static void gpu_floats_free(struct device *d, float *at)
{
    gpu_driver_host_free(gpu_device_of(d)->driver, at);
}

/* ---- passes ------------------------------------------------------------------ */

static void gpu_forward(struct device *d, const struct device_run *run,
                        int n_run, struct err *err)
{
    gpu_text_forward(gpu_device_of(d), run, n_run, err);
}

static void gpu_head(struct device *d, const struct device_place *place, int n,
                     float *logits, struct err *err)
{
    gpu_text_head(gpu_device_of(d), place, n, NULL, 0, logits, err);
}

static void gpu_head_rows(struct device *d, const struct device_place *place,
                          int n, const int32_t *pick, int n_pick, float *logits,
                          struct err *err)
{
    gpu_text_head(gpu_device_of(d), place, n, pick, n_pick, logits, err);
}

static bool gpu_lost(const struct device *d)
{
    return gpu_driver_broken(gpu_device_of(d)->driver);
}

const struct device_api gpu_device_api = {
    .lost = gpu_lost,
    .name = "cuda",
    .open = gpu_open,
    .close = gpu_close,
    .memory = gpu_memory,
    .state_new = gpu_state_new,
    .state_free = gpu_state_free,
    .state_clear = gpu_state_clear,
    .state_copy = gpu_state_copy,
    .mark = gpu_state_mark,
    .rewind = gpu_state_rewind,
    .encode_image = gpu_encode_image,
    .rows_new = gpu_rows_new,
    .rows_read = gpu_rows_read,
    .rows_free = gpu_rows_free,
    .floats_new = gpu_floats_new,
    .floats_free = gpu_floats_free,
    .forward = gpu_forward,
    .head = gpu_head,
    .head_rows = gpu_head_rows,
};
