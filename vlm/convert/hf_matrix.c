/* hf_matrix.c - reads floats, FP8 and NVFP4 of checkpoints as F32. */
#include "vlm/convert/hf_matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/text.h"
#include "vlm/tensor/formats/quant.h"

enum { NAME_BYTES = 640 };

bool hf_matrix_is_aside(const char *name)
{
    static const char *const ends[] = {
        ".weight_scale",        ".weight_scale_2", ".weight_global_scale",
        ".input_global_scale",  ".input_scale",    ".weight_scale_inv",
        ".rotary_emb.inv_freq", ".k_proj.k_scale", ".v_proj.v_scale",
        ".activation_scale",    "_proj_scale_inv"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (text_stem(name, ends[i])) return true;
    return false;
}

/* The tensor named like "a.weight_packed", "a.weight" or "a" with `end`
 * instead; NULL if there is none. */
static const struct stored_tensor *find_related(const struct checkpoint *c,
                                                const struct stored_tensor *t,
                                                const char *end)
{
    char name[NAME_BYTES];
    size_t n = strlen(t->name);
    if (text_stem(t->name, ".weight_packed"))
        n -= strlen(".weight_packed");
    else if (text_stem(t->name, ".weight"))
        n -= strlen(".weight");
    int size = snprintf(name, sizeof name, "%.*s%s", (int)n, t->name, end);
    return size < (int)sizeof name ? checkpoint_find(c, name) : NULL;
}

float hf_matrix_e4m3(uint8_t byte)
{
    int e = byte >> 3 & 15, m = byte & 7;
    float v = e ? ldexpf((float)(8 + m), e - 10) : ldexpf((float)m, -9);
    if ((byte & 127) == 127) v = NAN;
    return byte & 128 ? -v : v;
}

/* --- floats ---------------------------------------------------------------- */

static float to_float(enum stored_type type, const unsigned char *at)
{
    uint16_t h;
    uint32_t bits;
    float f;
    double d;
    switch (type) {
    case STORED_F32: memcpy(&f, at, sizeof f); return f;
    case STORED_F64: memcpy(&d, at, sizeof d); return (float)d;
    case STORED_F16: memcpy(&h, at, sizeof h); return quant_f16_to_f32(h);
    case STORED_BF16:
        memcpy(&h, at, sizeof h);
        bits = (uint32_t)h << 16;
        memcpy(&f, &bits, sizeof f);
        return f;
    case STORED_F8_E4M3: return hf_matrix_e4m3(*at);
    case STORED_U8:
    case STORED_OTHER: break;
    }
    return 0;
}

/* Reads n values of a float tensor from value `first` on. */
static void read_floats(const struct checkpoint *c,
                        const struct stored_tensor *t, int64_t first, int64_t n,
                        float *out, struct err *err)
{
    size_t bytes = (size_t)checkpoint_type_bytes(t->type);
    unsigned char *raw = mem_alloc((size_t)n, bytes);
    checkpoint_read(c, t, (uint64_t)first * bytes, (size_t)n * bytes, raw, err);
    for (int64_t i = 0; i < n && !err_failed(err); i++)
        out[i] = to_float(t->type, raw + (size_t)i * bytes);
    mem_free(raw);
}

static float read_factor(const struct checkpoint *c,
                         const struct stored_tensor *t, struct err *err)
{
    float v = 0;
    if (t->n_value != 1 || t->type == STORED_U8 || t->type == STORED_OTHER)
        err_set(err, ERR_CONFIG, "%s: not a single number", t->name);
    else
        read_floats(c, t, 0, 1, &v, err);
    if (!err_failed(err) && !(v > 0 && isfinite(v)))
        err_set(err, ERR_CONFIG, "%s: is %g", t->name, (double)v);
    return v;
}

/* --- kinds ----------------------------------------------------------------- */

static void open_nvfp4(struct hf_matrix *m, struct err *err)
{
    const struct checkpoint *c = m->checkpoint;
    const struct stored_tensor *all =
        find_related(c, m->tensor, ".weight_scale_2");
    const struct stored_tensor *inverse =
        find_related(c, m->tensor, ".weight_global_scale");
    m->scale = find_related(c, m->tensor, ".weight_scale");
    m->kind = HF_NVFP4;
    m->n_col *= 2;
    if (!m->scale || m->scale->type != STORED_F8_E4M3 ||
        m->n_col % HF_GROUP != 0 ||
        m->scale->n_value != m->tensor->n_value * 2 / HF_GROUP)
        err_set(err, ERR_UNSUPPORTED,
                "%s: bytes without a matching .weight_scale (F8_E4M3, one per "
                "%d columns): only NVFP4 and FP8 quantised checkpoints are "
                "supported",
                m->tensor->name, HF_GROUP);
    else if (all)
        m->all = read_factor(c, all, err);
    else if (inverse)
        m->all = 1 / read_factor(c, inverse, err);
}

static void open_fp8(struct hf_matrix *m, struct err *err)
{
    int64_t rows = (m->n_row + HF_TILE - 1) / HF_TILE,
            cols = (m->n_col + HF_TILE - 1) / HF_TILE;
    m->kind = HF_FP8;
    m->scale = find_related(m->checkpoint, m->tensor, ".weight_scale_inv");
    if (!m->scale)
        m->scale = find_related(m->checkpoint, m->tensor, "_scale_inv");
    if (!m->scale || m->scale->type == STORED_U8 ||
        m->scale->type == STORED_OTHER || m->tensor->n_dim != 2 ||
        m->scale->n_value != rows * cols)
        err_set(err, ERR_UNSUPPORTED,
                "%s: F8_E4M3 without a matching .weight_scale_inv (one per "
                "%d x %d)",
                m->tensor->name, HF_TILE, HF_TILE);
}

struct hf_matrix hf_matrix_open(const struct checkpoint *c,
                                const struct stored_tensor *tensor,
                                int64_t n_col, struct err *err)
{
    struct hf_matrix m = {.checkpoint = c, .tensor = tensor, .all = 1};
    if (err_failed(err)) return m;
    m.n_col = n_col           ? n_col
              : tensor->n_dim ? tensor->size[tensor->n_dim - 1]
                              : 1;
    if (m.n_col < 1 || tensor->n_value < 1 || tensor->n_value % m.n_col != 0) {
        err_set(err, ERR_CONFIG, "%s: %lld values do not make rows of %lld",
                tensor->name, (long long)tensor->n_value, (long long)m.n_col);
        return m;
    }
    m.n_row = tensor->n_value / m.n_col;
    if (tensor->type == STORED_U8)
        open_nvfp4(&m, err);
    else if (tensor->type == STORED_F8_E4M3)
        open_fp8(&m, err);
    else if (tensor->type == STORED_OTHER)
        err_set(err, ERR_UNSUPPORTED,
                "%s: unsupported type: not F32, F16, BF16, FP8 or NVFP4",
                tensor->name);
    return m;
}

/* --- rows ------------------------------------------------------------------ */

void hf_matrix_codes(const struct hf_matrix *m, int64_t first, int64_t n,
                     uint8_t *code, uint8_t *scale, struct err *err)
{
    if (err_failed(err)) return;
    size_t half = (size_t)(n * m->n_col / 2),
           groups = (size_t)(m->n_col / HF_GROUP);
    uint8_t *raw = mem_alloc(half, 1);
    checkpoint_read(m->checkpoint, m->tensor,
                    (uint64_t)first * (uint64_t)m->n_col / 2, half, raw, err);
    checkpoint_read(m->checkpoint, m->scale, (uint64_t)first * groups,
                    (size_t)n * groups, scale, err);
    for (size_t i = 0; i < half; i++) {
        code[2 * i] = raw[i] & 15;
        code[2 * i + 1] = raw[i] >> 4;
    }
    mem_free(raw);
}

static void read_nvfp4_rows(const struct hf_matrix *m, int64_t first, int64_t n,
                            float *out, struct err *err)
{
    size_t values = (size_t)(n * m->n_col);
    uint8_t *code = mem_alloc(values, 1);
    uint8_t *scale = mem_alloc(values / HF_GROUP, 1);
    hf_matrix_codes(m, first, n, code, scale, err);
    for (size_t i = 0; i < values && !err_failed(err); i++)
        out[i] = 0.5f * (float)quant_fp4_value[code[i]] *
                 hf_matrix_e4m3(scale[i / HF_GROUP]) * m->all;
    mem_free(scale);
    mem_free(code);
}

static void read_fp8_rows(const struct hf_matrix *m, int64_t first, int64_t n,
                          float *out, struct err *err)
{
    int64_t tiles = (m->n_col + HF_TILE - 1) / HF_TILE;
    float *scale = mem_alloc((size_t)tiles, sizeof *scale);
    read_floats(m->checkpoint, m->tensor, first * m->n_col, n * m->n_col, out,
                err);
    for (int64_t r = 0; r < n && !err_failed(err); r++) {
        if (r == 0 || (first + r) % HF_TILE == 0)
            read_floats(m->checkpoint, m->scale, (first + r) / HF_TILE * tiles,
                        tiles, scale, err);
        for (int64_t i = 0; i < m->n_col; i++)
            out[r * m->n_col + i] *= scale[i / HF_TILE];
    }
    mem_free(scale);
}

void hf_matrix_rows(const struct hf_matrix *m, int64_t first, int64_t n,
                    float *out, struct err *err)
{
    if (err_failed(err)) return;
    if (m->kind == HF_NVFP4)
        read_nvfp4_rows(m, first, n, out, err);
    else if (m->kind == HF_FP8)
        read_fp8_rows(m, first, n, out, err);
    else
        read_floats(m->checkpoint, m->tensor, first * m->n_col, n * m->n_col,
                    out, err);
}
