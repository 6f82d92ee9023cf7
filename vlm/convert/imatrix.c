/* imatrix.c - reads and writes importance matrices. */
#include "vlm/convert/imatrix.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/err.h"
#include "vlm/base/span.h"
#include "vlm/convert/gguf_write.h"
#include "vlm/model/gguf.h"

/* --- gather ---------------------------------------------------------------- */

/* Example: a matrix of 3 columns with the inputs (1, 0, 2) and (1, 1, 0) has
 * the sums 2, 1, 4 and the count 2. */

enum { GATHER_NAME_BYTES = 128 };

struct column_sums {
    char name[GATHER_NAME_BYTES];
    int n_matrix, n_col;
    double *sum;    /* [n_matrix, n_col] */
    int64_t *count; /* [n_matrix] */
};

struct gather {
    struct column_sums *tensor;
    int n;
};

struct gather *imatrix_gather_new(void)
{
    return mem_alloc(1, sizeof(struct gather));
}

void imatrix_gather_free(struct gather *g)
{
    if (!g) return;
    for (int i = 0; i < g->n; i++) {
        mem_free(g->tensor[i].sum);
        mem_free(g->tensor[i].count);
    }
    mem_free(g->tensor);
    mem_free(g);
}

static struct column_sums *find_sums(struct gather *g, struct span name)
{
    for (int i = 0; i < g->n; i++)
        if (span_equal(span_of(g->tensor[i].name), name)) return &g->tensor[i];
    return NULL;
}

static struct column_sums *add_sums(struct gather *g, struct span name,
                                    int n_matrix, int n_col)
{
    struct column_sums *t = MEM_ADD(g->tensor, g->n);
    *t = (struct column_sums){.n_matrix = n_matrix, .n_col = n_col};
    snprintf(t->name, sizeof t->name, "%.*s", (int)name.size, name.data);
    t->sum = mem_alloc((size_t)n_matrix * (size_t)n_col, sizeof *t->sum);
    t->count = mem_alloc((size_t)n_matrix, sizeof *t->count);
    return t;
}

void imatrix_gather_add(struct gather *g, struct span tensor, int matrix,
                        int n_matrix, const float *x, int n, int n_col)
{
    if (tensor.size >= GATHER_NAME_BYTES) return;
    struct column_sums *t = find_sums(g, tensor);
    if (!t) t = add_sums(g, tensor, n_matrix, n_col);
    if (t->n_col != n_col || matrix < 0 || matrix >= t->n_matrix) return;
    double *sum = t->sum + (size_t)matrix * (size_t)n_col;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n_col; c++) {
            double v = (double)x[(size_t)r * (size_t)n_col + (size_t)c];
            sum[c] += v * v;
        }
    t->count[matrix] += n;
}

int64_t imatrix_gather_rows(const struct gather *g)
{
    int64_t most = 0;
    for (int i = 0; i < g->n; i++)
        for (int m = 0; m < g->tensor[i].n_matrix; m++)
            if (g->tensor[i].count[m] > most) most = g->tensor[i].count[m];
    return most;
}

/* --- the file -------------------------------------------------------------- */

static void write_rows(const struct gather *g, struct gguf_writer *w)
{
    char name[GATHER_NAME_BYTES + 16];
    for (int i = 0; i < g->n; i++) {
        const struct column_sums *t = &g->tensor[i];
        int64_t sums[2] = {t->n_col, t->n_matrix}, counts[2] = {1, t->n_matrix};
        snprintf(name, sizeof name, "%s.in_sum2", t->name);
        gguf_write_tensor(w, name, QUANT_F32, 2, sums);
        snprintf(name, sizeof name, "%s.counts", t->name);
        gguf_write_tensor(w, name, QUANT_F32, 2, counts);
    }
}

static void write_values(const struct column_sums *t, struct gguf_writer *w,
                         struct err *err)
{
    size_t n = (size_t)t->n_matrix * (size_t)t->n_col;
    float *out = mem_alloc(n, sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = (float)t->sum[i];
    gguf_write_bytes(w, out, n * sizeof *out, err);
    gguf_write_pad(w, err);
    for (int i = 0; i < t->n_matrix; i++)
        out[i] = (float)t->count[i];
    gguf_write_bytes(w, out, (size_t)t->n_matrix * sizeof *out, err);
    gguf_write_pad(w, err);
    mem_free(out);
}

void imatrix_gather_write(const struct gather *g, const char *path,
                          const char *source, int n_document, int n_ctx,
                          struct err *err)
{
    if (err_failed(err)) return;
    struct gguf_writer *w = gguf_write_new(path);
    gguf_write_text(w, "general.type", span_of("imatrix"));
    gguf_write_list(w, "imatrix.datasets", GGUF_STRING, 1);
    gguf_write_list_text(w, span_of(source));
    gguf_write_u32(w, "imatrix.chunk_count", n_document);
    gguf_write_u32(w, "imatrix.chunk_size", n_ctx);
    write_rows(g, w);
    gguf_write_begin(w, err);
    for (int i = 0; i < g->n && !err_failed(err); i++)
        write_values(&g->tensor[i], w, err);
    gguf_write_flush(w, err);
    gguf_write_end(w, err);
}

/* --- imatrix --------------------------------------------------------------- */

enum { NAME_BYTES = 128 };

struct gguf *imatrix_open(const char *path, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct gguf *g = gguf_open(path, err);
    if (!err_failed(err) &&
        !span_equal(gguf_string(g, "general.type", err), span_of("imatrix")))
        err_set(err, ERR_CONFIG,
                "%s: not an importance matrix (general.type is not imatrix): "
                "make one with platen model imatrix, or with llama-imatrix as "
                "GGUF",
                path);
    if (!err_failed(err)) return g;
    gguf_close(g);
    return NULL;
}

static const struct gguf_tensor *find_part(const struct gguf *g,
                                           const char *name, const char *end)
{
    char full[NAME_BYTES];
    int n = snprintf(full, sizeof full, "%s.%s", name, end);
    const struct gguf_tensor *t =
        n < (int)sizeof full ? gguf_find_tensor(g, full) : NULL;
    return t && t->type == QUANT_F32 ? t : NULL;
}

/* The combined name: a model with the gates and ups of its experts in one
 * tensor has one entry for both. */
static const char *combined_name(const char *name, char out[static NAME_BYTES])
{
    const char *at = strstr(name, "ffn_gate_exps.");
    if (!at) at = strstr(name, "ffn_up_exps.");
    if (!at) return NULL;
    snprintf(out, NAME_BYTES, "%.*sffn_gate_up_exps.weight", (int)(at - name),
             name);
    return out;
}

static int64_t n_value(const struct gguf_tensor *t)
{
    return t->ne[0] * t->ne[1] * t->ne[2] * t->ne[3];
}

const float *imatrix_find(const struct gguf *g, const char *name,
                          int64_t n_matrix, int64_t n_col, struct arena *arena,
                          struct err *err)
{
    if (err_failed(err) || !g) return NULL;
    char other[NAME_BYTES];
    if (!find_part(g, name, "in_sum2") && combined_name(name, other))
        name = other;
    const struct gguf_tensor *sum = find_part(g, name, "in_sum2"),
                             *count = find_part(g, name, "counts");
    if (!sum || !count) return NULL;
    if (n_value(sum) != n_matrix * n_col || n_value(count) != n_matrix) {
        err_set(err, ERR_CONFIG,
                "%s: %s belongs to another model: %lld columns, not %lld",
                gguf_path(g), name, (long long)n_value(sum),
                (long long)(n_matrix * n_col));
        return NULL;
    }
    const float *s = sum->data, *c = count->data;
    float *mean = arena_array(arena, (size_t)(n_matrix * n_col), sizeof *mean);
    for (int64_t i = 0; i < n_matrix * n_col; i++) {
        float rows = c[i / n_col];
        mean[i] = rows > 0 ? s[i] / rows : 0; /* 0: an unused expert */
        if (!(mean[i] >= 0 && isfinite(mean[i])))
            err_set(err, ERR_CONFIG, "%s: %s: invalid value of column %lld",
                    gguf_path(g), name, (long long)(i % n_col));
    }
    return err_failed(err) ? NULL : mean;
}
