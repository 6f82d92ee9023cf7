/* oracle.c - see oracle.h: the text model, in the order of MODEL.md. */
#include "tests/support/oracle.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What a layer works on. */
struct pass {
    const struct shape *s;
    const struct oracle_rows *r;
    struct arena *arena; /* of this layer */
};

static double *room(struct arena *arena, size_t n, int width)
{
    return arena_array(arena, n * (size_t)width, sizeof(double));
}

double oracle_dot(const double *a, const double *b, int n)
{
    double s = 0, t = 0, u = 0, v = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) { /* four sums: adding one to one waits */
        s += a[i] * b[i];
        t += a[i + 1] * b[i + 1];
        u += a[i + 2] * b[i + 2];
        v += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s += a[i] * b[i];
    return s + t + u + v;
}

void oracle_product(const struct weight *w, const double *x, int n, double *y)
{
    struct arena *arena = arena_new();
    float *row = arena_array(arena, (size_t)w->n_col, sizeof *row);
    double *wide = room(arena, 1, w->n_col);
    size_t bytes = quant_row_bytes(w->type, w->n_col);
    for (int r = 0; r < w->n_row; r++) {
        quant_decode(w->type, (const char *)w->raw + (size_t)r * bytes,
                     w->n_col, row);
        for (int i = 0; i < w->n_col; i++)
            wide[i] = (double)row[i] * (double)w->scale;
        for (int t = 0; t < n; t++)
            y[(size_t)t * (size_t)w->n_row + (size_t)r] =
                oracle_dot(wide, x + (size_t)t * (size_t)w->n_col, w->n_col);
    }
    arena_free(arena);
}

static double *product(const struct pass *p, const struct weight *w,
                       const double *x)
{
    double *y = room(p->arena, (size_t)p->r->n, w->n_row);
    oracle_product(w, x, p->r->n, y);
    return y;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void norm(const double *x, const float *w, int n, double eps, double *y)
{
    double r = 1 / sqrt(oracle_dot(x, x, n) / n + eps);
    for (int i = 0; i < n; i++)
        y[i] = x[i] * r * (double)w[i];
}

static double *norm_rows(const struct pass *p, const float *w)
{
    int width = p->s->n_embd;
    double *y = room(p->arena, (size_t)p->r->n, width);
    for (int t = 0; t < p->r->n; t++)
        norm(p->r->x + (size_t)t * (size_t)width, w, width,
             (double)p->s->norm_eps, y + (size_t)t * (size_t)width);
    return y;
}

/* ---- attention -------------------------------------------------------- */

static void turn(const struct shape *s, const int pos[3], double *x)
{
    int half = s->n_rot / 2;
    for (int i = 0; i < half; i++) {
        int axis = i % 3;
        if (i >= 3 * s->rope_section[axis]) axis = 0;
        double angle = pos[axis] * pow(s->rope_base, -2.0 * i / s->n_rot);
        double a = x[i], b = x[i + half];
        x[i] = a * cos(angle) - b * sin(angle);
        x[i + half] = b * cos(angle) + a * sin(angle);
    }
}

/* One query head of one token over the keys up to it: o[d]. */
static void attend(const struct shape *s, const double *q, const double *k,
                   const double *v, int n, double *score, double *o)
{
    int d = s->n_embd_head, step = s->n_head_kv * d;
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) {
        score[i] = oracle_dot(q, k + (size_t)i * (size_t)step, d) / sqrt(d);
        most = fmax(most, score[i]);
    }
    memset(o, 0, (size_t)d * sizeof *o);
    for (int i = 0; i < n; i++) {
        double e = exp(score[i] - most);
        sum += e;
        for (int c = 0; c < d; c++)
            o[c] += e * v[(size_t)i * (size_t)step + (size_t)c];
    }
    for (int c = 0; c < d; c++)
        o[c] /= sum;
}

static double *attention(const struct pass *p,
                         const struct attention_weights *w, const double *h)
{
    const struct shape *s = p->s;
    int d = s->n_embd_head, n = p->r->n, group = s->n_head / s->n_head_kv;
    double *q = product(p, &w->q, h), *k = product(p, &w->k, h);
    double *v = product(p, &w->v, h), eps = (double)s->norm_eps;
    double *o = room(p->arena, (size_t)n, s->n_head * d);
    double *score = room(p->arena, 1, n);
    for (int t = 0; t < n; t++) {
        double *keys = k + (size_t)(t * s->n_head_kv * d);
        for (int j = 0; j < s->n_head_kv; j++) {
            norm(keys + j * d, w->k_norm, d, eps, keys + j * d);
            turn(s, p->r->pos[t], keys + j * d);
        }
        for (int j = 0; j < s->n_head; j++) {
            double *query =
                q + ((size_t)t * (size_t)s->n_head + (size_t)j) * 2 * (size_t)d;
            double *out =
                o + ((size_t)t * (size_t)s->n_head + (size_t)j) * (size_t)d;
            norm(query, w->q_norm, d, eps, query);
            turn(s, p->r->pos[t], query);
            attend(s, query, k + j / group * d, v + j / group * d, t + 1, score,
                   out);
            for (int c = 0; c < d; c++)
                out[c] *= sigmoid(query[d + c]);
        }
    }
    return product(p, &w->out, o);
}

/* ---- the delta rule --------------------------------------------------- */

/* Every channel over its last steps, then silu. */
static double *convolve(const struct pass *p, const float *tap, const double *u)
{
    const struct shape *s = p->s;
    double *y = room(p->arena, (size_t)p->r->n, s->conv_width);
    for (int t = 0; t < p->r->n; t++)
        for (int c = 0; c < s->conv_width; c++) {
            double sum = 0;
            for (int j = 0; j < s->conv_kernel; j++) {
                int at = t - s->conv_kernel + 1 + j;
                if (at >= 0)
                    sum += (double)tap[c * s->conv_kernel + j] *
                           u[(size_t)at * (size_t)s->conv_width + (size_t)c];
            }
            y[(size_t)t * (size_t)s->conv_width + (size_t)c] =
                sum * sigmoid(sum);
        }
    return y;
}

static void unit(const double *x, int n, double factor, double *y)
{
    double r = factor / sqrt(oracle_dot(x, x, n) + 1e-6);
    for (int i = 0; i < n; i++)
        y[i] = x[i] * r;
}

/* One step of one value head; state [d (key), d (value)]. */
static void step(int d, double *state, const double *q, const double *k,
                 const double *v, double decay, double beta, double *o)
{
    for (int j = 0; j < d; j++) {
        double seen = 0, out = 0;
        for (int i = 0; i < d; i++)
            seen += (state[i * d + j] *= decay) * k[i];
        double write = beta * (v[j] - seen);
        for (int i = 0; i < d; i++)
            out += (state[i * d + j] += k[i] * write) * q[i];
        o[j] = out;
    }
}

static double softplus(double x)
{
    return x > 30 ? x : log1p(exp(x));
}

static double *delta_rule(const struct pass *p, const struct gdn_weights *w,
                          const double *h)
{
    const struct shape *s = p->s;
    int d = s->gdn_dim, n = p->r->n, nv = s->n_gdn_v;
    double *u = convolve(p, w->conv, product(p, &w->qkv, h));
    double *z = product(p, &w->z, h), *b = product(p, &w->beta, h);
    double *a = product(p, &w->alpha, h);
    double *y = room(p->arena, (size_t)n, nv * d);
    double *state = room(p->arena, (size_t)nv * (size_t)d, d);
    double *q = room(p->arena, 2, d), *k = q + d;
    for (int t = 0; t < n; t++) {
        const double *row = u + (size_t)t * (size_t)s->conv_width;
        for (int i = 0; i < nv; i++) {
            int key = i % s->n_gdn_k, at = t * nv + i;
            double *o = y + (size_t)at * (size_t)d;
            unit(row + key * d, d, 1 / sqrt(d), q);
            unit(row + s->gdn_k_width + key * d, d, 1, k);
            double g =
                (double)w->a[i] * softplus(a[at] + (double)w->dt_bias[i]);
            step(d, state + (size_t)i * (size_t)(d * d), q, k,
                 row + 2 * s->gdn_k_width + i * d, exp(g), sigmoid(b[at]), o);
            norm(o, w->norm, d, (double)s->norm_eps, o);
            for (int c = 0; c < d; c++) {
                double gate = z[(size_t)at * (size_t)d + (size_t)c];
                o[c] *= gate * sigmoid(gate);
            }
        }
    }
    return product(p, &w->out, y);
}

/* ---- feed-forward ----------------------------------------------------- */

/* y[n_embd] += factor * down(silu(gate x) * up x) for one row. */
static void swiglu(const struct weight in[3], const double *x, double factor,
                   double *y)
{
    struct arena *arena = arena_new();
    double *gate = room(arena, 1, in[0].n_row);
    double *up = room(arena, 1, in[1].n_row);
    double *out = room(arena, 1, in[2].n_row);
    oracle_product(&in[0], x, 1, gate);
    oracle_product(&in[1], x, 1, up);
    for (int i = 0; i < in[0].n_row; i++)
        gate[i] *= sigmoid(gate[i]) * up[i];
    oracle_product(&in[2], gate, 1, out);
    for (int i = 0; i < in[2].n_row; i++)
        y[i] += factor * out[i];
    arena_free(arena);
}

/* Rows of one expert as a matrix of their own. */
static struct weight slice(const struct weight *w, int first, int n,
                           const float *scale, int e)
{
    struct weight part = *w;
    part.raw = (const char *)w->raw +
               (size_t)first * quant_row_bytes(w->type, w->n_col);
    part.n_row = n;
    if (scale) part.scale *= scale[e];
    return part;
}

static void one_expert(const struct shape *s, const struct ffn_weights *w,
                       int e, const double *x, double factor, double *y)
{
    int first = e * w->exps_stride;
    const struct weight in[3] = {
        slice(&w->gate_exps, first, s->n_ff_expert, w->gate_scale, e),
        slice(&w->up_exps, first + w->up_first, s->n_ff_expert, w->up_scale, e),
        slice(&w->down_exps, e * s->n_embd, s->n_embd, w->down_scale, e)};
    swiglu(in, x, factor, y);
}

static void mixture(const struct shape *s, const struct ffn_weights *w,
                    const double *x, double *p, double *y)
{
    double sum = 0, most = -INFINITY, chosen = 0, weight[64];
    int expert[64];
    oracle_product(&w->router, x, 1, p);
    for (int e = 0; e < s->n_expert; e++)
        most = fmax(most, p[e]);
    for (int e = 0; e < s->n_expert; e++)
        sum += p[e] = exp(p[e] - most);
    assert(s->n_expert_used <= 64);
    for (int i = 0; i < s->n_expert_used; i++) {
        int best = 0;
        for (int e = 1; e < s->n_expert; e++)
            if (p[e] > p[best]) best = e;
        expert[i] = best;
        chosen += weight[i] = p[best] / sum;
        p[best] = -1;
    }
    for (int i = 0; i < s->n_expert_used; i++)
        one_expert(s, w, expert[i], x, weight[i] / fmax(chosen, 0x1p-14), y);
    double gate = 0;
    for (int i = 0; i < s->n_embd; i++)
        gate += (double)w->shared_gate[i] * x[i];
    swiglu((const struct weight[3]){w->gate, w->up, w->down}, x, sigmoid(gate),
           y);
}

static double *feed_forward(const struct pass *p, const struct ffn_weights *w,
                            const double *h)
{
    const struct shape *s = p->s;
    size_t width = (size_t)s->n_embd;
    if (s->n_expert) {
        double *y = room(p->arena, (size_t)p->r->n, s->n_embd);
        double *router = room(p->arena, 1, s->n_expert);
        for (int t = 0; t < p->r->n; t++)
            mixture(s, w, h + (size_t)t * width, router, y + (size_t)t * width);
        return y;
    }
    double *gate = product(p, &w->gate, h), *up = product(p, &w->up, h);
    for (size_t i = 0; i < (size_t)p->r->n * (size_t)s->n_ff; i++)
        gate[i] *= sigmoid(gate[i]) * up[i];
    return product(p, &w->down, gate);
}

/* ---- the whole -------------------------------------------------------- */

struct oracle_rows oracle_begin(const struct shape *s, int n_most,
                                struct arena *arena)
{
    struct oracle_rows r = {.room = n_most};
    r.x = room(arena, (size_t)n_most, s->n_embd);
    r.pos = arena_array(arena, (size_t)n_most, sizeof *r.pos);
    return r;
}

void oracle_tokens(struct oracle_rows *r, const struct shape *s,
                   const struct weights *w, const int32_t *token, int n)
{
    struct arena *arena = arena_new();
    float *row = arena_array(arena, (size_t)s->n_embd, sizeof *row);
    size_t bytes = quant_row_bytes(w->embd.type, s->n_embd);
    assert(r->n + n <= r->room);
    for (int t = 0; t < n; t++, r->n++, r->at++) {
        quant_decode(w->embd.type,
                     (const char *)w->embd.raw + (size_t)token[t] * bytes,
                     s->n_embd, row);
        for (int i = 0; i < s->n_embd; i++)
            r->x[(size_t)r->n * (size_t)s->n_embd + (size_t)i] =
                (double)row[i] * (double)w->embd.scale;
        for (int axis = 0; axis < 3; axis++)
            r->pos[r->n][axis] = r->at;
    }
    arena_free(arena);
}

static void add_rows(struct oracle_rows *r, const double *y, int width)
{
    for (size_t i = 0; i < (size_t)r->n * (size_t)width; i++)
        r->x[i] += y[i];
}

double *oracle_logits(struct oracle_rows *r, const struct shape *s,
                      const struct weights *w, int n_last, struct arena *arena)
{
    for (int i = 0; i < s->n_layer; i++) {
        struct pass p = {.s = s, .r = r, .arena = arena_new()};
        const struct layer *l = &w->layer[i];
        double *h = norm_rows(&p, l->norm_mix);
        add_rows(r,
                 l->attends ? attention(&p, &l->attention, h)
                            : delta_rule(&p, &l->gdn, h),
                 s->n_embd);
        h = norm_rows(&p, l->norm_ffn);
        add_rows(r, feed_forward(&p, &l->ffn, h), s->n_embd);
        arena_free(p.arena);
    }
    double *logits = room(arena, (size_t)n_last, s->n_vocab);
    struct pass p = {.s = s, .r = r, .arena = arena};
    double *h = norm_rows(&p, w->norm_out);
    oracle_product(&w->head, h + (size_t)(r->n - n_last) * (size_t)s->n_embd,
                   n_last, logits);
    return logits;
}
