/* gpu_device_test.c - a GPU behind the seam (vlm/device/gpu), on a driver that is ours,
 * whose launches are the kernels on the host: what the CPU computes, within a
 * bound; the same bits in any company and cut. */
#include <string.h>

#include "tests/support/gpu_scene.h"
#include "vlm/device/cpu/cpu_device.h"

enum { CHUNK = 32 };

/* A prompt with chunks and steps, then a token: on both. */
static void prompt_and_token(const char *model, double most)
{
    struct gpu_scene s;
    float got[GPU_SCENE_VOCAB], want[GPU_SCENE_VOCAB];
    gpu_scene_open(&s, model, NULL);
    struct device_state *a = device_state_new(s.gpu, &s.err);
    struct device_state *b = device_state_new(s.cpu, &s.err);
    for (int i = 0; i < 2; i++) {
        struct device_run on_gpu =
            gpu_scene_run(&s, a, i * GPU_SCENE_N, i ? 1 : GPU_SCENE_N);
        struct device_run on_cpu =
            gpu_scene_run(&s, b, i * GPU_SCENE_N, i ? 1 : GPU_SCENE_N);
        device_forward(s.gpu, &on_gpu, 1, &s.err);
        device_forward(s.cpu, &on_cpu, 1, &s.err);
        gpu_scene_row(&s, a, got);
        gpu_scene_row(&s, b, want);
        gpu_scene_near(model, got, want, (size_t)s.shape->n_vocab, most);
    }
    assert_int_equal(a->n_past, GPU_SCENE_N + 1);
    device_state_free(a);
    device_state_free(b);
    gpu_scene_close(&s);
}

static void logits_are_the_processors(void **state)
{
    (void)state;
    gpu_scene_begin();
    prompt_and_token("tests/vectors/micro-f32.gguf", 1e-5);
    prompt_and_token("tests/vectors/micro-q8_0.gguf", GPU_SCENE_EIGHT_BITS);
    prompt_and_token("tests/vectors/micro-moe-q8_0.gguf", GPU_SCENE_EIGHT_BITS);
    prompt_and_token("vlm/embedded/platen-tiny.gguf", GPU_SCENE_EIGHT_BITS);
}

/* Opens both anew. */
static void keep_keys(struct gpu_scene *s, enum device_kv kv)
{
    device_close(s->gpu);
    device_close(s->cpu);
    s->kv = kv;
    s->gpu = gpu_scene_device(s, &gpu_device_api, &s->err);
    s->cpu = gpu_scene_device(s, &cpu_device_api, &s->err);
    test_ok(&s->err);
}

/* Keys and values in Q8_0 and F32, and the device is held against the processor. */
static void keys_are_kept_as_the_processor_does(void **state)
{
    (void)state;
    static const double most[] = {1e-5, 2e-3, 1e-5};
    gpu_scene_begin();
    for (enum device_kv kv = DEVICE_KV_Q8; kv <= DEVICE_KV_F32; kv++) {
        struct gpu_scene s;
        float got[GPU_SCENE_VOCAB], want[GPU_SCENE_VOCAB];
        gpu_scene_open(&s, "tests/vectors/micro-f32.gguf", NULL);
        s.trusted = false;
        keep_keys(&s, kv);
        struct device *on[2] = {s.gpu, s.cpu};
        for (int i = 0; i < 2; i++) {
            struct device_state *a = device_state_new(on[i], &s.err);
            struct device_state *b = device_state_new(on[i], &s.err);
            struct device_run run = gpu_scene_run(&s, a, 0, GPU_SCENE_N);
            device_forward(on[i], &run, 1, &s.err);
            device_state_copy(b, a, &s.err);
            run = gpu_scene_run(&s, b, GPU_SCENE_N, 1);
            device_forward(on[i], &run, 1, &s.err);
            gpu_scene_row(&s, b, i ? want : got);
            device_state_free(a);
            device_state_free(b);
        }
        gpu_scene_near("keys", got, want, (size_t)s.shape->n_vocab, most[kv]);
        gpu_scene_close(&s);
    }
}

/* Types that lie there spread: blocks of the golden files in a model of others. */
static void spread_weights_arrive(void **state)
{
    (void)state;
    struct gpu_scene s;
    float got[GPU_SCENE_VOCAB], want[GPU_SCENE_VOCAB];
    char path[4096];
    gpu_scene_begin();
    gpu_scene_open(&s, "tests/vectors/tiny-q4_k_m.gguf", NULL);
    size_t size[2], need;
    char *block[2] = {
        test_read(test_path(path, "tests/vectors/blocks/iq2_xs.bin"), &size[0]),
        test_read(test_path(path, "tests/vectors/blocks/iq1_s.bin"), &size[1])};
    struct weight *w[2] = {&s.weights.layer[0].ffn.down,
                           &s.weights.layer[1].ffn.gate};
    char *raw[2];
    device_close(s.gpu);
    device_close(s.cpu);
    for (int i = 0; i < 2; i++) {
        w[i]->type = i ? QUANT_IQ1_S : QUANT_IQ2_XS;
        need = (size_t)w[i]->n_row * quant_row_bytes(w[i]->type, w[i]->n_col);
        w[i]->raw = raw[i] = mem_alloc(need, 1);
        for (size_t at = 0; at < need; at += size[i])
            memcpy(raw[i] + at, block[i],
                   need - at < size[i] ? need - at : size[i]);
    }
    s.trusted = false;
    s.cpu = gpu_scene_device(&s, &cpu_device_api, &s.err);
    s.gpu = gpu_scene_device(&s, &gpu_device_api, &s.err);
    test_ok(&s.err);
    struct device *on[2] = {s.gpu, s.cpu};
    for (int i = 0; i < 2; i++) {
        struct device_state *a = device_state_new(on[i], &s.err);
        struct device_run run = gpu_scene_run(&s, a, 0, GPU_SCENE_N);
        device_forward(on[i], &run, 1, &s.err);
        gpu_scene_row(&s, a, i ? want : got);
        device_state_free(a);
    }
    gpu_scene_near("spread types", got, want, (size_t)s.shape->n_vocab,
                   GPU_SCENE_EIGHT_BITS);
    gpu_scene_close(&s);
    for (int i = 0; i < 2; i++) {
        mem_free(raw[i]);
        test_give(block[i]);
    }
}

/* A picture of noise, on both devices. */
static void look_alike(struct gpu_scene *s, const char *what, int width,
                       int height, double most)
{
    static float seen[2][30 * 128];
    struct image page = image_new(width, height, 3, &s->err);
    struct device *on[2] = {s->gpu, s->cpu};
    size_t n = 0;
    for (size_t i = 0; i < page.stride_bytes * (size_t)height; i++)
        page.data[i] = (uint8_t)(i * 2654435761u >> 13);
    for (int i = 0; i < 2; i++) {
        struct device_rows *r = device_encode_image(on[i], &page, &s->err);
        test_ok(&s->err);
        assert_true(i == 0 || n == (size_t)(r->n_y * r->n_x * on[i]->n_embd));
        n = (size_t)(r->n_y * r->n_x * on[i]->n_embd);
        assert_true(n <= 30 * 128);
        device_rows_read(r, seen[i], &s->err);
        device_rows_free(r);
    }
    gpu_scene_near(what, seen[0], seen[1], n, most);
    image_free(&page);
}

static void picture(const char *model, const char *eye, int width, int height,
                    double most)
{
    struct gpu_scene s;
    gpu_scene_open(&s, model, eye);
    look_alike(&s, eye, width, height, most);
    gpu_scene_close(&s);
}

static void rows_of_a_picture_are_the_processors(void **state)
{
    (void)state;
    gpu_scene_begin();
    picture("tests/vectors/micro-f32.gguf",
            "tests/vectors/micro-mmproj-f32.gguf", 96, 64, 2e-3);
    picture("vlm/embedded/platen-tiny.gguf",
            "vlm/embedded/platen-tiny-mmproj.gguf", 144, 120,
            GPU_SCENE_EIGHT_BITS);
}

/* An eye's weight in 16 bits, which the caller frees. */
static void *sixteen_bits(struct weight *w, enum quant_type type)
{
    size_t n = (size_t)w->n_row * (size_t)w->n_col;
    uint16_t *half = mem_alloc(n, sizeof *half);
    const float *from = w->raw;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, from + i, sizeof bits);
        half[i] = type == QUANT_F16 ? quant_f32_to_f16(from[i])
                                    : (uint16_t)(bits >> 16);
    }
    w->type = type;
    w->raw = half;
    return half;
}

/* Its products are those of the tensor cores, which the device has to show. */
static void an_eye_of_sixteen_bits_sees_alike(void **state)
{
    (void)state;
    static const char *const kernel[] = {NULL, "gpu_half_f16", "gpu_half_bf16"};
    struct gpu_scene s;
    gpu_scene_begin();
    gpu_scene_open(&s, "tests/vectors/micro-f32.gguf",
                   "tests/vectors/micro-mmproj-f32.gguf");
    struct vision_layer *l = &s.eye.layer[0];
    void *raw[] = {
        sixteen_bits(&l->qkv, QUANT_F16), sixteen_bits(&l->down, QUANT_F16),
        sixteen_bits(&l->up, QUANT_BF16), sixteen_bits(&s.eye.fc2, QUANT_BF16)};
    device_close(s.cpu);
    device_close(s.gpu);
    s.trusted = false;
    s.cpu = gpu_scene_device(&s, &cpu_device_api, &s.err);
    for (int i = 2; i >= 0; i--) {
        struct err err = {0};
        gpu_fake_skip(kernel[i]);
        s.gpu = gpu_scene_device(&s, &gpu_device_api, &err);
        assert_int_equal(err.kind, i ? ERR_UNSUPPORTED : ERR_NONE);
        assert_true(!i || strstr(err.text, "an image differs"));
    }
    look_alike(&s, "an eye of 16 bits", 96, 64, 5e-3);
    gpu_scene_close(&s);
    for (int i = 0; i < 4; i++)
        mem_free(raw[i]);
}

/* A run after another, alone or in company, whole or cut, gone back to or copied:
 * the same bits. */
static void cut_and_go_back(const char *model)
{
    struct gpu_scene s;
    float want[GPU_SCENE_VOCAB], got[GPU_SCENE_VOCAB];
    gpu_scene_open(&s, model, NULL);
    size_t size = (size_t)s.shape->n_vocab * sizeof(float);
    struct device_state *a = device_state_new(s.gpu, &s.err);
    struct device_state *b = device_state_new(s.gpu, &s.err);
    struct device_run whole[2] = {gpu_scene_run(&s, a, 0, GPU_SCENE_N + 3),
                                  gpu_scene_run(&s, b, 9, 21)};
    device_forward(s.gpu, whole, 2, &s.err);
    gpu_scene_row(&s, a, want);
    device_state_clear(a);
    struct device_run part = gpu_scene_run(&s, a, 0, CHUNK);
    device_forward(s.gpu, &part, 1, &s.err);
    device_mark(a, 3, &s.err);
    for (int i = 0; i < 2; i++) {
        struct device_run wrong = gpu_scene_run(&s, a, 50, 2);
        struct device_run rest =
            gpu_scene_run(&s, a, CHUNK, GPU_SCENE_N + 3 - CHUNK);
        if (i == 0) device_forward(s.gpu, &wrong, 1, &s.err);
        if (i == 0) device_rewind(a, 3, &s.err);
        if (i == 1) device_state_copy(b, a, &s.err);
        if (i == 1) rest.state = b;
        device_forward(s.gpu, &rest, 1, &s.err);
        gpu_scene_row(&s, rest.state, got);
        assert_memory_equal(got, want, size);
        if (i == 0) device_rewind(a, 3, &s.err);
    }
    int32_t pick[3] = {5, 0, 77};
    device_head_rows(s.gpu, &(struct device_place){b, 0}, 1, pick, 3, got,
                     &s.err);
    for (int i = 0; i < 3; i++)
        assert_true(got[i] == want[pick[i]]);
    test_ok(&s.err);
    device_state_free(a);
    device_state_free(b);
    gpu_scene_close(&s);
}

static void company_cuts_points_and_copies_change_no_bit(void **state)
{
    (void)state;
    gpu_scene_begin();
    cut_and_go_back("tests/vectors/micro-q8_0.gguf");
    cut_and_go_back("tests/vectors/micro-moe-q8_0.gguf");
}

/* Launches of a token where all weights have one quantised type: the embedding, the
 * first norm, the last row, and for a layer product, the delta rule or four of
 * attention, product with norm, product with gate, product with norm. Of more tokens
 * norms and gates are launches of their own. */
static int launches_of(const struct shape *s, bool alone)
{
    int n = alone ? 3 : 2;
    for (int l = 0; l < s->n_layer; l++)
        n += (s->attends[l] ? 8 : 5) + (alone ? 0 : 3);
    return n;
}

/* A token whose launches were recorded, one of which they are repeated, and the same
 * launched one by one, as is done where a layer is left out; here one that the model
 * does not have. */
static void recorded(const char *model)
{
    struct gpu_scene s;
    float want[GPU_SCENE_VOCAB], got[GPU_SCENE_VOCAB];
    gpu_scene_open(&s, model, NULL);
    struct device_state *a = device_state_new(s.gpu, &s.err);
    int before = gpu_fake_repeated();
    for (int i = 0; i < 2; i++) {
        device_state_clear(a);
        for (int k = 0; k < 3; k++) {
            struct device_run run = gpu_scene_run(&s, a, k, 1);
            run.left_out = i ? s.shape->n_layer + 1 : 0;
            device_forward(s.gpu, &run, 1, &s.err);
        }
        gpu_scene_row(&s, a, i ? got : want);
    }
    assert_int_equal(gpu_fake_repeated() - before, 3);
    int launches = gpu_fake_launches();
    if (!s.shape->n_expert)
        assert_int_equal(launches, launches_of(s.shape, true));
    assert_memory_equal(got, want, (size_t)s.shape->n_vocab * sizeof *got);
    struct device_state *b = device_state_new(s.gpu, &s.err);
    struct device_run two[] = {gpu_scene_run(&s, a, 3, 1),
                               gpu_scene_run(&s, b, 0, 1)};
    device_forward(s.gpu, two, 2, &s.err);
    test_ok(&s.err);
    if (!s.shape->n_expert)
        assert_int_equal(gpu_fake_launches(), launches_of(s.shape, false));
    device_state_free(b);
    device_state_free(a);
    gpu_scene_close(&s);
}

static void recorded_launches_change_no_bit(void **state)
{
    (void)state;
    gpu_scene_begin();
    recorded("tests/vectors/micro-q8_0.gguf");
    recorded("tests/vectors/micro-moe-q8_0.gguf");
}

/* A run that goes without a layer, beside one with all. With keys in F32: in F16
 * a number between two of them may be rounded to either by each. */
static void layers_left_out_are_the_processors(void **state)
{
    (void)state;
    struct gpu_scene s;
    float got[GPU_SCENE_VOCAB], want[GPU_SCENE_VOCAB];
    gpu_scene_begin();
    gpu_scene_open(&s, "tests/vectors/micro-f32.gguf", NULL);
    keep_keys(&s, DEVICE_KV_F32);
    struct device *on[2] = {s.gpu, s.cpu};
    for (int i = 0; i < 2; i++) {
        struct device_state *a = device_state_new(on[i], &s.err);
        struct device_state *b = device_state_new(on[i], &s.err);
        struct device_run run[2] = {gpu_scene_run(&s, a, 0, GPU_SCENE_N),
                                    gpu_scene_run(&s, b, 0, 5)};
        run[1].left_out = 2;
        device_forward(on[i], run, 2, &s.err);
        gpu_scene_row(&s, b, i ? want : got);
        device_state_free(a);
        device_state_free(b);
    }
    gpu_scene_near("without a layer", got, want, (size_t)s.shape->n_vocab,
                   1e-5);
    gpu_scene_close(&s);
}

TEST_GROUP(gpu_device, cmocka_unit_test(logits_are_the_processors),
           cmocka_unit_test(keys_are_kept_as_the_processor_does),
           cmocka_unit_test(spread_weights_arrive),
           cmocka_unit_test(rows_of_a_picture_are_the_processors),
           cmocka_unit_test(an_eye_of_sixteen_bits_sees_alike),
           cmocka_unit_test(company_cuts_points_and_copies_change_no_bit),
           cmocka_unit_test(recorded_launches_change_no_bit),
           cmocka_unit_test(layers_left_out_are_the_processors))
