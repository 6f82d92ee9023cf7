/* imatrix.c - reads an importance matrix. */
#include "vlm/convert/imatrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/model/gguf.h"

enum { NAME_BYTES = 128 };

struct imatrix {
    struct gguf *g;
};

struct imatrix *imatrix_open(const char *path, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct gguf *g = gguf_open(path, err);
    if (!err_failed(err) &&
        !span_equal(gguf_string(g, "general.type", err), span_of("imatrix")))
        err_set(err, ERR_CONFIG,
                "%s: no importance matrix (general.type is not imatrix): make "
                "one by platen model imatrix, or by llama-imatrix as GGUF",
                path);
    if (err_failed(err)) {
        gguf_close(g);
        return NULL;
    }
    struct imatrix *m = mem_take(1, sizeof *m);
    m->g = g;
    return m;
}

void imatrix_close(struct imatrix *m)
{
    if (!m) return;
    gguf_close(m->g);
    mem_give(m);
}

static const struct gguf_tensor *part_of(const struct imatrix *m,
                                         const char *name, const char *end)
{
    char full[NAME_BYTES];
    int n = snprintf(full, sizeof full, "%s.%s", name, end);
    const struct gguf_tensor *t =
        n < (int)sizeof full ? gguf_find_tensor(m->g, full) : NULL;
    return t && t->type == QUANT_F32 ? t : NULL;
}

/* A model that keeps gates and ups of its experts in one tensor has counted
 * them in one as well. */
static const char *in_one(const char *name, char out[static NAME_BYTES])
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

const float *imatrix_find(const struct imatrix *m, const char *name,
                          int64_t n_matrix, int64_t n_col, struct arena *arena,
                          struct err *err)
{
    if (err_failed(err) || !m) return NULL;
    char other[NAME_BYTES];
    if (!part_of(m, name, "in_sum2") && in_one(name, other)) name = other;
    const struct gguf_tensor *sum = part_of(m, name, "in_sum2"),
                             *count = part_of(m, name, "counts");
    if (!sum || !count) return NULL;
    if (n_value(sum) != n_matrix * n_col || n_value(count) != n_matrix) {
        err_set(err, ERR_CONFIG,
                "%s: %s is of another model: %lld columns, not %lld",
                gguf_path(m->g), name, (long long)n_value(sum),
                (long long)(n_matrix * n_col));
        return NULL;
    }
    const float *s = sum->data, *c = count->data;
    float *mean = arena_array(arena, (size_t)(n_matrix * n_col), sizeof *mean);
    for (int64_t i = 0; i < n_matrix * n_col; i++) {
        float rows = c[i / n_col];
        mean[i] = rows > 0 ? s[i] / rows : 0; /* an expert nobody chose */
        if (!(mean[i] >= 0 && isfinite(mean[i])))
            err_set(err, ERR_CONFIG, "%s: %s: column %lld is no mean square",
                    gguf_path(m->g), name, (long long)(i % n_col));
    }
    return err_failed(err) ? NULL : mean;
}
