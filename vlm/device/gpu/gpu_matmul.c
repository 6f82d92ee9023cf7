/* gpu_matmul.c - see gpu_matmul.h. */
#include "vlm/device/gpu/gpu_matmul.h"

#include <assert.h>
#include <string.h>

#define FORM(type, X, ...) \
    static const struct gpu_form form_##type = {__VA_ARGS__};
GPU_QUANTS(FORM, 0)

/* The kernels of a type: of products the first instance, behind which are the
 * others. gpu_norm, number 0, means none. */
struct gpu_kind {
    enum gpu_kernel product, embed;
    const struct gpu_form *form; /* NULL: rows as in the file */
    int half; /* of GPU_CODES: where the number in F16 of a block of the file is,
               * behind it that of minima */
};

#define KIND(type, half)                                                     \
    {                                                                        \
        GPU_KERNEL_gpu_product_##type##_r64t64, GPU_KERNEL_gpu_embed_##type, \
            &form_##type, half                                               \
    }
#define FLOAT_KIND(type)                                                   \
    {                                                                      \
        GPU_KERNEL_gpu_float_##type##_r32t32, GPU_KERNEL_gpu_embed_##type, \
            NULL, 0                                                        \
    }
static const struct gpu_kind kinds[QUANT_NVFP4 + 1] = {
    [QUANT_Q4_0] = KIND(q4_0, 0),        [QUANT_Q4_1] = KIND(q4_1, 0),
    [QUANT_Q5_0] = KIND(q5_0, 0),        [QUANT_Q5_1] = KIND(q5_1, 0),
    [QUANT_Q8_0] = KIND(q8_0, 0),        [QUANT_Q2_K] = KIND(q2_k, 80),
    [QUANT_Q3_K] = KIND(q3_k, 108),      [QUANT_Q4_K] = KIND(q4_k, 0),
    [QUANT_Q5_K] = KIND(q5_k, 0),        [QUANT_Q6_K] = KIND(q6_k, 208),
    [QUANT_IQ4_NL] = KIND(iq4_nl, 0),    [QUANT_IQ4_XS] = KIND(iq4_xs, 0),
    [QUANT_MXFP4] = KIND(mxfp4, 0),      [QUANT_NVFP4] = KIND(nvfp4, 0),
    [QUANT_IQ2_XS] = KIND(spread16, 0),  [QUANT_IQ2_S] = KIND(spread16, 0),
    [QUANT_IQ1_M] = KIND(spread16, 0),   [QUANT_IQ2_XXS] = KIND(spread32, 0),
    [QUANT_IQ3_XXS] = KIND(spread32, 0), [QUANT_IQ3_S] = KIND(spread32, 0),
    [QUANT_IQ1_S] = KIND(spread32, 0),   [QUANT_TQ1_0] = KIND(spread32, 0),
    [QUANT_TQ2_0] = KIND(spread32, 0),   [QUANT_F32] = FLOAT_KIND(f32),
    [QUANT_F16] = FLOAT_KIND(f16),       [QUANT_BF16] = FLOAT_KIND(bf16),
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

/* ---- layout of rows (gpu_args.h) ------------------------------------------------- */

static const struct gpu_form *form_of(const struct weight *w)
{
    return w->type <= QUANT_NVFP4 ? kinds[w->type].form : NULL;
}

/* Bytes of scales and minima of a piece. */
static size_t head_bytes(const struct gpu_form *f)
{
    return (size_t)(f->head * (32 / f->sub) * (1 + f->has_min));
}

/* Where, behind the pieces of a row, the numbers in F16 of GPU_CODES begin. */
static size_t piece_bytes(const struct gpu_form *f, int n_col)
{
    return (size_t)(n_col / 32) * (4 * (size_t)f->bits + head_bytes(f));
}

size_t gpu_matmul_pitch(const struct weight *w)
{
    const struct gpu_form *f = form_of(w);
    size_t size =
        f ? piece_bytes(f, w->n_col) : quant_row_bytes(w->type, w->n_col);
    if (f && f->head == GPU_CODES)
        size += (size_t)(w->n_col / 256 * 2 * (1 + f->has_min));
    return (size + 15) / 16 * 16;
}

/* Piece p of n: the planes of 32 codes. */
static void put_codes(const struct gpu_form *f, uint8_t *row, size_t n,
                      size_t p, const uint8_t code[32])
{
    uint32_t c[8], word[8] = {0};
    size_t bits = (size_t)f->bits, high = bits / 2 * 2; /* words before bits' */
    memcpy(c, code, sizeof c);
    if (bits == 8) {
        memcpy(row + 32 * p, c, sizeof c);
        return;
    }
    for (int j = 0; j < 8; j++) {
        uint32_t pair = bits == 6 ? c[j] >> 4 : c[j];
        if (bits >= 4) word[j % 4] |= (c[j] & 0x0f0f0f0f) << 4 * (j / 4);
        if (bits == 6 || bits < 4)
            word[high - 2 + (size_t)j / 4] |= (pair & 0x03030303)
                                              << 2 * (j % 4);
        if (bits % 2) word[high] |= (c[j] >> high & 0x01010101) << j;
    }
    if (bits >= 4) memcpy(row + 16 * p, word, 16);
    if (bits == 6) memcpy(row + 16 * n + 8 * p, word + 4, 8);
    if (bits < 4) memcpy(row + 8 * p, word, 8);
    if (bits % 2) memcpy(row + 4 * (high * n + p), word + high, 4);
}

/* Its n_number scales or minima. */
static void put_heads(const struct gpu_form *f, uint8_t *to,
                      const float *number)
{
    for (int i = 0; i < 32 / f->sub; i++) {
        int8_t code = (int8_t)(f->head == GPU_CODES ? number[i] : 0);
        uint16_t half = quant_f32_to_f16(number[i]);
        const void *from = f->head == GPU_CODES    ? (const void *)&code
                           : f->head == GPU_HALVES ? (const void *)&half
                                                   : &number[i];
        memcpy(to + i * f->head, from, (size_t)f->head);
    }
}

/* The codes of n values; each[]: of every value. */
static void code_values(const struct gpu_form *f, const uint8_t each[256],
                        const int8_t *q, int n, uint8_t *code)
{
    for (int i = 0; i < n && f->less < 0; i++)
        code[i] = each[(uint8_t)q[i]];
    for (int i = 0; i < n && f->less >= 0; i++)
        code[i] = (uint8_t)(q[i] + f->less);
}

/* Splits a block of the file; of GPU_CODES, whose numbers in F16 come to half[], scales
 * and minima are the codes. */
static void split(const struct gpu_kind *kind, enum quant_type type,
                  const uint8_t *from, int8_t *q, float *scale, float *min,
                  uint8_t half[4])
{
    static const uint8_t one[] = {0x00, 0x3c, 0x00, 0xbc}; /* 1, -1 */
    uint8_t block[QUANT_BLOCK_MAX];
    size_t n = kind->form->has_min ? 4 : 2;
    if (kind->form->head != GPU_CODES) {
        quant_split(type, from, q, scale, min);
        return;
    }
    memcpy(block, from, (size_t)quant_info(type)->bytes);
    memcpy(half, block + kind->half, n);
    memcpy(block + kind->half, one, n);
    quant_split(type, block, q, scale, min);
}

static void lay_row(enum quant_type type, const uint8_t *from, int n_col,
                    uint8_t *row)
{
    const struct gpu_kind *kind = &kinds[type];
    const struct gpu_form *f = kind->form;
    const int8_t *table =
        f->less == GPU_IQ4 ? quant_iq4_value : quant_fp4_value;
    size_t n = (size_t)n_col / 32, head = head_bytes(f), p = 0;
    int block = quant_info(type)->block;
    uint8_t each[256], *halves = row + piece_bytes(f, n_col);
    for (int i = 15; i >= 0; i--)
        each[(uint8_t)table[i]] = (uint8_t)i;
    for (int k = 0; k < n_col; k += block, from += quant_info(type)->bytes) {
        int8_t q[QUANT_BLOCK_MAX];
        uint8_t code[QUANT_BLOCK_MAX], half[4];
        float scale[QUANT_SUB_MAX], min[QUANT_SUB_MAX];
        split(kind, type, from, q, scale, min, half);
        code_values(f, each, q, block, code);
        for (int i = 0; i < block / 32; i++, p++) {
            uint8_t *to = row + 4 * (size_t)f->bits * n + head * p;
            put_codes(f, row, n, p, code + 32 * i);
            put_heads(f, to, scale + i * (32 / f->sub));
            if (f->has_min)
                put_heads(f, to + head / 2, min + i * (32 / f->sub));
        }
        if (f->head != GPU_CODES) continue;
        size_t size = f->has_min ? 4 : 2;
        memcpy(halves + size * (size_t)(k / block), half, size);
    }
}

void gpu_matmul_layout(const struct weight *w, int row, void *to)
{
    size_t size = quant_row_bytes(w->type, w->n_col);
    const uint8_t *from = (const uint8_t *)w->raw + (size_t)row * size;
    if (form_of(w))
        lay_row(w->type, from, w->n_col, to);
    else
        memcpy(to, from, size);
}

/* ---- activations ------------------------------------------------------------------ */

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
