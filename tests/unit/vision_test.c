/* vision_test.c - resizing, patches and the encoder against the reference. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/cpu.h"
#include "vlm/base/resize.h"
#include "vlm/device/cpu/vision/attend.h"
#include "vlm/device/cpu/vision/attend_16bit.h"
#include "vlm/device/cpu/vision/vision.h"
#include "vlm/device/cpu/vision/vit.h"
#include "vlm/json/json.h"
#include "vlm/model/gguf.h"
#include "vlm/tensor/vector_ops.h"

/* The reference's tolerance for an engine in F32. */
static const float tolerance = 1e-4f;

static void *vector(const char *name, size_t *size)
{
    char file[256], path[4096];
    snprintf(file, sizeof file, "tests/vectors/vision/%s", name);
    return test_read(test_path(path, file), size);
}

static cJSON *read_index(void)
{
    struct err err = {0};
    size_t size;
    char *data = vector("index.json", &size);
    cJSON *index = json_parse((struct span){data, size}, &err);
    test_ok(&err);
    test_give(data);
    return index;
}

static int member(const cJSON *object, const char *key)
{
    return (int)json_get(object, key)->valuedouble;
}

static struct image picture(const char *name, int width, int height)
{
    struct err err = {0};
    struct image image = image_new(width, height, 3, &err);
    test_ok(&err);
    size_t size;
    void *data = vector(name, &size);
    assert_int_equal(size, image.stride_bytes * (size_t)height);
    memcpy(image.data, data, size);
    test_give(data);
    return image;
}

static void sizes_are_those_of_the_reference(void **state)
{
    (void)state;
    cJSON *index = read_index();
    const cJSON *c;
    int n_case = 0;
    cJSON_ArrayForEach(c, json_get(index, "smart_resize"))
    {
        struct err err = {0};
        int v[5];
        for (int i = 0; i < 5; i++)
            v[i] = (int)cJSON_GetArrayItem(c, i)->valuedouble;
        struct resize_size to =
            resize_fit(v[1], v[0], 32, 65536, 16777216, &err);
        test_ok(&err);
        if (to.height_px != v[2] || to.width_px != v[3])
            fail_msg("%d x %d: %d x %d, not %d x %d", v[0], v[1], to.height_px,
                     to.width_px, v[2], v[3]);
        assert_int_equal(to.height_px * to.width_px / 1024, v[4]);
        n_case++;
    }
    assert_true(n_case > 8);
    cJSON_Delete(index);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    const int side[][2] = {{0, 5}, {5, -1}, {201, 1}, {1, 65536}};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
        struct err err = {0};
        resize_fit(side[i][0], side[i][1], 32, 65536, 16777216, &err);
        assert_int_equal(err.kind, ERR_LIMIT);
    }
    struct err err = {0};
    resize_fit(200, 1, 32, 65536, 16777216, &err);
    test_ok(&err);
}

static void expect_resized(const char *in, const char *out, int w, int h,
                           int to_w, int to_h)
{
    struct err err = {0};
    struct image from = picture(in, w, h), want = picture(out, to_w, to_h);
    struct image got = resize_bicubic(&from, to_w, to_h, &err);
    test_ok(&err);
    assert_memory_equal(got.data, want.data, want.stride_bytes * (size_t)to_h);
    image_free(&from);
    image_free(&want);
    image_free(&got);
}

static void resizing_gives_pillows_bytes(void **state)
{
    (void)state;
    cJSON *index = read_index();
    const cJSON *c;
    cJSON_ArrayForEach(c, json_get(index, "resize_only"))
    {
        const char *prefix = "vision/";
        expect_resized(json_get(c, "in")->valuestring + strlen(prefix),
                       json_get(c, "out")->valuestring + strlen(prefix),
                       member(c, "width"), member(c, "height"),
                       member(c, "out_width"), member(c, "out_height"));
    }
    expect_resized("image-c.rgb", "image-c.resized.rgb", 301, 187, 352, 224);
    cJSON_Delete(index);
}

static void patches_come_in_merge_order(void **state)
{
    (void)state;
    struct vision_shape s = {.patch_size = 16, .merge_size = 2};
    for (int i = 0; i < 3; i++)
        s.mean[i] = s.std[i] = 0.5f;
    struct image image = picture("image-c.resized.rgb", 352, 224);
    size_t size;
    uint8_t *want = vector("image-c.patches.u8", &size);
    int n = 352 / 16 * (224 / 16);
    assert_int_equal(size, n * 1536);
    float *rows = mem_alloc((size_t)n * 768, sizeof *rows);
    vit_patch_fill(&s, &image, 0, 100, rows);
    vit_patch_fill(&s, &image, 100, n, rows + (size_t)100 * 768);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 768; k++) {
            /* (channel, frame, y, x): both frames are equal */
            uint8_t u = want[(size_t)i * 1536 + (size_t)(k / 256) * 512 +
                             (size_t)(k % 256)];
            float v = ((float)u - 127.5f) / 127.5f;
            assert_true(rows[(size_t)i * 768 + (size_t)k] == v);
        }
    mem_free(rows);
    test_give(want);
    image_free(&image);
}

/* A vision file, open. */
struct encoder {
    struct arena *arena;
    struct gguf *g;
    struct vision_shape shape;
    struct vision_weights weights;
    struct tensor_backend *backend;
    struct pool *pool;
    struct vit vit;
};

static void open_encoder_how(struct encoder *e, const char *path,
                             unsigned features, bool fast, int n_thread)
{
    struct err err = {0};
    memset(e, 0, sizeof *e);
    e->arena = arena_new();
    e->g = gguf_open(path, &err);
    shape_read_vision(e->g, &e->shape, &err);
    weights_read_vision(e->g, &e->shape, e->arena, &e->weights, &err);
    e->pool = pool_new(n_thread, &err);
    test_ok(&err);
    struct tensor_options options = {.features = features, .fast = fast};
    e->backend = matmul_backend_new(&options);
    e->vit = (struct vit){.shape = &e->shape,
                          .weights = &e->weights,
                          .backend = e->backend,
                          .ops = vector_ops_pick(features),
                          .gemm16 = fast ? gemm16_pick(features) : NULL,
                          .pool = e->pool};
}

static void open_encoder(struct encoder *e, const char *path, unsigned features,
                         int n_thread)
{
    open_encoder_how(e, path, features, false, n_thread);
}

static void close_encoder(struct encoder *e)
{
    matmul_backend_free(e->backend);
    pool_free(e->pool);
    gguf_close(e->g);
    arena_free(e->arena);
}

static void expect_close(const char *what, const float *got, const float *want,
                         size_t n, float most)
{
    float worst = 0;
    for (size_t i = 0; i < n; i++) {
        float d = fabsf(got[i] - want[i]);
        if (!(d <= worst)) worst = d;
    }
    print_message("%s: largest difference %.3g\n", what, (double)worst);
    if (!(worst <= most))
        fail_msg("%s: largest difference %.3g, at most %.3g", what,
                 (double)worst, (double)most);
}

static void compare_step(void *arg, int step, const float *x)
{
    char name[128];
    size_t size;
    (void)arg;
    if (step < 0)
        snprintf(name, sizeof name,
                 "micro-mmproj-f32.image-b.patch_embedding.f32");
    else
        snprintf(name, sizeof name, "micro-mmproj-f32.image-b.block_%d.f32",
                 step);
    float *want = vector(name, &size);
    expect_close(name, x, want, size / 4, tolerance);
    test_give(want);
}

static void every_step_is_that_of_the_reference(void **state)
{
    (void)state;
    char path[4096];
    struct encoder e;
    open_encoder(&e, test_path(path, "tests/vectors/micro-mmproj-f32.gguf"),
                 cpu_features(), 2);
    struct image image = picture("image-b.rgb", 320, 224);
    void *scratch = mem_try_aligned(vit_scratch_bytes(&e.vit, 20, 14));
    float *rows = mem_alloc(70 * 128, sizeof *rows);
    vit_run(&e.vit, &image, scratch, rows, compare_step, NULL);
    size_t size;
    float *want = vector("micro-mmproj-f32.image-b.embd.f32", &size);
    expect_close("image-b", rows, want, 70 * 128, tolerance);
    test_give(want);
    mem_free(rows);
    mem_free(scratch);
    image_free(&image);
    close_encoder(&e);
}

/* The picture's rows, in its planned size, and how many there are. */
static float *encode(struct encoder *e, const struct image *image, int *n_row)
{
    struct err err = {0};
    int n_y = 0, n_x = 0;
    struct vision *v = vision_open(&e->shape, &e->weights, e->backend,
                                   e->vit.ops, e->vit.gemm16, e->pool, &err);
    struct resize_size to =
        resize_fit(image->width_px, image->height_px,
                   e->shape.patch_size * e->shape.merge_size,
                   e->shape.min_pixels, e->shape.max_pixels, &err);
    struct image fitted =
        resize_bicubic(image, to.width_px, to.height_px, &err);
    vision_grid(v, to.width_px, to.height_px, &n_y, &n_x, &err);
    test_ok(&err);
    *n_row = n_y * n_x;
    float *rows =
        mem_alloc((size_t)*n_row * (size_t)e->shape.n_out, sizeof *rows);
    vision_encode(v, &fitted, rows, &err);
    test_ok(&err);
    image_free(&fitted);
    vision_close(v);
    return rows;
}

/* Every set of this machine, each once. */
static int instruction_sets(unsigned set[3])
{
    unsigned all = cpu_features() & (CPU_AMX_BF16 - 1);
    int n = 0;
    set[n++] = 0;
    unsigned some = all & (CPU_AVX2 | CPU_NEON_DOTPROD);
    if (some) set[n++] = some;
    if (all != some) set[n++] = all;
    return n;
}

static void every_set_is_near_the_reference(void **state)
{
    (void)state;
    char path[4096];
    test_path(path, "tests/vectors/micro-mmproj-f32.gguf");
    struct image image = picture("image-c.rgb", 301, 187);
    size_t size;
    float *want = vector("micro-mmproj-f32.image-c.embd.f32", &size);
    unsigned set[3];
    int n_set = instruction_sets(set);
    for (int i = 0; i < n_set; i++) {
        struct encoder e;
        int n_row = 0;
        open_encoder(&e, path, set[i], 2);
        float *rows = encode(&e, &image, &n_row);
        assert_int_equal(n_row, 7 * 11);
        expect_close(e.vit.ops->name, rows, want, size / 4, tolerance);
        mem_free(rows);
        close_encoder(&e);
    }
    test_give(want);
    image_free(&image);
}

static struct image small_picture(int width, int height, int n_channel)
{
    struct err err = {0};
    struct image image = image_new(width, height, n_channel, &err);
    test_ok(&err);
    for (int i = 0; i < width * height; i++)
        for (int c = 0; c < n_channel; c++)
            image.data[i * n_channel + c] = (uint8_t)(i * 7 + i / width);
    return image;
}

/* Bit for bit: a sum is never split by thread. */
static void threads_make_no_difference(void **state)
{
    (void)state;
    char path[4096];
    test_path(path, "tests/vectors/micro-mmproj-f32.gguf");
    struct image image = small_picture(130, 93, 3);
    unsigned set[3];
    int n_set = instruction_sets(set);
    for (int i = 0; i < n_set; i++) {
        float *first = NULL;
        for (int n_thread = 1; n_thread <= 3; n_thread++) {
            struct encoder e;
            int n_row = 0;
            open_encoder(&e, path, set[i], n_thread);
            e.shape.min_pixels = 1024;
            float *rows = encode(&e, &image, &n_row);
            assert_int_equal(n_row, 4 * 3);
            if (first)
                assert_memory_equal(rows, first, 12 * 128 * sizeof *rows);
            if (first)
                mem_free(rows);
            else
                first = rows;
            close_encoder(&e);
        }
        mem_free(first);
    }
    image_free(&image);
}

/* BF16 matrices; heads of 72 and widths that are no multiple of 32. */
static void other_files_agree(void **state)
{
    (void)state;
    const char *shared = test_shared();
    const char *model[] = {"micro-mmproj-bf16", "micro-moe-mmproj-f32"};
    struct image image = picture("image-c.rgb", 301, 187);
    for (int i = 0; i < 2; i++) {
        char path[4096];
        struct encoder e;
        int n_row = 0;
        snprintf(path, sizeof path, "%s/golden/%s.gguf", shared, model[i]);
        open_encoder(&e, path, cpu_features(), 2);
        float *rows = encode(&e, &image, &n_row);
        snprintf(path, sizeof path, "%s/golden/vision/%s.image-c.embd.f32",
                 shared, model[i]);
        size_t size;
        float *want = test_read(path, &size);
        expect_close(model[i], rows, want, size / 4, tolerance);
        test_give(want);
        mem_free(rows);
        close_encoder(&e);
    }
    image_free(&image);
}

/* ---- fast ------------------------------------------------------------- */

/* Every way of this machine to be fast, behind its model if it has one; what it
 * lacks is said. */
enum { FAST_SETS = 7 };

static int fast_sets(unsigned set[FAST_SETS])
{
    unsigned all = cpu_features(), base = all & (CPU_AMX_BF16 - 1);
    unsigned some = all & (CPU_AVX2 | CPU_NEON_DOTPROD | CPU_NEON_I8MM);
    int n = 0;
    set[n++] = CPU_TILE_MODEL | base;
    if (all & CPU_AMX_BF16)
        set[n++] = all;
    else
        print_message("NOT TESTED: fast vision in tiles, no AMX here\n");
    set[n++] = CPU_WORDS_MODEL | some;
    if (some)
        set[n++] = some;
    else
        print_message("NOT TESTED: fast vision with AVX2 or NEON\n");
    if (all & CPU_AVX2) set[n++] = CPU_AVX2 | CPU_VNNI_MODEL;
    if (all & CPU_AVXVNNI)
        set[n++] = CPU_AVX2 | CPU_AVXVNNI;
    else
        print_message("NOT TESTED: fast vision with AVX2 and VNNI\n");
    if (all & CPU_AVX512VNNI)
        set[n++] = base;
    else
        print_message("NOT TESTED: fast vision with AVX-512\n");
    return n;
}

static double worst_cosine(const float *got, const float *want, size_t n,
                           size_t width)
{
    double worst = 1;
    for (size_t i = 0; i < n; i += width) {
        double xy = 0, xx = 0, yy = 0;
        for (size_t k = i; k < i + width; k++) {
            double x = (double)got[k], y = (double)want[k];
            xy += x * y, xx += x * x, yy += y * y;
        }
        double cosine = xy / sqrt(xx * yy);
        if (!(cosine >= worst)) worst = cosine;
    }
    return worst;
}

/* The rows that a file's encoder gives, fast, for a picture. */
static float *encode_fast(const char *path, unsigned features, int n_thread,
                          int min_pixels, const struct image *image, int *n_row,
                          int *n_out)
{
    struct encoder e;
    open_encoder_how(&e, path, features, true, n_thread);
    e.shape.min_pixels = min_pixels;
    float *rows = encode(&e, image, n_row);
    *n_out = e.shape.n_out;
    close_encoder(&e);
    return rows;
}

/* F32, BF16, and heads of 72 with widths that are no multiple of 32. */
static void fast_rows_point_where_the_reference_does(void **state)
{
    (void)state;
    static const char *const model[] = {"micro-mmproj-f32", "micro-mmproj-bf16",
                                        "micro-moe-mmproj-f32"};
    const char *shared = test_shared(); /* first: without it nothing is taken */
    struct image image = picture("image-c.rgb", 301, 187);
    unsigned set[FAST_SETS];
    int n_set = fast_sets(set);
    for (int i = 0; i < 3 * n_set; i++) {
        char path[4096];
        int n_row, n_out;
        size_t size;
        const char *name = model[i / n_set];
        unsigned features = set[i % n_set];
        snprintf(path, sizeof path, "%s/golden/vision/%s.image-c.embd.f32",
                 shared, name);
        float *want = test_read(path, &size);
        snprintf(path, sizeof path, "%s/golden/%s.gguf", shared, name);
        float *got =
            encode_fast(path, features, 2, 65536, &image, &n_row, &n_out);
        assert_int_equal((size_t)n_row * (size_t)n_out, size / 4);
        double cosine = worst_cosine(got, want, size / 4, (size_t)n_out);
        print_message("%s, %s: worst cosine %.7f\n", name,
                      features & CPU_TILE_MODEL    ? "model of tiles"
                      : features & CPU_WORDS_MODEL ? "model of words"
                      : features & CPU_VNNI_MODEL  ? "model of avx2+vnni"
                                                   : cpu_vision_name(features),
                      cosine);
        if (!(cosine >= 0.9995)) fail_msg("worst cosine %.6f", cosine);
        mem_free(got);
        test_give(want);
    }
    image_free(&image);
}

/* Whether a set gives the bits of the model before it. */
static bool has_model(unsigned features)
{
    if (features & CPU_AMX_BF16) return true;
    return (features & CPU_AVX2) && !(features & CPU_AVX512VNNI);
}

/* Nor does it make one whether tiles are the processor's or in C. */
static void fast_bits_are_those_of_one_thread_and_of_the_model(void **state)
{
    (void)state;
    char path[4096];
    test_path(path, "tests/vectors/micro-mmproj-f32.gguf");
    struct image image = small_picture(130, 93, 3);
    unsigned set[FAST_SETS];
    int n_set = fast_sets(set), n_row, n_out;
    float *before = NULL;
    for (int i = 0; i < n_set; i++) {
        float *first = NULL;
        for (int n_thread = 1; n_thread <= 3; n_thread++) {
            float *rows = encode_fast(path, set[i], n_thread, 1024, &image,
                                      &n_row, &n_out);
            size_t bytes = (size_t)(n_row * n_out) * sizeof *rows;
            if (first) assert_memory_equal(rows, first, bytes);
            if (first)
                mem_free(rows);
            else
                first = rows;
        }
        bool modelled =
            !(set[i] & (CPU_TILE_MODEL | CPU_WORDS_MODEL | CPU_VNNI_MODEL)) &&
            has_model(set[i]);
        if (modelled)
            assert_memory_equal(first, before,
                                (size_t)(n_row * n_out) * sizeof *first);
        mem_free(before);
        before = first;
    }
    mem_free(before);
    image_free(&image);
}

static void grey_is_three_equal_channels(void **state)
{
    (void)state;
    char path[4096];
    struct encoder e;
    int n_row = 0;
    open_encoder(&e, test_path(path, "tests/vectors/micro-mmproj-f32.gguf"),
                 cpu_features(), 1);
    e.shape.min_pixels = 1024;
    struct image grey = small_picture(90, 66, 1);
    struct image rgb = small_picture(90, 66, 3);
    float *a = encode(&e, &grey, &n_row), *b = encode(&e, &rgb, &n_row);
    assert_memory_equal(a, b, (size_t)n_row * 128 * 4);
    mem_free(a);
    mem_free(b);
    image_free(&grey);
    image_free(&rgb);
    close_encoder(&e);
}

/* Several tiles of queries and keys, against softmax written down plainly. */
static void tiles_make_no_difference(void **state)
{
    (void)state;
    enum { N = 2 * ATTEND_KEYS + 37, HEADS = 2, DIM = 20 };
    struct err err = {0};
    struct arena *arena = arena_new();
    struct pool *pool = pool_new(2, &err);
    struct attend a = {.n = N, .n_head = HEADS, .n_dim = DIM};
    a.n_dim_padded = attend_padded(DIM);
    size_t n_q = (size_t)N * HEADS * DIM;
    a.q = arena_array(arena, n_q, 4);
    a.k = arena_array(arena, attend_k_size(&a), 4);
    a.v = arena_array(arena, attend_v_size(&a), 4);
    unsigned seed = 1;
    for (size_t i = 0; i < n_q; i++)
        a.q[i] = (float)((seed = seed * 1664525 + 1013904223) >> 8) / 4e6f - 2;
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < N; i++)
            for (int d = 0; d < DIM; d++) {
                seed = seed * 1664525 + 1013904223;
                attend_key(&a, h, i)[d * ATTEND_KEYS] =
                    (float)(seed >> 8) / 4e6f - 2;
                attend_value(&a, h, i)[d] = (float)(seed & 255) / 128 - 1;
            }
    float *q = arena_array(arena, n_q, 4);
    memcpy(q, a.q, n_q * 4);
    float *scratch = arena_array(arena, 2 * attend_scratch_size(&a), 4);
    attend_run(&a, vector_ops_pick(cpu_features()), pool, scratch);
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < N; i += 97) {
            double w[N], most = -1e9, sum = 0;
            const float *row = q + (i * HEADS + h) * DIM;
            for (int j = 0; j < N; j++) {
                w[j] = 0;
                for (int d = 0; d < DIM; d++)
                    w[j] += (double)row[d] *
                            (double)attend_key(&a, h, j)[d * ATTEND_KEYS];
                most = fmax(most, w[j]);
            }
            for (int j = 0; j < N; j++)
                sum += w[j] = exp(w[j] - most);
            for (int d = 0; d < DIM; d++) {
                double o = 0;
                for (int j = 0; j < N; j++)
                    o += w[j] / sum * (double)attend_value(&a, h, j)[d];
                double got = (double)a.q[(i * HEADS + h) * DIM + d];
                assert_true(fabs(got - o) < 1e-5);
            }
        }
    pool_free(pool);
    arena_free(arena);
}

/* What row i of one head attends to, from rows of queries, keys and values of
 * `width` each; scores are powers of two. */
static void plain_softmax(const float *rows, int n, int i, int width, int dim,
                          double *o)
{
    const float *q = rows + (size_t)i * 3 * (size_t)width;
    double sum = 0;
    for (int j = 0; j < n; j++) {
        const float *k = rows + (size_t)j * 3 * (size_t)width + width;
        double score = 0;
        for (int d = 0; d < dim; d++)
            score += (double)q[d] * (double)k[d];
        double weight = exp2(score);
        sum += weight;
        for (int d = 0; d < dim; d++)
            o[d] += weight * (double)k[width + d];
    }
    for (int d = 0; d < dim; d++)
        o[d] /= sum;
}

/* The same in 16 bits: blocks of keys, queries that end inside a strip, heads that
 * fill no tile. */
static void expect_near_softmax(unsigned features, double most)
{
    enum {
        N = 2 * ATTEND_UNIT_KEYS + 37,
        HEADS = 2,
        DIM = 20,
        W = HEADS * DIM
    };
    struct err err = {0};
    struct arena *arena = arena_new();
    struct pool *pool = pool_new(2, &err);
    float *rows = arena_array(arena, (size_t)N * 3 * W, 4);
    unsigned seed = 1;
    for (int i = 0; i < N * 3 * W; i++)
        rows[i] = (float)((seed = seed * 1664525 + 1013904223) >> 8) / 8e6f - 1;
    struct attend_16bit a = {
        .gemm16 = gemm16_pick(features), .n = N, .n_head = HEADS, .n_dim = DIM};
    a.q = arena_array(arena, attend_16bit_q_size(&a), 2);
    a.k = arena_array(arena, attend_16bit_q_size(&a), 2);
    a.v = arena_array(arena, attend_16bit_v_size(&a), 2);
    a.out = arena_array(arena, (size_t)N * W, 4);
    for (int i = 0; i < N; i += ATTEND_UNIT)
        attend_16bit_place(&a, i, N - i < ATTEND_UNIT ? N - i : ATTEND_UNIT,
                           rows + (size_t)i * 3 * W, 3 * W);
    attend_16bit_run(&a, pool,
                     arena_array(arena, 2 * attend_16bit_scratch_size(&a), 4));
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < N; i += 29) {
            double o[DIM] = {0};
            plain_softmax(rows + h * DIM, N, i, W, DIM, o);
            for (int d = 0; d < DIM; d++) {
                double off = (double)a.out[i * W + h * DIM + d] - o[d];
                if (!(fabs(off) < most))
                    fail_msg("head %d, row %d: %g", h, i, off);
            }
        }
    pool_free(pool);
    arena_free(arena);
}

static void blocks_in_halves_are_near_plain_softmax(void **state)
{
    (void)state;
    expect_near_softmax(CPU_TILE_MODEL, 4e-3);
    expect_near_softmax(CPU_WORDS_MODEL, 2e-4);
}

/* An A4 page at 300 dpi: its memory is known before, grows with the patches and
 * not with their square, and is taken once. */
static void a_page_of_34320_patches_needs_no_score_matrix(void **state)
{
    (void)state;
    struct err err = {0};
    struct encoder e;
    char path[4096];
    open_encoder(&e, test_path(path, "tests/vectors/micro-mmproj-f32.gguf"),
                 cpu_features(), 2);
    struct vision *v =
        vision_open(&e.shape, &e.weights, e.backend,
                    vector_ops_pick(cpu_features()), NULL, e.pool, &err);
    struct resize_size page = resize_fit(2480, 3508, 32, 65536, 16777216, &err);
    struct resize_size half = resize_fit(1240, 1754, 32, 65536, 16777216, &err);
    test_ok(&err);
    int n = page.width_px / 16 * (page.height_px / 16);
    assert_int_equal(n, 34320);
    assert_int_equal(half.width_px / 16 * (half.height_px / 16), 8580);
    size_t bytes = vision_scratch_bytes(v, page.width_px, page.height_px);
    size_t quarter = vision_scratch_bytes(v, half.width_px, half.height_px);
    assert_true((double)bytes < 4.1 * (double)quarter);
    assert_true(bytes * 16 < (size_t)n * (size_t)n * sizeof(float));

    /* The scratch at the first picture, and nothing for one of its size or
     * smaller. */
    static const int width[] = {480, 480, 320};
    for (int i = 0; i < 3; i++) {
        struct image image = image_new(width[i], 320, 3, &err);
        float *rows = mem_alloc((size_t)width[i] / 32 * 10,
                                (size_t)e.shape.n_out * sizeof *rows);
        size_t calls = mem_calls();
        vision_encode(v, &image, rows, &err);
        assert_int_equal(mem_calls() - calls, i ? 0 : 1);
        mem_free(rows);
        image_free(&image);
    }
    test_ok(&err);
    vision_close(v);
    close_encoder(&e);
}

static void a_picture_that_is_no_whole_patches_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    struct encoder e;
    char path[4096];
    open_encoder(&e, test_path(path, "tests/vectors/micro-mmproj-f32.gguf"),
                 cpu_features(), 1);
    struct vision *v =
        vision_open(&e.shape, &e.weights, e.backend,
                    vector_ops_pick(cpu_features()), NULL, e.pool, &err);
    struct image image = image_new(64, 65, 3, &err);
    float rows[1];
    vision_encode(v, &image, rows, &err);
    assert_int_equal(err.kind, ERR_ARGS);
    assert_non_null(strstr(err.text, "multiples of 32"));
    image_free(&image);
    vision_close(v);
    close_encoder(&e);
}

TEST_GROUP(vision, cmocka_unit_test(sizes_are_those_of_the_reference),
           cmocka_unit_test(impossible_sizes_are_refused),
           cmocka_unit_test(resizing_gives_pillows_bytes),
           cmocka_unit_test(patches_come_in_merge_order),
           cmocka_unit_test(every_step_is_that_of_the_reference),
           cmocka_unit_test(every_set_is_near_the_reference),
           cmocka_unit_test(threads_make_no_difference),
           cmocka_unit_test(other_files_agree),
           cmocka_unit_test(grey_is_three_equal_channels),
           cmocka_unit_test(a_page_of_34320_patches_needs_no_score_matrix),
           cmocka_unit_test(a_picture_that_is_no_whole_patches_is_refused),
           cmocka_unit_test(tiles_make_no_difference),
           cmocka_unit_test(blocks_in_halves_are_near_plain_softmax),
           cmocka_unit_test(fast_rows_point_where_the_reference_does),
           cmocka_unit_test(fast_bits_are_those_of_one_thread_and_of_the_model))
