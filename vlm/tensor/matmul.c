/* matmul.c - see matmul.h.
 *
 * Reading a weight is expensive, so each is read once for all tokens and
 * unpacked where it is used. A product runs in two passes over the pool:
 *
 *   prepare   every token's activations, once for all weights of a call: in
 *             F32, or rounded to 8 bits with their scales and sums, laid out
 *             tile after tile (tile_i8 or tile_f32 tokens side by side).
 *   panels    a thread takes PANEL_ROWS rows of a weight, unpacks them a few
 *             hundred columns at a time into a panel on its own stack, and runs
 *             all tiles over the panel before it unpacks the next columns.
 *
 * Example: W is [1000, 2560] in Q4_K, x has 70 tokens, two threads, AVX-512
 * (tiles of 6 tokens). 1000 rows are 31 panels of 32 and one of 8, whose
 * missing rows repeat its last one and are not stored. The pool distributes
 * panels 0 to 31. For one of them 2560 columns are five pieces of PANEL_I8_K =
 * 512: 32 rows x 512 values are 16 KB of bytes and 4 KB of scales and minima,
 * which stay in the first-level caches while 11 tiles of 6 tokens and one of 4
 * use them. y starts at 0 with the first piece and grows with the other four.
 *
 * Why the bits depend on neither threads nor batch: a sum y[t][r] is one chain
 * over k in one order, computed by the thread that has the panel of r; which
 * tokens share a tile only decides which registers they use.
 *
 * For one token, and for few, a panel does not pay: there the blocks are
 * multiplied as they are unpacked (`direct_i8`, `direct_batch`), in the same
 * order. Blocks are read directly from the mapped file: transposing them costs
 * less than reading them from memory, so nothing is packed in advance, cached
 * or stored twice (vlm/SPEED.md has the figures).
 *
 * A layer's experts are many small products of different inputs. They share the
 * two passes (`matmul_each`): groups and panels are counted over all inputs, so
 * threads wait for each other twice, not twice an expert, and the panel after
 * an expert's last one is prefetched like any other.
 */
#include "vlm/tensor/matmul.h"

#include <assert.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/cpu.h"
#include "vlm/tensor/matmul_inside.h"

enum {
    ROUND_MAX = 512,        /* columns rounded at a time */
    INPUT_PADDING = 16 * 64 /* at most, between the arrays of an input */
};

/* Minimum multiplications to wake a thread for. */
static const int64_t work_min = 1 << 17;

struct tensor_backend {
    struct tensor_options options;
    struct kernels k;
    const struct gemm16 *gemm16; /* NULL: none, or not used */
    bool round_floats;           /* floats are rounded to 8 bits */
};

struct tensor_backend *matmul_backend_new(const struct tensor_options *o)
{
    struct tensor_backend *b = mem_alloc(1, sizeof *b);
    b->options = *o;
    kernels_pick(&b->k, o->features & ~o->slow);
    if (o->fast) b->gemm16 = gemm16_pick(o->features);
    if (b->gemm16 && !b->gemm16->weights) b->gemm16 = NULL;
    if (o->tiles && !o->exact) b->gemm16 = gemm16_pick_tiles(o->features);
    b->round_floats = o->fast && (o->features & CPU_BYTES);
    return b;
}

void matmul_backend_free(struct tensor_backend *b)
{
    mem_free(b);
}

static size_t align64(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

static enum form form_of(const struct tensor_backend *b, const struct weight *w)
{
    struct quant_form form = quant_form(w->type);
    if (b->gemm16 && (b->options.fast || form.sub)) return FORM_16BIT;
    if (b->round_floats && form.sub == 0 && w->n_col % 32 == 0)
        return FORM_ACT32;
    if (form.sub == 0 || b->options.exact) return FORM_F32;
    return form.act == 32 ? FORM_ACT32 : FORM_ACT256;
}

/* Lays out the arrays of a format at `at`; NULL: returns their size only. */
static size_t lay_out(const struct tensor_backend *b, struct acts *a,
                      enum form form, char *at, int n, int n_col)
{
    size_t nn = (size_t)n, used = 0;
    size_t n16 = (size_t)(n_col + 15) / 16, n32 = (size_t)(n_col + 31) / 32;
    if (form == FORM_F32) {
        if (at) a->x = (float *)(void *)at;
        return align64(nn * (size_t)n_col * sizeof(float));
    }
    if (form == FORM_16BIT) {
        if (at) a->half = (uint16_t *)(void *)at;
        return align64(matmul16_size(b->gemm16, n, n_col) * sizeof *a->half);
    }
    if (at) a->q = (int8_t *)at;
    used += align64(nn * (size_t)n_col);
    if (at) a->d = (float *)(void *)(at + used);
    used += align64(nn * n32 * sizeof(float));
    for (int i = 0; i < 2; i++) {
        size_t bytes = align64(nn * (i ? n32 : n16) * sizeof(float));
        if (at) a->sum[i] = (float *)(void *)(at + used);
        used += bytes;
        if (at) a->init[i] = (int32_t *)(void *)(at + used);
        used += bytes;
    }
    a->act = form == FORM_ACT32 ? 32 : 256;
    return used;
}

static int tokens_max(const struct tensor_backend *b)
{
    return b->gemm16 ? FAST_TOKENS : TOKENS_MAX;
}

size_t matmul_scratch_bytes(const struct tensor_backend *b,
                            const struct pool *pool, int n, int n_col,
                            int n_input)
{
    struct acts a;
    size_t bytes = 64 + (size_t)n_input * INPUT_PADDING;
    if (n > tokens_max(b)) n = tokens_max(b);
    size_t floats = lay_out(b, &a, FORM_F32, NULL, n, n_col);
    if (b->gemm16)
        return bytes + (b->options.fast ? 0 : floats) +
               (size_t)(n_input - 1) *
                   lay_out(b, &a, FORM_16BIT, NULL, 1, n_col) +
               lay_out(b, &a, FORM_16BIT, NULL, n, n_col) +
               (size_t)pool_size(pool) * matmul16_sum_floats(n) * sizeof(float);
    size_t rounded = lay_out(b, &a, FORM_ACT32, NULL, n, n_col) +
                     lay_out(b, &a, FORM_ACT256, NULL, n, n_col);
    /* floats are rounded, or not, by their number of columns */
    if (b->round_floats && !b->options.exact)
        return bytes + (floats > rounded ? floats : rounded);
    return bytes + floats + rounded;
}

/* ---- activations ------------------------------------------------------ */

/* Rounds one row into its place among the `width` rows of a tile. */
static void scatter_row(const struct product_run *run, const struct acts *a,
                        int tile, int width, int t, const float *x)
{
    size_t base = (size_t)tile, w = (size_t)width, tt = (size_t)t;
    int n_col = run->n_col, n16 = (n_col + 15) / 16, n32 = (n_col + 31) / 32;
    int n_act = (n_col + a->act - 1) / a->act;
    int8_t q[ROUND_MAX];
    float d[ROUND_MAX / 32];
    for (int k0 = 0; k0 < n_col; k0 += ROUND_MAX) {
        int n_k = n_col - k0 < ROUND_MAX ? n_col - k0 : ROUND_MAX;
        run->k->round_row(x + k0, n_k, a->act, q, d);
        int8_t *to = a->q + base * (size_t)n_col + (size_t)k0 * w + tt * 4;
        for (int k = 0; k < n_k; k += 4, to += 4 * w)
            memcpy(to, q + k, 4);
        for (int k = 0; k < n_k; k += a->act)
            a->d[base * (size_t)n_act + (size_t)((k0 + k) / a->act) * w + tt] =
                d[k / a->act];
        for (int k = 0; k < n_k; k += 32) {
            int32_t s[2] = {0, 0};
            for (int i = 0; i < 16; i++)
                s[0] += q[k + i], s[1] += q[k + 16 + i];
            size_t at = base * (size_t)n16 + (size_t)((k0 + k) / 16) * w + tt;
            a->sum[0][at] = (float)s[0], a->sum[0][at + w] = (float)s[1];
            a->init[0][at] = s[0] * -128, a->init[0][at + w] = s[1] * -128;
            at = base * (size_t)n32 + (size_t)((k0 + k) / 32) * w + tt;
            a->sum[1][at] = (float)(s[0] + s[1]);
            a->init[1][at] = (s[0] + s[1]) * -128;
        }
    }
}

static void prepare_tiles(const struct product_run *run, enum form form,
                          int first, int last)
{
    int n_col = run->n_col, step = matmul_tile_width(run, form);
    for (int t0 = first; t0 < last; t0 += step) {
        int width = last - t0 < step ? last - t0 : step;
        for (int t = 0; t < width; t++) {
            const float *x = run->x + (size_t)(t0 + t) * (size_t)n_col;
            if (form != FORM_F32) {
                scatter_row(run, &run->acts[form], t0, width, t, x);
                continue;
            }
            float *to = run->acts[form].x + (size_t)t0 * (size_t)n_col + t;
            for (int k = 0; k < n_col; k++)
                to[(size_t)k * (size_t)width] = x[k];
        }
    }
}

/* One row of floats already is a tile of width 1. */
static bool is_tile(const struct product_run *run, enum form form)
{
    return run->n == 1 && form == FORM_F32;
}

/* Pool work: groups of tokens that have whole tiles of every format. */
enum { GROUP = 48 };

struct inputs {
    struct product_run *run;
    int n_run, n_panel;
};

static void prepare_groups(void *arg, int first, int last, int thread)
{
    const struct inputs *in = arg;
    const struct product_run *run = in->run;
    (void)thread;
    for (int i = first; i < last; i++) {
        while (run + 1 < in->run + in->n_run && i >= run[1].first_group)
            run++;
        int from = (i - run->first_group) * GROUP;
        int end = run->n - from < GROUP ? run->n : from + GROUP;
        for (int form = 0; form < N_FORM; form++)
            if (run->forms >> form & 1 && form == FORM_16BIT)
                matmul16_prepare(run, from, end);
            else if (run->forms >> form & 1 && !is_tile(run, (enum form)form))
                prepare_tiles(run, (enum form)form, from, end);
    }
}

static void prepare(const struct tensor_backend *b, const struct inputs *in,
                    struct pool *pool, char *scratch)
{
    int n_group = 0, most = 0;
    for (int i = 0; i < in->n_run; i++) {
        struct product_run *run = &in->run[i];
        most = run->n > most ? run->n : most;
        for (int form = 0; form < N_FORM; form++)
            if (run->forms >> form & 1)
                scratch += lay_out(b, &run->acts[form], (enum form)form,
                                   scratch, run->n, run->n_col);
        if (is_tile(run, FORM_F32))
            run->acts[FORM_F32].x = (float *)(uintptr_t)run->x;
        run->first_group = n_group;
        n_group += (run->n + GROUP - 1) / GROUP;
    }
    for (int i = 0; i < in->n_run; i++) {
        in->run[i].sums = (float *)(void *)scratch;
        in->run[i].thread_sums = matmul16_sum_floats(most);
    }
    if (in->n_run == 1 && in->run->n == 1 && in->run->forms == 1 << FORM_F32)
        return;
    pool_run(pool, n_group, 1, prepare_groups, (void *)(uintptr_t)in);
}

/* ---- panels ----------------------------------------------------------- */

static void scale_rows(const struct product_run *run, const struct product *p,
                       float *y, int n_row)
{
    if (p->w->scale == 1.0f) return;
    for (int t = 0; t < run->n; t++, y += p->n_row)
        for (int r = 0; r < n_row; r++)
            y[r] *= p->w->scale;
}

/* All of the product's panels from `first` on, below `last`: returns the first
 * that belongs to another product. */
static int run_16bit(const struct product_run *run, const struct product *p,
                     int first, int last, int thread)
{
    int end = p->first + (p->n_row + PANEL_ROWS - 1) / PANEL_ROWS;
    if (last > end) last = end;
    matmul16_run(run, p, first - p->first, last - p->first, thread);
    int row = (first - p->first) * PANEL_ROWS, n = (last - first) * PANEL_ROWS;
    scale_rows(run, p, p->y + row, p->n_row - row < n ? p->n_row - row : n);
    return last;
}

/* The product that a panel belongs to. */
struct panel_owner {
    const struct product_run *run;
    const struct product *product;
};

/* The product of panel i, at or after `at`. */
static struct panel_owner owner_of(const struct inputs *in,
                                   struct panel_owner at, int i)
{
    const struct product_run *end = in->run + in->n_run;
    while (at.run + 1 < end && i >= at.run[1].first_panel) {
        at.run++;
        at.product = at.run->product;
    }
    i -= at.run->first_panel;
    while (at.product + 1 < at.run->product + at.run->n_product &&
           i >= at.product[1].first)
        at.product++;
    return at;
}

/* The rows that this thread reads after panel i of first .. last - 1: beyond
 * them, if all threads are equally fast, a piece for each of them further. */
static bool rows_after(const struct inputs *in, struct panel_owner at, int i,
                       int first, int last, const uint8_t **row)
{
    int n_thread = at.run->n_thread;
    int after = i + 1 < last ? i + 1 : last + (n_thread - 1) * (last - first);
    if (after >= in->n_panel) return false;
    struct panel_owner next = owner_of(in, at, after);
    const struct weight *a = at.product->w, *b = next.product->w;
    if (a->type != b->type || a->n_col != b->n_col) return false;
    after -= next.run->first_panel + next.product->first;
    matmul_panel_rows(next.product, after, row);
    return true;
}

static void run_panels(void *arg, int first, int last, int thread)
{
    const struct inputs *in = arg;
    struct panel_owner at = {in->run, in->run->product};
    for (int i = first; i < last; i++) {
        at = owner_of(in, at, i);
        const struct product_run *run = at.run;
        const struct product *p = at.product;
        int panel = i - run->first_panel;
        if (p->form == FORM_16BIT) {
            i += run_16bit(run, p, panel, panel + last - i, thread) - panel - 1;
            continue;
        }
        const uint8_t *row[PANEL_ROWS], *next[PANEL_ROWS];
        int n_row = matmul_panel_rows(p, panel - p->first, row);
        float *y = p->y + (size_t)(panel - p->first) * PANEL_ROWS;
        bool more = rows_after(in, at, i, first, last, next);
        matmul_panel_run(run, p, row, more ? next : NULL, y, n_row);
        scale_rows(run, p, y, n_row);
    }
}

/* ---- products --------------------------------------------------------- */

/* 16-bit panels are best processed several at a time, unless threads would
 * idle. */
static int side_of(int n_panel, const struct pool *pool)
{
    int share = n_panel / pool_size(pool);
    return share < 1 ? 1 : share < PANELS_16BIT ? share : PANELS_16BIT;
}

/* Counts the panels of a run, from n_panel on. */
static int count_panels(const struct tensor_backend *b, struct pool *pool,
                        struct product_run *run, int n_panel)
{
    int n = 0;
    run->k = &b->k;
    run->gemm16 = b->gemm16;
    run->n_thread = pool_size(pool);
    run->n_col = run->product[0].w->n_col;
    run->first_panel = n_panel;
    for (int i = 0; i < run->n_product; i++) {
        struct product *p = &run->product[i];
        assert(p->w->n_col == run->n_col);
        p->first = n;
        p->form = form_of(b, p->w);
        n += (p->n_row + PANEL_ROWS - 1) / PANEL_ROWS;
        run->forms |= 1u << p->form;
    }
    return n_panel + n;
}

/* Panels below which a piece is not worth waking a thread. */
static int grain_of(const struct tensor_backend *b, const struct pool *pool,
                    const struct inputs *in)
{
    int64_t work = 0;
    for (int i = 0; i < in->n_run; i++) {
        const struct product_run *run = &in->run[i];
        int64_t one = (int64_t)PANEL_ROWS * run->n_col * run->n;
        work = one > work ? one : work;
    }
    int grain = (int)(work_min / work) + 1;
    return b->gemm16 && grain < PANELS_16BIT ? side_of(in->n_panel, pool)
                                             : grain;
}

/* Runs with x and n set; n at most tokens_max in total. */
static void run_inputs(const struct tensor_backend *b, struct pool *pool,
                       struct product_run *run, int n_run, void *scratch)
{
    char *aligned = (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    struct inputs in = {.run = run, .n_run = n_run};
    for (int i = 0; i < n_run; i++)
        in.n_panel = count_panels(b, pool, &run[i], in.n_panel);
    prepare(b, &in, pool, aligned);
    pool_run(pool, in.n_panel, grain_of(b, pool, &in), run_panels, &in);
}

static void run_all(const struct tensor_backend *b, struct pool *pool,
                    struct product_run *run, const float *x, int n,
                    void *scratch)
{
    size_t n_col = (size_t)run->product[0].w->n_col;
    for (int t = 0, most = tokens_max(b); t < n; t += most) {
        run->x = x + (size_t)t * n_col;
        run->n = n - t < most ? n - t : most;
        run_inputs(b, pool, run, 1, scratch);
        for (int i = 0; i < run->n_product; i++)
            run->product[i].y += (size_t)run->n * (size_t)run->product[i].n_row;
    }
}

void matmul(const struct tensor_backend *b, struct pool *pool,
            const struct weight *w, const float *x, int n, float *y,
            void *scratch)
{
    matmul_many(b, pool, &w, 1, x, n, &y, scratch);
}

static void tell(const struct tensor_backend *b, const struct weight *w,
                 const float *x, int n)
{
    const struct tensor_options *o = &b->options;
    if (o->product) o->product(o->product_arg, w->raw, x, n, w->n_col);
}

void matmul_many(const struct tensor_backend *b, struct pool *pool,
                 const struct weight *const *w, int n_weight, const float *x,
                 int n, float *const *y, void *scratch)
{
    for (int i = 0; i < n_weight; i++)
        tell(b, w[i], x, n);
    for (int i = 0; i < n_weight;) {
        struct product_run run = {0};
        for (; i < n_weight && run.n_product < MATMUL_WEIGHTS; i++)
            run.product[run.n_product++] =
                (struct product){.w = w[i], .y = y[i], .n_row = w[i]->n_row};
        run_all(b, pool, &run, x, n, scratch);
    }
}

void matmul_each(const struct tensor_backend *b, struct pool *pool,
                 const struct matmul_input *in, int n_input, void *scratch)
{
    struct product_run run[MATMUL_INPUTS];
    int total = 0;
    assert(n_input <= MATMUL_INPUTS);
    for (int i = 0; i < n_input; i++) {
        run[i] = (struct product_run){
            .x = in[i].x, .n = in[i].n, .n_product = in[i].n_weight};
        for (int j = 0; j < in[i].n_weight; j++) {
            const struct weight *w = in[i].weight[j];
            tell(b, w, in[i].x, in[i].n);
            run[i].product[j] =
                (struct product){.w = w, .y = in[i].y[j], .n_row = w->n_row};
        }
        total += in[i].n;
    }
    if (total <= tokens_max(b))
        run_inputs(b, pool, run, n_input, scratch);
    else
        for (int i = 0; i < n_input; i++)
            run_all(b, pool, &run[i], in[i].x, in[i].n, scratch);
}

void matmul_rows(const struct tensor_backend *b, struct pool *pool,
                 const struct weight *w, const int32_t *row, int n_pick,
                 const float *x, int n, float *y, void *scratch)
{
    struct product_run run = {.n_product = 1};
    if (n_pick < 1) return;
    run.product[0] =
        (struct product){.w = w, .row = row, .y = y, .n_row = n_pick};
    run_all(b, pool, &run, x, n, scratch);
}

/* ---- weights ---------------------------------------------------------- */

struct weight matmul_weight_slice(const struct weight *w, int first, int n_row)
{
    assert(first >= 0 && n_row >= 0 && first + n_row <= w->n_row);
    struct weight s = *w;
    s.raw = (const uint8_t *)w->raw +
            (size_t)first * quant_row_bytes(w->type, w->n_col);
    s.n_row = n_row;
    return s;
}

void matmul_weight_row(const struct weight *w, int row, float *out)
{
    assert(row >= 0 && row < w->n_row);
    struct weight one = matmul_weight_slice(w, row, 1);
    quant_decode(w->type, one.raw, w->n_col, out);
    if (w->scale == 1.0f) return;
    for (int i = 0; i < w->n_col; i++)
        out[i] *= w->scale;
}
