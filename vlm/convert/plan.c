/* plan.c - the tensors of a model file, one after the other.
 *
 * The order is llama-quantize's: those of no block first, then block by block,
 * by name in each.
 */
#include "vlm/convert/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/convert/plan_names.h"

struct planning {
    const struct checkpoint *c;
    const struct hf_config *f;
    struct arena *arena;
    struct planned_tensor *tensor;
    int n, room;
    struct err *err;
};

/* --- one tensor ------------------------------------------------------------ */

static struct planned_tensor *named(struct planning *p, const char *name)
{
    for (int i = p->n - 1; i >= 0; i--)
        if (!strcmp(p->tensor[i].name, name)) return &p->tensor[i];
    return NULL;
}

static struct planned_tensor *new_tensor(struct planning *p, const char *name)
{
    if (p->n == p->room) {
        p->room = p->room ? 2 * p->room : 256;
        p->tensor = mem_grow(p->tensor, (size_t)p->room, sizeof *p->tensor);
    }
    struct planned_tensor *t = &p->tensor[p->n++];
    memset(t, 0, sizeof *t);
    memcpy(t->name, name, strlen(name) + 1);
    return t;
}

static void set_sizes(struct planned_tensor *t, int64_t a, int64_t b, int64_t c,
                      int64_t d)
{
    int64_t ne[4] = {a, b, c, d};
    memcpy(t->ne, ne, sizeof ne);
    t->n_dim = d ? 4 : c ? 3 : b ? 2 : 1;
    t->n_col = a;
    t->n_row = 1;
    for (int i = 1; i < 4; i++) {
        if (!t->ne[i]) t->ne[i] = 1;
        t->n_row *= t->ne[i];
    }
}

static bool has_dims(struct planning *p, const struct stored_tensor *s, int n)
{
    return s->n_dim == n ||
           err_set(p->err, ERR_CONFIG, "%s: has %d sizes, not %d", s->name,
                   s->n_dim, n);
}

/* Sizes as they are, the last one first. */
static void set_as_is(struct planning *p, struct planned_tensor *t,
                      const struct hf_matrix *m)
{
    int n = m->tensor->n_dim;
    if (n < 1 || n > 2)
        err_set(p->err, ERR_CONFIG, "%s: has %d sizes, not 1 or 2",
                m->tensor->name, n);
    else
        set_sizes(t, m->n_col, n == 2 ? m->n_row : 0, 0, 0);
}

static void set_experts(struct planning *p, struct planned_tensor *t,
                        const struct hf_matrix *m, bool halves)
{
    const struct stored_tensor *s = m->tensor;
    if (!has_dims(p, s, 3)) return;
    int64_t rows = s->size[1] / (halves ? 2 : 1);
    if (halves && s->size[1] % 2)
        err_set(p->err, ERR_CONFIG, "%s: an odd number of rows", s->name);
    set_sizes(t, m->n_col, rows, s->size[0], 0);
    t->kept = rows;
}

static void set_patch(struct planning *p, struct planned_tensor *t,
                      const struct hf_matrix *m)
{
    const struct stored_tensor *s = m->tensor;
    if (!has_dims(p, s, 5)) return;
    t->unit = s->size[3] * s->size[4];
    if (s->size[2] != 2)
        err_set(p->err, ERR_UNSUPPORTED, "%s: %lld frames, not 2", s->name,
                (long long)s->size[2]);
    set_sizes(t, s->size[4], s->size[3], s->size[1], s->size[0]);
    t->n_col = t->unit * s->size[1]; /* a row is a whole kernel */
    t->n_row = s->size[0];
}

/* Values of one row as they lie in the checkpoint. */
static int64_t columns(const struct plan_name *name,
                       const struct stored_tensor *s)
{
    if (name->shape == SHAPE_VECTOR) return s->n_value;
    if (name->shape == SHAPE_PATCH && s->n_dim == 5 && s->size[0])
        return s->n_value / s->size[0];
    return 0;
}

static void set_shape(struct planning *p, struct planned_tensor *t,
                      const struct plan_name *name, const struct hf_matrix *m)
{
    const struct stored_tensor *s = m->tensor;
    switch (name->shape) {
    case SHAPE_AS_IS: set_as_is(p, t, m); break;
    case SHAPE_VECTOR: set_sizes(t, s->n_value, 0, 0, 0); break;
    case SHAPE_CONV:
        if (has_dims(p, s, 3)) set_sizes(t, s->size[2], s->size[0], 0, 0);
        if (s->n_dim == 3 && s->size[1] != 1)
            err_set(p->err, ERR_CONFIG,
                    "%s: its taps do not come last: a checkpoint converted for "
                    "another engine (MLX?); take the original",
                    s->name);
        break;
    case SHAPE_PATCH: set_patch(p, t, m); break;
    case SHAPE_EXPERTS: set_experts(p, t, m, false); break;
    case SHAPE_GATE_UP: set_experts(p, t, m, true); break;
    }
}

/* Value heads: the rows before them, and that all of them are there. */
static void set_heads(struct planning *p, struct planned_tensor *t,
                      const struct plan_name *name)
{
    const struct hf_config *f = p->f;
    if (name->rows != ROWS_HEADS && name->cols != COLS_HEADS) return;
    t->unit = name->unit ? name->unit : f->gdn_dim;
    t->kept = name->keeps_qk ? 2 * (int64_t)f->n_gdn_k * f->gdn_dim : 0;
    int64_t heads = name->rows == ROWS_HEADS ? t->n_row : t->n_col;
    if (heads != t->kept + t->unit * f->n_gdn_v)
        err_set(p->err, ERR_CONFIG,
                "%s: %lld rows or columns, but %d value heads make %lld",
                t->part[0].tensor->name, (long long)heads, f->n_gdn_v,
                (long long)(t->kept + t->unit * f->n_gdn_v));
}

static void add_part(struct planning *p, struct planned_tensor *t,
                     struct hf_matrix m)
{
    if (t->n_part == t->room_part) {
        int room = t->room_part ? 2 * t->room_part : 1;
        struct hf_matrix *part =
            arena_array(p->arena, (size_t)room, sizeof *part);
        if (t->n_part) memcpy(part, t->part, (size_t)t->n_part * sizeof *part);
        t->part = part;
        t->room_part = room;
    }
    t->part[t->n_part++] = m;
}

static void plan_tensor(struct planning *p, const struct stored_tensor *s,
                        const struct plan_place *place,
                        const struct plan_name *name)
{
    char full[PLAN_NAME_MAX];
    const char *block = place->vision ? "v.blk" : "blk";
    if (place->layer >= 0)
        snprintf(full, sizeof full, "%s.%d.%s", block, place->layer, name->to);
    else
        snprintf(full, sizeof full, "%s", name->to);
    struct hf_matrix m = hf_matrix_open(p->c, s, columns(name, s), p->err);
    if (err_failed(p->err)) return;
    if (named(p, full))
        err_set(p->err, ERR_CONFIG, "%s: %s is there already", s->name, full);
    struct planned_tensor *t = new_tensor(p, full);
    t->layer = place->layer;
    t->rows = name->rows;
    t->cols = name->cols;
    t->value = name->value;
    add_part(p, t, m);
    set_shape(p, t, name, &m);
    if (!err_failed(p->err)) set_heads(p, t, name);
    if (!place->vision && m.kind != HF_FLOATS && t->n_dim == 1)
        err_set(p->err, ERR_UNSUPPORTED, "%s: a vector in 4 or 8 bits",
                s->name);
}

/* One expert of a stack: all of them together, when the first one comes. */
static void plan_expert(struct planning *p, const struct stored_tensor *s,
                        const struct plan_place *place,
                        const struct plan_name *name)
{
    if (place->expert != 0) return;
    char full[PLAN_NAME_MAX];
    snprintf(full, sizeof full, "blk.%d.%s", place->layer, name->to);
    struct planned_tensor *t = new_tensor(p, full);
    t->layer = place->layer;
    const char *zero = strstr(s->name, ".experts.0.");
    for (int e = 0; zero && e < p->f->n_expert && !err_failed(p->err); e++) {
        const char *one =
            arena_text(p->arena, "%.*s.experts.%d.%s", (int)(zero - s->name),
                       s->name, e, zero + strlen(".experts.0."));
        const struct stored_tensor *found = checkpoint_find(p->c, one);
        if (!found) {
            err_set(p->err, ERR_CONFIG, "%s is missing", one);
            return;
        }
        struct hf_matrix m = hf_matrix_open(p->c, found, 0, p->err);
        add_part(p, t, m);
        if (m.n_row != t->part[0].n_row || m.n_col != t->part[0].n_col)
            err_set(p->err, ERR_CONFIG, "%s: not of the size of expert 0", one);
    }
    if (!err_failed(p->err) && t->n_part)
        set_sizes(t, t->part[0].n_col, t->part[0].n_row, t->n_part, 0);
}

/* --- all of them ----------------------------------------------------------- */

static void plan_one(struct planning *p, const struct stored_tensor *s,
                     bool vision)
{
    struct plan_place place;
    if (hf_matrix_is_aside(s->name)) return;
    if (!plan_names_find(s->name, p->f->n_layer, &place)) {
        err_set(p->err, ERR_UNSUPPORTED,
                "%s: no tensor of this name in Qwen3.5: nothing here would "
                "read it",
                s->name);
        return;
    }
    if (place.vision != vision) return;
    if (!strcmp(place.name[0]->to, "output.weight") && p->f->tied) return;
    if (place.layer >= p->f->n_layer + p->f->n_mtp && !vision) return;
    for (int i = 0; i < 2 && place.name[i] && !err_failed(p->err); i++)
        if (place.expert >= 0)
            plan_expert(p, s, &place, place.name[i]);
        else
            plan_tensor(p, s, &place, place.name[i]);
}

static int in_order(const void *a, const void *b)
{
    const struct planned_tensor *x = a, *y = b;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool has_tensor(const struct planning *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (!strcmp(p->tensor[i].name, name)) return true;
    return false;
}

static void check_head(struct planning *p, bool vision)
{
    if (err_failed(p->err) || vision) return;
    if (!has_tensor(p, "token_embd.weight"))
        err_set(p->err, ERR_CONFIG, "embed_tokens.weight is missing");
    else if (!p->f->tied && !has_tensor(p, "output.weight"))
        err_set(p->err, ERR_CONFIG,
                "lm_head.weight is missing, and config.json does not say "
                "tie_word_embeddings");
}

struct tensor_plan plan_make(const struct checkpoint *c,
                             const struct hf_config *f, bool vision,
                             struct arena *arena, struct err *err)
{
    struct tensor_plan plan = {.config = f};
    if (err_failed(err)) return plan;
    struct planning p = {.c = c, .f = f, .arena = arena, .err = err};
    for (int i = 0; i < checkpoint_n_tensor(c) && !err_failed(err); i++)
        plan_one(&p, checkpoint_tensor(c, i), vision);
    check_head(&p, vision);
    err_context(err, "%s", checkpoint_folder(c));
    if (p.n) {
        qsort(p.tensor, (size_t)p.n, sizeof *p.tensor, in_order);
        plan.tensor = arena_array(arena, (size_t)p.n, sizeof *plan.tensor);
        memcpy(plan.tensor, p.tensor, (size_t)p.n * sizeof *plan.tensor);
        plan.n = p.n;
    }
    mem_give(p.tensor);
    return plan;
}
