/* rope_test.c - frequencies, axes and YaRN (qwen35-model.md, 12 and 14). */
#include <math.h>

#include "tests/support/test.h"
#include "vlm/cpu/decode/decoder.h"

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
    double freq[32];
    int axis[32], n[3] = {0};
    float gain;
    rope_plan(&s, freq, axis, &gain);
    near(freq[0], 1);
    near(freq[1], 0.60429639);
    near(freq[16], 3.16227766e-4);
    near(freq[31], 1.6548171e-7);
    for (int i = 0; i < 32; i++) {
        assert_int_equal(axis[i], i < 30 || i == 31 ? i % 3 : 0);
        n[axis[i]]++;
    }
    assert_true(n[0] == 11 && n[1] == 11 && n[2] == 10);
    assert_true(gain == 1);
}

static void other_sections_fall_back_to_time(void **state)
{
    (void)state;
    struct shape s = published();
    s.n_rot = 16;
    s.rope_section[0] = s.rope_section[1] = 3;
    s.rope_section[2] = 2;
    double freq[8];
    int axis[8];
    float gain;
    rope_plan(&s, freq, axis, &gain);
    static const int want[8] = {0, 1, 2, 0, 1, 2, 0, 1};
    for (int i = 0; i < 8; i++)
        assert_int_equal(axis[i], want[i]);
}

static void yarn_stretches_the_slow_pairs(void **state)
{
    (void)state;
    struct shape s = published();
    s.yarn_factor = 4;
    double freq[32];
    int axis[32];
    float gain;
    rope_plan(&s, freq, axis, &gain);
    near(freq[14], 8.65964e-4);
    near(freq[15], 4.74240e-4);
    near(freq[18], 7.21739e-5);
    near(freq[22], 3.84982e-6);
    near(freq[31], 4.13704e-8);
    near((double)gain, 1.138629);
    s.yarn_factor = 2;
    rope_plan(&s, freq, axis, &gain);
    near((double)gain, 1.069315);
}

/* The last positions of a stretched million, against the formula: an angle in
 * F32 would be off by a tenth of a turn here. */
/* Cosines and sines of the 32 pairs at one position of time, row and column. */
static void angles_at(const struct shape *s, int32_t time, int32_t row,
                      int32_t column, float cos_row[32], float sin_row[32])
{
    double freq[32];
    int axis[32];
    struct decoder d = {
        .shape = s, .freq = freq, .axis = axis, .cos = cos_row, .sin = sin_row};
    rope_plan(s, freq, axis, &d.rope_gain);
    const int32_t pos[1][3] = {{time, row, column}};
    rope_fill(&d, pos, 1);
}

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
    rope_turn(x, cos_row, sin_row, 64);
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
