/* layout.c - see layout.h. */
#include "tests/support/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

enum { PROMPT = 40 };

/* Logits of a fixed prompt; with a vision file, of a picture in it. */
struct golden_rows layout_answer(const char *model, const char *mmproj)
{
    struct err err = {0};
    struct vlm *v = golden_open(model, mmproj, NULL);
    struct vlm_session *s = vlm_session_open(v, &err);
    struct golden_rows rows = {.n_vocab = vlm_info(v)->n_vocab};
    int32_t token[PROMPT];
    for (int i = 0; i < PROMPT; i++)
        token[i] = (i * 37 + 11) % 500;
    vlm_watch_logits(s, golden_take, &rows);
    if (mmproj) {
        struct image image = image_new(256, 288, 3, &err);
        for (size_t i = 0; i < image.stride_bytes * 288; i++)
            image.data[i] = (unsigned char)(i * 7 + i / 96 * 31);
        vlm_feed_image(s, &image, &err);
        image_free(&image);
    }
    vlm_feed_tokens(s, token, PROMPT, &err);
    test_ok(&err);
    assert_true(rows.n == PROMPT + (mmproj ? 8 * 9 + 2 : 0));
    vlm_session_close(s);
    vlm_close(v);
    return rows;
}

struct golden_rows layout_answer_of(const struct remake *r)
{
    char path[64];
    remake_save(r, path);
    struct golden_rows rows = layout_answer(path, NULL);
    remove(path);
    return rows;
}

void layout_assert_same(struct golden_rows *a, struct golden_rows *b,
                        const char *how)
{
    assert_int_equal(a->n, b->n);
    assert_true(a->n >= PROMPT);
    double worst = 0;
    int n = a->n * a->n_vocab;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs((double)a->row[i] - (double)b->row[i]));
    if (memcmp(a->row, b->row, (size_t)n * sizeof *a->row))
        fail_msg("%s: logits differ by up to %.3g", how, worst);
    golden_drop(b);
}

/* The same answer, bit for bit, as of the plain file. */
void layout_expect_same(struct golden_rows *plain, const struct remake *odd,
                        const char *how)
{
    struct golden_rows rows = layout_answer_of(odd);
    layout_assert_same(plain, &rows, how);
}

const char *layout_name(int layer, const char *leaf)
{
    static char name[4][96];
    static int turn;
    char *out = name[turn++ % 4];
    snprintf(out, 96, "blk.%d.%s", layer, leaf);
    return out;
}

/* Gate and up of every expert in one tensor: of each, first gate, then up. */
static void fuse_layer(struct remake *r, int layer)
{
    struct remake_tensor gate =
        *remake_tensor(r, layout_name(layer, "ffn_gate_exps.weight"));
    struct remake_tensor up =
        *remake_tensor(r, layout_name(layer, "ffn_up_exps.weight"));
    size_t n_expert = (size_t)gate.ne[2], size = gate.size / n_expert;
    char *out =
        remake_add(r, layout_name(layer, "ffn_gate_up_exps.weight"), gate.type,
                   gate.ne[0], 2 * gate.ne[1], gate.ne[2], 0);
    for (size_t e = 0; e < n_expert; e++) {
        memcpy(out + 2 * e * size, (const char *)gate.data + e * size, size);
        memcpy(out + (2 * e + 1) * size, (const char *)up.data + e * size,
               size);
    }
    remake_drop(r, gate.name);
    remake_drop(r, up.name);
}

void layout_fuse(struct remake *r)
{
    for (int i = 0; remake_find(r, layout_name(i, "ffn_gate_exps.weight")); i++)
        fuse_layer(r, i);
}

/* Halves what a tensor of F32 or Q8_0 holds, rows first .. last - 1; exact. */
void layout_halve(struct remake *r, struct remake_tensor *t, int64_t first,
                  int64_t last, int times)
{
    char *data = arena_alloc(r->arena, t->size);
    memcpy(data, t->data, t->size);
    t->data = data;
    float factor = ldexpf(1, -times);
    size_t row = quant_row_bytes(t->type, t->ne[0]);
    for (size_t at = (size_t)first * row; at < (size_t)last * row;) {
        if (t->type == QUANT_F32) {
            float v;
            memcpy(&v, data + at, 4);
            v *= factor;
            memcpy(data + at, &v, 4);
            at += 4;
        } else {
            uint16_t d;
            assert_int_equal(t->type, QUANT_Q8_0);
            memcpy(&d, data + at, 2);
            d = quant_f32_to_f16(quant_f16_to_f32(d) * factor);
            memcpy(data + at, &d, 2);
            at += 34;
        }
    }
}

static bool ends(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

bool layout_is_vector(const struct remake_tensor *t)
{
    return t->n_dim == 1 || ends(t->name, "ssm_conv1d.weight") ||
           ends(t->name, "position_embd.weight");
}

bool layout_is_kernel(const struct remake_tensor *t)
{
    return strstr(t->name, "patch_embd.weight") != NULL;
}

bool layout_is_matrix(const struct remake_tensor *t)
{
    return !layout_is_vector(t) && !layout_is_kernel(t);
}
