/* k_gpu_delta.h - Gated DeltaNet (MODEL.md, "The gated delta rule"; the host's
 * cpu/decode/deltanet.c explains both forms).
 *
 * ready: convolution, lengths of q and k, decay and rate. pairs: for every chunk,
 * the products between its tokens, all chunks at once. delta: a block has a head
 * and 32 columns of its state, which are independent, in shared memory, and goes
 * through its run: chunks of 32 tokens, or up to 16 one by one; and keeps the raw
 * rows needed by the next run. gate: the norm. Sums of delta are chains in the
 * host's order.
 *
 * token: all of it in one launch where every run is a token: a block has a head, a
 * thread a column of its state, in registers.
 */

/* Raw row `back` rows before row `row` of a run. */
INSIDE const float *gpu_raw_row(const struct gpu_delta_args *a,
                                const struct gpu_run *run, int row, int back)
{
    int i = row - run->first;
    if (back <= i) return a->raw + (int64_t)(row - back) * a->wide;
    int at = (run->n_past + i - back + a->n_tap) % a->n_tap;
    return (const float *)(const void *)(run->state + a->tail) +
           (int64_t)at * a->wide;
}

enum {
    GPU_TAPS = 4,
    GPU_CHANNELS = 3
}; /* whose loads are in flight together */

/* m channels c of row `row` of a run, after the convolution. */
INSIDE void gpu_convolve(const struct gpu_delta_args *a,
                         const struct gpu_run *run, int row, const int *c,
                         int m, float *v)
{
    UNROLL for (int i = 0; i < GPU_CHANNELS; i++) if (i < m) v[i] = 0;
    for (int j0 = 0; j0 < a->n_tap; j0 += GPU_TAPS) {
        float tap[GPU_CHANNELS][GPU_TAPS], x[GPU_CHANNELS][GPU_TAPS];
        UNROLL for (int k = 0; k < GPU_TAPS; k++)
        {
            int j = j0 + k < a->n_tap ? j0 + k : j0;
            const float *raw = gpu_raw_row(a, run, row, a->n_tap - 1 - j);
            UNROLL for (int i = 0; i < GPU_CHANNELS; i++)
            {
                if (i >= m) continue;
                tap[i][k] = a->tap[(int64_t)c[i] * a->n_tap + j];
                x[i][k] = raw[c[i]];
            }
        }
        UNROLL for (int k = 0; k < GPU_TAPS; k++)
        {
            if (j0 + k >= a->n_tap) continue;
            UNROLL for (int i = 0; i < GPU_CHANNELS; i++) if (i < m) v[i] =
                gpu_fma(tap[i][k], x[i][k], v[i]);
        }
    }
    UNROLL for (int i = 0; i < GPU_CHANNELS; i++) if (i < m) v[i] *=
        gpu_sigmoid(v[i]);
}

/* What a head of q (key 0) or k is multiplied by, v of each thread: to length one, q
 * also scaled. */
INSIDE float gpu_delta_scale(const struct gpu_delta_args *a, int key, float v)
{
    float scale = 1.0f / gpu_sqrt(gpu_block_sum(v * v) + 1e-6f);
    return key == 0 ? scale / gpu_sqrt((float)a->dim) : scale;
}

/* The decay of a head, from what the product left in g. */
INSIDE float gpu_delta_decay(const struct gpu_delta_args *a, int64_t i, int h)
{
    return a->rate[h] * gpu_softplus(a->g[i] + a->dt_bias[h]);
}

/* Grid (n, 2 n_k + n_v + 1): a head of q, k or v; the last column has the
 * rates. */
KERNEL(gpu_delta_ready, gpu_delta_args)
{
    int row = BLOCK_X, head = BLOCK_Y, c = head * a.dim + THREAD;
    if (head == 2 * a.n_k + a.n_v) {
        for (int h = THREAD; h < a.n_v; h += GPU_THREADS) {
            int64_t i = (int64_t)row * a.n_v + h;
            a.g[i] = gpu_delta_decay(&a, i, h);
            a.beta[i] = gpu_sigmoid(a.beta[i]);
        }
        return;
    }
    const struct gpu_run *run = &a.run[a.run_of[row]];
    float v = 0, scale = 1;
    if (THREAD < a.dim) gpu_convolve(&a, run, row, &c, 1, &v);
    if (head < 2 * a.n_k) scale = gpu_delta_scale(&a, head / a.n_k, v);
    if (THREAD < a.dim) a.u[(int64_t)row * a.wide + c] = v * scale;
}

/* Result of pairs for a chunk of a head. */
struct gpu_pairs {
    float a[GPU_CHUNK][GPU_CHUNK]; /* -A below the diagonal */
    float p[GPU_CHUNK][GPU_CHUNK]; /* on and below it */
    float grow[GPU_CHUNK], last[GPU_CHUNK];
};

INSIDE struct gpu_pairs *gpu_pairs_at(const struct gpu_delta_args *a, int chunk,
                                      int head)
{
    return (struct gpu_pairs *)(void *)a->pair + (int64_t)chunk * a->n_v + head;
}

/* Rows of q (0) or k (1) of the head's key head, from row `row` on. */
INSIDE const float *gpu_key_rows(const struct gpu_delta_args *a, int key,
                                 int row, int head)
{
    return a->u + (int64_t)row * a->wide + key * a->n_k * a->dim +
           head % a->n_k * a->dim;
}

/* Grid (chunks of the longest run, n_run, n_v). */
KERNEL(gpu_delta_pairs, gpu_delta_args)
{
    SHARED float q[GPU_CHUNK][GPU_CHUNK + 1], k[GPU_CHUNK][GPU_CHUNK + 1];
    SHARED float sum[GPU_CHUNK], beta[GPU_CHUNK];
    const struct gpu_run *run = &a.run[BLOCK_Y];
    int from = BLOCK_X * GPU_CHUNK, head = BLOCK_Z, row = run->first + from;
    int n = run->n - from < GPU_CHUNK ? run->n - from : GPU_CHUNK;
    if (n <= GPU_STEPS) return;
    struct gpu_pairs *out = gpu_pairs_at(&a, run->chunk + BLOCK_X, head);
    if (THREAD == 0) {
        float g = 0;
        for (int i = 0; i < n; i++) {
            g += a.g[(int64_t)(row + i) * a.n_v + head];
            sum[i] = g;
        }
    }
    if (THREAD < n)
        beta[THREAD] = a.beta[(int64_t)(row + THREAD) * a.n_v + head];
    float kk[8], qk[8]; /* row i = WARP + 4 j, column LANE */
    UNROLL for (int j = 0; j < 8; j++) kk[j] = qk[j] = 0;
    for (int d0 = 0; d0 < a.dim; d0 += GPU_CHUNK) {
        BARRIER();
        for (int i = WARP; i < GPU_CHUNK; i += GPU_WARPS) {
            int64_t at = (int64_t)i * a.wide + d0 + LANE;
            int in = i < n && d0 + LANE < a.dim;
            q[i][LANE] = in ? gpu_key_rows(&a, 0, row, head)[at] : 0.0f;
            k[i][LANE] = in ? gpu_key_rows(&a, 1, row, head)[at] : 0.0f;
        }
        BARRIER();
        for (int d = 0; d < GPU_CHUNK; d++)
            UNROLL for (int j = 0; j < 8; j++)
            {
                kk[j] = gpu_fma(k[WARP + 4 * j][d], k[LANE][d], kk[j]);
                qk[j] = gpu_fma(q[WARP + 4 * j][d], k[LANE][d], qk[j]);
            }
    }
    UNROLL for (int j = 0; j < 8; j++)
    {
        int i = WARP + 4 * j;
        if (i >= n || LANE >= n) continue;
        float e = LANE <= i ? gpu_exp(sum[i] - sum[LANE]) : 0.0f;
        out->a[i][LANE] = LANE < i ? kk[j] * (-beta[i] * e) : 0.0f;
        out->p[i][LANE] = LANE <= i ? qk[j] * e : 0.0f;
    }
    if (THREAD < n) {
        out->grow[THREAD] = gpu_exp(sum[THREAD]);
        out->last[THREAD] = gpu_exp(sum[n - 1] - sum[THREAD]);
    }
}

struct gpu_delta_room {
    float s[GPU_DELTA_MAX][GPU_STRIP];
    float x[GPU_CHUNK][GPU_DELTA_MAX]; /* rows of q or of k */
    float rest[GPU_CHUNK][GPU_STRIP];  /* R, then N */
    float a[GPU_CHUNK][GPU_CHUNK];     /* -A, then P */
};

/* The strip's column of this thread: LANE; rows WARP, WARP + 4 ... of arrays
 * with rows. `c` in the head, at least dim if there is none. */
struct gpu_delta_place {
    int row, n, head, c;
};

INSIDE void gpu_delta_load(struct gpu_delta_room *s,
                           const struct gpu_delta_args *a,
                           const struct gpu_delta_place *p, int key)
{
    const float *from = gpu_key_rows(a, key, p->row, p->head);
    for (int i = WARP; i < p->n; i += GPU_WARPS)
        for (int d = LANE; d < a->dim; d += GPU_WARP)
            s->x[i][d] = from[(int64_t)i * a->wide + d];
}

INSIDE float gpu_delta_value(const struct gpu_delta_args *a,
                             const struct gpu_delta_place *p, int i)
{
    const float *v = a->u + (int64_t)(p->row + i) * a->wide +
                     2 * a->n_k * a->dim + p->head * a->dim;
    return p->c < a->dim ? v[p->c] : 0.0f;
}

INSIDE void gpu_delta_out(const struct gpu_delta_args *a,
                          const struct gpu_delta_place *p, int i, float o)
{
    int64_t at = ((int64_t)(p->row + i) * a->n_v + p->head) * a->dim;
    if (p->c < a->dim) a->o[at + p->c] = o;
}

/* Row i of x times the thread's column of s. */
INSIDE float gpu_delta_answer(const struct gpu_delta_room *s, int dim, int i)
{
    float sum = 0;
    UNROLL_8 for (int d = 0; d < dim; d++) sum =
        gpu_fma(s->x[i][d], s->s[d][LANE], sum);
    return sum;
}

INSIDE void gpu_delta_chunk(struct gpu_delta_room *s,
                            const struct gpu_delta_args *a,
                            const struct gpu_delta_place *p,
                            const struct gpu_pairs *pair)
{
    gpu_delta_load(s, a, p, 1);
    for (int i = WARP; i < p->n; i += GPU_WARPS)
        s->a[i][LANE] = LANE < p->n ? pair->a[i][LANE] : 0.0f;
    BARRIER();
    for (int i = WARP; i < p->n; i += GPU_WARPS) { /* R */
        float beta = a->beta[(int64_t)(p->row + i) * a->n_v + p->head];
        s->rest[i][LANE] =
            gpu_fma(beta, gpu_delta_value(a, p, i),
                    gpu_delta_answer(s, a->dim, i) * (-beta * pair->grow[i]));
    }
    BARRIER();
    for (int i = 1; i < p->n && WARP == 0; i++) { /* N: a column a thread */
        float sum = s->rest[i][LANE];
        UNROLL_8 for (int j = 0; j < i; j++) sum =
            gpu_fma(s->a[i][j], s->rest[j][LANE], sum);
        s->rest[i][LANE] = sum;
    }
    BARRIER();
    gpu_delta_load(s, a, p, 0);
    for (int i = WARP; i < p->n; i += GPU_WARPS)
        s->a[i][LANE] = LANE < p->n ? pair->p[i][LANE] : 0.0f;
    BARRIER();
    for (int i = WARP; i < p->n; i += GPU_WARPS) { /* O */
        float o = gpu_delta_answer(s, a->dim, i) * pair->grow[i];
        UNROLL_8 for (int j = 0; j <= i; j++) o =
            gpu_fma(s->a[i][j], s->rest[j][LANE], o);
        gpu_delta_out(a, p, i, o);
    }
    BARRIER();
    gpu_delta_load(s, a, p, 1);
    BARRIER();
    float grow = pair->grow[p->n - 1];
    for (int d = WARP; d < a->dim; d += GPU_WARPS) {
        float sum = s->s[d][LANE] * grow;
        UNROLL_8 for (int i = 0; i < p->n; i++) sum =
            gpu_fma(s->x[i][d] * pair->last[i], s->rest[i][LANE], sum);
        s->s[d][LANE] = sum;
    }
    BARRIER();
}

/* Token by token, one column per thread of the first warp; keys are before
 * queries in x. */
INSIDE void gpu_delta_steps(struct gpu_delta_room *s,
                            const struct gpu_delta_args *a,
                            const struct gpu_delta_place *p)
{
    for (int i = WARP; i < 2 * p->n; i += GPU_WARPS) {
        const float *from =
            gpu_key_rows(a, i < p->n, p->row + i % p->n, p->head);
        for (int d = LANE; d < a->dim; d += GPU_WARP)
            s->x[i][d] = from[d];
    }
    BARRIER();
    for (int i = 0; i < p->n && WARP == 0; i++) {
        int64_t at = (int64_t)(p->row + i) * a->n_v + p->head;
        const float *k = s->x[i], *q = s->x[p->n + i];
        float decay = gpu_exp(a->g[at]), o = 0;
        float m = gpu_delta_answer(s, a->dim, i);
        m = a->beta[at] * (gpu_delta_value(a, p, i) - decay * m);
        for (int d0 = 0; d0 < a->dim; d0 += 8) {
            float x[8];
            UNROLL for (int d = 0; d < 8; d++) x[d] =
                d0 + d < a->dim ? s->s[d0 + d][LANE] : 0.0f;
            UNROLL for (int d = 0; d < 8; d++)
            {
                if (d0 + d >= a->dim) continue;
                x[d] = gpu_fma(k[d0 + d], m, decay * x[d]);
                o = gpu_fma(q[d0 + d], x[d], o);
            }
            UNROLL for (int d = 0; d < 8; d++) if (d0 + d < a->dim)
                s->s[d0 + d][LANE] = x[d];
        }
        gpu_delta_out(a, p, i, o);
    }
    BARRIER();
}

/* The last raw rows of a run into its ring: each block some channels. */
INSIDE void gpu_delta_keep(const struct gpu_delta_args *a,
                           const struct gpu_run *run)
{
    float *tail = (float *)(void *)(run->state + a->tail);
    int rows = a->n_tap - 1, strips = (a->dim + GPU_STRIP - 1) / GPU_STRIP;
    int from = (BLOCK_Z * strips + BLOCK_X) * GPU_THREADS + THREAD;
    for (int c = from; c < a->wide; c += a->n_v * strips * GPU_THREADS)
        for (int i = run->n > rows ? run->n - rows : 0; i < run->n; i++)
            tail[(int64_t)((run->n_past + i) % a->n_tap) * a->wide + c] =
                a->raw[(int64_t)(run->first + i) * a->wide + c];
}

/* Grid (dim / GPU_STRIP, n_run, n_v). */
KERNEL(gpu_delta, gpu_delta_args)
{
    SHARED struct gpu_delta_room s;
    const struct gpu_run *run = &a.run[BLOCK_Y];
    struct gpu_delta_place p;
    p.head = BLOCK_Z;
    p.c = BLOCK_X * GPU_STRIP + LANE;
    float *state = (float *)(void *)(run->state + a.delta) +
                   (int64_t)p.head * a.dim * a.dim;
    UNROLL_8 for (int d = WARP; d < a.dim; d += GPU_WARPS) s.s[d][LANE] =
        p.c < a.dim ? state[d * a.dim + p.c] : 0.0f;
    BARRIER();
    for (int at = 0; at < run->n; at += GPU_CHUNK) {
        p.row = run->first + at;
        p.n = run->n - at < GPU_CHUNK ? run->n - at : GPU_CHUNK;
        if (p.n > GPU_STEPS)
            gpu_delta_chunk(
                &s, &a, &p,
                gpu_pairs_at(&a, run->chunk + at / GPU_CHUNK, p.head));
        else
            gpu_delta_steps(&s, &a, &p);
    }
    for (int d = WARP; d < a.dim; d += GPU_WARPS)
        if (p.c < a.dim) state[d * a.dim + p.c] = s.s[d][LANE];
    gpu_delta_keep(&a, run);
}

/* One over the size of the n numbers of a head, to each thread of a warp. */
INSIDE float gpu_delta_norm(const struct gpu_delta_args *a, const float *o,
                            int n)
{
    float sum = 0;
    for (int d = LANE; d < n; d += GPU_WARP)
        sum = gpu_fma(o[d], o[d], sum);
    return 1.0f / gpu_sqrt(gpu_warp_sum(sum) / (float)a->dim + a->eps);
}

/* Norm first, then the gate z. */
INSIDE float gpu_delta_gated(float o, float norm, float weight, float z)
{
    return z * gpu_sigmoid(z) * (o * norm * weight);
}

/* Grid (n, n_v / GPU_WARPS), a head a warp; in bytes as well. */
KERNEL(gpu_delta_gate, gpu_delta_args)
{
    int first = BLOCK_Y * GPU_WARPS, head = first + WARP;
    int heads = a.n_v - first < GPU_WARPS ? a.n_v - first : GPU_WARPS;
    int64_t row = (int64_t)BLOCK_X * a.n_v;
    int n = head < a.n_v ? a.dim : 0;
    float *o = a.o + (row + head) * a.dim, norm = gpu_delta_norm(&a, o, n);
    const float *z = a.z + (row + head) * a.dim;
    for (int d = LANE; d < n; d += GPU_WARP)
        o[d] = gpu_delta_gated(o[d], norm, a.norm[d], z[d]);
    gpu_round_part(a.to, a.o, (row + first) * a.dim, heads * a.dim);
}

/* A column of a state, of rows of dim numbers, into registers and back. */
INSIDE void gpu_delta_get(float *s, const float *state, int dim)
{
    UNROLL for (int d0 = 0; d0 < GPU_DELTA_MAX; d0 += GPU_STRIP)
    {
        if (d0 >= dim) continue;
        UNROLL for (int d = 0; d < GPU_STRIP; d++) s[d0 + d] =
            state[(d0 + d) * dim];
    }
}

INSIDE void gpu_delta_put(const float *s, float *state, int dim)
{
    UNROLL for (int d0 = 0; d0 < GPU_DELTA_MAX; d0 += GPU_STRIP)
    {
        if (d0 >= dim) continue;
        UNROLL for (int d = 0; d < GPU_STRIP; d++) state[(d0 + d) * dim] =
            s[d0 + d];
    }
}

/* A step of this thread's column s, as gpu_delta_steps: o. */
INSIDE float gpu_delta_column(float *s, int dim, const float *q, const float *k,
                              float v, float decay, float beta)
{
    float m = 0, o = 0;
    UNROLL for (int d0 = 0; d0 < GPU_DELTA_MAX; d0 += GPU_STRIP)
    {
        if (d0 >= dim) continue;
        UNROLL for (int d = d0; d < d0 + GPU_STRIP; d++) m =
            gpu_fma(k[d], s[d], m);
    }
    m = beta * (v - decay * m);
    WARP_BARRIER(); /* k is read again: only s fits into registers */
    UNROLL for (int d0 = 0; d0 < GPU_DELTA_MAX; d0 += GPU_STRIP)
    {
        if (d0 >= dim) continue;
        UNROLL for (int d = d0; d < d0 + GPU_STRIP; d++)
        {
            s[d] = gpu_fma(k[d], m, decay * s[d]);
            o = gpu_fma(q[d], s[d], o);
        }
    }
    return o;
}

/* Keeps n channels of a run's only row for the next ones. */
INSIDE void gpu_delta_keep_row(const struct gpu_delta_args *a,
                               const struct gpu_run *run, const int *c, int n)
{
    float *tail = (float *)(void *)(run->state + a->tail) +
                  (int64_t)(run->n_past % a->n_tap) * a->wide;
    UNROLL for (int i = 0; i < GPU_CHANNELS; i++) if (i < n) tail[c[i]] =
        a->raw[(int64_t)run->first * a->wide + c[i]];
}

/* Grid (n_run, n_v). Several heads can share a block of bytes: the last rounds it. */
KERNEL(gpu_delta_token, gpu_delta_args)
{
    SHARED float x[2][GPU_DELTA_MAX], all[GPU_DELTA_MAX]; /* k, q; o */
    const struct gpu_run *run = &a.run[BLOCK_X];
    int head = BLOCK_Y, key = head % a.n_k, own = THREAD < a.dim;
    int64_t at = (int64_t)run->first * a.n_v + head, first = at * a.dim;
    float *state = (float *)(void *)(run->state + a.delta) +
                   (int64_t)head * a.dim * a.dim + THREAD;
    float s[GPU_DELTA_MAX], v[GPU_CHANNELS] = {0, 0, 0}, z = 0, o;
    int c
        [GPU_CHANNELS]; /* of v, k and q; the last two are those of several heads */
    c[0] = (2 * a.n_k + head) * a.dim + THREAD;
    c[1] = (a.n_k + key) * a.dim + THREAD;
    c[2] = key * a.dim + THREAD;
    UNROLL for (int d = 0; d < GPU_DELTA_MAX; d++) s[d] = 0;
    float decay = gpu_delta_decay(&a, at, head), beta = gpu_sigmoid(a.beta[at]);
    if (own) {
        gpu_delta_get(s, state, a.dim);
        gpu_convolve(&a, run, run->first, c, GPU_CHANNELS, v);
        z = a.z[first + THREAD];
    }
    x[0][THREAD] = v[1] * gpu_delta_scale(&a, 1, v[1]);
    x[1][THREAD] = v[2] * gpu_delta_scale(&a, 0, v[2]);
    BARRIER();
    o = gpu_delta_column(s, a.dim, x[1], x[0], v[0], gpu_exp(decay), beta);
    if (own) {
        gpu_delta_put(s, state, gpu_again(a.dim));
        gpu_delta_keep_row(&a, run, c, head == key ? GPU_CHANNELS : 1);
    }
    all[THREAD] = o;
    BARRIER();
    float norm = gpu_delta_norm(&a, all, a.dim);
    if (own) a.o[first + THREAD] = gpu_delta_gated(o, norm, a.norm[THREAD], z);
    if (a.to.act <= a.dim) {
        gpu_round_part(a.to, a.o, first, a.dim);
        return;
    }
    int64_t block = first / a.to.act;
    if (gpu_is_last(a.count + block, a.to.act / a.dim) && WARP == 0)
        gpu_round_block(a.to, a.o + block * a.to.act, block);
}
