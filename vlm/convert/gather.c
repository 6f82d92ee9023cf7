/* gather.c - sums of squares by column. */
#include "vlm/convert/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/convert/gguf_write.h"

enum { NAME_BYTES = 128 };

struct column_sums {
    char name[NAME_BYTES];
    int n_matrix, n_col;
    double *sum;    /* [n_matrix, n_col] */
    int64_t *count; /* [n_matrix] */
};

struct gather {
    struct column_sums *tensor;
    int n, room;
};

struct gather *gather_new(void)
{
    return mem_take(1, sizeof(struct gather));
}

void gather_free(struct gather *g)
{
    if (!g) return;
    for (int i = 0; i < g->n; i++) {
        mem_give(g->tensor[i].sum);
        mem_give(g->tensor[i].count);
    }
    mem_give(g->tensor);
    mem_give(g);
}

static struct column_sums *find(struct gather *g, struct span name)
{
    for (int i = 0; i < g->n; i++)
        if (span_equal(span_of(g->tensor[i].name), name)) return &g->tensor[i];
    return NULL;
}

static struct column_sums *add(struct gather *g, struct span name, int n_matrix,
                               int n_col)
{
    if (g->n == g->room) {
        g->room = g->room ? 2 * g->room : 256;
        g->tensor = mem_grow(g->tensor, (size_t)g->room, sizeof *g->tensor);
    }
    struct column_sums *t = &g->tensor[g->n++];
    *t = (struct column_sums){.n_matrix = n_matrix, .n_col = n_col};
    snprintf(t->name, sizeof t->name, "%.*s", (int)name.size, name.data);
    t->sum = mem_take((size_t)n_matrix * (size_t)n_col, sizeof *t->sum);
    t->count = mem_take((size_t)n_matrix, sizeof *t->count);
    return t;
}

void gather_add(struct gather *g, struct span tensor, int matrix, int n_matrix,
                const float *x, int n, int n_col)
{
    if (tensor.size >= NAME_BYTES) return;
    struct column_sums *t = find(g, tensor);
    if (!t) t = add(g, tensor, n_matrix, n_col);
    if (t->n_col != n_col || matrix < 0 || matrix >= t->n_matrix) return;
    double *sum = t->sum + (size_t)matrix * (size_t)n_col;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n_col; c++) {
            double v = (double)x[(size_t)r * (size_t)n_col + (size_t)c];
            sum[c] += v * v;
        }
    t->count[matrix] += n;
}

int64_t gather_rows(const struct gather *g)
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
    char name[NAME_BYTES + 16];
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
    float *out = mem_take(n, sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = (float)t->sum[i];
    gguf_write_bytes(w, out, n * sizeof *out, err);
    gguf_write_pad(w, err);
    for (int i = 0; i < t->n_matrix; i++)
        out[i] = (float)t->count[i];
    gguf_write_bytes(w, out, (size_t)t->n_matrix * sizeof *out, err);
    gguf_write_pad(w, err);
    mem_give(out);
}

void gather_write(const struct gather *g, const char *path, const char *source,
                  int n_document, int n_ctx, struct err *err)
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
