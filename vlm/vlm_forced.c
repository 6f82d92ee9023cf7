/* vlm_forced.c - see vlm_forced.h. */
#include "vlm/vlm_forced.h"

#include "vlm/sample/constraint.h"

/* Could a longer token than `tail` stand here? All tokens that may come begin
 * with the bytes that are left, or end inside them; `tail` ends with them. */
static bool longer_fits(const struct vlm *v, struct constraint *c, size_t tail)
{
    int n_legal = 0;
    const uint32_t *mask = constraint_mask(c, &n_legal);
    int n_word = (v->shape->n_vocab + 31) / 32;
    for (int i = 0; i < n_word; i++)
        for (uint32_t bits = mask[i]; bits; bits &= bits - 1) {
            int32_t token = i * 32 + __builtin_ctz(bits);
            if (tokenizer_bytes(v->tokenizer, token).size > tail) return true;
        }
    return false;
}

struct vlm_forced vlm_forced(const struct vlm *v, struct constraint *c,
                             int room, struct arena *arena)
{
    struct span bytes = constraint_forced(c);
    struct vlm_forced f = {.cut = false};
    struct err err = {0};
    if (!bytes.size) return f;
    f.tokens = tokenizer_encode(v->tokenizer, bytes, false, arena, &err);
    if (err_failed(&err)) return (struct vlm_forced){.cut = false};
    f.cut = f.tokens.n > room;
    if (f.cut) f.tokens.n = room;
    int n = 0;
    constraint_hold(c);
    for (; n < f.tokens.n; n++) {
        size_t size = tokenizer_bytes(v->tokenizer, f.tokens.id[n]).size;
        if (n + 1 == f.tokens.n && !f.cut && longer_fits(v, c, size)) break;
        if (!constraint_accept(c, f.tokens.id[n])) break;
    }
    constraint_back(c);
    f.tokens.n = n;
    return f;
}
