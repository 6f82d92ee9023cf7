/* k_halves_amx.c - halves.h with the tiles of AMX: sixteen by sixteen sums of
 * 32 products in an instruction. */
#if defined(__x86_64__)
#    include "vlm/tensor/k_halves.h"

#    include "vlm/tensor/k_halves_avx512.h"

#    define TILE_FILE
#    define TILE_FILE_ARG
#    define TILE_FILE_GIVE
#    define tile_zero(t)               _tile_zero(t)
#    define tile_load(t, from, stride) _tile_loadd(t, from, stride)
#    define tile_store(t, to, stride)  _tile_stored(t, to, stride)
#    define tile_dot(c, a, b)          _tile_dpbf16ps(c, a, b)

#    include "vlm/tensor/k_tile.h"

/* All tiles whole. Not made on the stack: the compiler does not know that the
 * instruction reads more than the first word. */
static const struct tile_shape whole_tiles = {
    .palette = 1,
    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
    .n_row = {16, 16, 16, 16, 16, 16, 16, 16}};

static void begin(void)
{
    _tile_loadconfig(&whole_tiles);
}

static void end(void)
{
    _tile_release();
}

#    define HALVES_TABLE halves_amx
#    define HALVES_NAME  "amx"
#    define HALVES_TILES true
#    include "vlm/tensor/k_halves_body.h"
#else
enum { K_HALVES_AMX_IS_FOR_X86 };
#endif
