/* matmul_panels.c - one panel of a product (matmul.c) times all tokens. */
#include <string.h>

#include "vlm/tensor/matmul_inside.h"

int matmul_panel_rows(const struct product *p, int panel, const uint8_t **row)
{
    size_t bytes = quant_row_bytes(p->w->type, p->w->n_col);
    int first = panel * PANEL_ROWS;
    int n_row = p->n_row - first < PANEL_ROWS ? p->n_row - first : PANEL_ROWS;
    const uint8_t *at = (const uint8_t *)p->w->raw + (size_t)first * bytes;
    if (!p->row && n_row == PANEL_ROWS) {
        for (int r = 0; r < PANEL_ROWS; r++, at += bytes)
            row[r] = at;
        return n_row;
    }
    for (int r = 0; r < PANEL_ROWS; r++) {
        int i = first + (r < n_row ? r : n_row - 1);
        if (p->row) i = p->row[i];
        row[r] = (const uint8_t *)p->w->raw + (size_t)i * bytes;
    }
    return n_row;
}

void matmul_advance(const uint8_t **row, size_t bytes)
{
    for (int r = 0; r < PANEL_ROWS; r++)
        row[r] += bytes;
}

/* Decodes a quantised weight to a float panel. */
static void unpack_exact(enum quant_type type, const uint8_t *const *row,
                         int n_k, float *panel)
{
    float value[PANEL_F32_K];
    for (int r = 0; r < PANEL_ROWS; r++) {
        quant_decode(type, row[r], n_k, value);
        for (int k = 0; k < n_k; k++)
            panel[k * PANEL_ROWS + r] = value[k];
    }
}

static void run_panel_f32(const struct product_run *run,
                          const struct product *p, const uint8_t **row,
                          float *y, int n_row)
{
    _Alignas(64) float panel[PANEL_F32_K * PANEL_ROWS];
    enum quant_type type = p->w->type;
    int n_col = run->n_col, step = run->k->tile_f32;
    for (int k = 0; k < n_col; k += PANEL_F32_K) {
        int n_k = n_col - k < PANEL_F32_K ? n_col - k : PANEL_F32_K;
        if (quant_form(type).sub)
            unpack_exact(type, row, n_k, panel);
        else
            run->k->unpack_f32(type, row, n_k, panel);
        for (int t = 0; t < run->n; t += step) {
            int width = run->n - t < step ? run->n - t : step;
            const float *x = run->acts[FORM_F32].x + (size_t)t * (size_t)n_col +
                             (size_t)k * (size_t)width;
            run->k->panel_f32(panel, n_k, x, (size_t)width, width,
                              y + (size_t)t * (size_t)p->n_row,
                              (size_t)p->n_row, n_row, k > 0);
        }
        matmul_advance(row, quant_row_bytes(type, n_k));
    }
}

/* The form of a type, also for floats that are rounded to int8. */
static struct quant_form form_in_bytes(enum quant_type type)
{
    struct quant_form form = quant_form(type);
    return form.sub ? form : (struct quant_form){32, 32, false};
}

/* A product's activations from column k on. */
struct tiles {
    const struct acts *acts;
    size_t n_col, n_act, n_sub; /* per token */
    int sub;                    /* values per sub-block */
    size_t k, k_act, k_sub;     /* k in values and in blocks */
};

static struct tiles tiles_of(const struct product_run *run,
                             const struct product *p)
{
    const struct acts *a = &run->acts[p->form];
    int sub = form_in_bytes(p->w->type).sub;
    return (struct tiles){.acts = a,
                          .n_col = (size_t)run->n_col,
                          .n_act = (size_t)((run->n_col + a->act - 1) / a->act),
                          .n_sub = (size_t)((run->n_col + sub - 1) / sub),
                          .sub = sub};
}

static void move_to(struct tiles *s, int k)
{
    s->k = (size_t)k;
    s->k_act = (size_t)(k / s->acts->act);
    s->k_sub = (size_t)(k / s->sub);
}

/* The tile of tokens t .. t + width - 1. */
static struct act_tile tile_at(const struct tiles *s, int t, int width)
{
    const struct acts *a = s->acts;
    size_t from = (size_t)t, w = (size_t)width, which = s->sub == 32;
    size_t in_sub = from * s->n_sub + s->k_sub * w;
    return (struct act_tile){.q = a->q + from * s->n_col + s->k * w,
                             .d = a->d + from * s->n_act + s->k_act * w,
                             .sum = a->sum[which] + in_sub,
                             .init = a->init[which] + in_sub,
                             .width = width};
}

/* Few tokens: without a panel, which would be used too little. */
static void run_direct(const struct product_run *run, const struct product *p,
                       const uint8_t **row, const uint8_t **next, float *y,
                       int n_row)
{
    enum quant_type type = p->w->type;
    struct tiles tiles = tiles_of(run, p);
    for (int t = 0; t < run->n;
         t += KERNELS_SMALL_BATCH, y += KERNELS_SMALL_BATCH * p->n_row) {
        int width =
            run->n - t < KERNELS_SMALL_BATCH ? run->n - t : KERNELS_SMALL_BATCH;
        struct act_tile x = tile_at(&tiles, t, width);
        if (width == 1)
            run->k->direct_i8(type, row, next, run->n_col, &x, y, n_row);
        else
            run->k->direct_batch(type, row, next, run->n_col, &x, y,
                                 (size_t)p->n_row, n_row);
    }
}

static void round_floats(const struct product_run *run, enum quant_type type,
                         const uint8_t *const *row, int n_k,
                         struct panel_i8 *panel)
{
    _Alignas(64) float value[PANEL_F32_K * PANEL_ROWS];
    const uint8_t *at[PANEL_ROWS];
    memcpy(at, row, sizeof at);
    for (int k = 0; k < n_k; k += PANEL_F32_K) {
        int n = n_k - k < PANEL_F32_K ? n_k - k : PANEL_F32_K;
        run->k->unpack_f32(type, at, n, value);
        run->k->round_panel(value, n, k, panel);
        matmul_advance(at, quant_row_bytes(type, n));
    }
}

static void run_panel_i8(const struct product_run *run, const struct product *p,
                         const uint8_t **row, const uint8_t **next, float *y,
                         int n_row)
{
    _Alignas(64) struct panel_i8 panel;
    enum quant_type type = p->w->type;
    struct tiles tiles = tiles_of(run, p);
    int n_col = run->n_col, step = matmul_tile_width(run, p->form);
    for (int k = 0; k < n_col; k += PANEL_I8_K) {
        int n_k = n_col - k < PANEL_I8_K ? n_col - k : PANEL_I8_K;
        const uint8_t *later[PANEL_ROWS];
        bool ends = k + n_k == n_col;
        for (int r = 0; r < PANEL_ROWS; r++)
            later[r] = ends ? next ? next[r] : NULL
                            : row[r] + quant_row_bytes(type, n_k);
        if (quant_form(type).sub)
            run->k->unpack_i8(type, row, ends && !next ? NULL : later, n_k,
                              &panel);
        else
            round_floats(run, type, row, n_k, &panel);
        move_to(&tiles, k);
        for (int t = 0; t < run->n; t += step) {
            int width = run->n - t < step ? run->n - t : step;
            struct act_tile x = tile_at(&tiles, t, width);
            run->k->panel_i8(&panel, &x, y + (size_t)t * (size_t)p->n_row,
                             (size_t)p->n_row, n_row, k > 0);
        }
        matmul_advance(row, quant_row_bytes(type, n_k));
    }
}

static bool is_direct(const struct product_run *run, const struct product *p)
{
    if (run->n > 1) return kernels_small_batch(run->k, p->w->type, run->n);
    return run->k->direct_i8 && quant_form(p->w->type).sub;
}

void matmul_panel_run(const struct product_run *run, const struct product *p,
                      const uint8_t **row, const uint8_t **next, float *y,
                      int n_row)
{
    if (p->form == FORM_F32)
        run_panel_f32(run, p, row, y, n_row);
    else if (is_direct(run, p))
        run_direct(run, p, row, next, y, n_row);
    else
        run_panel_i8(run, p, row, next, y, n_row);
}
