/* annotate_fuzz.c - any bytes as the words of platen-annotate: a picture of an allowed
 * size comes of them, or a failure that says why. */
#include "tests/fuzz/played.h" /* first: it wants more of libc */

#include "tests/fuzz/fuzz.h"

/* a program of its own beside the real ones, which the unit tests link, too */
#define annotate_draw   annotate_fuzz_draw
#define annotate_doctor annotate_fuzz_doctor
#include "stages/children/annotate.c"

#include <assert.h>

enum { SIDE = 16 };

int annotate_fuzz(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    struct settings settings = {.annotate_program = "/bin/sh",
                                .sandbox = data[0] & 1 ? "best" : "strict",
                                .page_timeout_s = 60};
    struct err err = {0};
    struct box box = {0.1, 0.1, 0.3, 0.2};
    struct annotate_mark mark = {
        .name = "total", .value = "1.00", .box = &box, .n_box = 1};
    struct image page = image_new(SIDE, SIDE, data[0] & 2 ? 3 : 1, &err);
    play(data + 1, size - 1);
    struct image out = annotate_draw(&page, &mark, 1, &settings, NULL, &err);
    if (err_failed(&err)) {
        assert(!out.data && *err.text);
    } else {
        assert(out.n_channel == 3 && out.width_px > 0 && out.height_px > 0);
        assert((size_t)out.width_px * (size_t)out.height_px * 3 <= size);
    }
    image_free(&out);
    image_free(&page);
    play_end();
    return 0;
}
