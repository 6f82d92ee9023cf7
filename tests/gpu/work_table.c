/* work_table.c - gpu-work: prints vlm/device/gpu/WORK.md. */
#include <stdio.h>
#include <string.h>

#include "tests/gpu/work.h"

/* Sizes of 4B (of 35B-A3B, where there are experts) for n tokens after `past`
 * others; of 4B's vision encoder for 2,048 patches of a picture of 4,096. */
static struct gpu_sizes text_sizes(double n, double past)
{
    struct gpu_sizes s = {.n = n,
                          .col = 2560,
                          .row = 9216,
                          .scales = 4.0 / 256 + 4.0 / 16,
                          .used = 1,
                          .some = 1,
                          .experts = 256,
                          .apart = n,
                          .h = 16,
                          .kv = 4,
                          .dim = 256,
                          .kept = 512,
                          .turned = 64,
                          .keys = past + n,
                          .pairs = n * past + n * (n + 1) / 2,
                          .parts = n,
                          .runs = 1};
    return s;
}

static struct gpu_sizes delta_sizes(double n)
{
    return (struct gpu_sizes){.n = n,
                              .col = 8192,
                              .h = 32,
                              .kv = 16,
                              .dim = 128,
                              .tap = 4,
                              .tail = 3,
                              .runs = 1,
                              .chunk = n > GPU_STEPS ? n : 0,
                              .chunk2 = n > GPU_STEPS ? n * GPU_CHUNK : 0};
}

static struct gpu_sizes expert_sizes(double n)
{
    return (struct gpu_sizes){.n = n,
                              .col = 2048,
                              .used = 8,
                              .experts = 256,
                              .pairs = 8 * n,
                              .more = 1};
}

static struct gpu_sizes vision_sizes(bool all)
{
    return (struct gpu_sizes){.n = all ? 4096 : 2048,
                              .col = 1024,
                              .row = 3072,
                              .h = 16,
                              .dim = 64,
                              .pixel = 3,
                              .side = 48 * 48,
                              .bend = 10};
}

/* Bytes of a row of weights, and what is read of the activations' scales: as a launch
 * with a matrix of so many columns would find them. */
static void add_type(int kernel, struct gpu_sizes *s)
{
    static const unsigned grid[] = {1, 1, 1};
    bool embed = !strncmp(gpu_work_text(kernel).name, "gpu_embed_", 10);
    struct gpu_embed_args rows = {.w = {.n_col = (int)s->col}};
    struct gpu_product_args product = {.w = {.n_col = (int)s->col}};
    struct gpu_sizes of = gpu_work_sizes(
        kernel, embed ? (const void *)&rows : (const void *)&product, grid,
        NULL);
    s->bytes = of.bytes;
    s->scales = of.scales;
}

static bool starts(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

/* Whose sizes it has; false: it sees no tokens but patches. */
static bool example(int kernel, double n, struct gpu_sizes *s)
{
    const char *name = gpu_work_text(kernel).name;
    static const char *const eye[] = {"gpu_patch", "gpu_place", "gpu_centre",
                                      "gpu_bias",  "gpu_turn",  "gpu_see",
                                      "gpu_half_"};
    static const char *const typed[] = {
        "gpu_product_", "gpu_direct_", "gpu_float_", "gpu_embed_", "gpu_half_"};
    bool sees = false;
    *s = text_sizes(n, n > 1 ? 0 : 512);
    if (starts(name, "gpu_delta")) *s = delta_sizes(n);
    for (size_t i = 0; i < sizeof eye / sizeof *eye; i++)
        sees = sees || starts(name, eye[i]);
    if (sees) *s = vision_sizes(starts(name, "gpu_see"));
    if (starts(name, "gpu_patch")) s->col = 3.0 * 16 * 16;
    if (starts(name, "gpu_route") || starts(name, "gpu_group") ||
        starts(name, "gpu_experts_join"))
        *s = expert_sizes(n);
    if (starts(name, "gpu_add")) s->n = n * s->col;
    if (starts(name, "gpu_silu_mul")) s->n = n * s->row;
    if (starts(name, "gpu_keep_rows")) s->n = 1;
    if (starts(name, "gpu_direct_") && n > GPU_DIRECT_MOST)
        s->n = s->apart = GPU_DIRECT_MOST;
    if (starts(name, "gpu_attend") && n < 2) s->parts = 2;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        if (starts(name, typed[i])) add_type(kernel, s);
    return !sees;
}

/* An instance of a family other than the first: it does the same work. */
static bool is_spare(const char *name)
{
    return (starts(name, "gpu_product_") && !strstr(name, "_r64t64")) ||
           (starts(name, "gpu_direct_") && !strstr(name, "_r16t8w1")) ||
           (starts(name, "gpu_float_") && !strstr(name, "_r32t32"));
}

/* A kernel of passes of a token each. */
static bool is_of_tokens(const char *name)
{
    return starts(name, "gpu_delta_token") ||
           starts(name, "gpu_attend_scores") ||
           starts(name, "gpu_attend_values");
}

static void print_row(int kernel)
{
    struct gpu_work_text t = gpu_work_text(kernel);
    struct gpu_sizes one, many;
    bool text = example(kernel, 1, &one);
    example(kernel, 512, &many);
    struct gpu_work a = gpu_work_of(kernel, &one);
    struct gpu_work b = gpu_work_of(kernel, &many);
    printf("| %s | `%s` | `%s` |", t.name, t.bytes, t.operations);
    if (text)
        printf(" %.1f | %.3f |", a.bytes / 1e3, a.operations / 1e6);
    else
        printf(" | |");
    if (is_of_tokens(t.name))
        printf(" | |\n");
    else
        printf(" %.2f | %.1f |\n", b.bytes / 1e6, b.operations / 1e6);
}

int main(void)
{
    printf(
        "# Bytes and operations of the kernels\n\n"
        "What a launch has to move and to compute at least. Bytes: each input "
        "read once, each output written\nonce; lists of sequences are not "
        "counted. Operations: a multiplication with its sum is two; each other "
        "one,\na root or an exponential too, is one. Written by `make gpu-work "
        "UPDATE=1` from `tests/gpu/work.c`, which\n`tests/gpu/prove` divides "
        "by the time of each launch. `tests/gpu/counted.c` compares the bytes "
        "with those that the\nkernels touch on the host.\n\n"
        "One token: 4B after 512 others, a matrix of 2,560 x 9,216; with "
        "experts 35B-A3B. Prompt: 512 tokens\n(gpu_direct: 32, its most; "
        "gpu_keep_rows: one row). Vision: 2,048 of 4,096 "
        "patches\n(gpu_see: all).\n\n"
        "| kernel | bytes | operations | token: KB | M | prompt: MB | M |\n"
        "|---|---|---|---:|---:|---:|---:|\n");
    for (int k = 0; k < GPU_WORK_KERNELS; k++)
        if (!is_spare(gpu_work_text(k).name)) print_row(k);
    printf("\n| size | is |\n|---|---|\n");
#define SIZE(name, text) printf("| %s | %s |\n", #name, text);
    GPU_SIZES(SIZE)
#undef SIZE
    return 0;
}
