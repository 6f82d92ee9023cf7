/* weights_test.c - sizes and tensors of whole models: published shapes, other
 * writers' habits, and files that lie.
 */
#include "tests/support/test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/synth/blocks.h"
#include "tests/synth/synth.h"
#include "vlm/base/clock.h"
#include "vlm/model/gguf.h"
#include "vlm/model/weights.h"
#include "vlm/text/tokenizer.h"

struct model {
    struct arena *arena;
    struct gguf *g;
    struct shape shape;
    struct weights weights;
};

static void read_model(struct model *m, struct err *err)
{
    shape_read(m->g, &m->shape, err);
    weights_read(m->g, &m->shape, m->arena, &m->weights, err);
}

static void close_model(struct model *m)
{
    gguf_close(m->g);
    arena_free(m->arena);
}

static struct model open_golden(const char *name)
{
    char file[256], path[4096];
    struct err err = {0};
    struct model m = {.arena = arena_new()};
    snprintf(file, sizeof file, "tests/vectors/%s.gguf", name);
    m.g = gguf_open(test_path(path, file), &err);
    read_model(&m, &err);
    test_ok(&err);
    return m;
}

static struct model make_model(const struct synth_options *o)
{
    struct err err = {0};
    struct model m = {.arena = arena_new()};
    struct span bytes = synth_bytes(o, 48 << 20, m.arena, &err);
    m.g = gguf_open_bytes(bytes, "made", &err);
    read_model(&m, &err);
    test_ok(&err);
    return m;
}

static void golden_models_have_their_shapes(void **state)
{
    (void)state;
    struct model m = open_golden("micro-f32");
    assert_int_equal(m.shape.n_layer, 4);
    assert_int_equal(m.shape.n_vocab, 1024);
    assert_int_equal(m.shape.n_embd_head, 64);
    assert_int_equal(m.shape.n_rot, 16);
    assert_int_equal(m.shape.rope_section[2], 2);
    assert_int_equal(m.shape.conv_width, 2 * 128 + 256);
    assert_true(m.shape.attends[3] && !m.shape.attends[2]);
    assert_true(m.shape.yarn_factor == 1);
    /* Nothing is copied that is F32 already; the head is the embedding. */
    const struct gguf_tensor *t =
        gguf_find_tensor(m.g, "blk.0.ssm_conv1d.weight");
    assert_ptr_equal(m.weights.layer[0].gdn.conv, t->data);
    assert_ptr_equal(m.weights.head.raw, m.weights.embd.raw);
    close_model(&m);

    m = open_golden("micro-moe-q8_0");
    assert_int_equal(m.shape.n_layer, 8);
    assert_int_equal(m.shape.n_expert, 8);
    assert_int_equal(m.shape.n_expert_used, 3);
    assert_int_equal(m.shape.n_gdn_v, 6);
    assert_ptr_not_equal(m.weights.head.raw, m.weights.embd.raw);
    const struct ffn_weights *f = &m.weights.layer[0].ffn;
    assert_int_equal(f->gate_exps.n_row, 8 * 64);
    assert_int_equal(f->exps_stride, 64);
    assert_int_equal(f->up_first, 0);
    assert_int_equal(f->down.n_col, 128);
    close_model(&m);

    m = open_golden("micro-mtp-q8_0");
    assert_int_equal(m.shape.n_mtp, 1);
    assert_int_equal(m.shape.n_layer, 4);
    close_model(&m);
}

static void every_weight_type_is_read(void **state)
{
    (void)state;
    const char *type[] = {
        "F32",    "F16",   "BF16",    "Q8_0",   "Q4_0",  "Q4_1",  "Q5_0",
        "Q5_1",   "Q2_K",  "Q3_K",    "Q4_K",   "Q5_K",  "Q6_K",  "IQ4_NL",
        "IQ4_XS", "MXFP4", "NVFP4",   "Q4_K_M", "IQ1_S", "IQ1_M", "IQ2_XXS",
        "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S",  "TQ1_0", "TQ2_0"};
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        struct synth_options o = {
            .preset = "tiny", .type = type[i], .n_layer = 4, .n_vocab = 640};
        struct model m = make_model(&o);
        const struct weight *w = &m.weights.layer[0].ffn.down;
        float row[512];
        quant_decode(w->type, w->raw, 512, row);
        double sum = 0;
        for (int k = 0; k < 512; k++)
            sum += pow((double)row[k] * (double)w->scale, 2);
        /* The generator aims at 1 / sqrt(512). */
        if (!(sum > 0.4 && sum < 2.5))
            fail_msg("%s: row of power %.3f", type[i], sum);
        if (!strcmp(type[i], "NVFP4")) assert_true(w->scale != 1);
        close_model(&m);
    }
}

/* Numbers of values as published, for the text part, the multi-token block
 * and vision: digit for digit what the shapes imply. Files of these sizes are
 * holes but for their headers. */
static int64_t n_value(const struct gguf *g)
{
    int64_t n = 0;
    for (int i = 0; i < gguf_n_tensor(g); i++) {
        const struct gguf_tensor *t = gguf_tensor(g, i);
        n += t->ne[0] * t->ne[1] * t->ne[2] * t->ne[3];
    }
    return n;
}

static struct model make_hollow(const char *preset, bool vision)
{
    char path[] = "/tmp/platen-synth-XXXXXX";
    struct err err = {0};
    struct model m = {.arena = arena_new()};
    struct synth_options o = {.preset = preset,
                              .type = "BF16",
                              .vision = vision,
                              .mtp = !vision,
                              .hollow = true};
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "wb");
    synth_write(&o, out, &err);
    fclose(out);
    m.g = gguf_open(path, &err);
    remove(path);
    if (err.sys == ENOMEM) /* emulators have little address space */
        print_message("skip: %s cannot be mapped here\n", preset);
    else
        test_ok(&err);
    return m;
}

static void published_shapes_load(void **state)
{
    (void)state;
    const struct {
        const char *preset;
        int n_layer, n_expert;
        int64_t text, mtp, vision;
    } c[] = {
        {"0.8b", 24, 0, 752393024, 20452864, 100592896},
        {"2b", 24, 0, 1881825088, 60828160, 331416576},
        {"4b", 32, 0, 4205751296, 120599552, 333514240},
        {"9b", 32, 0, 8953803264, 243290624, 456010480},
        {"27b", 64, 0, 26895998464, 424699392, 460730096},
        {"35b-a3b", 40, 256, 34660610688, 844640768, 446571248},
        {"122b-a10b", 48, 256, 122111526912, 2523679232, 451290864},
        {"397b-a17b", 60, 512, 396346350336, 6595568128, 456010480},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct err err = {0};
        struct model m = make_hollow(c[i].preset, false);
        if (!m.g) {
            assert_true(i > 3);
            close_model(&m);
            continue;
        }
        assert_int_equal(n_value(m.g), c[i].text + c[i].mtp);
        read_model(&m, &err);
        test_ok(&err);
        assert_int_equal(m.shape.n_layer, c[i].n_layer);
        assert_int_equal(m.shape.n_expert, c[i].n_expert);
        assert_int_equal(m.shape.n_vocab, 248320);
        close_model(&m);

        struct vision_shape s;
        struct vision_weights w;
        m = make_hollow(c[i].preset, true);
        assert_int_equal(n_value(m.g), c[i].vision);
        shape_read_vision(m.g, &s, &err);
        weights_read_vision(m.g, &s, m.arena, &w, &err);
        test_ok(&err);
        close_model(&m);
    }
}

/* The true special ids, and the time it takes to open a full vocabulary. */
static void a_full_vocabulary_opens_quickly(void **state)
{
    (void)state;
    struct err err = {0};
    struct model m = make_hollow("0.8b", false);
    double start = clock_seconds();
    struct tokenizer *t = tokenizer_open(m.g, &err);
    double seconds = clock_seconds() - start;
    test_ok(&err);
    print_message("248,320 tokens opened in %.3f s\n", seconds);
    assert_true(seconds < 5); /* 0.05 s on a free machine */
    assert_int_equal(tokenizer_special(t, "<|im_end|>"), 248046);
    assert_int_equal(tokenizer_special(t, "<|image_pad|>"), 248056);
    assert_int_equal(tokenizer_special(t, "</think>"), 248069);
    assert_int_equal(tokenizer_type(t, 248319), TOKEN_UNUSED);
    tokenizer_close(t);
    close_model(&m);
}

static void other_writers_habits_are_read(void **state)
{
    (void)state;
    struct synth_options o = {.preset = "micro", .type = "Q8_0"};
    struct model plain = make_model(&o);
    o.variant = true;
    struct model odd = make_model(&o);
    assert_memory_equal(&plain.shape, &odd.shape, sizeof plain.shape);
    assert_non_null(odd.weights.layer[0].gdn.dt_bias);
    close_model(&plain);
    close_model(&odd);

    o = (struct synth_options){
        .preset = "micro-moe", .type = "Q8_0", .fused = true, .mtp = true};
    struct model fused = make_model(&o);
    const struct ffn_weights *f = &fused.weights.layer[0].ffn;
    assert_int_equal(fused.shape.n_layer, 8);
    assert_int_equal(f->gate_exps.n_row, 8 * 2 * 64);
    assert_int_equal(f->exps_stride, 128);
    assert_int_equal(f->up_first, 64);
    assert_ptr_equal(f->gate_exps.raw, f->up_exps.raw);
    close_model(&fused);

    o = (struct synth_options){
        .preset = "tiny-moe", .type = "NVFP4", .n_layer = 4, .n_vocab = 640};
    struct model scaled = make_model(&o);
    f = &scaled.weights.layer[0].ffn;
    assert_non_null(f->gate_scale);
    assert_non_null(f->down_scale);
    assert_true(f->gate_scale[15] == f->gate_scale[0]);
    close_model(&scaled);
}

/* ---- lies ------------------------------------------------------------- */

/* A file in memory that may be changed. */
struct draft {
    struct arena *arena;
    char *bytes;
    size_t size;
};

static struct draft draft_of(const struct synth_options *o)
{
    struct err err = {0};
    struct draft d = {.arena = arena_new()};
    struct span bytes = synth_bytes(o, 12 << 20, d.arena, &err);
    test_ok(&err);
    d.bytes = (char *)(uintptr_t)bytes.data;
    d.size = bytes.size;
    return d;
}

static char *find(const struct draft *d, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i + n <= d->size; i++)
        if (!memcmp(d->bytes + i, text, n)) return d->bytes + i;
    fail_msg("%s is not in the file", text);
    return NULL;
}

static void expect_words(const struct draft *d, const char *const *words)
{
    struct err err = {0};
    struct model m = {.arena = arena_new()};
    m.g = gguf_open_bytes((struct span){d->bytes, d->size}, "made", &err);
    test_ok(&err);
    read_model(&m, &err);
    assert_true(err_failed(&err));
    for (; *words; words++)
        if (!strstr(err.text, *words))
            fail_msg("\"%s\" does not say \"%s\"", err.text, *words);
    close_model(&m);
}

static void misfits_are_listed_together(void **state)
{
    (void)state;
    struct synth_options o = {.preset = "micro", .type = "Q8_0"};
    struct draft d = draft_of(&o);
    find(&d, "blk.1.attn_gate.weight")[11] = 'X';
    find(&d, "blk.3.attn_k_norm.weight")[11] = 'X';
    /* {4, 512} becomes {512, 4}: a transposed convolution */
    char *ne = find(&d, "blk.2.ssm_conv1d.weight") + 23 + 4;
    uint64_t turned[2] = {512, 4};
    memcpy(ne, turned, 16);
    expect_words(&d, (const char *const[]){
                         "5 tensors do not fit",
                         "blk.1.attn_gate.weight is missing",
                         "blk.3.attn_k_norm.weight",
                         "is {512, 4, 1, 1}, not {4, 512, 1, 1}", NULL});
    arena_free(d.arena);
}

static void unsupported_types_name_tensor_and_remedy(void **state)
{
    (void)state;
    struct synth_options o = {
        .preset = "tiny", .type = "Q4_K", .n_layer = 4, .n_vocab = 640};
    struct draft d = draft_of(&o);
    char *type = find(&d, "blk.1.ffn_up.weight") + 19 + 4 + 16;
    assert_int_equal(*type, QUANT_Q4_K);
    *type = 42; /* Q2_0, smaller: still inside the file */
    expect_words(&d, (const char *const[]){"blk.1.ffn_up.weight", "Q2_0",
                                           "another quantisation", NULL});
    arena_free(d.arena);
}

static void set_value(const struct draft *d, const char *key, uint32_t value)
{
    memcpy(find(d, key) + strlen(key) + 4, &value, 4);
}

static void sizes_are_checked(void **state)
{
    (void)state;
    const struct {
        const char *key;
        uint32_t value;
        const char *words;
    } c[] = {{"qwen35.embedding_length", 0, "is 0, not 1"},
             {"qwen35.embedding_length", 256, "do not fit"},
             {"qwen35.block_count", 5, "blk.4."},
             {"qwen35.block_count", 70000, "is 70000"},
             {"qwen35.attention.head_count", 0, "is 0"},
             {"qwen35.attention.head_count", 4, "attn_q.weight"},
             {"qwen35.attention.value_length", 32, "is 32"},
             {"qwen35.rope.dimension_count", 18, "adds up to 8"},
             {"qwen35.ssm.group_count", 3, "no multiple"},
             {"qwen35.ssm.inner_size", 128, "is 128"},
             {"qwen35.ssm.state_size", 0xffffffff, "is 4294967295"},
             {"qwen35.attention.layer_norm_rms_epsilon", 0x7fc00000,
              "finite number"},
             {"qwen35.feed_forward_length", 255, "ffn_gate.weight"}};
    struct synth_options o = {.preset = "micro", .type = "Q8_0"};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct draft d = draft_of(&o);
        set_value(&d, c[i].key, c[i].value);
        expect_words(&d, (const char *const[]){c[i].words, NULL});
        arena_free(d.arena);
    }
}

static void foreign_files_are_refused_with_a_remedy(void **state)
{
    (void)state;
    struct synth_options o = {.preset = "micro", .type = "Q8_0"};
    struct draft d = draft_of(&o);
    memcpy(find(&d, "blk.0.attn_norm.weight"), "v.", 2);
    expect_words(&d, (const char *const[]){"Ollama", "mmproj", NULL});
    arena_free(d.arena);

    d = draft_of(&o);
    memcpy(find(&d, "qwen35"), "llama2", 6);
    expect_words(&d, (const char *const[]){"\"llama2\"", "Qwen3.5", NULL});
    arena_free(d.arena);

    /* of the same length, so that only the name is another */
    static const char *const strange[] = {"qwen4x", "qwen3v", "qwen36"};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        d = draft_of(&o);
        memcpy(find(&d, "qwen35"), strange[i], 6);
        expect_words(&d, (const char *const[]){strange[i], "not qwen35",
                                               "Qwen3.5", NULL});
        arena_free(d.arena);
    }

    o.vision = true;
    o.type = "F32";
    d = draft_of(&o);
    expect_words(&d, (const char *const[]){"vision file", NULL});
    arena_free(d.arena);
}

static void vision_files_are_read_and_checked(void **state)
{
    (void)state;
    struct synth_options o = {
        .preset = "micro-moe", .type = "F16", .vision = true};
    struct draft d = draft_of(&o);
    struct err err = {0};
    struct vision_shape s;
    struct vision_weights w;
    struct gguf *g =
        gguf_open_bytes((struct span){d.bytes, d.size}, "made", &err);
    shape_read_vision(g, &s, &err);
    weights_read_vision(g, &s, d.arena, &w, &err);
    test_ok(&err);
    assert_int_equal(s.position_side, 48);
    assert_int_equal(s.n_embd, 144);
    assert_int_equal(s.n_out, 128);
    assert_int_equal(s.max_pixels, 16777216);
    float frame[2][8];
    quant_decode(QUANT_F16, gguf_find_tensor(g, "v.patch_embd.weight")->data, 8,
                 frame[0]);
    quant_decode(QUANT_F16, gguf_find_tensor(g, "v.patch_embd.weight.1")->data,
                 8, frame[1]);
    for (int i = 0; i < 8; i++)
        assert_true(((const float *)w.patch.raw)[i] ==
                    frame[0][i] + frame[1][i]);
    gguf_close(g);

    set_value(&d, "clip.vision.attention.head_count", 5);
    g = gguf_open_bytes((struct span){d.bytes, d.size}, "made", &err);
    shape_read_vision(g, &s, &err);
    assert_non_null(strstr(err.text, "head_count"));
    gguf_close(g);
    arena_free(d.arena);
}

/* Numbers of the header replaced at random, bytes flipped: whatever opens is
 * used as far as it goes. */
static void changed_headers_do_no_harm(void **state)
{
    (void)state;
    const uint64_t nasty[] = {0,          1,         0x7fffffff, 0xffffffff,
                              1ull << 42, INT64_MAX, UINT64_MAX};
    for (int vision = 0; vision < 2; vision++) {
        struct synth_options o = {
            .preset = "micro", .type = "F16", .n_vocab = 640, .vision = vision};
        struct draft d = draft_of(&o);
        struct blocks_random r = blocks_seed(5, "changes");
        size_t header = d.size < 40000 ? d.size : 40000;
        int n_read = 0;
        for (int i = 0; i < 1000; i++) {
            char old[8];
            size_t at = (size_t)(blocks_next(&r) % (header - 8));
            if (i & 1) at %= 3000; /* keys rather than vocabulary */
            memcpy(old, d.bytes + at, 8);
            if (i % 3)
                memcpy(d.bytes + at, &nasty[blocks_next(&r) % 7],
                       i % 3 == 1 ? 4 : 8);
            else
                d.bytes[at] ^= (char)(1 << blocks_next(&r) % 8);
            struct err err = {0}, other = {0};
            struct model m = {.arena = arena_new()};
            struct vision_shape s;
            struct vision_weights w;
            m.g = gguf_open_bytes((struct span){d.bytes, d.size}, "made", &err);
            other = err;
            if (!vision) {
                read_model(&m, &err);
                tokenizer_close(tokenizer_open(m.g, &other));
            } else {
                shape_read_vision(m.g, &s, &err);
                weights_read_vision(m.g, &s, m.arena, &w, &err);
            }
            n_read += !err_failed(&err);
            close_model(&m);
            memcpy(d.bytes + at, old, 8);
        }
        assert_true(n_read > 0 && n_read < 1000);
        arena_free(d.arena);
    }
}

TEST_GROUP(weights, cmocka_unit_test(golden_models_have_their_shapes),
           cmocka_unit_test(every_weight_type_is_read),
           cmocka_unit_test(published_shapes_load),
           cmocka_unit_test(a_full_vocabulary_opens_quickly),
           cmocka_unit_test(other_writers_habits_are_read),
           cmocka_unit_test(misfits_are_listed_together),
           cmocka_unit_test(unsupported_types_name_tensor_and_remedy),
           cmocka_unit_test(sizes_are_checked),
           cmocka_unit_test(foreign_files_are_refused_with_a_remedy),
           cmocka_unit_test(vision_files_are_read_and_checked),
           cmocka_unit_test(changed_headers_do_no_harm))
