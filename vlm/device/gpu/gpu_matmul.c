/* gpu_matmul.c - see gpu_matmul.h. */
#include "vlm/device/gpu/gpu_matmul.h"

#include <assert.h>
#include <string.h>

/* The kernels of a type: of products the first instance, behind which are the
 * others. gpu_norm, number 0, means none. */
struct gpu_kind {
    enum gpu_kernel product, embed;
    bool spread; /* the layout of rows differs from the file's */
};

#define KERNELS(product, type, spread)                                \
    {                                                                 \
        GPU_KERNEL_gpu_##product, GPU_KERNEL_gpu_embed_##type, spread \
    }
#define QUANT_KIND(type)  KERNELS(product_##type##_r64t64, type, false)
#define SPREAD_KIND(type) KERNELS(product_##type##_r64t64, type, true)
#define FLOAT_KIND(type)  KERNELS(float_##type##_r32t32, type, false)
static const struct gpu_kind kinds[QUANT_NVFP4 + 1] = {
    [QUANT_Q4_0] = QUANT_KIND(q4_0),
    [QUANT_Q4_1] = QUANT_KIND(q4_1),
    [QUANT_Q5_0] = QUANT_KIND(q5_0),
    [QUANT_Q5_1] = QUANT_KIND(q5_1),
    [QUANT_Q8_0] = QUANT_KIND(q8_0),
    [QUANT_Q2_K] = QUANT_KIND(q2_k),
    [QUANT_Q3_K] = QUANT_KIND(q3_k),
    [QUANT_Q4_K] = QUANT_KIND(q4_k),
    [QUANT_Q5_K] = QUANT_KIND(q5_k),
    [QUANT_Q6_K] = QUANT_KIND(q6_k),
    [QUANT_IQ4_NL] = QUANT_KIND(iq4_nl),
    [QUANT_IQ4_XS] = QUANT_KIND(iq4_xs),
    [QUANT_MXFP4] = QUANT_KIND(mxfp4),
    [QUANT_NVFP4] = QUANT_KIND(nvfp4),
    [QUANT_IQ2_XS] = SPREAD_KIND(spread16),
    [QUANT_IQ2_S] = SPREAD_KIND(spread16),
    [QUANT_IQ1_M] = SPREAD_KIND(spread16),
    [QUANT_IQ2_XXS] = SPREAD_KIND(spread32),
    [QUANT_IQ3_XXS] = SPREAD_KIND(spread32),
    [QUANT_IQ3_S] = SPREAD_KIND(spread32),
    [QUANT_IQ1_S] = SPREAD_KIND(spread32),
    [QUANT_TQ1_0] = SPREAD_KIND(spread32),
    [QUANT_TQ2_0] = SPREAD_KIND(spread32),
    [QUANT_F32] = FLOAT_KIND(f32),
    [QUANT_F16] = FLOAT_KIND(f16),
    [QUANT_BF16] = FLOAT_KIND(bf16),
};

bool gpu_matmul_knows(enum quant_type type)
{
    return type <= QUANT_NVFP4 && kinds[type].product != GPU_KERNEL_gpu_norm;
}

void gpu_matmul_unused(const bool types[QUANT_NVFP4 + 1], bool *without)
{
    for (int k = GPU_KERNEL_gpu_product_q4_0_r64t64; k < GPU_N_KERNEL; k++)
        without[k] = true;
    for (int t = 0; t <= QUANT_NVFP4; t++)
        if (types[t] && gpu_matmul_knows((enum quant_type)t))
            for (int k = (int)kinds[t].product; k <= (int)kinds[t].embed; k++)
                without[k] = false;
}

bool gpu_matmul_spreads(enum quant_type type)
{
    return type <= QUANT_NVFP4 && kinds[type].spread;
}

/* Size of a block of 256: its bytes, then its scales. */
static size_t spread_bytes(enum quant_type type)
{
    int n_scale = QUANT_BLOCK_MAX / quant_form(type).sub;
    return QUANT_BLOCK_MAX + (size_t)n_scale * sizeof(float);
}

size_t gpu_matmul_pitch(const struct weight *w)
{
    if (gpu_matmul_spreads(w->type))
        return (size_t)(w->n_col / QUANT_BLOCK_MAX) * spread_bytes(w->type);
    return (quant_row_bytes(w->type, w->n_col) + 15) / 16 * 16;
}

void gpu_matmul_layout(const struct weight *w, int row, void *to)
{
    size_t size = quant_row_bytes(w->type, w->n_col);
    const uint8_t *from = (const uint8_t *)w->raw + (size_t)row * size;
    if (!gpu_matmul_spreads(w->type)) {
        memcpy(to, from, size);
        return;
    }
    size_t block = (size_t)quant_info(w->type)->bytes;
    size_t spread = spread_bytes(w->type);
    for (int i = 0; i < w->n_col / QUANT_BLOCK_MAX; i++) {
        float scale[QUANT_SUB_MAX], min[QUANT_SUB_MAX];
        char *at = (char *)to + (size_t)i * spread;
        quant_split(w->type, from + (size_t)i * block, (int8_t *)at, scale,
                    min);
        memcpy(at + QUANT_BLOCK_MAX, scale, spread - QUANT_BLOCK_MAX);
    }
}

void gpu_matmul_plan(struct gpu_act *act, struct gpu_arena *arena, int n,
                     int n_col)
{
    size_t size = (size_t)n * (size_t)n_col;
    act->q = gpu_arena_part(arena, size, 1);
    act->d = gpu_arena_part(arena, size / 32 + 1, sizeof *act->d);
    act->sum = gpu_arena_part(arena, size / 16 + 1, sizeof *act->sum);
}

static struct gpu_matrix matrix_of(const struct weight *w)
{
    return (struct gpu_matrix){w->raw, (int64_t)gpu_matmul_pitch(w), w->n_row,
                               w->n_col, w->scale};
}

struct gpu_bytes gpu_matmul_bytes(const struct gpu_act *act,
                                  const struct weight *w)
{
    return (struct gpu_bytes){act->q, act->d, act->sum,
                              quant_form(w->type).act};
}

static void round_rows(struct gpu_driver *g, const struct gpu_act *act,
                       const float *x, int n, int n_col, int per,
                       struct err *err)
{
    struct gpu_round_args a = {
        x, {act->q, act->d, act->sum, per}, n * (n_col / per)};
    gpu_driver_launch(g, GPU_KERNEL_gpu_round, &a,
                      (a.n_block + GPU_WARPS - 1) / GPU_WARPS, 1, 1, err);
}

/* ---- instances ----------------------------------------------------------------- */

#define PRODUCT(type, X, name, tokens) {#name, GPU_PRODUCT, GPU_TILE, tokens},
#define DIRECT(type, X, name, rows, tokens, ...) \
    {#name, GPU_DIRECT, rows, tokens},
#define FLOAT(type, X, name, rows, tokens, ...) \
    {#name, GPU_FLOAT, rows, tokens},
const struct gpu_instance gpu_matmul_instance[GPU_INSTANCES] = {GPU_PRODUCTS(
    PRODUCT, 0, 0) GPU_DIRECTS(DIRECT, 0, 0) GPU_FLOAT_TILES(FLOAT, 0, 0)};

bool gpu_matmul_serves(int instance, enum quant_type type)
{
    bool floats = gpu_matmul_instance[instance].family == GPU_FLOAT;
    return gpu_matmul_knows(type) && floats == !quant_form(type).act;
}

int gpu_matmul_first(enum quant_type type, int n)
{
    bool few = n <= GPU_DIRECT_MOST;
    if (!quant_form(type).act)
        return few ? GPU_INSTANCE_float_r8t16 : GPU_INSTANCE_float_r32t32;
    return few ? GPU_INSTANCE_direct_r16t8w1 : GPU_INSTANCE_product_r64t64;
}

static const int class_most[GPU_CLASSES] = {1, 4, 8, 16, 32, 64, 512};

int gpu_matmul_class(int n)
{
    int c = 0;
    while (c < GPU_CLASSES - 1 && n > class_most[c])
        c++;
    return c;
}

int gpu_matmul_class_rows(int class)
{
    return class_most[class];
}

struct gpu_choice *gpu_matmul_choice(const struct gpu_act *act,
                                     enum quant_type type, int n_row, int n_col)
{
    for (struct gpu_choice *c = act->choices; c; c = c->next)
        if (c->type == type && c->n_row == n_row && c->n_col == n_col) return c;
    return NULL;
}

/* Rows of all weights of a launch. */
static int rows_of(const struct gpu_product_args *a)
{
    int rows = a->n_row;
    for (int i = 0; i < GPU_PARTS - 1; i++)
        rows += a->part[i].w.n_row;
    return rows;
}

/* The chosen instance; picked rows and experts' have the first ones. */
static int instance_of(const struct gpu_act *act, enum quant_type type,
                       const struct gpu_product_args *a)
{
    const struct gpu_choice *c = NULL;
    if (!a->pick && !a->by.first)
        c = gpu_matmul_choice(act, type, rows_of(a), a->w.n_col);
    return c ? c->best[gpu_matmul_class(a->n)] : gpu_matmul_first(type, a->n);
}

static void launch_instance(struct gpu_driver *g, enum quant_type type,
                            int instance, const struct gpu_product_args *a,
                            int n_expert, struct err *err)
{
    const struct gpu_instance *i = &gpu_matmul_instance[instance];
    struct gpu_product_args own = *a;
    int number = instance;
    if (i->family == GPU_FLOAT) number -= GPU_INSTANCE_float_r32t32;
    int blocks = (a->n_row + i->rows - 1) / i->rows;
    for (int k = 0; k < GPU_PARTS - 1; k++)
        blocks += (a->part[k].w.n_row + i->rows - 1) / i->rows;
    own.after.n = a->after.norm.w ? blocks : 2 * a->after.gate.to.act / i->rows;
    assert(!a->after.count || i->family == GPU_DIRECT);
    gpu_driver_launch(g, kinds[type].product + (unsigned)number, &own, blocks,
                      (a->n + i->tokens - 1) / i->tokens, n_expert, err);
}

static void launch(struct gpu_driver *g, const struct gpu_act *act,
                   const struct weight *w, const struct gpu_product_args *a,
                   int n_expert, struct err *err)
{
    launch_instance(g, w->type, instance_of(act, w->type, a), a, n_expert, err);
}

/* Arguments for n rows of x, rounded if the type needs it. */
static struct gpu_product_args args_of(const struct gpu_act *act,
                                       const struct weight *w, const float *x,
                                       int n, float *y, int n_row)
{
    return (struct gpu_product_args){.w = matrix_of(w),
                                     .n_row = n_row,
                                     .q = act->q,
                                     .d = act->d,
                                     .sum = act->sum,
                                     .x = x,
                                     .n = n,
                                     .y = y,
                                     .y_stride = n_row};
}

/* The same for several weights. */
static struct gpu_product_args args_of_alike(const struct gpu_act *act,
                                             const struct gpu_alike *w,
                                             const float *x, int n)
{
    struct gpu_product_args a =
        args_of(act, w->w[0], x, n, w->y[0], w->w[0]->n_row);
    for (int i = 1; i < w->n; i++)
        a.part[i - 1] = (struct gpu_part){matrix_of(w->w[i]), w->y[i]};
    return a;
}

struct gpu_alike gpu_matmul_alike(const struct weight *const *w, int n_weight,
                                  float *const *y, bool *done)
{
    struct gpu_alike some = {0};
    for (int i = 0; i < n_weight; i++) {
        if (done[i] || (some.n && w[i]->type != some.w[0]->type)) continue;
        some.w[some.n] = w[i];
        some.y[some.n++] = y[i];
        done[i] = true;
    }
    return some;
}

void gpu_matmul_many(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *const *w, int n_weight,
                     const float *x, int n, bool in_bytes, float *const *y,
                     struct err *err)
{
    if (err_failed(err)) return;
    bool done[GPU_PARTS] = {false};
    int rounded = in_bytes ? quant_form(w[0]->type).act : 0;
    struct gpu_alike some = gpu_matmul_alike(w, n_weight, y, done);
    for (; some.n && !err_failed(err);
         some = gpu_matmul_alike(w, n_weight, y, done)) {
        int per = quant_form(some.w[0]->type).act;
        struct gpu_product_args a = args_of_alike(act, &some, x, n);
        if (per && per != rounded)
            round_rows(g, act, x, n, some.w[0]->n_col, rounded = per, err);
        launch(g, act, some.w[0], &a, 1, err);
    }
}

void gpu_matmul(struct gpu_driver *g, const struct gpu_act *act,
                const struct weight *w, const float *x, int n, float *y,
                struct err *err)
{
    gpu_matmul_many(g, act, &w, 1, x, n, false, &y, err);
}

void gpu_matmul_gate(struct gpu_driver *g, const struct gpu_act *act, float *x,
                     const float *y, int n, const struct weight *w,
                     struct err *err)
{
    if (err_failed(err)) return;
    struct gpu_pair_args a = {x, y, n, gpu_matmul_bytes(act, w)};
    int each = a.to.act ? GPU_WARPS * a.to.act : GPU_THREADS;
    gpu_driver_launch(g, GPU_KERNEL_gpu_silu_mul, &a, (n + each - 1) / each, 1,
                      1, err);
}

void gpu_matmul_onto(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *w, const float *x, int n,
                     bool in_bytes, float *y, const struct gpu_norm_args *norm,
                     uint32_t *count, struct err *err)
{
    if (err_failed(err)) return;
    int per = quant_form(w->type).act;
    struct gpu_product_args a = args_of(act, w, x, n, y, w->n_row);
    bool at_once = norm && per && n == 1;
    a.adds = true;
    if (at_once) a.after = (struct gpu_after){.count = count, .norm = *norm};
    if (per && !in_bytes) round_rows(g, act, x, n, w->n_col, per, err);
    launch(g, act, w, &a, 1, err);
    if (norm && !at_once)
        gpu_driver_launch(g, GPU_KERNEL_gpu_norm, norm, n, 1, 1, err);
}

bool gpu_matmul_gated(struct gpu_driver *g, const struct gpu_act *act,
                      const struct weight *const *w, const float *x,
                      float *const *y, struct gpu_bytes to, uint32_t *count,
                      struct err *err)
{
    if (err_failed(err)) return true;
    if (w[0]->type != w[1]->type || !quant_form(w[0]->type).act || !to.act ||
        w[0]->n_row % to.act)
        return false;
    struct gpu_alike both = {2, {w[0], w[1]}, {y[0], y[1]}};
    struct gpu_product_args a = args_of_alike(act, &both, x, 1);
    a.after = (struct gpu_after){.count = count,
                                 .gate = {y[0], y[1], w[0]->n_row, to}};
    launch(g, act, w[0], &a, 1, err);
    return true;
}

void gpu_matmul_round(struct gpu_driver *g, const struct gpu_act *act,
                      const struct weight *w, const float *x, int n,
                      struct err *err)
{
    if (err_failed(err)) return;
    int per = quant_form(w->type).act;
    if (per) round_rows(g, act, x, n, w->n_col, per, err);
}

void gpu_matmul_by(struct gpu_driver *g, const struct gpu_act *act,
                   const struct gpu_alike *w, int instance, const float *x,
                   int n, struct err *err)
{
    if (err_failed(err)) return;
    struct gpu_product_args a = args_of_alike(act, w, x, n);
    launch_instance(g, w->w[0]->type, instance, &a, 1, err);
}

void gpu_matmul_f16(struct gpu_driver *g, const struct gpu_act *act,
                    const struct weight *w, const float *x, int n, float *y,
                    struct err *err)
{
    if (err_failed(err)) return;
    struct gpu_product_args a = args_of(act, w, x, n, y, w->n_row);
    if (w->type != QUANT_F16 && w->type != QUANT_BF16) {
        gpu_matmul(g, act, w, x, n, y, err);
        return;
    }
    gpu_driver_launch(g,
                      w->type == QUANT_F16 ? GPU_KERNEL_gpu_half_f16
                                           : GPU_KERNEL_gpu_half_bf16,
                      &a, (a.n_row + GPU_TILE - 1) / GPU_TILE,
                      (n + GPU_TILE - 1) / GPU_TILE, 1, err);
}

void gpu_matmul_experts(struct gpu_driver *g, const struct gpu_act *act,
                        const struct weight *w, const struct gpu_by_expert *by,
                        int n_expert, int n_row, const float *x, int n_x, int n,
                        float *y, struct err *err)
{
    if (err_failed(err)) return;
    int per = quant_form(w->type).act;
    struct gpu_product_args a = args_of(act, w, x, n, y, n_row);
    a.by = *by;
    if (per && n_x) round_rows(g, act, x, n_x, w->n_col, per, err);
    launch(g, act, w, &a, n_expert, err);
}

void gpu_matmul_rows(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *w, const int32_t *pick, int n_pick,
                     const float *x, int n, float *y, struct err *err)
{
    if (err_failed(err)) return;
    struct gpu_product_args a = args_of(act, w, x, n, y, n_pick);
    a.pick = pick;
    launch(g, act, w, &a, 1, err);
}

void gpu_matmul_embed(struct gpu_driver *g, const struct weight *w,
                      const int32_t *token, const int32_t *at, int n, float *x,
                      struct err *err)
{
    if (err_failed(err)) return;
    struct gpu_embed_args a = {matrix_of(w), token, at, x};
    gpu_driver_launch(g, kinds[w->type].embed, &a, n, 1, 1, err);
}
