/* gpu_scene.c - see gpu_scene.h. */
#include "tests/support/gpu_scene.h"

#include <math.h>

#include "vlm/base/cpu.h"
#include "vlm/device/cpu/cpu_device.h"

void gpu_scene_begin(void)
{
#ifdef __SANITIZE_THREAD__
    print_message("skip: fibers, which tsan does not know\n");
    skip();
#endif
}

struct device *gpu_scene_device(struct gpu_scene *s,
                                const struct device_api *api, struct err *err)
{
    struct device_model model = {.shape = s->shape,
                                 .weights = &s->weights,
                                 .vision_shape = &s->eye_shape,
                                 .vision_weights =
                                     s->eye_file ? &s->eye : NULL};
    struct device_options o = {.n_ctx = 128,
                               .n_ubatch = 96,
                               .n_run_max = 4,
                               .n_thread = 1,
                               .features = cpu_features(),
                               .trusted = s->trusted,
                               .kv = s->kv,
                               .timings = s->timings,
                               .cuda = &gpu_fake};
    return device_open(api, &model, &o, err);
}

void gpu_scene_open(struct gpu_scene *s, const char *model, const char *eye)
{
    char path[4096];
    *s = (struct gpu_scene){.arena = arena_new(), .trusted = true};
    s->shape = arena_alloc(s->arena, sizeof *s->shape);
    s->file = gguf_open(test_path(path, model), &s->err);
    shape_read(s->file, s->shape, &s->err);
    s->shape->n_draft = 0;
    weights_read(s->file, s->shape, s->arena, &s->weights, &s->err);
    if (eye) {
        s->eye_file = gguf_open(test_path(path, eye), &s->err);
        shape_read_vision(s->eye_file, &s->eye_shape, &s->err);
        weights_read_vision(s->eye_file, &s->eye_shape, s->arena, &s->eye,
                            &s->err);
    }
    test_ok(&s->err);
    gpu_fake_fail(0, 0);
    gpu_host_races(false);
    s->cpu = gpu_scene_device(s, &cpu_device_api, &s->err);
    s->gpu = gpu_scene_device(s, &gpu_device_api, &s->err);
    test_ok(&s->err);
    for (int i = 0; i < 2 * GPU_SCENE_N; i++) {
        s->token[i] = (int32_t)((unsigned)i * 2654435761u >> 16) % 600;
        s->at[i] = position_text(i);
    }
}

void gpu_scene_close(struct gpu_scene *s)
{
    device_close(s->cpu);
    device_close(s->gpu);
    assert_int_equal(gpu_fake_held(), 0);
    assert_int_equal(gpu_host_taken(), 0);
    gpu_host_races(true);
    gguf_close(s->file);
    gguf_close(s->eye_file);
    arena_free(s->arena);
}

struct device_run gpu_scene_run(const struct gpu_scene *s,
                                struct device_state *to, int first, int n)
{
    return (struct device_run){
        .state = to, .n = n, .token = s->token + first, .at = s->at + first};
}

void gpu_scene_row(struct gpu_scene *s, struct device_state *of, float *out)
{
    device_head(of->device, &(struct device_place){of, 0}, 1, out, &s->err);
    test_ok(&s->err);
}

/* The largest difference, of the largest number. */
static double apart(const float *x, const float *y, size_t n)
{
    double most = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs((double)y[i]));
        worst = fmax(worst, fabs((double)x[i] - (double)y[i]));
        if (isnan(x[i])) return 1e9;
    }
    return worst / most;
}

void gpu_scene_near(const char *what, const float *got, const float *want,
                    size_t n, double most)
{
    double d = apart(got, want, n);
    print_message("%s: %.2e of the largest\n", what, d);
    if (!(d <= most)) fail_msg("%s: %.3g apart, at most %.3g", what, d, most);
}
