/* constraint.c - see constraint.h. */
#include "vlm/sample/constraint.h"

#include <assert.h>
#include <string.h>

#include "vlm/json/json_pointer.h"
#include "vlm/sample/mask.h"

enum { FORCED_MOST = 4096, POINTER_MOST = 1 << 20, CONSTRAINT_CACHE_MAX = 4 };

/* State of the machine to restore after trying bytes. */
struct machine_trial {
    int at, n_frame, n_used;
};

/* State of the answer to restore after trying tokens. */
struct answer_point {
    struct states now;
    struct machine_trial trial;
    bool ended;
};

struct constraint {
    const struct vocab_trie *v;
    struct hash schema; /* schema of the masks */
    struct machine machine;
    struct states now;
    struct masks *masks;
    bool ended; /* by an end token */
    struct answer_point held[CONSTRAINT_HOLDS];
    int n_held;

    const uint32_t *mask; /* of `now`, or NULL */
    int n_legal;
    uint32_t *with_end; /* [n_word] a mask with the end tokens added */
    char forced[FORCED_MOST];
    struct buf pointer; /* reused, so that no token allocates memory */
};

struct constraint_cache {
    const struct vocab_trie *v;
    struct constraint
        *row[CONSTRAINT_CACHE_MAX]; /* latest first; NULL: empty */
};

struct constraint *constraint_new(const struct grammar *g,
                                  const struct vocab_trie *v)
{
    struct constraint *c = mem_alloc(1, sizeof *c);
    c->v = v;
    c->pointer = buf_limit(POINTER_MOST);
    c->masks = mask_new(v);
    c->with_end = mem_alloc((size_t)v->n_word, sizeof *c->with_end);
    machine_open(&c->machine, g);
    c->schema = g->schema;
    constraint_reset(c);
    return c;
}

void constraint_free(struct constraint *c)
{
    if (!c) return;
    machine_close(&c->machine);
    mask_free(c->masks);
    buf_free(&c->pointer);
    mem_free(c->with_end);
    mem_free(c);
}

struct constraint_cache *constraint_cache_new(const struct vocab_trie *v)
{
    struct constraint_cache *s = mem_alloc(1, sizeof *s);
    s->v = v;
    return s;
}

void constraint_cache_free(struct constraint_cache *s)
{
    for (int i = 0; s && i < CONSTRAINT_CACHE_MAX; i++)
        constraint_free(s->row[i]);
    mem_free(s);
}

struct constraint *constraint_cache_get(struct constraint_cache *s,
                                        const struct grammar *g)
{
    for (int i = 0; i < CONSTRAINT_CACHE_MAX; i++) {
        struct constraint *c = s->row[i];
        if (!c || strcmp(c->schema.hex, g->schema.hex) != 0) continue;
        s->row[i] = NULL;
        machine_close(&c->machine);
        machine_open(&c->machine, g);
        constraint_reset(c);
        return c;
    }
    return constraint_new(g, s->v);
}

void constraint_cache_put(struct constraint_cache *s, struct constraint *c)
{
    if (!c) return;
    int free_row = 0;
    while (free_row < CONSTRAINT_CACHE_MAX - 1 && s->row[free_row])
        free_row++;
    constraint_free(s->row[free_row]); /* evicts the oldest */
    memmove(s->row + 1, s->row, (size_t)free_row * sizeof *s->row);
    s->row[0] = c;
}

void constraint_reset(struct constraint *c)
{
    machine_start(&c->machine, &c->now);
    c->ended = false;
    c->mask = NULL;
    c->n_held = 0;
}

bool constraint_done(const struct constraint *c)
{
    return c->ended || machine_must_end(&c->now);
}

bool constraint_may_end(const struct constraint *c)
{
    return c->ended || machine_may_end(&c->machine, &c->now);
}

static struct machine_trial save_trial(const struct machine *m)
{
    return (struct machine_trial){m->at, m->n_frame, m->n_used};
}

static void restore_trial(struct machine *m, struct machine_trial t)
{
    m->at = t.at;
    m->n_frame = t.n_frame;
    m->n_used = t.n_used;
}

void constraint_hold(struct constraint *c)
{
    assert(c->n_held < CONSTRAINT_HOLDS);
    c->held[c->n_held++] =
        (struct answer_point){c->now, save_trial(&c->machine), c->ended};
}

void constraint_back(struct constraint *c)
{
    assert(c->n_held > 0);
    const struct answer_point *h = &c->held[--c->n_held];
    c->now = h->now;
    c->ended = h->ended;
    c->mask = NULL;
    restore_trial(&c->machine, h->trial);
}

/* Can the byte be legal in this state? A cheap test that excludes most
 * bytes. */
static bool is_plausible(const struct machine *m, const struct machine_state *s,
                         int byte)
{
    switch (s->kind) {
    case STATE_OBJECT_FIRST: return byte == '"' || byte == '}';
    case STATE_OBJECT_NEXT: return byte == ',' || byte == '}';
    case STATE_OBJECT_KEY: return byte == '"';
    case STATE_NAME_END: return byte == ':';
    case STATE_LIST_NEXT: return byte == ',' || byte == ']';
    case STATE_END: return false;
    case STATE_KEY:
        for (int c = m->g->literal[s->literal].child; c;
             c = m->g->literal[c].sibling)
            if (m->g->literal[c].byte == (char)byte) return true;
        return false;
    case STATE_VALUE:
    case STATE_LIST_FIRST: return byte > 0x20 && byte < 0x7F;
    case STATE_LITERAL:
    case STATE_NUMBER:
    case STATE_NAME:
    case STATE_TEXT: return byte >= 0x20;
    }
    return true;
}

/* The only byte that can follow `from`, with the next states in `to`; -1 if
 * there is a choice or an end. */
static int only_byte(struct machine *m, const struct states *from,
                     struct states *to)
{
    int only = -1;
    if (machine_may_end(m, from)) return -1;
    struct machine_trial before = save_trial(m), after = before;
    struct states next;
    for (int byte = 0; byte < 256; byte++) {
        bool likely = false;
        for (int i = 0; i < from->n; i++)
            likely |= is_plausible(m, &from->state[i], byte);
        if (!likely) continue;
        restore_trial(m, after.at > before.at ? after : before);
        m->at = before.at;
        machine_step(m, from, (unsigned char)byte, &next);
        if (next.n == 0) continue;
        if (only >= 0) {
            restore_trial(m, before);
            return -1;
        }
        only = byte;
        after = save_trial(m);
        *to = next;
    }
    restore_trial(m, only >= 0 ? after : before);
    if (only >= 0 && m->text) m->text[before.at] = (char)only;
    return only;
}

struct span constraint_forced(struct constraint *c)
{
    struct machine *m = &c->machine;
    struct machine_trial before = save_trial(m);
    struct states at = c->now, next;
    size_t n = 0;
    while (!c->ended && n < FORCED_MOST) {
        int byte = only_byte(m, &at, &next);
        if (byte < 0) break;
        c->forced[n++] = (char)byte;
        at = next;
    }
    restore_trial(m, before);
    return (struct span){c->forced, n};
}

const uint32_t *constraint_mask(struct constraint *c, int *n_legal)
{
    if (!c->mask) {
        static const struct states none = {0};
        c->mask = mask_get(c->masks, &c->machine, c->ended ? &none : &c->now,
                           &c->n_legal);
        if (constraint_may_end(c) && !constraint_done(c)) {
            memcpy(c->with_end, c->mask,
                   (size_t)c->v->n_word * sizeof *c->with_end);
            for (int i = 0; i < c->v->n_end; i++)
                c->with_end[c->v->end[i] / 32] |= 1u << (c->v->end[i] % 32);
            c->n_legal += c->v->n_end;
            c->mask = c->with_end;
        }
    }
    *n_legal = c->n_legal;
    return c->mask;
}

bool constraint_accept_bytes(struct constraint *c, struct span bytes)
{
    struct machine *m = &c->machine;
    if (c->ended) return bytes.size == 0;
    struct machine_trial before = save_trial(m);
    struct states a = c->now, b;
    for (size_t i = 0; i < bytes.size; i++) {
        machine_step(m, &a, (unsigned char)bytes.data[i], &b);
        if (b.n == 0) {
            restore_trial(m, before);
            return false;
        }
        a = b;
    }
    c->now = a;
    c->mask = NULL;
    if (!c->n_held) machine_compact(m, &c->now); /* moves frames */
    return true;
}

bool constraint_accept(struct constraint *c, int32_t token)
{
    if (token < 0 || token >= c->v->n_vocab || c->ended) return false;
    for (int i = 0; i < c->v->n_end; i++) {
        if (c->v->end[i] != token) continue;
        if (!constraint_may_end(c)) return false;
        c->ended = true;
        c->mask = NULL;
        return true;
    }
    struct span bytes = c->v->bytes[token];
    return bytes.size > 0 && bytes.size <= VOCAB_TRIE_DEPTH_MAX &&
           constraint_accept_bytes(c, bytes);
}

static void add_pointer(const struct machine *m, int frame, struct buf *out)
{
    if (!frame) return;
    const struct frame *f = &m->frame[frame];
    add_pointer(m, f->parent, out);
    if (f->way->kind != WAY_OBJECT)
        json_pointer_add_index(out, f->n_done);
    else if (f->member < f->way->object.n_member)
        json_pointer_add(out, f->way->object.member[f->member].key);
    else
        member_names_pointer(m, f->used, json_pointer_add, out);
}

const char *constraint_leaf(const struct constraint *c, bool *value_start)
{
    *value_start = false;
    if (c->ended || c->now.n == 0) return NULL;
    const struct machine_state *s = &c->now.state[0];
    switch (s->kind) {
    case STATE_VALUE:
        if (!c->machine.g->rule[s->rule].leaf) return NULL;
        *value_start = true;
        break;
    case STATE_LITERAL:
    case STATE_NUMBER:
    case STATE_TEXT: break;
    case STATE_LIST_FIRST:
    case STATE_LIST_NEXT:
    case STATE_OBJECT_FIRST:
    case STATE_OBJECT_NEXT:
    case STATE_OBJECT_KEY:
    case STATE_KEY:
    case STATE_NAME:
    case STATE_NAME_END:
    case STATE_END: return NULL;
    }
    /* `pointer` is scratch memory, not part of the state */
    struct buf *pointer = &((struct constraint *)(uintptr_t)c)->pointer;
    buf_cut(pointer, 0);
    add_pointer(&c->machine, s->frame, pointer);
    return buf_span(pointer).data;
}
