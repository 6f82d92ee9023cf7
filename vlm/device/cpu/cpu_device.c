/* cpu_device.c - wraps the decoder (decode/) and the image encoder (vision/) as
 * a device (device.h). */
#include "vlm/device/cpu/cpu_device.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/cpu.h"
#include "vlm/base/resize.h"
#include "vlm/device/cpu/decode/decoder.h"
#include "vlm/device/cpu/decode/state.h"
#include "vlm/device/cpu/vision/vision.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/tensor/gemm16.h"
#include "vlm/tensor/matmul.h"
#include "vlm/tensor/vector_ops.h"

enum { IMAGE_SIDE_MOST = 16384 }; /* of the square used to plan memory */

struct cpu_device {
    struct device base;
    struct arena *arena;
    const struct shape *shape;
    const struct vision_shape *vision_shape;
    struct tensor_backend *backend;
    struct tensor_backend *prompt_backend; /* NULL: the same */
    struct tensor_backend *vision_backend; /* of the image encoder: can be
                                            * faster */
    struct pool *pool;
    struct decoder *decoder;
    struct vision *vision; /* NULL: text only */
    struct state_plan plan;

    float *x;            /* [n_row_max, n_embd] rows of the latest pass */
    float *y;            /* [n_row_max, n_embd] input rows of the head */
    struct position *at; /* [n_row_max] */
    int *row_of;         /* [n_row_max] row of x of each row of the pass */
    struct decoder_run run[DEVICE_RUN_MAX];
};

struct cpu_state {
    struct device_state base;
    struct state *state;
};

struct cpu_rows {
    struct device_rows base;
    float *row; /* [n_y * n_x, n_embd] */
};

static struct cpu_device *cpu_of(const struct device *d)
{
    return (struct cpu_device *)(uintptr_t)d;
}

static struct state *state_of(const struct device_state *s)
{
    return ((const struct cpu_state *)s)->state;
}

static float *embd_row(const struct cpu_device *c, float *rows, int i)
{
    return rows + (size_t)i * (size_t)c->shape->n_embd;
}

/* ---- open ------------------------------------------------------------- */

static void alloc_rows(struct cpu_device *c)
{
    size_t rows = (size_t)c->base.n_row_max, embd = (size_t)c->shape->n_embd;
    c->x = arena_array(c->arena, rows * embd, sizeof *c->x);
    c->y = arena_array(c->arena, rows * embd, sizeof *c->y);
    c->at = arena_array(c->arena, rows, sizeof *c->at);
    c->row_of = arena_array(c->arena, rows, sizeof *c->row_of);
}

static void cpu_close(struct device *d)
{
    struct cpu_device *c = cpu_of(d);
    vision_close(c->vision);
    pool_free(c->pool);
    matmul_backend_free(c->backend);
    matmul_backend_free(c->prompt_backend);
    matmul_backend_free(c->vision_backend);
    arena_free(c->arena);
}

static struct tensor_options products(const struct device_options *o)
{
    return (struct tensor_options){.features = o->features,
                                   .slow = o->slow,
                                   .exact = o->exact,
                                   .product = o->product,
                                   .product_arg = o->product_arg};
}

static void open_backends(struct cpu_device *c, const struct device_options *o)
{
    struct tensor_options t = products(o);
    c->backend = matmul_backend_new(&t);
    if (!o->fast_prompt || o->exact || !gemm16_pick_tiles(o->features)) return;
    t.tiles = true;
    c->prompt_backend = matmul_backend_new(&t);
}

static void open_vision(struct cpu_device *c, const struct device_model *m,
                        const struct device_options *o, struct err *err)
{
    struct tensor_options t = products(o);
    t.fast = o->fast_vision && !o->exact;
    c->vision_backend = matmul_backend_new(&t);
    c->vision =
        vision_open(m->vision_shape, m->vision_weights, c->vision_backend,
                    vector_ops_pick(o->features),
                    t.fast ? gemm16_pick(o->features) : NULL, c->pool, err);
}

static const char *cpu_label(struct cpu_device *c,
                             const struct device_options *o)
{
    char label[64];
    snprintf(label, sizeof label, "cpu %s%s", cpu_name(o->features & ~o->slow),
             c->prompt_backend ? "+amx" : "");
    return arena_copy(c->arena, span_of(label));
}

static void open_parts(struct cpu_device *c, const struct device_model *m,
                       const struct device_options *o, struct err *err)
{
    open_backends(c, o);
    c->pool = pool_new(o->n_thread, err);
    if (err_failed(err)) return;
    state_plan(m->shape, o->n_ctx, o->kv, &c->plan);
    int rows = c->plan.n_ctx < o->n_ubatch ? c->plan.n_ctx : o->n_ubatch;
    if (rows < o->n_run_max) rows = o->n_run_max;
    c->decoder = decoder_new(m->shape, m->weights, c->backend,
                             c->prompt_backend ? c->prompt_backend : c->backend,
                             c->pool, o->features, rows, c->arena);
    if (m->vision_weights) open_vision(c, m, o, err);
    c->base = (struct device){.api = &cpu_device_api,
                              .label = cpu_label(c, o),
                              .n_row_max = rows,
                              .n_run_max = o->n_run_max,
                              .n_ctx = c->plan.n_ctx,
                              .n_embd = m->shape->n_embd,
                              .chunk = DECODER_CHUNK,
                              .steps = DECODER_STEPS,
                              .n_thread = pool_size(c->pool),
                              .guesses = m->shape->n_draft > 0};
    alloc_rows(c);
}

static struct device *cpu_open(const struct device_model *model,
                               const struct device_options *options,
                               struct err *err)
{
    struct arena *arena = arena_new();
    struct cpu_device *c = arena_alloc(arena, sizeof *c);
    c->arena = arena;
    c->shape = model->shape;
    c->vision_shape = model->vision_shape;
    open_parts(c, model, options, err);
    if (!err_failed(err)) return &c->base;
    cpu_close(&c->base);
    return NULL;
}

/* Memory for scratch and rows of the largest square image. */
static size_t image_bytes(const struct cpu_device *c, int64_t max_pixels)
{
    struct err err = {0};
    if (!c->vision) return 0;
    const struct vision_shape *s = c->vision_shape;
    int unit = s->patch_size * s->merge_size;
    struct resize_size size = resize_fit(IMAGE_SIDE_MOST, IMAGE_SIDE_MOST, unit,
                                         s->min_pixels, max_pixels, &err);
    if (err_failed(&err)) return 0;
    size_t rows =
        (size_t)(size.width_px / unit) * (size_t)(size.height_px / unit);
    return vision_scratch_bytes(c->vision, size.width_px, size.height_px) +
           rows * (size_t)c->shape->n_embd * sizeof(float);
}

static struct device_memory cpu_memory(const struct device *d,
                                       int64_t max_pixels)
{
    const struct cpu_device *c = cpu_of(d);
    size_t rows = (size_t)d->n_row_max * (size_t)d->n_embd * sizeof(float);
    return (struct device_memory){.kv = c->plan.kv_bytes,
                                  .recurrent = c->plan.fixed_bytes,
                                  .compute =
                                      decoder_bytes(c->decoder) + 2 * rows,
                                  .vision = image_bytes(c, max_pixels)};
}

/* ---- sequences -------------------------------------------------------- */

static struct device_state *cpu_state_new(struct device *d, struct err *err)
{
    struct state *state = state_new(&cpu_of(d)->plan, err);
    if (err_failed(err)) return NULL;
    struct cpu_state *s = mem_alloc(1, sizeof *s);
    s->base.device = d;
    s->state = state;
    return &s->base;
}

static void cpu_state_free(struct device_state *s)
{
    state_free(state_of(s));
    mem_free(s);
}

static void cpu_state_clear(struct device_state *s)
{
    state_clear(state_of(s));
    s->n_past = 0;
}

static void cpu_state_copy(struct device_state *to,
                           const struct device_state *from, struct err *err)
{
    (void)err;
    state_copy(state_of(to), state_of(from));
    to->n_past = from->n_past;
}

static void cpu_mark(struct device_state *s, int point, struct err *err)
{
    state_mark(state_of(s), point, err);
}

static void cpu_rewind(struct device_state *s, int point, struct err *err)
{
    state_rewind(state_of(s), point, err);
    s->n_past = state_of(s)->n_past;
}

/* ---- images ----------------------------------------------------------- */

static struct cpu_rows *rows_new(struct device *d, int n_y, int n_x)
{
    struct cpu_rows *r = mem_alloc(1, sizeof *r);
    r->base = (struct device_rows){d, n_y, n_x};
    r->row = mem_alloc((size_t)n_y * (size_t)n_x,
                       (size_t)d->n_embd * sizeof *r->row);
    return r;
}

static void cpu_rows_free(struct device_rows *r)
{
    mem_free(((struct cpu_rows *)r)->row);
    mem_free(r);
}

static struct device_rows *cpu_encode_image(struct device *d,
                                            const struct image *image,
                                            struct err *err)
{
    struct vision *v = cpu_of(d)->vision;
    int n_y = 0, n_x = 0;
    if (!v)
        err_set(err, ERR_ARGS, "no vision file is open; add --mmproj");
    else
        vision_grid(v, image->width_px, image->height_px, &n_y, &n_x, err);
    if (err_failed(err)) return NULL;
    struct cpu_rows *r = rows_new(d, n_y, n_x);
    vision_set_between(v, d->between, d->between_arg);
    vision_encode(v, image, r->row, err);
    if (!err_failed(err)) return &r->base;
    cpu_rows_free(&r->base);
    return NULL;
}

static size_t rows_bytes(const struct device_rows *r)
{
    size_t n = (size_t)r->n_y * (size_t)r->n_x;
    return n * (size_t)r->device->n_embd * sizeof(float);
}

static struct device_rows *cpu_rows_new(struct device *d, const float *rows,
                                        int n_y, int n_x, struct err *err)
{
    (void)err;
    struct cpu_rows *r = rows_new(d, n_y, n_x);
    memcpy(r->row, rows, rows_bytes(&r->base));
    return &r->base;
}

static void cpu_rows_read(const struct device_rows *r, float *out,
                          struct err *err)
{
    (void)err;
    memcpy(out, ((const struct cpu_rows *)r)->row, rows_bytes(r));
}

/* ---- a pass ----------------------------------------------------------- */

/* Copies the run's embeddings and positions into the rows of the pass. */
static void place_run(struct cpu_device *c, const struct device_run *r,
                      int first)
{
    size_t bytes = (size_t)c->shape->n_embd * sizeof(float);
    const struct cpu_rows *picture = (const struct cpu_rows *)r->picture;
    for (int i = 0; i < r->n; i++) {
        float *x = embd_row(c, c->x, first + i);
        int j = i - r->picture_at;
        if (picture && j >= 0 && j < r->n_picture)
            memcpy(x, embd_row(c, picture->row, r->picture_first + j), bytes);
        else
            decoder_embed(c->decoder, r->token[i], x);
    }
    memcpy(c->at + first, r->at, (size_t)r->n * sizeof *c->at);
}

/* Evaluates the runs of prompts, or the others, in the rows of x from `first`
 * on. Returns the number of rows. */
static int forward_some(struct cpu_device *c, const struct device_run *run,
                        int n_run, bool prompt, int first)
{
    size_t bytes = (size_t)c->base.n_embd * sizeof(float);
    struct decoder_batch b = {.x = embd_row(c, c->x, first),
                              .at = c->at + first,
                              .run = c->run,
                              .prompt = prompt};
    for (int i = 0, row = 0; i < n_run; row += run[i++].n) {
        if ((c->prompt_backend && run[i].prompt) != prompt) continue;
        place_run(c, &run[i], first + b.n);
        c->run[b.n_run++] =
            (struct decoder_run){.state = state_of(run[i].state),
                                 .first = b.n,
                                 .n = run[i].n,
                                 .left_out = run[i].left_out};
        for (int t = 0; t < run[i].n; t++)
            c->row_of[row + t] = first + b.n++;
    }
    if (b.n) decoder_forward(c->decoder, &b);
    for (int i = 0; i < b.n_run; i++) {
        const struct decoder_run *r = &c->run[i];
        memcpy(state_last(r->state), embd_row(c, b.x, r->first + r->n - 1),
               bytes);
    }
    return b.n;
}

static void cpu_forward(struct device *d, const struct device_run *run,
                        int n_run, struct err *err)
{
    (void)err;
    struct cpu_device *c = cpu_of(d);
    int n = forward_some(c, run, n_run, true, 0);
    forward_some(c, run, n_run, false, n);
    for (int i = 0; i < n_run; i++)
        run[i].state->n_past = state_of(run[i].state)->n_past;
}

/* ---- predictions ------------------------------------------------------ */

static void norm_places(struct cpu_device *c, const struct device_place *place,
                        int n)
{
    for (int i = 0; i < n; i++) {
        const float *x = place[i].state
                             ? state_last(state_of(place[i].state))
                             : embd_row(c, c->x, c->row_of[place[i].row]);
        decoder_norm_out(c->decoder, x, 1, embd_row(c, c->y, i));
    }
}

static void cpu_head(struct device *d, const struct device_place *place, int n,
                     float *logits, struct err *err)
{
    (void)err;
    struct cpu_device *c = cpu_of(d);
    norm_places(c, place, n);
    decoder_head(c->decoder, c->y, n, logits);
}

static void cpu_head_rows(struct device *d, const struct device_place *place,
                          int n, const int32_t *pick, int n_pick, float *logits,
                          struct err *err)
{
    (void)err;
    struct cpu_device *c = cpu_of(d);
    norm_places(c, place, n);
    decoder_head_rows(c->decoder, c->y, n, pick, n_pick, logits);
}

static void cpu_guess(struct device *d, const struct device_guess *guess, int n,
                      const int32_t *pick, int n_pick, float *logits,
                      struct err *err)
{
    (void)err;
    struct decoder_guess g[DEVICE_GUESS_MAX];
    for (int i = 0; i < n; i++)
        g[i] = (struct decoder_guess){.state = state_of(guess[i].state),
                                      .ahead = guess[i].ahead,
                                      .n = guess[i].n,
                                      .token = guess[i].token,
                                      .at = guess[i].at};
    decoder_guess(cpu_of(d)->decoder, g, n, pick, n_pick, logits);
}

static int cpu_renew(struct device *d, struct err *err)
{
    (void)err;
    pool_renew(cpu_of(d)->pool);
    return -1;
}

const struct device_api cpu_device_api = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .memory = cpu_memory,
    .state_new = cpu_state_new,
    .state_free = cpu_state_free,
    .state_clear = cpu_state_clear,
    .state_copy = cpu_state_copy,
    .mark = cpu_mark,
    .rewind = cpu_rewind,
    .encode_image = cpu_encode_image,
    .rows_new = cpu_rows_new,
    .rows_read = cpu_rows_read,
    .rows_free = cpu_rows_free,
    .forward = cpu_forward,
    .head = cpu_head,
    .head_rows = cpu_head_rows,
    .guess = cpu_guess,
    .renew = cpu_renew,
};
