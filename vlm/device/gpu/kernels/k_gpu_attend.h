/* k_gpu_attend.h - gated full attention (MODEL.md, "Gated attention").
 *
 * ready: queries normed, rotated and scaled, keys and values into the state.
 * attend: a block has a key head and a tile of rows (token, query head of that
 * key head) and goes through keys in tiles of 32 with a running maximum and
 * sum, by strips of 128 columns, which are F32 in shared memory whatever their
 * stored format; each segment of 512 keys is summed separately. Segments are
 * distributed over n_split blocks and joined in order, which uses the whole
 * device for few rows; the number of splits changes no bit. join: the parts of
 * all splits, then the gate.
 *
 * scores, values: in attend's place where every run is a token: a block has the
 * scores of 32 keys, then 32 columns of the values of a segment. The same numbers
 * are added in the same order.
 */

INSIDE char *gpu_kept_at(const struct gpu_attend_args *a,
                         const struct gpu_run *r, int value, int at, int head)
{
    int64_t i = ((int64_t)value * a->n_ctx + at) * a->n_head_kv + head;
    return r->state + a->kv + i * a->kept_row;
}

/* Offset of the scale of number d, in Q8_0. */
INSIDE int gpu_kept_scale(int dim, int d)
{
    return dim + d / 32 * 2;
}

/* Number d of a stored row. */
INSIDE float gpu_kept_get(const struct gpu_attend_args *a, const char *row,
                          int d)
{
    const void *scale = row + gpu_kept_scale(a->dim, d);
    const void *wide = row;
    if (a->kept == GPU_KEPT_F32) return ((const float *)wide)[d];
    if (a->kept == GPU_KEPT_F16)
        return gpu_from_half(((const uint16_t *)wide)[d]);
    return gpu_from_half(*(const uint16_t *)scale) *
           (float)((const int8_t *)row)[d];
}

/* Stores y as number d of a row; by all threads of a warp, which have the
 * numbers of one Q8_0 scale in adjacent lanes (beyond dim: 0, not stored). */
INSIDE void gpu_kept_put(const struct gpu_attend_args *a, char *row, int d,
                         float y)
{
    void *wide = row, *scale = row + gpu_kept_scale(a->dim, d);
    if (a->kept == GPU_KEPT_Q8) {
        float most = gpu_warp_max(y < 0 ? -y : y);
        float inverse = most > 0 ? 127.0f / most : 0.0f;
        if (d >= a->dim) return;
        /* the constant makes the addition round to nearest even */
        ((int8_t *)row)[d] = (int8_t)gpu_bits(y * inverse + 12582912.0f);
        if (LANE == 0) *(uint16_t *)scale = gpu_to_half(most / 127.0f);
    } else if (d < a->dim && a->kept == GPU_KEPT_F16) {
        ((uint16_t *)wide)[d] = gpu_to_half(y);
    } else if (d < a->dim) {
        ((float *)wide)[d] = y;
    }
}

/* A head's numbers normed and rotated, by the block: x[i] becomes y[i], where
 * thread t has i = t, t + GPU_THREADS; 0 beyond dim. */
INSIDE void gpu_turn_head(const struct gpu_attend_args *a, const float *x,
                          const float *w, int row, float scale, float *y)
{
    SHARED float normed[GPU_HEAD_MAX];
    const float *cosine = a->cosine + row * a->n_pair;
    const float *sine = a->sine + row * a->n_pair;
    float sum = 0;
    for (int i = THREAD; i < a->dim; i += GPU_THREADS)
        sum = gpu_fma(x[i], x[i], sum);
    float norm = 1.0f / gpu_sqrt(gpu_block_sum(sum) / (float)a->dim + a->eps);
    for (int i = THREAD; i < a->dim; i += GPU_THREADS)
        normed[i] = x[i] * norm * w[i];
    BARRIER();
    UNROLL for (int j = 0; j < GPU_HEAD_MAX / GPU_THREADS; j++)
    {
        int i = THREAD + j * GPU_THREADS, pair = i % a->n_pair;
        y[j] = 0;
        if (i >= a->dim) continue;
        float v = normed[i];
        if (i < a->n_pair)
            v = v * cosine[pair] - normed[i + a->n_pair] * sine[pair];
        else if (i < 2 * a->n_pair)
            v = v * cosine[pair] + normed[i - a->n_pair] * sine[pair];
        y[j] = v * scale;
    }
}

/* Grid (n, n_head + n_head_kv). */
KERNEL(gpu_attend_ready, gpu_attend_args)
{
    int row = BLOCK_X, head = BLOCK_Y - a.n_head;
    float y[GPU_HEAD_MAX / GPU_THREADS];
    const struct gpu_run *run = &a.run[a.run_of[row]];
    int at = run->n_past + row - run->first;
    float scale = 1.0f / gpu_sqrt((float)a.dim);
    float *q = a.q + ((int64_t)row * a.n_head + BLOCK_Y) * 2 * a.dim;
    int64_t i = ((int64_t)row * a.n_head_kv + head) * a.dim;
    if (head < 0)
        gpu_turn_head(&a, q, a.q_norm, row, scale, y);
    else
        gpu_turn_head(&a, a.k + i, a.k_norm, row, 1.0f, y);
    UNROLL for (int j = 0; j < GPU_HEAD_MAX / GPU_THREADS; j++)
    {
        int d = THREAD + j * GPU_THREADS;
        if (head < 0) {
            if (d < a.dim) q[d] = y[j];
            continue;
        }
        float v = d < a.dim ? a.v[i + d] : 0.0f;
        gpu_kept_put(&a, gpu_kept_at(&a, run, 0, at, head), d, y[j]);
        gpu_kept_put(&a, gpu_kept_at(&a, run, 1, at, head), d, v);
    }
}

/* A thread's running state: for every row of the tile, its columns of o; for
 * its warp's rows, maximum and sum. */
struct gpu_folded {
    float o[GPU_QUERIES][GPU_HEAD_MAX / GPU_THREADS];
    float best[GPU_QUERIES / GPU_WARPS], sum[GPU_QUERIES / GPU_WARPS];
};

enum { GPU_FEW_ROWS = 4 }; /* maximum query heads of a single token */

struct gpu_attend_tile {
    float q[GPU_QUERIES][GPU_HEAD_MAX];
    float p[GPU_QUERIES][GPU_KEYS];
    float fade[2][GPU_QUERIES];
    float key[GPU_KEYS][GPU_THREADS + 1]; /* then values: a strip of columns */
};

/* The block's part: rows row .. of tile `token`, of a key head of a run. */
struct gpu_attend_place {
    const struct gpu_run *run;
    int head_kv, group, token, n_row;
};

INSIDE void gpu_fold_clear(struct gpu_folded *f)
{
    UNROLL for (int i = 0; i < GPU_QUERIES; i++)
    {
        f->o[i][0] = 0;
        f->o[i][1] = 0;
    }
    UNROLL for (int i = 0; i < GPU_QUERIES / GPU_WARPS; i++)
    {
        f->best[i] = -1e30f;
        f->sum[i] = 0;
    }
}

/* The factors of old and new shares when they are joined with maximum
 * `best`. */
INSIDE float gpu_fold_best(float old, float new_best, float *fade)
{
    float best = new_best > old ? new_best : old;
    fade[0] = gpu_exp(old - best);
    fade[1] = gpu_exp(new_best - best);
    return best;
}

INSIDE float gpu_fold_sum(const float *fade, float old, float new_sum)
{
    return gpu_fma(new_sum, fade[1], old * fade[0]);
}

/* gpu_attend_load for the F16 format: all loads in flight together. */
INSIDE void gpu_attend_halves(struct gpu_attend_tile *s,
                              const struct gpu_attend_args *a,
                              const struct gpu_attend_place *p, int value,
                              int at, int n, int d0)
{
    uint16_t h[GPU_KEYS / GPU_WARPS][GPU_WARPS];
    UNROLL for (int i = 0; i < GPU_KEYS; i++)
    {
        int k = WARP + i / GPU_WARPS * GPU_WARPS;
        int d = d0 + LANE + i % GPU_WARPS * GPU_WARP;
        const uint16_t *row = (const uint16_t *)(const void *)gpu_kept_at(
            a, p->run, value, at + k, p->head_kv);
        h[i / GPU_WARPS][i % GPU_WARPS] = k < n && d < a->dim ? row[d] : 0;
    }
    UNROLL for (int i = 0; i < GPU_KEYS; i++)
        s->key[WARP + i / GPU_WARPS * GPU_WARPS]
              [LANE + i % GPU_WARPS * GPU_WARP] =
        gpu_from_half(h[i / GPU_WARPS][i % GPU_WARPS]);
}

/* Columns d0 .. of keys (value: 0) or values (1) at .. at + n - 1 into the
 * tile; 0 for keys after them and columns beyond dim. */
INSIDE void gpu_attend_load(struct gpu_attend_tile *s,
                            const struct gpu_attend_args *a,
                            const struct gpu_attend_place *p, int value, int at,
                            int n, int d0)
{
    BARRIER();
    if (a->kept == GPU_KEPT_F16) gpu_attend_halves(s, a, p, value, at, n, d0);
    for (int k = WARP; k < GPU_KEYS && a->kept != GPU_KEPT_F16;
         k += GPU_WARPS) {
        const char *row = gpu_kept_at(a, p->run, value, at + k, p->head_kv);
        UNROLL for (int j = 0; j < GPU_WARPS; j++)
        {
            int d = LANE + j * GPU_WARP;
            int in = k < n && d0 + d < a->dim;
            s->key[k][d] = in ? gpu_kept_get(a, row, d0 + d) : 0.0f;
        }
    }
    BARRIER();
}

/* The scores of a warp's rows, one key per lane. */
INSIDE void gpu_attend_meet(struct gpu_attend_tile *s,
                            const struct gpu_attend_args *a,
                            const struct gpu_attend_place *p, int at, int n,
                            float *score)
{
    UNROLL for (int i = 0; i < GPU_QUERIES / GPU_WARPS; i++) score[i] = 0;
    for (int d0 = 0; d0 < a->dim; d0 += GPU_THREADS) {
        gpu_attend_load(s, a, p, 0, at, n, d0);
        int m = a->dim - d0 < GPU_THREADS ? a->dim - d0 : GPU_THREADS;
        UNROLL_8 for (int d = 0; d < m; d++)
        {
            float k = s->key[LANE][d];
            UNROLL for (int i = 0; i < GPU_QUERIES / GPU_WARPS; i++) score[i] =
                gpu_fma(s->q[WARP * 4 + i][d0 + d], k, score[i]);
        }
    }
}

/* Turns a warp's scores into weights in p; updates the sums. */
INSIDE void gpu_attend_weigh(struct gpu_attend_tile *s,
                             const struct gpu_attend_place *p, int at, int n,
                             const float *score, struct gpu_folded *f)
{
    UNROLL for (int i = 0; i < GPU_QUERIES / GPU_WARPS; i++)
    {
        int r = WARP * 4 + i;
        int seen = p->run->n_past + p->token + r / p->group - at;
        int counts = LANE < n && LANE <= seen && r < p->n_row;
        float best = gpu_warp_max(counts ? score[i] : -1e30f), fade[2];
        if (best < f->best[i]) best = f->best[i];
        fade[0] = gpu_exp(f->best[i] - best);
        float w = counts ? gpu_exp(score[i] - best) : 0.0f;
        f->best[i] = best;
        f->sum[i] = f->sum[i] * fade[0] + gpu_warp_sum(w);
        s->p[r][LANE] = w;
        if (LANE == 0) s->fade[0][r] = fade[0];
    }
}

/* Rows 0 .. n_row - 1 (a constant) of the tile, strip j: adds n values times
 * their weights. */
INSIDE void gpu_attend_add(const struct gpu_attend_tile *s, int j, int n,
                           int n_row, struct gpu_folded *f)
{
    UNROLL_8 for (int k = 0; k < n; k++)
    {
        float v = s->key[k][THREAD];
        UNROLL for (int r = 0; r < GPU_QUERIES; r++) if (r < n_row) f->o[r][j] =
            gpu_fma(s->p[r][k], v, f->o[r][j]);
    }
}

INSIDE void gpu_attend_answer(struct gpu_attend_tile *s,
                              const struct gpu_attend_args *a,
                              const struct gpu_attend_place *p, int at, int n,
                              struct gpu_folded *f)
{
    UNROLL for (int j = 0; j < GPU_HEAD_MAX / GPU_THREADS; j++)
    {
        if (j * GPU_THREADS >= a->dim) continue;
        gpu_attend_load(s, a, p, 1, at, n, j * GPU_THREADS);
        UNROLL for (int r = 0; r < GPU_QUERIES; r++) f->o[r][j] *=
            s->fade[0][r];
        if (p->n_row <= GPU_FEW_ROWS)
            gpu_attend_add(s, j, n, GPU_FEW_ROWS, f);
        else
            gpu_attend_add(s, j, n, GPU_QUERIES, f);
    }
}

/* Keys from .. to - 1, separate from all before. */
INSIDE void gpu_attend_segment(struct gpu_attend_tile *s,
                               const struct gpu_attend_args *a,
                               const struct gpu_attend_place *p, int from,
                               int to, struct gpu_folded *f)
{
    gpu_fold_clear(f);
    for (int at = from; at < to; at += GPU_KEYS) {
        int n = to - at < GPU_KEYS ? to - at : GPU_KEYS;
        float score[GPU_QUERIES / GPU_WARPS];
        gpu_attend_meet(s, a, p, at, n, score);
        gpu_attend_weigh(s, p, at, n, score, f);
        gpu_attend_answer(s, a, p, at, n, f);
    }
}

/* Joins `more` into `all`, after it. */
INSIDE void gpu_fold_join(struct gpu_attend_tile *s, struct gpu_folded *all,
                          const struct gpu_folded *more)
{
    BARRIER();
    UNROLL for (int i = 0; i < GPU_QUERIES / GPU_WARPS; i++)
    {
        float fade[2];
        all->best[i] = gpu_fold_best(all->best[i], more->best[i], fade);
        all->sum[i] = gpu_fold_sum(fade, all->sum[i], more->sum[i]);
        if (LANE) continue;
        s->fade[0][WARP * 4 + i] = fade[0];
        s->fade[1][WARP * 4 + i] = fade[1];
    }
    BARRIER();
    UNROLL for (int r = 0; r < GPU_QUERIES; r++)
    {
        float fade[2];
        fade[0] = s->fade[0][r];
        fade[1] = s->fade[1][r];
        all->o[r][0] = gpu_fold_sum(fade, all->o[r][0], more->o[r][0]);
        all->o[r][1] = gpu_fold_sum(fade, all->o[r][1], more->o[r][1]);
    }
}

/* Row of the pass, and head, of row r of the tile. */
INSIDE int64_t gpu_attend_row(const struct gpu_attend_args *a,
                              const struct gpu_attend_place *p, int r)
{
    int64_t row = p->run->first + p->token + r / p->group;
    return row * a->n_head + p->head_kv * p->group + r % p->group;
}

/* The tile's queries; 0 after the last. */
INSIDE void gpu_attend_queries(struct gpu_attend_tile *s,
                               const struct gpu_attend_args *a,
                               const struct gpu_attend_place *p)
{
    for (int r = WARP; r < GPU_QUERIES; r += GPU_WARPS) {
        const float *q = a->q + gpu_attend_row(a, p, r) * 2 * a->dim;
        for (int d = LANE; d < a->dim; d += GPU_WARP)
            s->q[r][d] = r < p->n_row ? q[d] : 0.0f;
    }
}

INSIDE void gpu_attend_leave(const struct gpu_attend_args *a,
                             const struct gpu_attend_place *p, int split,
                             const struct gpu_folded *f)
{
    float *part = a->part + (int64_t)split * a->n * a->n_head * (a->dim + 2);
    UNROLL for (int r = 0; r < GPU_QUERIES; r++)
    {
        float *out = part + gpu_attend_row(a, p, r) * (a->dim + 2);
        if (r >= p->n_row) continue;
        if (THREAD < a->dim) out[THREAD] = f->o[r][0];
        if (THREAD + GPU_THREADS < a->dim)
            out[THREAD + GPU_THREADS] = f->o[r][1];
    }
    UNROLL for (int i = 0; i < GPU_QUERIES / GPU_WARPS; i++)
    {
        int r = WARP * 4 + i;
        float *out = part + gpu_attend_row(a, p, r) * (a->dim + 2) + a->dim;
        if (r >= p->n_row || LANE) continue;
        out[0] = f->best[i];
        out[1] = f->sum[i];
    }
}

/* Grid (tiles of the longest run, n_run * n_head_kv, n_split): with more than
 * one split, split i is segment i. */
KERNEL(gpu_attend, gpu_attend_args)
{
    SHARED struct gpu_attend_tile s;
    struct gpu_folded all, part;
    struct gpu_attend_place p;
    p.run = &a.run[BLOCK_Y / a.n_head_kv];
    p.head_kv = BLOCK_Y % a.n_head_kv;
    p.group = a.n_head / a.n_head_kv;
    int tokens = GPU_QUERIES / p.group;
    p.token = BLOCK_X * tokens;
    if (p.token >= p.run->n) return;
    if (tokens > p.run->n - p.token) tokens = p.run->n - p.token;
    p.n_row = tokens * p.group;
    int n_key = p.run->n_past + p.token + tokens;
    if (BLOCK_Z * GPU_SEGMENT >= n_key) return;
    gpu_attend_queries(&s, &a, &p);
    gpu_fold_clear(&all);
    int last = a.n_split > 1 ? BLOCK_Z + 1 : n_key / GPU_SEGMENT + 1;
    for (int i = BLOCK_Z; i < last && i * GPU_SEGMENT < n_key; i++) {
        int to = (i + 1) * GPU_SEGMENT < n_key ? (i + 1) * GPU_SEGMENT : n_key;
        gpu_attend_segment(&s, &a, &p, i * GPU_SEGMENT, to, &part);
        gpu_fold_join(&s, &all, &part);
    }
    gpu_attend_leave(&a, &p, BLOCK_Z, &all);
}

/* Keys of segment BLOCK_Z that a run's only token sees. */
INSIDE int gpu_attend_seen(const struct gpu_run *run)
{
    int n = run->n_past + 1 - BLOCK_Z * GPU_SEGMENT;
    return n < GPU_SEGMENT ? n : GPU_SEGMENT;
}

/* The scores of a row of a run's only token for segment BLOCK_Z. */
INSIDE float *gpu_attend_scored(const struct gpu_attend_args *a,
                                const struct gpu_attend_place *p, int r)
{
    return a->score +
           (gpu_attend_row(a, p, r) * a->n_split + BLOCK_Z) * GPU_SEGMENT;
}

INSIDE struct gpu_attend_place gpu_attend_token(const struct gpu_attend_args *a)
{
    struct gpu_attend_place p;
    p.run = &a->run[BLOCK_Y / a->n_head_kv];
    p.head_kv = BLOCK_Y % a->n_head_kv;
    p.group = p.n_row = a->n_head / a->n_head_kv;
    p.token = 0;
    return p;
}

/* Grid (GPU_SEGMENT / GPU_KEYS, n_run * n_head_kv, n_split). */
KERNEL(gpu_attend_scores, gpu_attend_args)
{
    SHARED struct gpu_attend_tile s;
    struct gpu_attend_place p = gpu_attend_token(&a);
    int first = BLOCK_X * GPU_KEYS, n = gpu_attend_seen(p.run) - first;
    float score[GPU_QUERIES / GPU_WARPS];
    if (n <= 0) return;
    if (n > GPU_KEYS) n = GPU_KEYS;
    gpu_attend_queries(&s, &a, &p);
    gpu_attend_meet(&s, &a, &p, BLOCK_Z * GPU_SEGMENT + first, n, score);
    UNROLL for (int i = 0; i < GPU_QUERIES / GPU_WARPS; i++)
    {
        int r = WARP * 4 + i;
        if (r < p.n_row && LANE < n)
            gpu_attend_scored(&a, &p, r)[first + LANE] = score[i];
    }
}

enum { GPU_TILES = GPU_SEGMENT / GPU_KEYS, GPU_FLIGHT = 128 };

struct gpu_attend_weights { /* of a segment */
    float p[GPU_QUERIES][GPU_SEGMENT], fade[GPU_QUERIES][GPU_TILES];
    uint16_t v[GPU_FLIGHT][GPU_WARP];
};

/* Row r's n scores become weights, by a warp, as by gpu_attend_weigh tile by tile; end:
 * maximum and sum. */
INSIDE void gpu_attend_weigh_all(struct gpu_attend_weights *s,
                                 const float *score, int r, int n, float *end)
{
    float x[GPU_TILES], most[GPU_TILES], best = -1e30f, sum = 0;
    UNROLL for (int t = 0; t < GPU_TILES; t++)
    {
        int k = t * GPU_KEYS + LANE;
        x[t] = k < n ? score[k] : -1e30f;
        most[t] = gpu_warp_max(x[t]);
    }
    UNROLL for (int t = 0; t < GPU_TILES; t++)
    {
        int k = t * GPU_KEYS + LANE;
        float old = best, fade, w;
        if (!(most[t] < best)) best = most[t];
        fade = gpu_exp(old - best);
        w = k < n ? gpu_exp(x[t] - best) : 0.0f;
        sum = sum * fade + gpu_warp_sum(w);
        s->p[r][k] = w;
        if (LANE == 0) s->fade[r][t] = fade;
    }
    end[0] = best;
    end[1] = sum;
}

/* Adds the values v of tile t, times their weights, to a warp's rows. */
INSIDE void gpu_attend_weighed(const struct gpu_attend_weights *s, int n_row,
                               int t, const float *v, float *o)
{
    UNROLL for (int i = 0; i < GPU_QUERIES / GPU_WARPS; i++)
    {
        int r = WARP + i * GPU_WARPS;
        if (r >= n_row) continue;
        o[i] *= s->fade[r][t];
        UNROLL for (int k = 0; k < GPU_KEYS; k++) o[i] =
            gpu_fma(s->p[r][t * GPU_KEYS + k], v[k], o[i]);
    }
}

/* A warp's quarter of the GPU_FLIGHT values from key k0 on, number d of each, in F16:
 * all loads in flight together; after the n-th, whose weights are 0, the last again. */
INSIDE void gpu_attend_fetch(const struct gpu_attend_args *a,
                             const struct gpu_attend_place *p, int k0, int n,
                             int d, uint16_t *v)
{
    const char *row =
        gpu_kept_at(a, p->run, 1, BLOCK_Z * GPU_SEGMENT, p->head_kv);
    int stride = a->n_head_kv * a->kept_row;
    UNROLL for (int i = 0; i < GPU_FLIGHT / GPU_WARPS; i++)
    {
        int64_t k = k0 + WARP + i * GPU_WARPS;
        if (k >= n) k = n - 1;
        v[i] = ((const uint16_t *)(const void *)(row + k * stride))[d];
    }
}

/* Adds n values in F16; those of the next flight are loaded meanwhile. */
INSIDE void gpu_attend_halves_weighed(struct gpu_attend_weights *s,
                                      const struct gpu_attend_args *a,
                                      const struct gpu_attend_place *p, int n,
                                      int d, float *o)
{
    uint16_t v[GPU_FLIGHT / GPU_WARPS];
    gpu_attend_fetch(a, p, 0, n, d, v);
    for (int k0 = 0; k0 < n; k0 += GPU_FLIGHT) {
        BARRIER();
        UNROLL for (int i = 0; i < GPU_FLIGHT / GPU_WARPS; i++)
            s->v[WARP + i * GPU_WARPS][LANE] = v[i];
        BARRIER();
        gpu_attend_fetch(a, p, k0 + GPU_FLIGHT, n, d, v);
        for (int k = k0; k < n && k < k0 + GPU_FLIGHT; k += GPU_KEYS) {
            float x[GPU_KEYS];
            UNROLL for (int j = 0; j < GPU_KEYS; j++) x[j] =
                gpu_from_half(s->v[k - k0 + j][LANE]);
            gpu_attend_weighed(s, p->n_row, k / GPU_KEYS, x, o);
        }
    }
}

/* Grid (dim / GPU_WARP, n_run * n_head_kv, n_split). A warp has every fourth row, a
 * lane a column. */
KERNEL(gpu_attend_values, gpu_attend_args)
{
    SHARED struct gpu_attend_weights s;
    enum { ROWS = GPU_QUERIES / GPU_WARPS };
    struct gpu_attend_place p = gpu_attend_token(&a);
    int n = gpu_attend_seen(p.run), d = BLOCK_X * GPU_WARP + LANE;
    int column = d < a.dim ? d : a.dim - 1;
    float o[ROWS], end[ROWS][2];
    if (n <= 0) return;
    UNROLL for (int i = 0; i < ROWS; i++)
    {
        int r = WARP + i * GPU_WARPS;
        o[i] = 0;
        if (r < p.n_row)
            gpu_attend_weigh_all(&s, gpu_attend_scored(&a, &p, r), r, n,
                                 end[i]);
    }
    WARP_BARRIER();
    if (a.kept == GPU_KEPT_F16)
        gpu_attend_halves_weighed(&s, &a, &p, n, column, o);
    int left = a.kept == GPU_KEPT_F16 ? 0 : n;
    for (int k = 0; k < left; k += GPU_KEYS) {
        float v[GPU_KEYS];
        UNROLL for (int j = 0; j < GPU_KEYS; j++)
        {
            int i = BLOCK_Z * GPU_SEGMENT + (k + j < n ? k + j : n - 1);
            v[j] = gpu_kept_get(&a, gpu_kept_at(&a, p.run, 1, i, p.head_kv),
                                column);
        }
        gpu_attend_weighed(&s, p.n_row, k / GPU_KEYS, v, o);
    }
    UNROLL for (int i = 0; i < ROWS; i++)
    {
        int r = WARP + i * GPU_WARPS;
        if (r >= p.n_row) continue;
        int64_t row =
            (int64_t)BLOCK_Z * a.n * a.n_head + gpu_attend_row(&a, &p, r);
        float *out = a.part + row * (a.dim + 2);
        if (d < a.dim) out[d] = o[i];
        if (d < 2) out[a.dim + d] = d == 0 ? end[i][0] : end[i][1];
    }
}

/* Grid (n, n_head): the parts in order, over their sum, times the gate; in bytes as
 * well. */
KERNEL(gpu_attend_join, gpu_attend_args)
{
    int row = BLOCK_X, head = BLOCK_Y;
    const struct gpu_run *run = &a.run[a.run_of[row]];
    int n_key = run->n_past + row - run->first + 1;
    int64_t i = (int64_t)row * a.n_head + head;
    const float *gate = a.q + (2 * i + 1) * a.dim;
    const float *part = a.part + i * (a.dim + 2);
    int64_t stride = (int64_t)a.n * a.n_head * (a.dim + 2);
    for (int d = THREAD; d < a.dim; d += GPU_THREADS) {
        float o = 0, best = -1e30f, sum = 0, fade[2];
        for (int k = 0; k < a.n_split && k * GPU_SEGMENT < n_key; k++) {
            const float *at = part + k * stride;
            best = gpu_fold_best(best, at[a.dim], fade);
            sum = gpu_fold_sum(fade, sum, at[a.dim + 1]);
            o = gpu_fold_sum(fade, o, at[d]);
        }
        a.o[i * a.dim + d] = o * (1.0f / sum) * gpu_sigmoid(gate[d]);
    }
    gpu_round_part(a.to, a.o, i * a.dim, a.dim);
}
