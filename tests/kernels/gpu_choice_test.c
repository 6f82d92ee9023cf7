/* gpu_choice_test.c - which instances a GPU's products use (gpu_choice.h), on a driver
 * that is ours, whose clock shows what a test says a launch takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/gpu_scene.h"
#include "vlm/base/file_map.h"
#include "vlm/device/gpu/gpu_matmul.h"

static const char *fast; /* part of the name of kernels that take 3 us, not 7 */
static int priced;

static double price(const char *kernel, int blocks)
{
    (void)blocks;
    priced++;
    return strstr(kernel, fast) ? 3 : 7;
}

static void open_again(struct gpu_scene *s, const char *which)
{
    fast = which;
    priced = 0;
    device_close(s->gpu);
    s->gpu = gpu_scene_device(s, &gpu_device_api, &s->err);
    test_ok(&s->err);
}

static void row_of_prompt_and_token(struct gpu_scene *s, float *out)
{
    struct device_state *a = device_state_new(s->gpu, &s->err);
    for (int i = 0; i < 2; i++) {
        struct device_run run =
            gpu_scene_run(s, a, i * GPU_SCENE_N, i ? 1 : GPU_SCENE_N);
        device_forward(s->gpu, &run, 1, &s->err);
    }
    gpu_scene_row(s, a, out);
    device_state_free(a);
}

/* Each instance is the fastest once, and is used: logits keep their bits. */
static void the_fastest_is_used(const char *model, enum quant_type type)
{
    struct gpu_scene s;
    float want[GPU_SCENE_VOCAB], got[GPU_SCENE_VOCAB];
    gpu_scene_open(&s, model, NULL);
    row_of_prompt_and_token(&s, want);
    assert_null(s.gpu->kernels);
    s.trusted = false;
    gpu_fake_price(price);
    for (int i = 0; i < GPU_INSTANCES; i++) {
        const char *name = gpu_matmul_instance[i].name;
        char chosen[64];
        if (!gpu_matmul_serves(i, type)) continue;
        open_again(&s, name);
        snprintf(chosen, sizeof chosen, " %s 3.0 us", name);
        if (!strstr(s.gpu->kernels, chosen))
            fail_msg("%s is not used: %s", name, s.gpu->kernels);
        row_of_prompt_and_token(&s, got);
        assert_memory_equal(got, want, (size_t)s.shape->n_vocab * sizeof *got);
    }
    gpu_fake_price(NULL);
    gpu_scene_close(&s);
}

static void the_fastest_is_used_and_no_bit_differs(void **state)
{
    (void)state;
    gpu_scene_begin();
    the_fastest_is_used("tests/vectors/micro-q8_0.gguf", QUANT_Q8_0);
    the_fastest_is_used("tests/vectors/micro-f32.gguf", QUANT_F32);
}

/* The only file of a folder. */
static void find_file(const char *folder, char path[4096])
{
    char command[4200], name[256];
    snprintf(command, sizeof command, "ls '%s'", folder);
    FILE *list = popen(command, "r");
    assert_non_null(fgets(name, sizeof name, list));
    assert_null(fgets(path, 4096, list));
    pclose(list);
    name[strcspn(name, "\n")] = '\0';
    snprintf(path, 4096, "%s/%s", folder, name);
}

/* What was measured once is read from the file; of a line that was lost, that class
 * is measured again, and all if the file is another card's. */
static void a_choice_is_kept(void **state)
{
    (void)state;
    struct gpu_scene s;
    char folder[] = "/tmp/gpu-choice-XXXXXX", path[4096], text[1 << 16];
    struct err err = {0};
    gpu_scene_begin();
    assert_non_null(mkdtemp(folder));
    gpu_scene_open(&s, "tests/vectors/micro-q8_0.gguf", NULL);
    s.trusted = false;
    s.timings = folder;
    gpu_fake_price(price);
    open_again(&s, "_r4t1w4");
    int all = priced;
    assert_true(all > 100);
    open_again(&s, "_r8t1w4");
    assert_int_equal(priced, 0);
    assert_non_null(strstr(s.gpu->kernels, " 1: r4t1w4 3.0 us, 4: "));
    find_file(folder, path);
    size_t n = file_map_copy(path, text, sizeof text - 1, &err);
    text[n] = '\0';
    assert_int_equal(strncmp(text,
                             "platen-gpu/1 fake device 0, generation 8.0, "
                             "driver 13000, kernels ",
                             66),
                     0);
    assert_non_null(strstr(text, " 1 r16t8w1=7.00 "));
    char *line = strchr(text, '\n') + 1;
    FILE *less = fopen(path, "w"); /* without the first class of a shape */
    fprintf(less, "%.*s%s", (int)(line - text), text, strchr(line, '\n') + 1);
    fclose(less);
    open_again(&s, "_r8t1w4");
    assert_true(priced > 0 && priced < all / 4);
    assert_non_null(strstr(s.gpu->kernels, " 1: r8t1w4 3.0 us, 4: r4t1w4 "));
    for (int i = 0; i < 2; i++) { /* another card; nonsense */
        FILE *f = fopen(path, "w");
        int title = (int)strcspn(text, "\n");
        fprintf(f, "%s%.*s\nQ8_0 1 1 1 r4t1w4=x\nQ9 %%n\n\n=\n",
                i ? "" : "another ", title, text);
        fclose(f);
        open_again(&s, "_r8t1w4");
        assert_int_equal(priced, all);
        assert_non_null(strstr(s.gpu->kernels, " 1: r8t1w4 3.0 us, 4: "));
    }
    chmod(folder, 0777); /* others can write to it: neither read nor written */
    open_again(&s, "_r4t1w4");
    assert_int_equal(priced, all);
    remove(path);
    remove(folder);
    gpu_fake_price(NULL);
    gpu_scene_close(&s);
}

TEST_GROUP(gpu_choice, cmocka_unit_test(the_fastest_is_used_and_no_bit_differs),
           cmocka_unit_test(a_choice_is_kept))
