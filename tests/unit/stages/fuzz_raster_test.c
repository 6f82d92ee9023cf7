/* fuzz_raster_test.c - the seeds of fuzz targets, replayed. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/test.h"

static void exif_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("exif", exif_fuzz) > 100);
}

static void pdf_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("pdf", pdf_fuzz) > 100);
}

static void picture_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("picture", picture_fuzz) > 100);
}

static void layer_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("layer", layer_fuzz) > 100);
}

static void raster_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("raster", raster_fuzz) > 100);
}

static void invoice_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("invoice", invoice_fuzz) > 100);
}

static void second_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("ocr", ocr_fuzz) > 100);
}

static void model_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("ocr_models", ocr_models_fuzz) > 100);
}

static void mark_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("annotate", annotate_fuzz) > 100);
}

static void mail_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("mail", mail_fuzz) > 100);
}

static void words_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("words", words_fuzz) > 100);
}

TEST_GROUP(
    fuzz_raster, cmocka_unit_test(exif_seeds_hold),
    cmocka_unit_test(pdf_seeds_hold), cmocka_unit_test(picture_seeds_hold),
    cmocka_unit_test(layer_seeds_hold), cmocka_unit_test(raster_seeds_hold),
    cmocka_unit_test(second_seeds_hold), cmocka_unit_test(mark_seeds_hold),
    cmocka_unit_test(invoice_seeds_hold), cmocka_unit_test(mail_seeds_hold),
    cmocka_unit_test(model_seeds_hold), cmocka_unit_test(words_seeds_hold))
