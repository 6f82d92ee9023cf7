/* predict.c - gpu-predict: a model of the time that each instance of a product
 * (gpu_args.h) takes, from public figures of cards and without one.
 *
 *     gpu-predict           products of 4B Q4_K_M on the cards of the table
 *     gpu-predict FILE.gpu ...
 *                           beside what a card took (gpu_choice.h), as a table and
 *                           as lines of JSON
 *
 * time = launch + waves (latency + chains + barriers) + the longest of: bytes at
 * the bandwidth (or what the loads in flight reach), instructions, operations of
 * the tensor cores. It is no measurement: it says which instance to expect, and
 * what is worth a look where a card differs. Instructions are those that NVIDIA's
 * assembler makes for sm_90 (docs/notes/gpu.md), and ISSUED what an H200 issued of
 * its slots: with fewer instructions than there were the model was 2 to 4 times too
 * fast for it.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vlm/device/gpu/kernels/gpu_args.h"

/* ---- cards ------------------------------------------------------------------------ */

/* Public figures: bandwidth, int8 operations of the tensor cores without sparsity,
 * processors and their clock. Launch and latency as measured on an H200. */
struct card {
    const char *name;
    double gb_s, tops, processors, ghz, launch_us, latency_us;
};

static const struct card cards[] = {{"H100", 3350, 1979, 132, 1.755, 2, 0.8},
                                    {"H200", 4800, 1979, 132, 1.755, 2, 0.8},
                                    {"RTX 3090", 936, 284, 82, 1.695, 2, 0.7},
                                    {"RTX 4090", 1008, 661, 128, 2.52, 2, 0.7}};
enum { CARDS = sizeof cards / sizeof *cards };

/* ---- kernels ---------------------------------------------------------------------- */

/* Bits and bytes of a number; columns of a scale, of a scale of the activations. */
static const struct type {
    const char *name;
    double bits, bytes, sub, act, has_min;
} types[] = {
#define TYPE(type, X, bits, less, head, sub, act, has_min)    \
    {#type,                                                   \
     bits,                                                    \
     bits / 8.0 + head * (1.0 + has_min) / sub +              \
         (head == GPU_CODES ? 2 * (1.0 + has_min) / 256 : 0), \
     sub,                                                     \
     act,                                                     \
     has_min},
    GPU_QUANTS(TYPE, 0){"f32", 32, 4, 1, 0, 0},
    {"f16", 16, 2, 1, 0, 0},
    {"bf16", 16, 2, 1, 0, 0}};
enum {
#define INDEX(type, ...) TYPE_##type,
    GPU_QUANTS(INDEX, 0) TYPE_f32,
    TYPE_f16,
    TYPE_bf16,
    TYPES
};

#define ISSUED 0.65 /* of a processor's slots for instructions, at best */

static const struct instance {
    const char *name;
    double rows, tokens, warps, span; /* warps 0: tensor cores; -1: of floats */
} instances[] = {
#define PRODUCT(type, X, name, tokens) {#name, GPU_TILE, tokens, 0, GPU_SPAN},
#define DIRECT(type, X, name, rows, tokens, warps, span) \
    {#name, rows, tokens, warps, span},
#define FLOAT(type, X, name, rows, tokens, span) \
    {#name, rows, tokens, -1, span},
    GPU_PRODUCTS(PRODUCT, 0, 0) GPU_DIRECTS(DIRECT, 0, 0)
        GPU_FLOAT_TILES(FLOAT, 0, 0)};
enum { INSTANCES = sizeof instances / sizeof *instances };

struct product {
    const struct type *type;
    double row, col, n; /* weights; columns; activations */
    double times;       /* of a token of the model */
};

/* Of a step of the span: barriers, sums that become parts (joined by the team's
 * threads), then the chain of a row; four cycles an addition, ten a load. */
static double chain_cycles(const struct instance *k, const struct type *t,
                           double n_k)
{
    double acts = n_k / t->act, subs = t->act / t->sub;
    double threads = k->warps * GPU_WARP, rows = k->rows * k->warps / 4;
    double parts = ceil(rows * k->tokens * acts / threads);
    double join = t->act > 32 ? parts * (10 + 8 * subs) : 0;
    return 3 * 30 + join + acts * 5;
}

/* Instructions of a thread for 32 columns: of the weights, a plane after another, and
 * for each of the activations. */
static double piece_instructions(const struct type *t, double n)
{
    double planes = t->bits == 8 ? 0 : t->bits == 4 || t->bits == 2 ? 1 : 2;
    return 60 + 14 * planes + n * (18 + 32 / t->sub * (8 + 4 * t->has_min));
}

static double direct_us(const struct card *c, const struct instance *k,
                        const struct product *p)
{
    double n = fmin(p->n, k->tokens), turns = ceil(p->n / k->tokens);
    double blocks = ceil(p->row / k->rows) * turns;
    double resident = p->type->sub < 32 ? 3 : 4;
    double steps = ceil(p->col / k->span), n_k = p->col / steps;
    double waves = ceil(blocks / (resident * c->processors));
    double cycles = steps * chain_cycles(k, p->type, n_k);
    double pieces = p->row * turns * p->col / 32;
    double issue = pieces / GPU_WARP * piece_instructions(p->type, n) /
                   (4 * c->processors) / (c->ghz * 1e3) / ISSUED;
    double bytes = p->row * p->col * p->type->bytes;
    double flight =
        fmin(blocks, resident * c->processors) * k->rows * n_k * p->type->bytes;
    double rate = fmin(c->gb_s, flight / c->latency_us / 1e3);
    return c->launch_us +
           waves * (c->latency_us * steps + cycles / (c->ghz * 1e3)) +
           fmax(bytes / (rate * 1e3), issue);
}

/* Instructions of a thread for a span: pieces of weights and activations into the tile,
 * then the tensor cores' tiles of 16 by 8, of which a warp has a quarter. */
static double span_instructions(const struct instance *k, const struct type *t)
{
    double tiles = k->rows / 8 * k->tokens / 16 / GPU_WARPS;
    double fill = 90 + k->rows / 16 * 70 + k->tokens / 16 * 25;
    return fill +
           GPU_SPAN / t->sub *
               (12 + tiles * (t->sub < 32 ? 9.5 : 11) + tiles * 5 * t->has_min);
}

/* Filling a tile and multiplying take turns; some processor has a block more than
 * others. */
static double product_us(const struct card *c, const struct instance *k,
                         const struct product *p)
{
    double blocks = ceil(p->row / k->rows) * ceil(p->n / k->tokens);
    double resident = 3, steps = ceil(p->col / GPU_SPAN);
    double waves = ceil(blocks / (resident * c->processors));
    double issue = ceil(blocks / c->processors) * steps *
                   span_instructions(k, p->type) / (c->ghz * 1e3) / ISSUED;
    double multiply = 2 * blocks * k->rows * k->tokens * p->col / c->tops / 1e6;
    double bytes = p->row * p->col * p->type->bytes;
    return c->launch_us + waves * steps * c->latency_us +
           fmax(bytes / (c->gb_s * 1e3), fmax(issue, multiply));
}

/* A step is loaded while the chains of the one before go on: one word of shared memory
 * for a weight and one for each activation, of each warp that has any. Of an H200's 94
 * us for a router with loads and chains by turns. */
static double float_us(const struct card *c, const struct instance *k,
                       const struct product *p)
{
    double each = k->rows * k->tokens / GPU_THREADS, resident = 4;
    double threads = fmin(p->n, k->tokens) * k->rows;
    double warps = fmin(ceil(threads / GPU_WARP), GPU_WARPS);
    double blocks = ceil(p->row / k->rows) * ceil(p->n / k->tokens);
    double waves = ceil(blocks / (resident * c->processors));
    double cycles = k->span * fmax(6, warps * resident * (1 + each) / 4);
    double step = fmax(c->latency_us, cycles / (c->ghz * 1e3));
    double bytes = p->row * p->col * p->type->bytes;
    return c->launch_us +
           waves * (c->latency_us + ceil(p->col / k->span) * step) +
           bytes / (c->gb_s * 1e3);
}

static double predict(const struct card *c, int instance,
                      const struct product *p)
{
    const struct instance *k = &instances[instance];
    return k->warps > 0   ? direct_us(c, k, p)
           : k->warps < 0 ? float_us(c, k, p)
                          : product_us(c, k, p);
}

/* As gpu_choice.c: is it tried? */
static bool tried(int instance, const struct product *p)
{
    const struct instance *k = &instances[instance];
    if (k->warps < 0 || p->type->act < 1)
        return k->warps < 0 && p->type->act < 1;
    if (k->warps > 0) return p->n <= GPU_DIRECT_MOST && p->n <= 4 * k->tokens;
    return p->n > 1;
}

/* ---- without a card ----------------------------------------------------------------- */

/* The products of 4B Q4_K_M with 24 layers with the delta rule, 8 with attention: all
 * weights of one type and input in one. The last is the router of a layer of
 * 35B-A3B. */
static const struct product model[] = {{&types[TYPE_q4_k], 12352, 2560, 1, 24},
                                       {&types[TYPE_q4_k], 9216, 2560, 1, 8},
                                       {&types[TYPE_q6_k], 1024, 2560, 1, 8},
                                       {&types[TYPE_q4_k], 2560, 4096, 1, 32},
                                       {&types[TYPE_q4_k], 18432, 2560, 1, 32},
                                       {&types[TYPE_q4_k], 2560, 9216, 1, 16},
                                       {&types[TYPE_q6_k], 2560, 9216, 1, 16},
                                       {&types[TYPE_q6_k], 248320, 2560, 1, 1},
                                       {&types[TYPE_f32], 256, 2048, 1, 0}};
enum { PRODUCTS = sizeof model / sizeof *model };

/* The other launches of a token of 4B after 512 others: of each how many; blocks,
 * bytes of one, times that it waits for memory, cycles of its chains. The last is not a
 * launch but what the last blocks of products do: count, then norm or gate. */
static const struct other {
    const char *name;
    double times, blocks, bytes, waits, cycles;
    bool within;
} others[] = {
    {"gpu_delta_token", 24, 32, 138e3, 3, 128 * 4 + 128 * 8 + 600, false},
    {"gpu_attend_ready", 8, 20, 4e3, 3, 600, false},
    {"gpu_attend_scores", 8, 64, 20e3, 4, 256 * 9, false},
    {"gpu_attend_values", 8, 32, 41e3, 5, 512 * 6 + 1500, false},
    {"gpu_attend_join", 8, 16, 4e3, 3, 600, false},
    {"embedding, norms, last row", 4, 1, 30e3, 3, 600, false},
    {"last blocks of products", 96, 1, 30e3, 2, 800, true}};
enum { N_OTHERS = sizeof others / sizeof *others };

static double other_us(const struct card *c, const struct other *o)
{
    double flight = o->blocks * o->bytes / c->latency_us / 1e3;
    return (o->within ? 0 : c->launch_us) + o->waits * c->latency_us +
           o->cycles / (c->ghz * 1e3) +
           o->blocks * o->bytes / (fmin(c->gb_s, flight) * 1e3);
}

static void print_others(const struct card *c, double products)
{
    double us = 0, launches = 0;
    printf("\n| of a token besides | how often | us |\n|---|---:|---:|\n");
    for (int i = 0; i < N_OTHERS; i++) {
        us += others[i].times * other_us(c, &others[i]);
        launches += others[i].within ? 0 : others[i].times;
        printf("| %s | %.0f | %.1f |\n", others[i].name, others[i].times,
               other_us(c, &others[i]));
    }
    for (int i = 0; i < PRODUCTS; i++)
        launches += model[i].times;
    printf("\nIn ms: %.2f, with the products %.2f, in %.0f launches.\n",
           us / 1e3, (us + products) / 1e3, launches);
}

static double print_product(const struct card *c, const struct product *p)
{
    int best = -1;
    double us[INSTANCES];
    for (int i = 0; i < INSTANCES; i++) {
        us[i] = predict(c, i, p);
        if (tried(i, p) && (best < 0 || us[i] < us[best])) best = i;
    }
    printf("| %s %.0f x %.0f | %.0f |", p->type->name, p->row, p->col, p->n);
    for (int i = 0; i < INSTANCES; i++)
        if (tried(i, p))
            printf(i == best ? " **%.1f** |" : " %.1f |", us[i]);
        else
            printf(" |");
    printf("\n");
    return us[best];
}

static void print_card(const struct card *c)
{
    static const double rows[] = {1, 32, 512};
    double token[3] = {0};
    printf("\n## %s: %.0f GB/s, %.0f TOPS\n\n| product | n |", c->name, c->gb_s,
           c->tops);
    for (int i = 0; i < INSTANCES; i++)
        printf(" %s |", instances[i].name);
    printf("\n|---|---:|");
    for (int i = 0; i < INSTANCES; i++)
        printf("---:|");
    printf("\n");
    for (int k = 0; k < PRODUCTS; k++)
        for (int r = 0; r < 3; r++) {
            struct product p = model[k];
            p.n = rows[r];
            if (p.row > 1e5 && r == 2) continue; /* no logits */
            token[r] += p.times * print_product(c, &p);
        }
    printf(
        "\nIn ms, all products of a token: %.2f; of one of 32 sequences each: "
        "%.2f; of a prompt of 512: %.1f.\n",
        token[0] / 1e3, token[1] / 1e3, token[2] / 1e3);
    print_others(c, token[0]);
}

/* ---- beside what was measured ------------------------------------------------------- */

static const struct card *card_of(const char *title)
{
    for (int i = 0; i < CARDS; i++)
        if (strstr(title, cards[i].name)) return &cards[i];
    return &cards[1];
}

static const struct type *type_of(const char *name)
{
    for (int i = 0; i < TYPES; i++)
        if (!strcasecmp(types[i].name, name)) return &types[i];
    return NULL;
}

static int instance_of(const char *name)
{
    for (int i = 0; i < INSTANCES; i++)
        if (!strcmp(instances[i].name, name)) return i;
    return -1;
}

/* "NAME=US ..." of a product: JSON for each, and a line for a reader. */
static int print_times(const struct card *c, char *times,
                       const struct product *p)
{
    char text[1024] = "";
    int n = 0;
    for (char *word = strtok(times, " \n"); word; word = strtok(NULL, " \n")) {
        double us;
        char *value = strchr(word, '=');
        if (!value || sscanf(value + 1, "%lf", &us) != 1) continue;
        *value = '\0';
        int i = instance_of(word);
        if (i < 0) continue;
        double guess = predict(c, i, p);
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "  %s %.1f (%.1f)", word, us,
                 guess);
        printf("{\"type\":\"%s\",\"rows\":%.0f,\"columns\":%.0f,\"n\":%.0f,"
               "\"instance\":\"%s\",\"us\":%.2f,\"predicted_us\":%.2f}\n",
               p->type->name, p->row, p->col, p->n, word, us, guess);
        n++;
    }
    printf("%s %.0f x %.0f, %.0f:%s\n", p->type->name, p->row, p->col, p->n,
           text);
    return n;
}

static int print_line(const struct card *c, char *line)
{
    char name[32];
    struct product p = {0};
    int at = 0;
    if (sscanf(line, "%31s %lf %lf %lf%n", name, &p.row, &p.col, &p.n, &at) < 4)
        return 0;
    p.type = type_of(name);
    return p.type ? print_times(c, line + at, &p) : 0;
}

static int print_file(const char *path)
{
    char line[1024];
    int n = 0;
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f)) {
        fprintf(stderr, "error: %s cannot be read\n", path);
        if (f) fclose(f);
        return 0;
    }
    const struct card *c = card_of(line);
    printf("%sus of a launch (predicted by the figures of an %s)\n", line,
           c->name);
    while (fgets(line, sizeof line, f))
        n += print_line(c, line);
    fclose(f);
    return n;
}

int main(int argc, char **argv)
{
    int good = 0;
    for (int i = 1; i < argc; i++)
        good += print_file(argv[i]) > 0;
    for (int i = 0; i < CARDS && argc == 1; i++)
        print_card(&cards[i]);
    return good == argc - 1 ? 0 : 1;
}
