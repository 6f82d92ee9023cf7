/* shape_test.c - what follows from a model's sizes. */
#include "tests/support/test.h"
#include "vlm/base/arena.h"
#include "vlm/model/shape.h"

/* Contexts that machines of several sizes get under the shapes of 4B (32 KiB a
 * token), 27B (64 KiB) and one that was made for few tokens. */
static void a_context_fits_the_machine(void **state)
{
    (void)state;
    const struct {
        int n_attend, n_head_kv, n_ctx_train;
        size_t free_mib;
        int want;
    } c[] = {
        {8, 4, 262144, 0, 16384},      {8, 4, 262144, 64, 4096},
        {8, 4, 262144, 512, 4096},     {8, 4, 262144, 640, 5120},
        {8, 4, 262144, 1023, 7168},    {8, 4, 262144, 1024, 16384},
        {8, 4, 262144, 2048, 16384},   {8, 4, 262144, 3000, 23552},
        {8, 4, 262144, 8192, 65536},   {8, 4, 262144, 1 << 20, 65536},
        {16, 4, 262144, 4096, 16384},  {16, 4, 262144, 2047, 7168},
        {16, 4, 262144, 16384, 65536}, {8, 4, 2048, 1 << 20, 2048},
        {8, 4, 2048, 0, 2048},         {8, 4, 20000, 8192, 20000},
        {0, 4, 262144, 8192, 16384},
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct shape *s = arena_alloc(arena, sizeof *s);
        s->n_layer = 32;
        for (int k = 0; k < c[i].n_attend; k++)
            s->attends[k] = true;
        s->n_head_kv = c[i].n_head_kv;
        s->n_embd_head = 256;
        s->n_ctx_train = c[i].n_ctx_train;
        assert_int_equal(shape_context_default(s, c[i].free_mib << 20),
                         c[i].want);
    }
    arena_free(arena);
}

TEST_GROUP(shape, cmocka_unit_test(a_context_fits_the_machine))
