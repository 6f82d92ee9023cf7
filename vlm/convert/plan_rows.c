/* plan_rows.c - rows of a planned tensor: from where they are, as they shall be.
 *
 * Example: 2 key heads with 2 value heads each. The checkpoint has the value
 * heads grouped by key head, a0 a1 b0 b1; the model file wants them tiled,
 * a0 b0 a1 b1, so that head i belongs to key head i mod 2.
 */
#include <math.h>
#include <string.h>

#include "vlm/convert/plan.h"

/* Where row or column i of tiled heads lies among grouped ones. */
static int64_t grouped(const struct tensor_plan *p, int64_t i, int64_t unit)
{
    int64_t n_key = p->config->n_gdn_k,
            each = p->config->n_gdn_v / p->config->n_gdn_k, head = i / unit;
    return (head % n_key * each + head / n_key) * unit + i % unit;
}

/* The row of its part that row i of the part's share comes from. */
static int64_t row_from(const struct tensor_plan *p,
                        const struct planned_tensor *t, int64_t i)
{
    switch (t->rows) {
    case ROWS_HEADS:
        return i < t->kept ? i : t->kept + grouped(p, i - t->kept, t->unit);
    case ROWS_GATES: return i / t->kept * 2 * t->kept + i % t->kept;
    case ROWS_UPS: return (i / t->kept * 2 + 1) * t->kept + i % t->kept;
    case ROWS_PLAIN: break;
    }
    return i;
}

static int64_t col_from(const struct tensor_plan *p,
                        const struct planned_tensor *t, int64_t i)
{
    switch (t->cols) {
    case COLS_HEADS: return grouped(p, i, t->unit);
    case COLS_FRAME_0: return i / t->unit * 2 * t->unit + i % t->unit;
    case COLS_FRAME_1: return (i / t->unit * 2 + 1) * t->unit + i % t->unit;
    case COLS_PLAIN: break;
    }
    return i;
}

/* A run of rows that lie one after the other in one part. */
struct row_run {
    const struct hf_matrix *part;
    int64_t first, n;
};

static struct row_run run_at(const struct tensor_plan *p,
                             const struct planned_tensor *t, int64_t row,
                             int64_t most)
{
    int64_t each = t->n_row / t->n_part, local = row % each;
    struct row_run r = {&t->part[row / each], row_from(p, t, local), 1};
    if (most > each - local) most = each - local;
    while (r.n < most && row_from(p, t, local + r.n) == r.first + r.n)
        r.n++;
    return r;
}

static void change(const struct planned_tensor *t, float *x, int64_t n)
{
    if (t->value == VALUE_PLUS_ONE)
        for (int64_t i = 0; i < n; i++)
            x[i] += 1;
    if (t->value == VALUE_MINUS_EXP)
        for (int64_t i = 0; i < n; i++)
            x[i] = -expf(x[i]);
}

void plan_rows(const struct tensor_plan *p, const struct planned_tensor *t,
               int64_t first, int64_t n, float *out, struct err *err)
{
    if (err_failed(err)) return;
    int64_t wide = t->part[0].n_col;
    bool plain = t->cols == COLS_PLAIN;
    float *raw = plain ? NULL : mem_take((size_t)(n * wide), sizeof *raw);
    for (int64_t i = 0; i < n && !err_failed(err);) {
        struct row_run r = run_at(p, t, first + i, n - i);
        hf_matrix_rows(r.part, r.first, r.n,
                       plain ? out + i * t->n_col : raw + i * wide, err);
        i += r.n;
    }
    for (int64_t i = 0; i < n && !plain && !err_failed(err); i++)
        for (int64_t c = 0; c < t->n_col; c++)
            out[i * t->n_col + c] = raw[i * wide + col_from(p, t, c)];
    mem_give(raw);
    if (!err_failed(err)) change(t, out, n * t->n_col);
}

bool plan_is_nvfp4(const struct planned_tensor *t)
{
    if (t->n_dim < 2 || t->value != VALUE_PLAIN) return false;
    if (t->cols != COLS_PLAIN &&
        (t->cols != COLS_HEADS || t->unit % HF_GROUP != 0))
        return false;
    for (int i = 0; i < t->n_part; i++)
        if (t->part[i].kind != HF_NVFP4) return false;
    return true;
}

/* Columns in their new order; groups of them go together. */
static void turn_codes(const struct tensor_plan *p,
                       const struct planned_tensor *t, uint8_t *code,
                       uint8_t *scale)
{
    int64_t n = t->n_col;
    uint8_t *old = mem_take((size_t)(n + n / HF_GROUP), 1);
    memcpy(old, code, (size_t)n);
    memcpy(old + n, scale, (size_t)(n / HF_GROUP));
    for (int64_t c = 0; c < n; c++)
        code[c] = old[col_from(p, t, c)];
    for (int64_t g = 0; g < n / HF_GROUP; g++)
        scale[g] = old[n + col_from(p, t, g * HF_GROUP) / HF_GROUP];
    mem_give(old);
}

void plan_codes(const struct tensor_plan *p, const struct planned_tensor *t,
                int64_t first, int64_t n, uint8_t *code, uint8_t *scale,
                struct err *err)
{
    if (err_failed(err)) return;
    int64_t groups = t->n_col / HF_GROUP;
    for (int64_t i = 0; i < n && !err_failed(err);) {
        struct row_run r = run_at(p, t, first + i, n - i);
        hf_matrix_codes(r.part, r.first, r.n, code + i * t->n_col,
                        scale + i * groups, err);
        i += r.n;
    }
    for (int64_t i = 0; i < n && t->cols != COLS_PLAIN && !err_failed(err); i++)
        turn_codes(p, t, code + i * t->n_col, scale + i * groups);
}
