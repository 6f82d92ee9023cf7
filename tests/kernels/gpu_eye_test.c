/* gpu_eye_test.c - the vision encoder's kernels of vlm/device/gpu on the host, against
 * plain loops in double. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "tests/support/gpu_desk.h"
#include "tests/support/gpu_host.h"
#include "vlm/tensor/formats/quant.h"

enum { N_X = 6, N_Y = 4, N = N_X * N_Y, MERGE = 2, COL = 150 };

/* Where patch i lies: blocks of MERGE x MERGE, row by row. */
static void place_of(int i, int *y, int *x)
{
    int area = MERGE * MERGE, in = i % area, block = i / area;
    *y = block / (N_X / MERGE) * MERGE + in / MERGE;
    *x = block % (N_X / MERGE) * MERGE + in % MERGE;
}

static void patches_are_cut_and_normalised(void **state)
{
    (void)state;
    enum { SIZE = 5, STRIDE = N_X * SIZE * 3 + 7, FIRST = 4 };
    uint8_t *pixel = gpu_desk_block(STRIDE * N_Y * SIZE);
    for (int i = 0; i < STRIDE * N_Y * SIZE; i++)
        pixel[i] = (uint8_t)((unsigned)i * 2654435761u >> 24);
    float *row = gpu_desk_take((N - FIRST) * 3 * SIZE * SIZE);
    struct gpu_patch_args a = {pixel,
                               row,
                               {0.5f, 0.4f, 0.3f},
                               {0.5f, 0.25f, 1},
                               FIRST,
                               N_X,
                               MERGE,
                               SIZE,
                               3,
                               STRIDE};
    gpu_desk_launch("gpu_patch", &a, N - FIRST, 1, 1);
    for (int i = 0; i < (N - FIRST) * 3 * SIZE * SIZE; i++) {
        int y, x, c = i / (SIZE * SIZE) % 3, in = i % (SIZE * SIZE);
        place_of(FIRST + i / (3 * SIZE * SIZE), &y, &x);
        double level = pixel[(y * SIZE + in / SIZE) * STRIDE +
                             (x * SIZE + in % SIZE) * 3 + c];
        double want = (level / 255 - (double)a.mean[c]) / (double)a.std[c];
        gpu_desk_near("patch", row[i], want, 1e-5);
    }
}

static void places_lie_between_those_of_a_table(void **state)
{
    (void)state;
    enum { SIDE = 5 };
    float *x = gpu_desk_take(N * COL), *bias = gpu_desk_take(COL),
          *table = gpu_desk_take(SIDE * SIDE * COL), was[N * COL];
    struct gpu_between *row = gpu_desk_block(N_Y * sizeof *row),
                       *column = gpu_desk_block(N_X * sizeof *column);
    for (int i = 0; i < N_Y; i++)
        row[i] = (struct gpu_between){i, i + 1, 0.25f * (float)i};
    for (int i = 0; i < N_X; i++)
        column[i] = (struct gpu_between){i % 4, i % 4 + 1, 0.1f * (float)i};
    memcpy(was, x, sizeof was);
    struct gpu_place_args a = {x, bias, table, row,  column,
                               0, N_X,  MERGE, SIDE, COL};
    gpu_desk_launch("gpu_place", &a, N, 1, 1);
    for (int i = 0; i < N * COL; i++) {
        int at_y, at_x, k = i % COL;
        place_of(i / COL, &at_y, &at_x);
        struct gpu_between p = row[at_y], q = column[at_x];
        double want = (double)was[i] + (double)bias[k];
        for (int corner = 0; corner < 4; corner++) {
            double wy = corner / 2 ? (double)p.part : 1 - (double)p.part;
            double wx = corner % 2 ? (double)q.part : 1 - (double)q.part;
            int ty = corner / 2 ? p.high : p.low;
            int tx = corner % 2 ? q.high : q.low;
            want += wy * wx * (double)table[(ty * SIDE + tx) * COL + k];
        }
        gpu_desk_near("place", x[i], want, 1e-5);
    }
}

static void rows_are_centred_and_bent(void **state)
{
    (void)state;
    float *x = gpu_desk_take(N * COL), *w = gpu_desk_take(COL),
          *b = gpu_desk_take(COL), *y = gpu_desk_take(N * COL), was[N * COL];
    struct gpu_centre_args centre = {x, w, b, y, COL, 1e-6f};
    gpu_desk_launch("gpu_centre", &centre, N, 1, 1);
    for (int t = 0; t < N; t++) {
        double mean = 0, square = 0;
        for (int i = 0; i < COL; i++)
            mean += (double)x[t * COL + i] / COL;
        for (int i = 0; i < COL; i++)
            square += pow((double)x[t * COL + i] - mean, 2) / COL;
        for (int i = 0; i < COL; i++)
            gpu_desk_near("centre", y[t * COL + i],
                          ((double)x[t * COL + i] - mean) / sqrt(square) *
                                  (double)w[i] +
                              (double)b[i],
                          1e-4);
    }
    for (int bend = GPU_BEND_NONE; bend <= GPU_BEND_ERF; bend++) {
        struct gpu_bias_args a = {x, bend ? NULL : y, b, COL,
                                  (enum gpu_bend)bend};
        memcpy(was, x, sizeof was);
        gpu_desk_launch("gpu_bias", &a, N, (COL + 127) / 128, 1);
        for (int i = 0; i < N * COL; i++) {
            double v = (double)was[i] + (double)b[i % COL];
            double inner = 0.7978845608 * (v + 0.044715 * v * v * v);
            double want = bend == GPU_BEND_NONE ? v + (double)y[i]
                          : bend == GPU_BEND_TANH
                              ? v / 2 * (1 + tanh(inner))
                              : v / 2 * (1 + erf(v / sqrt(2)));
            gpu_desk_near("bias", x[i], want, 1e-5);
        }
    }
}

/* Queries and keys are turned, and a patch sees all patches: softmax in double. */
static void every_patch_sees_every_patch(void **state)
{
    (void)state;
    enum { HEADS = 2, DIM = 24, QUARTER = DIM / 4, WIDE = HEADS * DIM };
    static double qkv[N][3][WIDE];
    float *x = gpu_desk_take(N * 3 * WIDE), *bias = gpu_desk_take(3 * WIDE),
          *turn = gpu_desk_block(N_X * QUARTER * 2 * sizeof *turn),
          *o = gpu_desk_take(N * WIDE);
    uint16_t *out = gpu_desk_block(N * 3 * WIDE * sizeof *out);
    for (int i = 0; i < N_X * QUARTER; i++) {
        turn[2 * i] = cosf((float)i);
        turn[2 * i + 1] = sinf((float)i);
    }
    struct gpu_turn_args a = {x,   bias,  turn,  out, 0,
                              N_X, MERGE, HEADS, DIM, 0.5f};
    gpu_desk_launch("gpu_turn", &a, N, 3 * HEADS, 1);
    for (int i = 0; i < N * 3 * WIDE; i++) {
        int part = i / WIDE % 3, d = i % DIM, e = d % (DIM / 2), y, col, t;
        int other = d < DIM / 2 ? i + DIM / 2 : i - DIM / 2;
        place_of(i / (3 * WIDE), &y, &col);
        t = (e < QUARTER ? y : col) * QUARTER + e % QUARTER;
        double v = (double)x[i] + (double)bias[i % (3 * WIDE)];
        double w = (double)x[other] + (double)bias[other % (3 * WIDE)];
        double sine = (double)turn[2 * t + 1] * (d < DIM / 2 ? -1 : 1);
        if (part < 2) v = v * (double)turn[2 * t] + w * sine;
        if (part == 0) v *= 0.5;
        qkv[i / (3 * WIDE)][part][i % WIDE] = v;
        gpu_desk_near("turn", quant_f16_to_f32(out[i]), v, 2e-3);
    }
    struct gpu_see_args see = {out, o, N, HEADS, DIM};
    gpu_desk_launch("gpu_see", &see, 1, HEADS, 1);
    for (int i = 0; i < N * WIDE; i++) {
        double sum = 0, want = 0;
        for (int k = 0; k < N; k++) {
            double score = 0;
            for (int d = 0; d < DIM; d++)
                score += qkv[i / WIDE][0][i % WIDE / DIM * DIM + d] *
                         qkv[k][1][i % WIDE / DIM * DIM + d];
            sum += exp(score);
            want += exp(score) * qkv[k][2][i % WIDE];
        }
        gpu_desk_near("see", o[i], want / sum, 1e-2);
    }
}

static void last_rows_are_kept(void **state)
{
    (void)state;
    static const int run[][2] = {{0, 3}, {7, 1}};
    enum { LAST = 64 };
    struct gpu_desk_pass p = gpu_desk_pass(run, 2, LAST + COL * sizeof(float));
    float *x = gpu_desk_take(4 * COL);
    struct gpu_keep_args a = {p.run, x, LAST, COL};
    gpu_desk_launch("gpu_keep_rows", &a, 2, 1, 1);
    for (int r = 0; r < 2; r++)
        assert_memory_equal(p.run[r].state + LAST, x + (2 + r) * COL,
                            COL * sizeof *x);
}

TEST_GROUP(gpu_eye, GPU_DESK_TEST(patches_are_cut_and_normalised),
           GPU_DESK_TEST(places_lie_between_those_of_a_table),
           GPU_DESK_TEST(rows_are_centred_and_bent),
           GPU_DESK_TEST(every_patch_sees_every_patch),
           GPU_DESK_TEST(last_rows_are_kept))
