/* layout_test.c - a model means the same in every layout that weights.c takes.
 *
 * Each test takes a file apart, writes the same numbers in another layout, and
 * compares what the model answers: logits, not fields. The table of layouts is
 * in vlm/MODEL.md, section 8.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/golden.h"
#include "tests/support/remake.h"
#include "tests/support/test.h"
#include "tests/synth/synth.h"

enum { PROMPT = 40, LAYERS = 16 };

/* Logits of a fixed prompt; with a vision file, of a picture in it. */
static struct golden_rows answer(const char *model, const char *mmproj)
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
    vlm_session_close(s);
    vlm_close(v);
    return rows;
}

static struct golden_rows answer_of(const struct remake *r)
{
    char path[64];
    remake_save(r, path);
    struct golden_rows rows = answer(path, NULL);
    remove(path);
    return rows;
}

static void assert_same(struct golden_rows *a, struct golden_rows *b,
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
static void expect_same(struct golden_rows *plain, const struct remake *odd,
                        const char *how)
{
    struct golden_rows rows = answer_of(odd);
    assert_same(plain, &rows, how);
}

static const char *in_layer(int layer, const char *leaf)
{
    static char name[4][96];
    static int turn;
    char *out = name[turn++ % 4];
    snprintf(out, 96, "blk.%d.%s", layer, leaf);
    return out;
}

/* ---- experts ---------------------------------------------------------- */

/* Gate and up of every expert in one tensor: of each, first gate, then up. */
static void fuse_layer(struct remake *r, int layer)
{
    struct remake_tensor gate =
        *remake_tensor(r, in_layer(layer, "ffn_gate_exps.weight"));
    struct remake_tensor up =
        *remake_tensor(r, in_layer(layer, "ffn_up_exps.weight"));
    size_t n_expert = (size_t)gate.ne[2], size = gate.size / n_expert;
    char *out =
        remake_add(r, in_layer(layer, "ffn_gate_up_exps.weight"), gate.type,
                   gate.ne[0], 2 * gate.ne[1], gate.ne[2], 0);
    for (size_t e = 0; e < n_expert; e++) {
        memcpy(out + 2 * e * size, (const char *)gate.data + e * size, size);
        memcpy(out + (2 * e + 1) * size, (const char *)up.data + e * size,
               size);
    }
    remake_drop(r, gate.name);
    remake_drop(r, up.name);
}

static void fuse(struct remake *r)
{
    for (int i = 0; remake_find(r, in_layer(i, "ffn_gate_exps.weight")); i++)
        fuse_layer(r, i);
}

static void fused_experts_answer_as_split_ones(void **state)
{
    (void)state;
    struct remake *r = remake_file("tests/vectors/micro-moe-q8_0.gguf");
    struct golden_rows plain = answer_of(r);
    fuse(r);
    expect_same(&plain, r, "fused");
    golden_drop(&plain);
    remake_free(r);
}

TEST_GROUP(layout, cmocka_unit_test(fused_experts_answer_as_split_ones))
