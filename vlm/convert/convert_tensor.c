/* convert_tensor.c - see convert_tensor.h. */
#include "vlm/convert/convert_tensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/convert/quantise.h"

enum { PIECE_VALUES = 1 << 20 };

static const float F16_MOST = 65504;
/* NVFP4: the largest value of a tensor is 6 * 448 times its factor. */
static const float NVFP4_MOST = 6 * 448;

struct row_piece { /* some rows of a tensor */
    const struct planned_tensor *t;
    enum quant_type type;
    int64_t first, n;
    size_t row_bytes;
    float *x;
    uint8_t *out;
    uint8_t *code, *scale;   /* copied from an NVFP4 checkpoint; else NULL */
    const float *factor;     /* NVFP4: factor of each matrix of a stack */
    const float *importance; /* [matrices, n_col], or NULL */
};

static int64_t n_matrix(const struct planned_tensor *t)
{
    return t->n_dim == 3 ? t->ne[2] : 1;
}

static int64_t matrix_index(const struct planned_tensor *t, int64_t row)
{
    return row / (t->n_row / n_matrix(t));
}

/* --- names and places ------------------------------------------------------ */

/* "X.weight": "X.scale". */
static void scale_name(const struct planned_tensor *t,
                       char out[static TENSOR_PLAN_NAME_MAX])
{
    const char *end = strstr(t->name, ".weight");
    size_t n = end ? (size_t)(end - t->name) : strlen(t->name);
    snprintf(out, TENSOR_PLAN_NAME_MAX, "%.*s.scale", (int)n, t->name);
}

void convert_tensor_row(const struct convert_job *job,
                        const struct planned_tensor *t, enum quant_type type)
{
    gguf_write_tensor(job->writer, t->name, type, t->n_dim, t->ne);
    if (type != QUANT_NVFP4) return;
    char name[TENSOR_PLAN_NAME_MAX];
    int64_t ne[1] = {n_matrix(t)};
    scale_name(t, name);
    gguf_write_tensor(job->writer, name, QUANT_F32, 1, ne);
}

/* --- rows ------------------------------------------------------------------ */

static void round_rows(void *arg, int first, int last, int thread)
{
    const struct row_piece *p = arg;
    int64_t n = p->t->n_col;
    (void)thread;
    for (int r = first; r < last; r++) {
        uint8_t *out = p->out + (size_t)r * p->row_bytes;
        int64_t matrix = matrix_index(p->t, p->first + r);
        if (p->code) {
            quantise_nvfp4_codes(p->code + r * n, p->scale + r * n / HF_GROUP,
                                 n, out);
            continue;
        }
        float *x = p->x + r * n;
        for (int64_t i = 0; i < n && p->factor; i++)
            x[i] /= p->factor[matrix];
        quantise_row(p->type, x, n,
                     p->importance ? p->importance + matrix * n : NULL, out);
    }
}

static void check_values(const struct row_piece *p, struct err *err)
{
    const char *name = p->t->part[0].tensor->name;
    float most = p->type == QUANT_F16 ? F16_MOST : INFINITY;
    for (int64_t i = 0; i < p->n * p->t->n_col && !err_failed(err); i++)
        if (!isfinite(p->x[i]))
            err_set(err, ERR_CONFIG,
                    "%s: a value is not finite: the checkpoint is damaged",
                    name);
        else if (!(fabsf(p->x[i]) <= most))
            err_set(err, ERR_CONFIG,
                    "%s: %g is too large for F16: use --type bf16", name,
                    (double)p->x[i]);
}

static void write_piece(const struct convert_job *job, struct row_piece *p,
                        struct err *err)
{
    if (p->code) {
        tensor_plan_codes(job->plan, p->t, p->first, p->n, p->code, p->scale,
                          err);
    } else {
        tensor_plan_rows(job->plan, p->t, p->first, p->n, p->x, err);
        check_values(p, err);
    }
    if (err_failed(err)) return;
    pool_run(job->pool, (int)p->n, 1, round_rows, p);
    gguf_write_bytes(job->writer, p->out, (size_t)p->n * p->row_bytes, err);
}

static int64_t rows_at_once(const struct planned_tensor *t)
{
    int64_t n = PIECE_VALUES / t->n_col;
    return n < 1 ? 1 : n < t->n_row ? n : t->n_row;
}

/* --- NVFP4's factors ------------------------------------------------------- */

static void stored_factors(const struct planned_tensor *t, float *factor)
{
    for (int64_t i = 0; i < n_matrix(t); i++)
        factor[i] = t->part[i < t->n_part ? i : 0].all;
}

static void largest_values(const struct convert_job *job,
                           const struct planned_tensor *t, float *x,
                           float *most, struct err *err)
{
    int64_t once = rows_at_once(t);
    for (int64_t r = 0; r < t->n_row && !err_failed(err); r += once) {
        int64_t n = r + once < t->n_row ? once : t->n_row - r;
        tensor_plan_rows(job->plan, t, r, n, x, err);
        for (int64_t i = 0; i < n * t->n_col && !err_failed(err); i++) {
            float *at = &most[matrix_index(t, r + i / t->n_col)];
            *at = fmaxf(*at, fabsf(x[i]));
        }
    }
}

static float *factors(const struct convert_job *job, const struct row_piece *p,
                      struct err *err)
{
    float *factor = mem_alloc((size_t)n_matrix(p->t), sizeof *factor);
    if (p->code) {
        stored_factors(p->t, factor);
        return factor;
    }
    largest_values(job, p->t, p->x, factor, err);
    for (int64_t i = 0; i < n_matrix(p->t); i++)
        factor[i] = factor[i] > 0 ? factor[i] / NVFP4_MOST : 1;
    return factor;
}

/* --- a tensor -------------------------------------------------------------- */

static void write_rows(const struct convert_job *job, struct row_piece *p,
                       struct err *err)
{
    int64_t once = rows_at_once(p->t);
    for (p->first = 0; p->first < p->t->n_row && !err_failed(err);
         p->first += once) {
        int64_t left = p->t->n_row - p->first;
        p->n = once < left ? once : left;
        write_piece(job, p, err);
    }
    gguf_write_pad(job->writer, err);
}

void convert_tensor(const struct convert_job *job,
                    const struct planned_tensor *t, enum quant_type type,
                    struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    size_t values = (size_t)(rows_at_once(t) * t->n_col);
    bool as_is = type == QUANT_NVFP4 && tensor_plan_is_nvfp4(t);
    struct row_piece p = {.t = t, .type = type};
    float *factor = NULL;
    p.row_bytes = quant_row_bytes(type, t->n_col);
    p.out = mem_alloc((size_t)rows_at_once(t), p.row_bytes);
    p.x = as_is ? NULL : mem_alloc(values, sizeof *p.x);
    p.code = as_is ? mem_alloc(values, 1) : NULL;
    p.scale = as_is ? mem_alloc(values / HF_GROUP, 1) : NULL;
    p.importance =
        imatrix_find(job->imatrix, t->name, n_matrix(t), t->n_col, arena, err);
    if (type == QUANT_NVFP4) p.factor = factor = factors(job, &p, err);
    write_rows(job, &p, err);
    if (factor) {
        gguf_write_bytes(job->writer, factor,
                         (size_t)n_matrix(t) * sizeof *factor, err);
        gguf_write_pad(job->writer, err);
    }
    mem_free(factor);
    mem_free(p.scale);
    mem_free(p.code);
    mem_free(p.x);
    mem_free(p.out);
    arena_free(arena);
}
