/* safetensors_fuzz.c - any header of a safetensors file: what it is read as
 * lies in the file, and its names go somewhere or nowhere. The first byte says
 * how much data is behind the header. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "vlm/convert/checkpoint.h"
#include "vlm/convert/hf_matrix.h"
#include "vlm/convert/tensor_plan.h"

int safetensors_fuzz(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    /* a copy of exactly the size: reads behind it are found */
    uint64_t behind = (uint64_t)data[0] * 64;
    char *copy = mem_alloc(size, 1);
    memcpy(copy, data + 1, size - 1);
    struct err err = {0};
    struct arena *arena = arena_new();
    struct stored_list list =
        checkpoint_header((struct span){copy, size - 1}, behind, arena, &err);
    assert(!err_failed(&err) || !list.n);
    uint64_t sum = 0;
    for (int i = 0; i < list.n; i++) {
        const struct stored_tensor *t = &list.tensor[i];
        struct tensor_plan_place place;
        assert(t->at <= behind && t->bytes <= behind - t->at);
        int64_t n = 1;
        for (int d = 0; d < t->n_dim; d++)
            n *= t->size[d];
        assert(n == t->n_value && (uint64_t)n <= t->bytes);
        sum += t->bytes;
        hf_matrix_is_aside(t->name);
        if (tensor_plan_names_find(t->name, 4, &place)) assert(place.name[0]);
    }
    assert(sum <= behind);
    arena_free(arena);
    mem_free(copy);
    return 0;
}
