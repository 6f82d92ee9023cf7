/* limits.c - see limits.h. */
#define _GNU_SOURCE
#include "vlm/tensor/processor_limits.h"

#include <math.h>
#include <stdint.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/cpu.h"
#include "vlm/base/pool.h"
#include "vlm/tensor/k_limits.h"
#include "vlm/tensor/kernels.h"

enum {
    PIECE = 128 << 10, /* bytes that a thread reads at a time */
    STREAMS = 8,       /* streams of reads */
    AHEAD = 1024,      /* prefetch distance in bytes */
    ROUNDS = 3,
    COLUMNS = 256 /* columns of the panel that is multiplied */
};
static const double round_seconds = 0.05;

/* ---- memory ----------------------------------------------------------------- */

/* Larger than the last-level cache, if the system reports its size. */
static size_t memory_size(void)
{
    size_t least = (size_t)256 << 20, most = (size_t)1 << 30;
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    size_t size = cache > 0 ? 3 * (size_t)cache : least;
    size = size < least ? least : size > most ? most : size;
    return size / PIECE * PIECE;
}

static void read_pieces(void *memory, int first, int last, int thread)
{
    (void)thread;
    uint64_t sum[STREAMS] = {0};
    size_t stream = PIECE / STREAMS;
    for (int i = first; i < last; i++) {
        const char *at = (const char *)memory + (size_t)i * PIECE;
        for (size_t k = 0; k < stream; k += 64)
            for (size_t s = 0; s < STREAMS; s++) {
                const char *line = at + s * stream + k;
                const uint64_t *word = (const void *)line;
                __builtin_prefetch(line + AHEAD);
                for (int j = 0; j < 8; j++)
                    sum[s] += word[j];
            }
    }
    for (int s = 1; s < STREAMS; s++)
        sum[0] += sum[s];
    volatile uint64_t sink = sum[0];
    (void)sink;
}

static double read_rate(struct pool *pool, struct err *err)
{
    size_t size = memory_size();
    if (err_failed(err)) return 0;
    char *memory = mem_try_aligned(size);
    if (!memory) {
        err_set(err, ERR_SYSTEM, "no memory for a buffer of %zu bytes", size);
        return 0;
    }
    memset(memory, 1, size);
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        double start = clock_seconds();
        pool_run(pool, (int)(size / PIECE), 4, read_pieces, memory);
        double s = clock_seconds() - start;
        if (s < best) best = s;
    }
    mem_free(memory);
    return (double)size / best;
}

/* ---- arithmetic ------------------------------------------------------------- */

/* Panel products on data that stays in the first-level cache of each thread. */
struct panels {
    const struct kernels *k;
    struct panel_i8 *panel; /* [thread] */
    float *values;          /* [thread][PANEL_FLOATS] */
    bool integers;
};
enum { PANEL_FLOATS = 64 * 1024 };

static void spin_panels(void *arg, int first, int last, int thread)
{
    const struct panels *p = arg;
    float *x = p->values + (size_t)thread * PANEL_FLOATS;
    float *w = x + 16 * COLUMNS, *y = w + COLUMNS * PANEL_ROWS;
    int32_t *init = (void *)(y + 16 * PANEL_ROWS);
    int wide = p->integers ? p->k->tile_i8 : p->k->tile_f32;
    struct act_tile tile = {(int8_t *)(void *)x, w, w, init, wide};
    for (int i = first; i < last; i++)
        if (p->integers)
            p->k->panel_i8(&p->panel[thread], &tile, y, PANEL_ROWS, PANEL_ROWS,
                           false);
        else
            p->k->panel_f32(w, COLUMNS, x, (size_t)wide, wide, y, PANEL_ROWS,
                            PANEL_ROWS, false);
}

struct unit {
    void (*spin)(void *arg, int first, int last, int thread);
    void *arg;
    double work; /* operations per index */
};

static double measure_rate(struct pool *pool, const struct unit *unit)
{
    double best = 0;
    int n = 256 * pool_size(pool), grain = 64;
    for (int i = 0; i < ROUNDS;) {
        double start = clock_seconds();
        pool_run(pool, n, grain, unit->spin, unit->arg);
        double s = clock_seconds() - start;
        if (s < round_seconds && n < INT32_MAX / 4) {
            n *= 2; /* too short to measure */
            grain *= 2;
            continue;
        }
        if (unit->work * n / s > best) best = unit->work * n / s;
        i++;
    }
    return best;
}

static double panel_rate(struct pool *pool, const struct kernels *k,
                         bool integers)
{
    size_t n = (size_t)pool_size(pool);
    struct panels p = {.k = k, .integers = integers};
    p.panel = mem_alloc(n, sizeof *p.panel);
    p.values = mem_alloc(n * PANEL_FLOATS, sizeof *p.values);
    for (size_t i = 0; i < n; i++) {
        p.panel[i].form = (struct quant_form){32, 256, false};
        p.panel[i].n_k = COLUMNS;
    }
    int wide = integers ? k->tile_i8 : k->tile_f32;
    struct unit unit = {spin_panels, &p, 2.0 * COLUMNS * PANEL_ROWS * wide};
    double rate = measure_rate(pool, &unit);
    mem_free(p.panel);
    mem_free(p.values);
    return rate;
}

static double unit_rate(struct pool *pool, const struct limits_unit *unit)
{
    if (!unit->spin) return 0;
    return measure_rate(pool, &(struct unit){unit->spin, NULL, unit->work});
}

struct processor_limits processor_limits_measure(int n_thread, struct err *err)
{
    struct processor_limits l = {.read = 0};
    if (err_failed(err)) return l;
    struct kernels k;
    kernels_pick(&k, cpu_features());
    struct pool *pool = pool_new(n_thread, err);
    if (!err_failed(err)) {
        struct k_limits_units units = k_limits_units();
        l.read = read_rate(pool, err);
        l.f32 = panel_rate(pool, &k, false);
        l.i8 = panel_rate(pool, &k, true);
        l.bf16 = unit_rate(pool, &units.bf16);
        l.tile_bf16 = unit_rate(pool, &units.tile_bf16);
        l.tile_i8 = unit_rate(pool, &units.tile_i8);
    }
    pool_free(pool);
    return l;
}
