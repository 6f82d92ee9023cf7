/* kernels_measure.c - see kernels_measure.h. */
#include "vlm/tensor/kernels_measure.h"

#include <math.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/cpu.h"
#include "vlm/tensor/kernels.h"

enum {
    COLUMNS = PANEL_I8_K,
    ROW_BYTES = COLUMNS / 32 * 34, /* of Q8_0 */
    WIDTH_MAX = 16,                /* tokens of a tile */
    TOKENS = 48,                   /* per unpacked panel */
    ROUNDS = 12,                   /* the best counts: others use the CPU too */
    PROMPT = 512,
    ANSWER = 128,
};

/* Noise of such short runs. */
static const double clearly = 1.1;

struct trial {
    struct kernels k;
    uint8_t weight[PANEL_ROWS * ROW_BYTES];
    const uint8_t *row[PANEL_ROWS];
    struct panel_i8 panel;
    int8_t q[COLUMNS * WIDTH_MAX];
    float d[COLUMNS / 32 * WIDTH_MAX], sum[COLUMNS / 16 * WIDTH_MAX];
    int32_t init[COLUMNS / 16 * WIDTH_MAX];
    float y[WIDTH_MAX * PANEL_ROWS];
};

static void many_tokens(struct trial *t)
{
    int width = t->k.tile_i8;
    struct act_tile x = {t->q, t->d, t->sum, t->init, width};
    t->k.unpack_i8(QUANT_Q8_0, t->row, NULL, COLUMNS, &t->panel);
    for (int i = 0; i < TOKENS; i += width)
        t->k.panel_i8(&t->panel, &x, t->y, PANEL_ROWS, PANEL_ROWS, false);
}

static void one_token(struct trial *t)
{
    struct act_tile x = {t->q, t->d, t->sum, t->init, 1};
    if (t->k.direct_i8) {
        t->k.direct_i8(QUANT_Q8_0, t->row, NULL, COLUMNS, &x, t->y, PANEL_ROWS);
        return;
    }
    t->k.unpack_i8(QUANT_Q8_0, t->row, NULL, COLUMNS, &t->panel);
    t->k.panel_i8(&t->panel, &x, t->y, PANEL_ROWS, PANEL_ROWS, false);
}

/* Operations per second. */
static double rate_of(struct trial *t, void (*run)(struct trial *), int n_token)
{
    enum { REPEAT = 4 };
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double start = clock_seconds();
        for (int j = 0; j < REPEAT; j++)
            run(t);
        double s = clock_seconds() - start;
        if (s > 0 && s < best) best = s;
    }
    return 2.0 * COLUMNS * PANEL_ROWS * n_token * REPEAT / best;
}

static struct kernels_rate measure(struct trial *t, unsigned features)
{
    kernels_pick(&t->k, features);
    int n = (TOKENS + t->k.tile_i8 - 1) / t->k.tile_i8 * t->k.tile_i8;
    return (struct kernels_rate){features, t->k.name,
                                 rate_of(t, many_tokens, n),
                                 rate_of(t, one_token, 1)};
}

int kernels_measure(unsigned features,
                    struct kernels_rate rate[KERNELS_SETS_MAX])
{
    /* From the widest to the narrowest. */
    static const unsigned off[] = {0, CPU_AVX512VNNI, CPU_AVXVNNI,
                                   CPU_NEON_I8MM};
    const unsigned vector = CPU_AVX2 | CPU_AVXVNNI | CPU_VNNI_MODEL |
                            CPU_AVX512VNNI | CPU_NEON_DOTPROD | CPU_NEON_I8MM;
    struct trial *t = mem_alloc(1, sizeof *t);
    memset(t->weight, 1, sizeof t->weight);
    memset(t->q, 1, sizeof t->q);
    for (int i = 0; i < PANEL_ROWS; i++)
        t->row[i] = t->weight + i * ROW_BYTES;
    int n = 0;
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        if (off[i] && !(features & off[i])) continue;
        features &= ~off[i];
        if (n == 0 || (features & vector)) rate[n++] = measure(t, features);
    }
    mem_free(t);
    return n;
}

static double page_time(const struct kernels_rate *r)
{
    return PROMPT / r->prompt + ANSWER / r->token;
}

int kernels_fastest(const struct kernels_rate *rate, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (page_time(&rate[i]) <
            page_time(&rate[best]) / (best == 0 ? clearly : 1))
            best = i;
    return best;
}

unsigned kernels_fastest_features(unsigned features)
{
    struct kernels_rate rate[KERNELS_SETS_MAX];
    int n = kernels_measure(features, rate);
    return rate[kernels_fastest(rate, n)].features;
}
