/* exif_test.c - orientations, and every way to lie about them. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/children/raster/picture/exif.h"

/* A directory of one entry: orientation 6. */
static const unsigned char little[] = {
    'I',  'I',  42, 0, 8, 0, 0, 0,             /* header */
    1,    0,                                   /* entries */
    0x12, 0x01, 3,  0, 1, 0, 0, 0, 6, 0, 0, 0, /* the entry */
    0,    0,    0,  0};
static const unsigned char big[] = {
    'E',  'x',  'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1,
    0x01, 0x12, 0,   3,   0, 0, 0,   1,   0, 8,  0, 0, 0, 0, 0, 0};

static int read_block(const void *data, size_t size)
{
    return exif_orientation((struct span){data, size});
}

static void reads_both_byte_orders(void **state)
{
    (void)state;
    assert_int_equal(read_block(little, sizeof little), 6);
    assert_int_equal(read_block(big, sizeof big), 8);
}

static void every_value_of_every_byte_is_0_to_8(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof little; i++)
        for (int v = 0; v < 256; v++) {
            unsigned char copy[sizeof little];
            memcpy(copy, little, sizeof copy);
            copy[i] = (unsigned char)v;
            int got = read_block(copy, sizeof copy);
            assert_in_range(got, 0, 8);
            if (i == 18 && v >= 1 && v <= 8) assert_int_equal(got, v);
            if (i == 18 && (v < 1 || v > 8)) assert_int_equal(got, 0);
        }
}

/* The block ends at the end of an allocation: AddressSanitizer sees a read
 * beyond it. */
static void every_length_is_safe(void **state)
{
    (void)state;
    for (size_t n = 0; n <= sizeof big; n++) {
        char *copy = test_malloc(n + 1);
        memcpy(copy + 1, big, n);
        int got = read_block(copy + 1, n);
        assert_int_equal(got, n >= 28 ? 8 : 0);
        test_free(copy);
    }
}

static void random_blocks_are_safe(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        unsigned char block[48];
        for (size_t k = 0; k < sizeof block; k++) {
            seed = seed * 1664525 + 1013904223;
            block[k] = (unsigned char)(seed >> 24);
        }
        memcpy(block, little, 4 + (seed >> 8) % 12);
        size_t n = (seed >> 16) % sizeof block;
        assert_in_range(read_block(block, n), 0, 8);
    }
}

static int read_text(const char *text)
{
    return exif_orientation_of_text(span_of(text));
}

static void a_block_written_as_text_is_read(void **state)
{
    (void)state;
    assert_int_equal(read_text("\nexif\n      26\n"
                               "49492a0008000000010012010300010000000600000\n"
                               "000000000\n"),
                     6);
    assert_int_equal(read_text("\nexif\n 32\n4578696600004d4D002A00000008"
                               "0001011200030000000100080000 00000000"),
                     8);
    static const char *const none[] = {"",
                                       "\n",
                                       "\nexif",
                                       "\nexif\n8",
                                       "\nexif\n8\n4",
                                       "\nexif\n8\nxyz",
                                       "\nexif\n8\n49492a0008000000010012"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(read_text(none[i]), 0);
}

/* More digits than a block can have: what is beyond is not looked at. */
static void a_text_of_any_length_is_safe(void **state)
{
    (void)state;
    size_t n = 200000;
    char *text = test_malloc(n);
    memset(text, '4', n);
    memcpy(text, "\nexif\n100000\n", 13);
    assert_int_equal(exif_orientation_of_text((struct span){text, n}), 0);
    test_free(text);
}

TEST_GROUP(exif, cmocka_unit_test(a_block_written_as_text_is_read),
           cmocka_unit_test(a_text_of_any_length_is_safe),
           cmocka_unit_test(reads_both_byte_orders),
           cmocka_unit_test(every_value_of_every_byte_is_0_to_8),
           cmocka_unit_test(every_length_is_safe),
           cmocka_unit_test(random_blocks_are_safe))
