/* work.c - see work.h. Bytes: each input read once and each output written once, as if
 * a cache held all in between; arguments and lists of sequences are not counted.
 * Operations: each addition, multiplication, division, root, exponential and comparison
 * is one, a multiplication with its sum two; what a kernel computes again is not
 * counted again. */
#include "tests/gpu/work.h"

#include <string.h>

/* ---- types of weights ----------------------------------------------------------- */

/* Bytes of a number, activations per scale (0: floats), whether sums are read. */
struct form {
    double bytes, act, sums;
};

/* As laid out on the device (struct gpu_form). */
#define BYTES(bits, head, sub, has_min)          \
    (bits / 8.0 + head * (1.0 + has_min) / sub + \
     (head == GPU_CODES ? 2 * (1.0 + has_min) / 256 : 0))

static const struct form forms[GPU_WORK_KERNELS] = {
#define QUANT(type, X, bits, less, head, sub, act, has_min) \
    OF_TYPE(type, BYTES(bits, head, sub, has_min), act, has_min)
#define OF_TYPE(type, ...)                        \
    GPU_PRODUCTS(OF_PRODUCT, type, (__VA_ARGS__)) \
    GPU_DIRECTS(OF_DIRECT, type, (__VA_ARGS__))   \
    [GPU_WORK_gpu_embed_##type] = {__VA_ARGS__},
#define OF_PRODUCT(type, X, name, ...) \
    [GPU_WORK_gpu_product_##type##_##name] = {LIST X},
#define OF_DIRECT(type, X, name, ...) \
    [GPU_WORK_gpu_direct_##type##_##name] = {LIST X},
#define LIST(...) __VA_ARGS__
#define FLOAT(type, X)                 \
    GPU_FLOAT_TILES(OF_FLOAT, type, X) \
    [GPU_WORK_gpu_embed_##type] = {SIZE_##type},
#define OF_FLOAT(type, X, name, ...) \
    [GPU_WORK_gpu_float_##type##_##name] = {SIZE_##type},
#define SIZE_f32  4
#define SIZE_f16  2
#define SIZE_bf16 2
    GPU_QUANTS(QUANT, X) GPU_FLOATS(FLOAT, X)[GPU_WORK_gpu_half_f16] = {2},
    [GPU_WORK_gpu_half_bf16] = {2},
#undef QUANT
#undef FLOAT
};

/* ---- formulas ------------------------------------------------------------------- */

#define GPU_FORMULAS(X)                                                      \
    X(gpu_norm, 8 * n * col + 4 * col + (5 + scales) * more * n * col,       \
      (4 + 4 * more) * n * col)                                              \
    X(gpu_round, 5 * n * col + scales * n * col, 4 * n * col)                \
    X(gpu_add, 12 * n, n)                                                    \
    X(gpu_silu_mul, 12 * n + (1 + scales) * more * n, (5 + 4 * more) * n)    \
    X(gpu_take_rows, 8 * n * col, 0)                                         \
    X(gpu_keep_rows, 8 * n * col, 0)                                         \
    X(gpu_patch, 4 * n * col + n * col / 3 * pixel, 2 * n * col)             \
    X(gpu_place, 8 * n * col + 4 * col + 4 * side * col, 9 * n * col)        \
    X(gpu_centre, 8 * n * col + 8 * col, 8 * n * col)                        \
    X(gpu_bias, 8 * n * col + 4 * more * n * col + 4 * col,                  \
      n * col * (1 + more + bend))                                           \
    X(gpu_turn, 18 * n * h * dim + 12 * h * dim, 12 * n * h * dim)           \
    X(gpu_see, 10 * n * h * dim, n * n * h * (4 * dim + 4))                  \
    X(gpu_attend_ready,                                                      \
      8 * n * (h + kv) * dim + 2 * n * kv * kept + 4 * n * turned + 8 * dim, \
      n * (h + kv) * (5 * dim + 3 * turned))                                 \
    X(gpu_attend,                                                            \
      2 * keys * kv * kept + 4 * n * h * dim + 4 * parts * h * (dim + 2),    \
      pairs * h * (4 * dim + 4))                                             \
    X(gpu_attend_scores, 4 * n * h * dim + keys * kv * kept + 4 * pairs * h, \
      2 * pairs * h * dim)                                                   \
    X(gpu_attend_values,                                                     \
      4 * pairs * h + keys * kv * kept + 4 * parts * h * (dim + 2),          \
      pairs * h * (2 * dim + 4))                                             \
    X(gpu_attend_join,                                                       \
      4 * parts * h * (dim + 2) + (8 + (5 + scales) * more) * n * h * dim,   \
      (3 * parts + (6 + 4 * more) * n) * h * dim)                            \
    X(gpu_delta_ready,                                                       \
      8 * n * col + 4 * tail * col + 4 * tap * col + 16 * n * h + 8 * h,     \
      n * col * (2 * tap + 4) + 6 * n * kv * dim + 8 * n * h)                \
    X(gpu_delta_pairs,                                                       \
      8 * chunk * kv * dim + 8 * chunk * h + 8 * (chunk2 + chunk) * h,       \
      4 * chunk2 * h * dim)                                                  \
    X(gpu_delta,                                                             \
      8 * runs * h * dim * dim + 4 * n * (col + h * dim) + 4 * n * h +       \
          4 * (n - chunk) * h + 8 * (chunk2 + chunk) * h + 8 * tail * col,   \
      h * dim * (6 * dim * chunk + 2 * chunk2 + 7 * dim * (n - chunk)))      \
    X(gpu_delta_gate, (12 + (1 + scales) * more) * n * h * dim + 4 * dim,    \
      (9 + 4 * more) * n * h * dim)                                          \
    X(gpu_delta_token,                                                       \
      8 * runs * h * dim * dim + 8 * n * col + 4 * tail * col +              \
          4 * tap * col + 8 * n * h + 8 * h +                                \
          (8 + (5 + scales) * more) * n * h * dim + 4 * dim,                 \
      n * col * (2 * tap + 4) + 6 * n * kv * dim + 8 * n * h +               \
          n * h * dim * (7 * dim + 9 + 4 * more))                            \
    X(gpu_route, 4 * n * experts + 8 * n * used, n * experts * (4 + used))   \
    X(gpu_group, 12 * pairs + 4 * experts, 2 * pairs * experts)              \
    X(gpu_experts_join,                                                      \
      4 * n * (used + 1 + adds) * col + 4 * n * used +                       \
          more * (8 * n * col + 4 * col),                                    \
      n * col * (2 * used + adds + 4 * more))                                \
    X(gpu_half_f16, 4 * n * row + row * bytes + 4 * n * col,                 \
      2 * n * row * col)                                                     \
    X(gpu_half_bf16, 4 * n * row + row * bytes + 4 * n * col,                \
      2 * n * row * col)                                                     \
    GPU_QUANTS(GPU_QUANT_FORMULAS, X)                                        \
    GPU_FLOATS(GPU_FLOAT_FORMULAS, X)
#define GPU_QUANT_FORMULAS(type, X, ...)       \
    GPU_PRODUCTS(GPU_PRODUCT_FORMULA, type, X) \
    GPU_DIRECTS(GPU_DIRECT_FORMULA, type, X)   \
    X(gpu_embed_##type, 4 * n * col + n * bytes, 2 * n * col)
#define GPU_PRODUCT_FORMULA(type, X, name, ...)       \
    X(gpu_product_##type##_##name,                    \
      4 * (1 + more) * n * row + some * row * bytes + \
          (1 + scales) * apart * col,                 \
      2 * n * row * col)
#define GPU_DIRECT_FORMULA(type, X, name, ...)        \
    X(gpu_direct_##type##_##name,                     \
      4 * (1 + more) * n * row + some * row * bytes + \
          (1 + scales) * apart * col + after,         \
      2 * n * row * col + then)
#define GPU_FLOAT_FORMULAS(type, X)             \
    GPU_FLOAT_TILES(GPU_FLOAT_FORMULA, type, X) \
    X(gpu_embed_##type, 4 * n * col + n * bytes, n * col)
#define GPU_FLOAT_FORMULA(type, X, name, ...)                          \
    X(gpu_float_##type##_##name,                                       \
      4 * (1 + more) * n * row + some * row * bytes + 4 * apart * col, \
      2 * n * row * col)

#define CASE(name, moved, computed) \
    case GPU_WORK_##name: return (struct gpu_work){moved, computed};
struct gpu_work gpu_work_of(int kernel, const struct gpu_sizes *sizes)
{
#define SIZE(name, text) const double name = sizes->name;
    GPU_SIZES(SIZE)
#undef SIZE
    switch (kernel) {
        GPU_FORMULAS(CASE)
    default: return (struct gpu_work){0, 0};
    }
}

struct gpu_work_text gpu_work_text(int kernel)
{
    static const struct gpu_work_text text[GPU_WORK_KERNELS] = {
#define TEXT(name, moved, computed) \
    [GPU_WORK_##name] = {#name, #moved, #computed},
        GPU_FORMULAS(TEXT)
#undef TEXT
    };
    return text[kernel];
}

/* ---- sizes ---------------------------------------------------------------------- */

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* What is written of scales and sums for each byte; `more` with bytes. */
static struct gpu_sizes bytes_sizes(struct gpu_bytes to, double n, double col)
{
    return (struct gpu_sizes){.n = n,
                              .col = col,
                              .scales = to.act ? 4.0 / to.act + 4.0 / 16 : 0,
                              .more = to.act ? 1 : 0};
}

/* What the runs of a pass add up to. */
static void add_runs(struct gpu_sizes *s, const struct gpu_run *from, int n_run,
                     int n_split, gpu_work_get *get)
{
    for (int i = 0; i < n_run; i++) {
        struct gpu_run r;
        if (!get(&r, from + i, sizeof r)) return;
        s->keys += r.n_past + r.n;
        for (int t = 0; t < r.n; t++) {
            int n_key = r.n_past + t + 1;
            s->pairs += n_key;
            s->parts +=
                n_split > 1 ? (n_key + GPU_SEGMENT - 1) / GPU_SEGMENT : 1;
        }
        for (int t = 0; t < r.n; t += GPU_CHUNK) {
            double m = least(r.n - t, GPU_CHUNK);
            if (m <= GPU_STEPS) continue;
            s->chunk += m;
            s->chunk2 += m * m;
        }
    }
}

static void add_kept_rows(struct gpu_sizes *s, const struct gpu_delta_args *a,
                          bool all, gpu_work_get *get)
{
    for (int i = 0; i < a->n_run; i++) {
        struct gpu_run r;
        if (!get(&r, a->run + i, sizeof r)) return;
        s->tail += all ? a->n_tap - 1 : least(r.n, a->n_tap - 1);
    }
}

static struct gpu_sizes attend_sizes(const struct gpu_attend_args *a,
                                     gpu_work_get *get)
{
    struct gpu_sizes s = bytes_sizes(a->to, a->n, 0);
    s.h = a->n_head;
    s.kv = a->n_head_kv;
    s.dim = a->dim;
    s.kept = a->kept_row;
    s.turned = 2 * a->n_pair;
    add_runs(&s, a->run, a->n_run, a->n_split, get);
    return s;
}

static struct gpu_sizes delta_sizes(int kernel, const struct gpu_delta_args *a,
                                    gpu_work_get *get)
{
    struct gpu_sizes s = bytes_sizes(a->to, a->n, a->wide);
    s.h = a->n_v;
    s.kv = a->n_k;
    s.dim = a->dim;
    s.tap = a->n_tap;
    s.runs = a->n_run;
    add_runs(&s, a->run, a->n_run, 1, get);
    add_kept_rows(&s, a,
                  kernel == GPU_WORK_gpu_delta_ready ||
                      kernel == GPU_WORK_gpu_delta_token,
                  get);
    return s;
}

/* Of experts the pairs of a token and an expert are the rows. */
static void add_experts(struct gpu_sizes *s, const struct gpu_by_expert *by,
                        int n_expert, gpu_work_get *get)
{
    int32_t first[GPU_EXPERTS_MAX + 1] = {0};
    if (!get(first, by->first, ((size_t)n_expert + 1) * sizeof *first)) return;
    s->some = 0;
    for (int e = 0; e < n_expert; e++)
        s->some += first[e + 1] > first[e];
    s->used = s->n > 0 ? first[n_expert] / s->n : 0;
    s->n = first[n_expert];
    if (by->in == by->out) s->apart = s->n; /* else rows are read by several */
}

/* What the last block does; the row that it norms was touched if the product `adds`. */
static struct gpu_work after_work(const struct gpu_after *a, bool adds)
{
    bool norms = a->norm.w;
    double n_norm = a->norm.n_col, n_gate = a->gate.n;
    struct gpu_sizes s = norms ? bytes_sizes(a->norm.to, 1, n_norm)
                               : bytes_sizes(a->gate.to, n_gate, 0);
    struct gpu_work w =
        gpu_work_of(norms ? GPU_WORK_gpu_norm : GPU_WORK_gpu_silu_mul, &s);
    if (norms && adds) w.bytes -= 4 * n_norm;
    return a->count ? w : (struct gpu_work){0, 0};
}

static struct gpu_sizes product_sizes(int kernel,
                                      const struct gpu_product_args *a,
                                      const unsigned *grid, gpu_work_get *get)
{
    const struct form *f = &forms[kernel];
    double col = a->w.n_col;
    struct gpu_work last = after_work(&a->after, a->adds);
    struct gpu_sizes s = {.n = a->n,
                          .after = last.bytes,
                          .then = last.operations,
                          .apart = a->n,
                          .col = col,
                          .row = a->n_row,
                          .bytes = col * f->bytes,
                          .used = 1,
                          .some = 1,
                          .more = a->adds ? 1 : 0};
    if (f->act > 0) s.scales = 4 / f->act + f->sums * 4 / 16;
    for (int i = 0; i < GPU_PARTS - 1 && a->part[i].w.raw; i++)
        s.row += a->part[i].w.n_row;
    if (a->by.first) add_experts(&s, &a->by, (int)grid[2], get);
    return s;
}

static struct gpu_sizes take_sizes(const struct gpu_take_args *a, unsigned n,
                                   gpu_work_get *get)
{
    enum { EACH = 256 };
    struct gpu_sizes s = {.col = a->n_col};
    for (unsigned i = 0; i < n; i += EACH) {
        const float *from[EACH];
        unsigned some = n - i < EACH ? n - i : EACH;
        if (!get(from, a->from + i, some * sizeof *from)) break;
        for (unsigned k = 0; k < some; k++)
            s.n += from[k] != NULL;
    }
    return s;
}

static struct gpu_sizes bias_sizes(const struct gpu_bias_args *a, unsigned n)
{
    static const double bend[] = {0, 10, 25};
    return (struct gpu_sizes){.n = n,
                              .col = a->n_col,
                              .more = a->y ? 1 : 0,
                              .bend = a->y ? 0 : bend[a->bend]};
}

static struct gpu_sizes patch_sizes(const struct gpu_patch_args *a, unsigned n)
{
    return (struct gpu_sizes){.n = n,
                              .col = 3 * a->size * a->size,
                              .pixel = a->n_channel == 3 ? 3 : 1};
}

static struct gpu_sizes join_sizes(const struct gpu_join_args *a, unsigned n)
{
    return (struct gpu_sizes){.n = n,
                              .col = a->n_col,
                              .used = a->n_used,
                              .adds = a->adds ? 1 : 0,
                              .more = a->shared ? 1 : 0};
}

static struct gpu_sizes round_sizes(const struct gpu_round_args *a)
{
    return bytes_sizes(a->to, a->n_block, a->to.act);
}

/* Those of few arguments. */
static struct gpu_sizes row_sizes(int kernel, const void *args, unsigned n)
{
    const struct gpu_norm_args *norm = args;
    const struct gpu_pair_args *pair = args;
    const struct gpu_keep_args *keep = args;
    const struct gpu_place_args *place = args;
    const struct gpu_centre_args *centre = args;
    const struct gpu_turn_args *turn = args;
    const struct gpu_see_args *see = args;
    const struct gpu_route_args *route = args;
    const struct gpu_group_args *group = args;
    const struct gpu_embed_args *embed = args;
    switch (kernel) {
    case GPU_WORK_gpu_norm: return bytes_sizes(norm->to, n, norm->n_col);
    case GPU_WORK_gpu_add: return (struct gpu_sizes){.n = pair->n};
    case GPU_WORK_gpu_silu_mul: return bytes_sizes(pair->to, pair->n, 0);
    case GPU_WORK_gpu_keep_rows:
        return (struct gpu_sizes){.n = n, .col = keep->n_col};
    case GPU_WORK_gpu_place:
        return (struct gpu_sizes){
            .n = n,
            .col = place->n_col,
            .side = least(4.0 * n, (double)place->side * place->side)};
    case GPU_WORK_gpu_centre:
        return (struct gpu_sizes){.n = n, .col = centre->n_col};
    case GPU_WORK_gpu_turn:
        return (struct gpu_sizes){.n = n, .h = turn->n_head, .dim = turn->dim};
    case GPU_WORK_gpu_see:
        return (struct gpu_sizes){
            .n = see->n, .h = see->n_head, .dim = see->dim};
    case GPU_WORK_gpu_route:
        return (struct gpu_sizes){
            .n = route->n, .experts = route->n_expert, .used = route->n_used};
    case GPU_WORK_gpu_group:
        return (struct gpu_sizes){.pairs = group->n_pair,
                                  .experts = group->n_expert};
    default: { /* an embedding */
        const struct form *f = &forms[kernel];
        double col = embed->w.n_col;
        return (struct gpu_sizes){.n = n, .col = col, .bytes = col * f->bytes};
    }
    }
}

static bool is_product(int kernel)
{
    return forms[kernel].bytes > 0 &&
           strncmp(gpu_work_text(kernel).name, "gpu_embed_", 10) != 0;
}

struct gpu_sizes gpu_work_sizes(int kernel, const void *args,
                                const unsigned *grid, gpu_work_get *get)
{
    unsigned n = grid[0];
    if (is_product(kernel)) return product_sizes(kernel, args, grid, get);
    switch (kernel) {
    case GPU_WORK_gpu_round: return round_sizes(args);
    case GPU_WORK_gpu_take_rows: return take_sizes(args, n, get);
    case GPU_WORK_gpu_patch: return patch_sizes(args, n);
    case GPU_WORK_gpu_bias: return bias_sizes(args, n);
    case GPU_WORK_gpu_experts_join: return join_sizes(args, n);
    case GPU_WORK_gpu_attend_ready:
    case GPU_WORK_gpu_attend:
    case GPU_WORK_gpu_attend_scores:
    case GPU_WORK_gpu_attend_values:
    case GPU_WORK_gpu_attend_join: return attend_sizes(args, get);
    case GPU_WORK_gpu_delta_ready:
    case GPU_WORK_gpu_delta_pairs:
    case GPU_WORK_gpu_delta:
    case GPU_WORK_gpu_delta_gate:
    case GPU_WORK_gpu_delta_token: return delta_sizes(kernel, args, get);
    default: return row_sizes(kernel, args, n);
    }
}
