/* rope_test.c - frequencies, axes and YaRN (vlm/MODEL.md). */
#include <math.h>

#include "tests/support/test.h"
#include "vlm/base/arena.h"
#include "vlm/device/cpu/decode/rope.h"
#include "vlm/model/shape.h"

static struct shape published(void)
{
    return (struct shape){.n_rot = 64,
                          .rope_section = {11, 11, 10},
                          .rope_base = 1e7,
                          .yarn_factor = 1,
                          .yarn_ctx_train = 262144};
}

static void near(double got, double want)
{
    if (fabs(got - want) > 1e-5 * fabs(want))
        fail_msg("got %.9g, want %.9g", got, want);
}

static void frequencies_and_axes_are_the_published_ones(void **state)
{
    (void)state;
    struct shape s = published();
    struct arena *arena = arena_new();
    struct rope r = rope_plan(&s, arena);
    int n[3] = {0};
    near(r.freq[0], 1);
    near(r.freq[1], 0.60429639);
    near(r.freq[16], 3.16227766e-4);
    near(r.freq[31], 1.6548171e-7);
    for (int i = 0; i < 32; i++) {
        assert_int_equal(r.axis[i], i < 30 || i == 31 ? i % 3 : 0);
        n[r.axis[i]]++;
    }
    assert_true(n[0] == 11 && n[1] == 11 && n[2] == 10);
    assert_true(r.gain == 1);
    arena_free(arena);
}

static void other_sections_fall_back_to_time(void **state)
{
    (void)state;
    struct shape s = published();
    s.n_rot = 16;
    s.rope_section[0] = s.rope_section[1] = 3;
    s.rope_section[2] = 2;
    struct arena *arena = arena_new();
    struct rope r = rope_plan(&s, arena);
    static const int want[8] = {0, 1, 2, 0, 1, 2, 0, 1};
    for (int i = 0; i < 8; i++)
        assert_int_equal(r.axis[i], want[i]);
    arena_free(arena);
}

static void yarn_stretches_the_slow_pairs(void **state)
{
    (void)state;
    struct shape s = published();
    s.yarn_factor = 4;
    struct arena *arena = arena_new();
    struct rope r = rope_plan(&s, arena);
    near(r.freq[14], 8.65964e-4);
    near(r.freq[15], 4.74240e-4);
    near(r.freq[18], 7.21739e-5);
    near(r.freq[22], 3.84982e-6);
    near(r.freq[31], 4.13704e-8);
    near((double)r.gain, 1.138629);
    s.yarn_factor = 2;
    r = rope_plan(&s, arena);
    near((double)r.gain, 1.069315);
    arena_free(arena);
}

/* Cosines and sines of the 32 pairs at one position of time, row and column. */
static void angles_at(const struct shape *s, int32_t time, int32_t row,
                      int32_t column, float cos_row[32], float sin_row[32])
{
    struct arena *arena = arena_new();
    struct rope r = rope_plan(s, arena);
    rope_fill(&r, &(struct position){time, row, column}, 1, cos_row, sin_row);
    arena_free(arena);
}

/* The last positions of a stretched million, against the formula: an angle in
 * F32 would be off by a tenth of a turn here. */
static void a_million_positions_keep_their_angles(void **state)
{
    (void)state;
    struct shape s = published();
    s.yarn_factor = 4;
    float cos_row[32], sin_row[32];
    angles_at(&s, 1048575, 1048575, 1048575, cos_row, sin_row);
    double gain = 1 + 0.1 * log(4);
    for (int i = 0; i < 32; i++) {
        double f = pow(1e7, -2.0 * i / 64);
        double ramp = fmin(fmax((i - 14) / 8.0, 0), 1);
        double angle = 1048575 * (f * (1 - ramp) + f / 4 * ramp);
        assert_true(fabs((double)cos_row[i] - gain * cos(angle)) < 1e-6);
        assert_true(fabs((double)sin_row[i] - gain * sin(angle)) < 1e-6);
    }
}

static void angles_follow_each_pair_s_axis(void **state)
{
    (void)state;
    struct shape s = published();
    float cos_row[32], sin_row[32], x[64];
    angles_at(&s, 5, 7, 11, cos_row, sin_row);
    static const double angle[8] = {5,           4.23007473,  4.0169154,
                                    1.10336703,  0.933465003, 0.886426407,
                                    0.243483763, 0.205990902};
    for (int i = 0; i < 64; i++)
        x[i] = i < 32 ? 1 : 0;
    rope_turn(x, cos_row, sin_row, 32);
    for (int i = 0; i < 8; i++) {
        near((double)x[i], cos(angle[i]));
        near((double)x[i + 32], sin(angle[i]));
    }
}

TEST_GROUP(rope, cmocka_unit_test(frequencies_and_axes_are_the_published_ones),
           cmocka_unit_test(other_sections_fall_back_to_time),
           cmocka_unit_test(yarn_stretches_the_slow_pairs),
           cmocka_unit_test(a_million_positions_keep_their_angles),
           cmocka_unit_test(angles_follow_each_pair_s_axis))
