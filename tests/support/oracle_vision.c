/* oracle_vision.c - see oracle.h: the eye, in the order of MODEL.md. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "tests/support/oracle.h"

static const double PI = 3.14159265358979323846;

struct eye {
    const struct vision_shape *s;
    const struct vision_weights *w;
    struct arena *arena;
    int gw, gh, n; /* patches */
    int (*at)[2];  /* [n] row, column: blocks of 2 x 2 one after the other */
    double *x;     /* [n, n_embd] */
};

static double *room(struct arena *arena, size_t n, int width)
{
    return arena_array(arena, n * (size_t)width, sizeof(double));
}

static void order_patches(struct eye *e)
{
    int m = e->s->merge_size, i = 0;
    e->at = arena_array(e->arena, (size_t)e->n, sizeof *e->at);
    for (int by = 0; by < e->gh; by += m)
        for (int bx = 0; bx < e->gw; bx += m)
            for (int k = 0; k < m * m; k++, i++) {
                e->at[i][0] = by + k / m;
                e->at[i][1] = bx + k % m;
            }
}

/* Products with a bias: y[n, n_row]. */
static double *linear(const struct eye *e, const struct weight *w,
                      const float *bias, const double *x, int n)
{
    double *y = room(e->arena, (size_t)n, w->n_row);
    oracle_product(w, x, n, y);
    for (int t = 0; t < n; t++)
        for (int i = 0; i < w->n_row; i++)
            y[(size_t)t * (size_t)w->n_row + (size_t)i] += (double)bias[i];
    return y;
}

static double *pixels(const struct eye *e, const struct image *image)
{
    int side = e->s->patch_size, size = 3 * side * side;
    double *p = room(e->arena, (size_t)e->n, size);
    for (int i = 0; i < e->n; i++)
        for (int k = 0; k < size; k++) {
            int c = k / (side * side);
            int y = e->at[i][0] * side + k / side % side;
            int x = e->at[i][1] * side + k % side;
            double v = image->data[(size_t)y * image->stride_bytes +
                                   (size_t)(3 * x + c)];
            p[(size_t)i * (size_t)size + (size_t)k] =
                (v / 255 - (double)e->s->mean[c]) / (double)e->s->std[c];
        }
    return p;
}

/* The table's value at a place between its entries, corner on corner. */
static void add_position(const struct eye *e, int i)
{
    int side = e->s->position_side, width = e->s->n_embd;
    double r = e->at[i][0] * (side - 1.0) / (e->gh - 1);
    double c = e->at[i][1] * (side - 1.0) / (e->gw - 1);
    for (int k = 0; k < 4; k++) {
        int y = (int)r + k / 2, x = (int)c + k % 2;
        double weight = (k / 2 ? r - (int)r : 1 - r + (int)r) *
                        (k % 2 ? c - (int)c : 1 - c + (int)c);
        if (y >= side || x >= side) continue; /* weight 0 */
        const float *row =
            e->w->position + (size_t)(y * side + x) * (size_t)width;
        for (int j = 0; j < width; j++)
            e->x[(size_t)i * (size_t)width + (size_t)j] +=
                weight * (double)row[j];
    }
}

static double *layer_norm(const struct eye *e, const float *w, const float *b)
{
    int width = e->s->n_embd;
    double *y = room(e->arena, (size_t)e->n, width);
    for (int t = 0; t < e->n; t++) {
        const double *x = e->x + (size_t)t * (size_t)width;
        double mean = 0, square = 0;
        for (int i = 0; i < width; i++)
            mean += x[i] / width;
        for (int i = 0; i < width; i++)
            square += (x[i] - mean) * (x[i] - mean) / width;
        double r = 1 / sqrt(square + (double)e->s->norm_eps);
        for (int i = 0; i < width; i++)
            y[(size_t)t * (size_t)width + (size_t)i] =
                (x[i] - mean) * r * (double)w[i] + (double)b[i];
    }
    return y;
}

static void turn(const int at[2], int d, double *x)
{
    for (int i = 0; i < d / 2; i++) {
        int j = i % (d / 4), axis = i / (d / 4);
        double angle = at[axis] * pow(10000, -2.0 * j / (d / 2.0));
        double a = x[i], b = x[i + d / 2];
        x[i] = a * cos(angle) - b * sin(angle);
        x[i + d / 2] = b * cos(angle) + a * sin(angle);
    }
}

/* One query over all keys; k and v are those of its head, `step` apart. */
static void attend(const double *q, const double *k, const double *v, int d,
                   int step, int n, double *score, double *o)
{
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) {
        score[i] = oracle_dot(q, k + (size_t)i * (size_t)step, d) / sqrt(d);
        most = fmax(most, score[i]);
    }
    memset(o, 0, (size_t)d * sizeof *o);
    for (int i = 0; i < n; i++) {
        double weight = exp(score[i] - most);
        sum += weight;
        for (int c = 0; c < d; c++)
            o[c] += weight * v[(size_t)i * (size_t)step + (size_t)c];
    }
    for (int c = 0; c < d; c++)
        o[c] /= sum;
}

static double *attention(const struct eye *e, const struct vision_layer *l)
{
    int width = e->s->n_embd, d = width / e->s->n_head, step = 3 * width;
    double *h = layer_norm(e, l->ln1_w, l->ln1_b);
    double *qkv = linear(e, &l->qkv, l->qkv_b, h, e->n);
    double *score = room(e->arena, 1, e->n);
    for (int t = 0; t < e->n; t++)
        for (int j = 0; j < 2 * e->s->n_head; j++) /* queries, then keys */
            turn(e->at[t], d, qkv + (size_t)t * (size_t)step + j * d);
    for (int t = 0; t < e->n; t++)
        for (int j = 0; j < e->s->n_head; j++)
            attend(qkv + (size_t)t * (size_t)step + j * d, qkv + width + j * d,
                   qkv + 2 * width + j * d, d, step, e->n, score,
                   h + (size_t)t * (size_t)width + j * d);
    return linear(e, &l->out, l->out_b, h, e->n);
}

static double *feed_forward(const struct eye *e, const struct vision_layer *l)
{
    double *h = layer_norm(e, l->ln2_w, l->ln2_b);
    double *u = linear(e, &l->up, l->up_b, h, e->n);
    for (size_t i = 0; i < (size_t)e->n * (size_t)e->s->n_ff; i++)
        u[i] = 0.5 * u[i] *
               (1 + tanh(sqrt(2 / PI) * (u[i] + 0.044715 * pow(u[i], 3))));
    return linear(e, &l->down, l->down_b, u, e->n);
}

static void add(struct eye *e, const double *y)
{
    for (size_t i = 0; i < (size_t)e->n * (size_t)e->s->n_embd; i++)
        e->x[i] += y[i];
}

/* Rows of the text model: one for each block of patches. */
static double *merge(const struct eye *e)
{
    const struct vision_weights *w = e->w;
    int n = e->n / (e->s->merge_size * e->s->merge_size);
    double *h = layer_norm(e, w->post_w, w->post_b);
    double *u = linear(e, &w->fc1, w->fc1_b, h, n);
    for (size_t i = 0; i < (size_t)n * (size_t)w->fc1.n_row; i++)
        u[i] = 0.5 * u[i] * (1 + erf(u[i] / sqrt(2)));
    return linear(e, &w->fc2, w->fc2_b, u, n);
}

static void place(struct oracle_rows *r, const double *row, int width, int gw,
                  int gh)
{
    assert(r->n + gw * gh <= r->room);
    for (int i = 0; i < gw * gh; i++, r->n++) {
        memcpy(r->x + (size_t)r->n * (size_t)width,
               row + (size_t)i * (size_t)width, (size_t)width * sizeof *row);
        r->pos[r->n][0] = r->at;
        r->pos[r->n][1] = r->at + i / gw;
        r->pos[r->n][2] = r->at + i % gw;
    }
    r->at += gw > gh ? gw : gh;
}

void oracle_picture(struct oracle_rows *r, const struct vision_shape *s,
                    const struct vision_weights *w, const struct image *image,
                    struct arena *arena)
{
    struct eye e = {.s = s, .w = w, .arena = arena};
    e.gw = image->width_px / s->patch_size;
    e.gh = image->height_px / s->patch_size;
    e.n = e.gw * e.gh;
    order_patches(&e);
    e.x = linear(&e, &w->patch, w->patch_b, pixels(&e, image), e.n);
    for (int i = 0; i < e.n; i++)
        add_position(&e, i);
    for (int i = 0; i < s->n_layer; i++) {
        add(&e, attention(&e, &w->layer[i]));
        add(&e, feed_forward(&e, &w->layer[i]));
    }
    place(r, merge(&e), s->n_out, e.gw / s->merge_size, e.gh / s->merge_size);
}
