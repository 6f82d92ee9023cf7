/* exif_fuzz.c - any EXIF block: an orientation of 1 to 8, or 0; the same for
 * the block with and without its prefix; nothing behind the block is read. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/picture/exif.h"

int exif_fuzz(const uint8_t *data, size_t size)
{
    static const char prefix[6] = "Exif\0";
    /* a block of its own each, so that a sanitizer sees the byte behind it */
    char *bare = malloc(size + 1), *whole = malloc(size + sizeof prefix);
    assert(bare && whole);
    if (size) memcpy(bare, data, size);
    memcpy(whole, prefix, sizeof prefix);
    if (size) memcpy(whole + sizeof prefix, data, size);
    bool has_prefix =
        size >= sizeof prefix && !memcmp(bare, prefix, sizeof prefix);
    int alone = exif_orientation((struct span){bare, size});
    int behind = exif_orientation((struct span){whole, size + sizeof prefix});
    assert(alone >= 0 && alone <= 8);
    assert(behind >= 0 && behind <= 8);
    assert(has_prefix || alone == behind);
    int written = exif_orientation_of_text((struct span){bare, size});
    assert(written >= 0 && written <= 8);
    free(bare);
    free(whole);
    return 0;
}
