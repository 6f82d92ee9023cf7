/* occurrence.c - see occurrence.h. */
#include "stages/alignment/occurrence.h"

#include <string.h>

#include "vlm/base/buf.h"

const char *occurrence_text(const struct alignment *l,
                            const struct piece *piece, int n_piece)
{
    struct buf text = buf_limit(1 << 20);
    for (int i = 0; i < n_piece; i++) {
        const char *own = l->table.token[piece[i].token].place->text;
        size_t size = (size_t)(piece[i].to - piece[i].from);
        bool same = i && piece[i].token == piece[i - 1].token;
        if (i && !same) buf_add_text(&text, " ");
        buf_add(&text, own + piece[i].from, size);
    }
    const char *copy = arena_copy(l->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

void occurrence_add(struct alignment *l, struct wanted_value *a,
                    const struct piece *piece, int n_piece, struct occurrence c)
{
    int at = 0;
    while (at < a->n_candidate &&
           (a->candidate[at].piece->token != piece->token ||
            a->candidate[at].piece->from != piece->from))
        at++;
    bool known = at < a->n_candidate;
    if (n_piece < 1 || at == CANDIDATES_MAX ||
        (known && a->candidate[at].penalty <= c.penalty))
        return;
    size_t size = (size_t)n_piece;
    struct piece *own = arena_array(l->arena, size, sizeof *own);
    memcpy(own, piece, size * sizeof *own);
    c.piece = own;
    c.n_piece = n_piece;
    c.line = l->table.token[piece->token].line;
    c.left = 1;
    for (int i = 0; i < n_piece; i++) {
        struct box box = page_table_box(&l->table, &own[i]);
        if (l->table.token[own[i].token].line != c.line) continue;
        if (box.x < c.left) c.left = box.x;
        if (box.x + box.w > c.right) c.right = box.x + box.w;
    }
    if (known)
        a->candidate[at] = c;
    else
        *ARENA_ADD(l->arena, a->candidate, a->n_candidate) = c;
}

bool occurrence_has_token(const struct occurrence *c, int t)
{
    for (int i = 0; i < c->n_piece; i++)
        if (c->piece[i].token == t) return true;
    return false;
}
