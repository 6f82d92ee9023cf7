/* quantise_peer.c - errors of our quantisers and of llama.cpp's, on the same
 * numbers in one run.
 *
 *     quantise_peer FOLDER_OF_LIBRARIES
 *
 * For each type and each kind of tensor: the mean squared error without an
 * importance matrix, and with one that error weighed by it. Both sides'
 * blocks are decoded by our decoder, which is ggml's to the bit. Ends with 1
 * where ours is larger than theirs.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/convert/quantise.h"

enum { ROWS = 64, COLS = 1024, VALUES = ROWS * COLS };

typedef size_t chunk_fn(int type, const float *x, void *out, int64_t start,
                        int64_t n_row, int64_t n_col, const float *imatrix);

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Kinds of weights: plain, with outliers, few large columns, small, one-sided. */
static const char *const kinds[] = {"normal", "heavy tails", "large columns",
                                    "small",  "one-sided",   "mostly zero"};
enum { N_KIND = 6 };

static float value(int kind, int col)
{
    double v = 0.02 * normal();
    switch (kind) {
    case 1: return (float)(v / sqrt(0.15 + uniform()));
    case 2: return (float)(col % 97 == 0 ? 12 * v : v);
    case 3: return (float)(v / 300);
    case 4: return (float)(fabs(v) + 0.01);
    case 5: return (float)(uniform() < 0.8 ? 0 : v);
    default: return (float)v;
    }
}

/* The mean over all values of weight times squared error. */
static double error_of(enum quant_type type, const float *x, const void *blocks,
                       const float *importance)
{
    static float y[COLS];
    size_t bytes = quant_row_bytes(type, COLS);
    double sum = 0, weights = 0;
    for (int r = 0; r < ROWS; r++) {
        quant_decode(type, (const char *)blocks + (size_t)r * bytes, COLS, y);
        for (int c = 0; c < COLS; c++) {
            double off = (double)y[c] - (double)x[r * COLS + c];
            double w = importance ? (double)importance[c] : 1;
            sum += w * off * off;
            weights += w;
        }
    }
    return sum / weights;
}

static bool compare(chunk_fn *chunk, enum quant_type type, int kind,
                    const float *x, const float *importance)
{
    static uint8_t ours[VALUES * 4], theirs[VALUES * 4];
    size_t bytes = quant_row_bytes(type, COLS);
    for (int r = 0; r < ROWS; r++)
        quantise_row(type, x + r * COLS, COLS, importance,
                     ours + (size_t)r * bytes);
    chunk((int)type, x, theirs, 0, ROWS, COLS, importance);
    double mine = error_of(type, x, ours, importance);
    double other = error_of(type, x, theirs, importance);
    bool fine = mine <= other * 1.0000001;
    printf("%-7s %-14s %-9s %12.5g %12.5g %8.4f%s\n",
           quant_info((uint32_t)type)->name, kinds[kind],
           importance ? "imatrix" : "", mine, other, mine / other,
           fine ? "" : "  MORE");
    return fine;
}

int main(int argc, char **argv)
{
    static const enum quant_type types[] = {QUANT_Q8_0,  QUANT_Q4_K,
                                            QUANT_Q5_K,  QUANT_Q6_K,
                                            QUANT_MXFP4, QUANT_NVFP4};
    static float x[VALUES], importance[COLS];
    char path[4096];
    int more = 0;
    if (argc != 2) return 2;
    snprintf(path, sizeof path, "%s/libggml-base.so", argv[1]);
    void *lib = dlopen(path, RTLD_NOW);
    chunk_fn *chunk = NULL;
    if (lib) *(void **)&chunk = dlsym(lib, "ggml_quantize_chunk");
    if (!chunk) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    printf("%-7s %-14s %-9s %12s %12s %8s\n", "type", "tensor", "", "platen",
           "llama.cpp", "ratio");
    for (int kind = 0; kind < N_KIND; kind++) {
        for (int i = 0; i < VALUES; i++)
            x[i] = value(kind, i % COLS);
        for (int c = 0; c < COLS; c++)
            importance[c] = (float)exp(1.5 * normal());
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            more += !compare(chunk, types[t], kind, x, NULL);
            more += !compare(chunk, types[t], kind, x, importance);
        }
    }
    printf("%d of ours are larger\n", more);
    return more > 0;
}
