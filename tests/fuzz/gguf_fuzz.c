/* gguf_fuzz.c - libFuzzer target: whatever opens is used as far as it goes.
 *
 *     make fuzz-gguf SECONDS=60
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vlm/model/gguf.h"
#include "vlm/model/weights.h"
#include "vlm/text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_text(const struct gguf *g, struct arena *arena)
{
    struct err err = {0}, other = {0};
    struct shape shape;
    struct weights weights;
    shape_read(g, &shape, &err);
    weights_read(g, &shape, arena, &weights, &err);
    struct tokenizer *t = tokenizer_open(g, &other);
    const char *text = "Total: 12.50 <|im_end|> \xc3\xa9\n";
    for (int special = 0; special < 2; special++) {
        struct tokens k =
            tokenizer_encode(t, span_of(text), special, arena, &other);
        for (int i = 0; i < k.n; i++)
            tokenizer_bytes(t, k.id[i]);
    }
    tokenizer_close(t);
}

static void use_vision(const struct gguf *g, struct arena *arena)
{
    struct err err = {0};
    struct vision_shape shape;
    struct vision_weights weights;
    shape_read_vision(g, &shape, &err);
    weights_read_vision(g, &shape, arena, &weights, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of exactly the size: reads behind it are found. */
    char *copy = mem_alloc(size ? size : 1, 1);
    memcpy(copy, data, size);
    struct err err = {0};
    struct gguf *g = gguf_open_bytes((struct span){copy, size}, "fuzz", &err);
    if (g) {
        struct arena *arena = arena_new();
        use_text(g, arena);
        use_vision(g, arena);
        arena_free(arena);
    }
    gguf_close(g);
    mem_free(copy);
    return 0;
}
