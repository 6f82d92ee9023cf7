/* gpu_check.c - see gpu_check.h. */
#include "vlm/device/gpu/gpu_check.h"

#include <math.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/device/cpu/cpu_device.h"
#include "vlm/device/gpu/gpu_inside.h"

enum {
    ROWS = 70, /* rows of weights in a product: more than a tile */
    FEW = 3,   /* activations for the direct kernels */
    MANY = GPU_DIRECT_MOST + 1, /* activations for the tiled kernels */
    IMAGE_SIDE = 2,             /* sides, in rows of the text model */
    PROMPT = 17,                /* tokens: a partial chunk of the delta rule */
    TOKENS = 2, /* tokens after it, in one run; then one token */
    TEXT = PROMPT + TOKENS + 1,
    PICKED = 64, /* logits compared */
    TRIES = 5    /* texts for a model with experts */
};

/* Limit of the difference, relative to the largest number. Between two
 * instruction sets of a CPU it can be a few hundredths; errors differ by a
 * fifth and more. */
static const double APART_MAX = 0.1;

static float noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static void set_mismatch(const struct gpu_device *g, const char *what,
                         double apart, struct err *err)
{
    err_set(err, ERR_UNSUPPORTED,
            "%s is not used: %s differs from the CPU's result by %.2g",
            gpu_driver_name(g->driver), what, apart);
}

/* Largest difference, relative to the largest number. */
static double apart_of(const float *got, const float *want, size_t n)
{
    double most = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)got[i] - (double)want[i]);
        most = fmax(most, fabs((double)want[i]));
        if (!(d <= worst)) worst = d; /* also if d is NaN */
        if (isnan(d)) return d;
    }
    return most > 0 ? worst / most : worst;
}

static void compare(const struct gpu_device *g, const char *what,
                    const float *got, const float *want, size_t n,
                    struct err *err)
{
    double apart = apart_of(got, want, n);
    if (!err_failed(err) && !(apart <= APART_MAX))
        set_mismatch(g, what, apart, err);
}

/* ---- products ----------------------------------------------------------------- */

struct product_buffers { /* on the device and on the host */
    struct gpu_act act;
    float *x, *y;
    int32_t *at;
    float *host_x, *got, *want;
    void *scratch;
    struct tensor_backend *backend;
    struct pool *pool;
};

static void plan_products(struct product_buffers *d, struct gpu_arena *arena,
                          int n_col)
{
    size_t wide = (size_t)(n_col > ROWS ? n_col : ROWS), f = sizeof(float);
    d->x = gpu_arena_part(arena, (size_t)MANY * (size_t)n_col, f);
    d->y = gpu_arena_part(arena, MANY * wide, f);
    d->at = gpu_arena_part(arena, FEW, sizeof *d->at);
    gpu_matmul_plan(&d->act, arena, MANY, n_col);
}

static void open_products(struct product_buffers *d, const struct gpu_device *g,
                          int n_col, struct err *err)
{
    struct gpu_arena arena = {0};
    size_t wide = (size_t)(n_col > ROWS ? n_col : ROWS);
    uint32_t seed = 1;
    plan_products(d, &arena, n_col);
    arena =
        (struct gpu_arena){.base = gpu_driver_alloc(g->driver, arena.at, err)};
    plan_products(d, &arena, n_col);
    d->backend = matmul_backend_new(&(struct tensor_options){0});
    d->pool = pool_new(1, err);
    d->host_x = mem_alloc((size_t)MANY * (size_t)n_col, sizeof(float));
    d->got = mem_alloc(MANY * wide, sizeof(float));
    d->want = mem_alloc(MANY * wide, sizeof(float));
    for (int i = 0; i < MANY * n_col; i++)
        d->host_x[i] = noise(&seed);
    if (err_failed(err)) return;
    d->scratch =
        mem_alloc(matmul_scratch_bytes(d->backend, d->pool, MANY, n_col, 1), 1);
    gpu_driver_upload(g->driver, d->x, d->host_x,
                      (size_t)MANY * (size_t)n_col * sizeof(float), err);
}

static void close_products(struct product_buffers *d,
                           const struct gpu_device *g)
{
    gpu_driver_free(g->driver, d->x);
    mem_free(d->host_x);
    mem_free(d->got);
    mem_free(d->want);
    mem_free(d->scratch);
    pool_free(d->pool);
    matmul_backend_free(d->backend);
}

/* Fails unless the bits are equal. */
static void compare_bits(const struct gpu_device *g,
                         const struct product_buffers *d,
                         const struct weight *w, size_t n, struct err *err)
{
    double apart = apart_of(d->got, d->want, n);
    if (!err_failed(err) && memcmp(d->got, d->want, n * sizeof(float)) != 0)
        set_mismatch(g, quant_info(w->type)->name, apart, err);
}

static void check_rows(const struct gpu_device *g, struct product_buffers *d,
                       const struct weight *host, const struct weight *device,
                       int n, struct err *err)
{
    size_t size = (size_t)n * (size_t)host->n_row;
    if (err_failed(err)) return;
    matmul(d->backend, d->pool, host, d->host_x, n, d->want, d->scratch);
    gpu_matmul(g->driver, &d->act, device, d->x, n, d->y, err);
    gpu_driver_get(g->driver, d->got, d->y, size * sizeof(float), err);
    compare_bits(g, d, host, size, err);
}

static void check_embed(const struct gpu_device *g, struct product_buffers *d,
                        const struct weight *host, const struct weight *device,
                        struct err *err)
{
    int32_t at[FEW] = {0, 1, 2};
    size_t row = (size_t)host->n_col;
    gpu_driver_upload(g->driver, d->at, at, sizeof at, err);
    gpu_matmul_embed(g->driver, device, d->at, d->at, FEW, d->y, err);
    gpu_driver_get(g->driver, d->got, d->y, FEW * row * sizeof(float), err);
    for (int i = 0; i < FEW; i++)
        matmul_weight_row(host, i, d->want + (size_t)i * row);
    compare_bits(g, d, host, FEW * row, err);
}

/* Compares products with the first rows of a weight. */
static void check_type(const struct gpu_device *g, const struct gpu_sample *s,
                       struct err *err)
{
    struct product_buffers d = {0};
    int n = s->host.n_row < ROWS ? s->host.n_row : ROWS;
    struct weight host = matmul_weight_slice(&s->host, 0, n);
    struct weight device = s->device;
    if (err_failed(err) || n < FEW) return;
    device.n_row = n;
    open_products(&d, g, host.n_col, err);
    check_rows(g, &d, &host, &device, FEW, err);
    check_rows(g, &d, &host, &device, MANY, err);
    if (!err_failed(err)) check_embed(g, &d, &host, &device, err);
    close_products(&d, g);
}

/* ---- an image and some text ---------------------------------------------------- */

struct device_pair { /* [0] the GPU, [1] the CPU */
    struct device *d[2];
    struct device_rows *seen[2];
    struct device_state *state[2];
    float logits[2][PICKED];
};

/* Number of layers that includes both kinds. */
static int layers_enough(const struct shape *s)
{
    bool kind[2] = {false, false};
    for (int l = 0; l < s->n_layer; l++) {
        kind[s->attends[l]] = true;
        if (kind[0] && kind[1]) return l + 1;
    }
    return s->n_layer;
}

static struct device_rows *encode_noise(struct device *d,
                                        const struct vision_shape *s,
                                        struct err *err)
{
    int side = IMAGE_SIDE * s->patch_size * s->merge_size;
    struct image page = image_new(side, side, 3, err);
    uint32_t seed = 7;
    if (err_failed(err)) return NULL;
    for (size_t i = 0; i < page.stride_bytes * (size_t)side; i++)
        page.data[i] = (uint8_t)(127 + (int)(noise(&seed) * 120));
    struct device_rows *r = device_encode_image(d, &page, err);
    image_free(&page);
    return r;
}

/* Both encode an image; both go on with the GPU's rows. */
static void check_image(const struct gpu_device *g, struct device_pair *c,
                        const struct vision_shape *eye, struct err *err)
{
    size_t n = (size_t)(IMAGE_SIDE * IMAGE_SIDE) * (size_t)g->base.n_embd;
    float *rows = mem_alloc(2 * n, sizeof *rows);
    struct device_rows *own = encode_noise(c->d[1], eye, err);
    c->seen[0] = encode_noise(c->d[0], eye, err);
    if (!err_failed(err)) device_rows_read(c->seen[0], rows, err);
    if (!err_failed(err)) device_rows_read(own, rows + n, err);
    compare(g, "an image", rows, rows + n, n, err);
    c->seen[1] = device_rows_new(c->d[1], rows, IMAGE_SIDE, IMAGE_SIDE, err);
    device_rows_free(own);
    mem_free(rows);
}

enum { PARTS = 3 };
static const int begin[PARTS + 1] = {0, PROMPT, PROMPT + TOKENS, TEXT};

/* Evaluates rows from .. to - 1 of a text, on device i. */
static void run_rows(struct device_pair *c, int i, const struct shape *s,
                     int text, int from, int to, struct err *err)
{
    int32_t token[PROMPT], pick[PICKED];
    struct position at[PROMPT];
    int n = to - from, part = from < PROMPT ? 0 : from < begin[2] ? 1 : 2;
    struct device_run run = {
        .state = c->state[i], .n = n, .token = token, .at = at};
    for (int t = 0; t < n; t++) {
        if (from + t == begin[part + 1]) part++;
        int in = from + t - begin[part];
        token[t] = ((from + t) * 37 + text * 1009) % s->n_vocab;
        at[t] = position_image(begin[part], in, in / 2);
    }
    for (int k = 0; k < PICKED; k++)
        pick[k] = (int32_t)((int64_t)k * s->n_vocab / PICKED);
    if (from == 0 && c->seen[i]) {
        run.picture = c->seen[i];
        run.picture_at = 2;
        run.n_picture = IMAGE_SIDE * IMAGE_SIDE;
    }
    device_forward(c->d[i], &run, 1, err);
    device_head_rows(c->d[i], &(struct device_place){c->state[i], 0}, 1, pick,
                     PICKED, c->logits[i], err);
}

/* Differences of logits for each part of a text. */
static void run_text(struct device_pair *c, const struct shape *s, int text,
                     double apart[PARTS], struct err *err)
{
    for (int i = 0; i < 2; i++)
        device_state_clear(c->state[i]);
    for (int part = 0; part < PARTS && !err_failed(err); part++) {
        for (int i = 0; i < 2; i++)
            run_rows(c, i, s, text, begin[part], begin[part + 1], err);
        apart[part] = apart_of(c->logits[0], c->logits[1], PICKED);
    }
}

/* If two experts score equally, a last bit decides which is used, and the rest
 * of the text follows from it: a model with experts can differ for some texts,
 * but not for all. */
static void check_text(const struct gpu_device *g, struct device_pair *c,
                       const struct shape *s, struct err *err)
{
    static const char *const what[] = {"a prompt", "a run", "a token"};
    double least[PARTS] = {0}, apart[PARTS];
    bool good = false;
    for (int i = 0; i < 2; i++)
        c->state[i] = device_state_new(c->d[i], err);
    for (int text = 0; text < (s->n_expert ? TRIES : 1) && !good; text++) {
        if (!err_failed(err)) run_text(c, s, text, apart, err);
        good = !err_failed(err);
        for (int k = 0; k < PARTS && !err_failed(err); k++) {
            if (text == 0 || isnan(apart[k]) || apart[k] < least[k])
                least[k] = apart[k];
            good &= least[k] <= APART_MAX;
        }
    }
    for (int k = 0; k < PARTS && !err_failed(err); k++)
        if (!(least[k] <= APART_MAX)) set_mismatch(g, what[k], least[k], err);
}

/* Fails unless a token alone has the bits that it has behind others of its run: its
 * kernels are others. */
static void check_token(const struct gpu_device *g, struct device_pair *c,
                        const struct shape *s, struct err *err)
{
    if (err_failed(err)) return;
    for (int i = 0; i < 2; i++) {
        device_state_clear(c->state[0]);
        run_rows(c, 0, s, 0, 0, PROMPT, err);
        if (i == 0) run_rows(c, 0, s, 0, PROMPT, PROMPT + TOKENS, err);
        run_rows(c, 0, s, 0, i == 0 ? PROMPT + TOKENS : PROMPT, TEXT, err);
        if (i == 0) memcpy(c->logits[1], c->logits[0], sizeof c->logits[0]);
    }
    if (!err_failed(err) &&
        memcmp(c->logits[0], c->logits[1], sizeof c->logits[0]) != 0)
        set_mismatch(g, "a token alone",
                     apart_of(c->logits[0], c->logits[1], PICKED), err);
}

/* The CPU, with only the memory needed here. */
static struct device *open_cpu(const struct device_model *m,
                               const struct device_options *o, struct err *err)
{
    const struct device_options few = {.n_ctx = TEXT,
                                       .n_ubatch = PROMPT,
                                       .n_run_max = 1,
                                       .n_thread = o->n_thread,
                                       .features = o->features,
                                       .kv = o->kv};
    return device_open(&cpu_device_api, m, &few, err);
}

static void check_both(struct gpu_device *g, const struct device_model *m,
                       const struct device_options *o, struct err *err)
{
    struct device_pair c = {.d = {&g->base, open_cpu(m, o, err)}};
    if (!err_failed(err) && m->vision_weights)
        check_image(g, &c, m->vision_shape, err);
    if (!err_failed(err)) check_text(g, &c, m->shape, err);
    check_token(g, &c, m->shape, err);
    for (int i = 0; i < 2; i++) {
        device_state_free(c.state[i]);
        device_rows_free(c.seen[i]);
    }
    device_close(c.d[1]);
}

/* Compares the first layers of the model, and one block of its vision
 * encoder. */
static void check_layers(struct gpu_device *g, const struct device_model *m,
                         const struct device_options *o, struct err *err)
{
    struct arena *arena = arena_new();
    struct shape *shape = arena_alloc(arena, sizeof *shape);
    struct vision_shape *eye = arena_alloc(arena, sizeof *eye);
    const struct shape *all = g->shape;
    const struct vision_shape *whole_eye = g->vision_shape;
    struct device_model few = *m;
    *shape = *all;
    shape->n_layer = layers_enough(all);
    shape->n_draft = 0;
    few.shape = g->shape = shape;
    if (whole_eye) {
        *eye = *whole_eye;
        eye->n_layer = 1;
        few.vision_shape = g->vision_shape = eye;
    }
    check_both(g, &few, o, err);
    gpu_text_forget(g); /* recorded with some layers only */
    g->shape = all;
    g->vision_shape = whole_eye;
    arena_free(arena);
}

void gpu_check(struct gpu_device *g, const struct device_model *model,
               const struct device_options *options,
               const struct gpu_samples *samples, struct err *err)
{
    if (err_failed(err)) return;
    for (int i = 0; i < samples->n; i++)
        check_type(g, &samples->sample[i], err);
    if (!err_failed(err) && g->base.n_row_max >= PROMPT &&
        g->base.n_ctx >= TEXT)
        check_layers(g, model, options, err);
}
