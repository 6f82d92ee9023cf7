/* prophet.c - see prophet.h. */
#include "tests/support/prophet.h"

#include <math.h>

#include "vlm/base/arena.h"
#include "vlm/session/vlm_inside.h"
#include "vlm/tensor/formats/quant.h"

const char prophet_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"merchant\":{\"type\":[\"string\",\"null\"],\"maxLength\":40},"
    "\"date\":{\"type\":\"string\",\"format\":\"date\"},"
    "\"items\":{\"type\":\"array\",\"minItems\":2,\"maxItems\":6,\"items\":{"
    "\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\",\"maxLength\":30},"
    "\"price\":{\"type\":\"number\",\"minimum\":0,\"maximum\":99999}},"
    "\"required\":[\"name\",\"price\"],\"additionalProperties\":false}}},"
    "\"required\":[\"merchant\",\"date\",\"items\"],"
    "\"additionalProperties\":false}";

static struct weight as_f32(struct arena *arena, int n_row, int n_col)
{
    return (struct weight){
        .type = QUANT_F32,
        .n_row = n_row,
        .n_col = n_col,
        .scale = 1,
        .raw =
            arena_array(arena, (size_t)n_row * (size_t)n_col, sizeof(float))};
}

static void make_zero(struct weight *w, struct arena *arena)
{
    *w = as_f32(arena, w->n_row, w->n_col);
}

void prophet_make(struct vlm *v)
{
    const struct shape *s = v->shape;
    struct weights *w = &v->weights;
    size_t n = (size_t)s->n_embd;
    struct weight embd = as_f32(v->arena, s->n_vocab, s->n_embd);
    struct weight join = as_f32(v->arena, s->n_embd, 2 * s->n_embd);
    float *one = arena_array(v->arena, n, sizeof *one);
    for (int i = 0; i < s->n_vocab; i++) {
        float *row = (float *)(uintptr_t)embd.raw + (size_t)i * n, sum = 0;
        quant_decode(w->embd.type,
                     (const char *)w->embd.raw +
                         (size_t)i * quant_row_bytes(w->embd.type, s->n_embd),
                     s->n_embd, row);
        for (size_t k = 0; k < n; k++)
            sum += row[k] * row[k];
        for (size_t k = 0; k < n; k++)
            row[k] *= sqrtf((float)n / sum);
    }
    for (size_t k = 0; k < n; k++) {
        ((float *)(uintptr_t)join.raw)[k * 2 * n + k] = 1;
        one[k] = 1;
    }
    w->embd = w->head = embd;
    int last = -1;
    for (int l = 0; l < s->n_layer; l++) {
        if (s->attends[l]) {
            last = l;
            continue;
        }
        make_zero(&w->layer[l].gdn.out, v->arena);
        make_zero(&w->layer[l].ffn.down, v->arena);
    }
    if (!s->n_draft) return;
    w->layer[s->n_layer] = w->layer[last];
    w->draft.join = join;
    w->draft.norm_embd = w->draft.norm_row = one;
    w->draft.norm_out = w->norm_out;
}
