/* mask.c - see mask.h.
 *
 * WHAT IT IS  The machine processes bytes; the model chooses tokens. A token
 * is legal if all its bytes are legal in sequence. The vocabulary is a trie,
 * so common prefixes are tried once: with "t", "tr", "true" and "type" in it,
 * and a boolean next, the machine steps over t, r, u and e and over t, y; y is
 * refused, and with it everything below "ty" (skip). The accepted nodes become
 * the mask, a bit for each token: t, tr and true.
 *
 * HOW  walk() traverses the trie in order and keeps the states of each level,
 * so that going back up only restores the frame counters. Masks are cached
 * because an answer often returns to equivalent states: the hundredth item of
 * an array allows the same as the second. The key of a state (make_key) is
 * everything that the mask depends on: kind, rule or node of a trie, partial
 * text, enclosing frames, and counters as far as a token can reach. "At least
 * 3 more items" and "at least 300 more" have one key if the longest token has
 * two commas. Unique items depend on the text and are never cached, nor are
 * numbers, which have few tokens.
 *
 * WHY SO  A free string is the expensive state, since nearly all tokens are
 * legal. Those that stay inside are known from the trie (vocab_trie.h), so
 * only those that close it are walked.
 */
#include "vlm/sample/mask.h"

#include <assert.h>

#include "vlm/base/fnv.h"

enum {
    KEY_MOST = 1024,
    TABLE_SIZE = 1024, /* a power of two above twice MASK_KEPT_MAX */
    TOUCHED_MAX = 4096
};

struct kept {
    uint64_t hash;
    int n_key, n_legal;
    unsigned char key[KEY_MOST];
};

/* Counters of the machine on entering a node of the trie. */
struct mark {
    int n_frame, n_used;
};

struct masks {
    const struct vocab_trie *v;
    uint32_t *bits; /* [MASK_KEPT_MAX + 2][n_word]; the last two are scratch */
    struct kept *kept;
    int n_kept;
    int16_t table[TABLE_SIZE]; /* index + 1 */

    uint32_t *scratch;
    int32_t touched[TOUCHED_MAX]; /* words of scratch that are not 0 */
    int n_touched;                /* above TOUCHED_MAX: not all are listed */

    struct states walk[VOCAB_TRIE_DEPTH_MAX];
    struct mark mark[VOCAB_TRIE_DEPTH_MAX + 1];
};

struct masks *mask_new(const struct vocab_trie *v)
{
    struct masks *k = mem_alloc(1, sizeof *k);
    k->v = v;
    k->bits =
        mem_alloc((MASK_KEPT_MAX + 2) * (size_t)v->n_word, sizeof *k->bits);
    k->kept = mem_alloc(MASK_KEPT_MAX, sizeof *k->kept);
    k->scratch = k->bits + MASK_KEPT_MAX * (size_t)v->n_word;
    return k;
}

void mask_free(struct masks *k)
{
    if (!k) return;
    mem_free(k->bits);
    mem_free(k->kept);
    mem_free(k);
}

static void allow(struct masks *k, uint32_t *bits, const struct vocab_node *n)
{
    for (uint32_t i = 0; i < n->n_token; i++) {
        int32_t token = k->v->token[n->token + i];
        int word = token / 32;
        if (bits == k->scratch && bits[word] == 0) {
            if (k->n_touched < TOUCHED_MAX) k->touched[k->n_touched] = word;
            k->n_touched++;
        }
        bits[word] |= 1u << (token % 32);
    }
}

/* Walks the nodes first..end-1, the subtree below one node, at which the
 * states are `from`. */
static void walk(struct masks *k, struct machine *m, const struct states *from,
                 uint32_t first, uint32_t end, uint32_t *bits)
{
    if (first >= end) return;
    assert(from->n > 0 && end <= k->v->n_node);
    const struct vocab_node *node = k->v->node;
    int top = node[first].depth, at = m->at;
    k->mark[0] = (struct mark){m->n_frame, m->n_used};
    for (uint32_t i = first; i < end;) {
        int level = node[i].depth - top;
        assert(level >= 0 && level < VOCAB_TRIE_DEPTH_MAX);
        m->at = at + level;
        m->n_frame = k->mark[level].n_frame;
        m->n_used = k->mark[level].n_used;
        machine_step(m, level ? &k->walk[level - 1] : from, node[i].byte,
                     &k->walk[level]);
        if (k->walk[level].n == 0) {
            i = node[i].skip;
            continue;
        }
        k->mark[level + 1] = (struct mark){m->n_frame, m->n_used};
        allow(k, bits, &node[i]);
        i++;
    }
    m->at = at;
    m->n_frame = k->mark[0].n_frame;
    m->n_used = k->mark[0].n_used;
}

/* Sets the bits of tokens that stay in a free string of at most `most` more
 * characters. */
static void fill_inside(const struct vocab_trie *v, int most, uint32_t *bits)
{
    size_t size = (size_t)v->n_word * sizeof *bits;
    int low = 0, high = v->n_inside; /* low: first token that is too long */
    while (low < high) {
        int middle = (low + high) / 2;
        if (v->by_length[middle].n_char <= most)
            low = middle + 1;
        else
            high = middle;
    }
    bool few = low < v->n_inside / 2;
    if (few)
        memset(bits, 0, size);
    else
        memcpy(bits, v->inside, size);
    for (int i = few ? 0 : low; i < (few ? low : v->n_inside); i++) {
        int32_t token = v->by_length[i].token;
        if (few)
            bits[token / 32] |= 1u << (token % 32);
        else
            bits[token / 32] &= ~(1u << (token % 32));
    }
}

static const struct text_rule *free_text_rule(const struct machine *m,
                                              const struct machine_state *s)
{
    if (s->kind == STATE_TEXT) return &s->way->text;
    return s->kind == STATE_NAME && s->clear
               ? &member_names_rule(m, s->frame, s->name)->text
               : NULL;
}

/* Is it in a string without a pattern and without texts to differ from? */
static bool is_free_text(const struct machine *m, const struct machine_state *s)
{
    const struct text_rule *t = free_text_rule(m, s);
    return t && !t->dfa && s->chars.part == STRING_STATE_WHOLE;
}

static void fill_free_text(struct masks *k, struct machine *m,
                           const struct machine_state *s, uint32_t *bits)
{
    const struct vocab_trie *v = k->v;
    const struct text_rule *t = free_text_rule(m, s);
    int most = t->length_max - s->chars.n_char;
    int least = t->length_min - s->chars.n_char;
    fill_inside(v, most, bits);
    struct states after = {0};
    struct mark mark = {m->n_frame, m->n_used};
    if (s->kind == STATE_NAME)
        machine_name_done(m, s, &after);
    else
        machine_value_done(m, s->frame, m->at + 1, &after);
    /* the text lacks the rest of the name, so no name can be compared with
     * it */
    m->sealed = s->kind == STATE_NAME;
    for (int i = 0; after.n > 0 && i < v->n_exit; i++) {
        const struct vocab_exit *e = &v->exit[i];
        if (e->n_char < least || e->n_char > most) continue;
        allow(k, bits, &v->node[e->node]);
        walk(k, m, &after, e->node + 1, v->node[e->node].skip, bits);
    }
    m->sealed = false;
    m->n_frame = mark.n_frame;
    m->n_used = mark.n_used;
}

/* The key of a state: equal keys have equal masks. */
struct key {
    int n;
    unsigned char byte[KEY_MOST];
};

static void key_add(struct key *key, const void *bytes, size_t size)
{
    if ((size_t)key->n + size > KEY_MOST) return;
    memcpy(key->byte + key->n, bytes, size);
    key->n += (int)size;
}

static void key_add_int(struct key *key, int value)
{
    key_add(key, &value, sizeof value);
}

/* A counter that no token can exhaust counts as infinite. */
static int clip(const struct masks *k, int value)
{
    int most = k->v->n_char_max + 2;
    if (value < 0) return 0;
    return value < most ? value : most;
}

/* In an object with free names the mask depends on the number of members and
 * on the names used. */
static void key_add_names(const struct masks *k, const struct machine *m,
                          const struct frame *f, struct key *key)
{
    uint64_t hash = f->used ? m->used[f->used].hash : 0;
    key_add_int(key, clip(k, f->way->object.n_least - f->n_member));
    key_add_int(key, clip(k, f->way->object.n_most - f->n_member));
    key_add(key, &hash, sizeof hash);
}

static bool key_add_frames(const struct masks *k, const struct machine *m,
                           int frame, struct key *key)
{
    for (; frame; frame = m->frame[frame].parent) {
        const struct frame *f = &m->frame[frame];
        key_add_int(key, f->way->id);
        if (f->way->kind == WAY_OBJECT) {
            key_add_int(key, f->n_done);
            key_add_int(key, f->member);
            if (f->way->object.n_name) key_add_names(k, m, f, key);
            continue;
        }
        const struct list_rule *l = &f->way->list;
        if (l->unique) return false;
        key_add_int(key, clip(k, l->n_min - f->n_done));
        key_add_int(key, clip(k, l->n_max - f->n_done));
        key_add_int(key, f->n_done < l->n_prefix ? f->n_done : l->n_prefix);
    }
    return true;
}

/* False for a state whose mask is not cached. */
static bool make_key(const struct masks *k, const struct machine *m,
                     const struct machine_state *s, struct key *key)
{
    key->n = 0;
    key_add_int(key, (int)s->kind);
    switch (s->kind) {
    case STATE_NAME: /* depends on the names before it, byte by byte */
    case STATE_NUMBER: return false;
    case STATE_NAME_END: key_add_int(key, s->name); break;
    case STATE_VALUE: key_add_int(key, s->rule); break;
    case STATE_LITERAL:
    case STATE_KEY: key_add_int(key, s->literal); break;
    case STATE_TEXT:
        key_add_int(key, s->way->id);
        key_add_int(key, s->chars.state);
        key_add_int(key, s->chars.part << 8 | s->chars.n_left);
        key_add_int(key, (int)s->chars.c);
        key_add_int(key, (int)s->chars.least);
        key_add_int(key, s->chars.high);
        key_add_int(key, clip(k, s->way->text.length_min - s->chars.n_char));
        key_add_int(key, clip(k, s->way->text.length_max - s->chars.n_char));
        break;
    case STATE_LIST_FIRST:
    case STATE_LIST_NEXT:
    case STATE_OBJECT_FIRST:
    case STATE_OBJECT_NEXT:
    case STATE_OBJECT_KEY:
    case STATE_END: break;
    }
    bool whole = key_add_frames(k, m, s->frame, key);
    assert(key->n <= KEY_MOST);
    return whole && key->n < KEY_MOST - 64; /* else it can be truncated */
}

static uint64_t hash_key(const struct key *key)
{
    uint64_t h = FNV_START, word;
    for (int i = 0; i < key->n; i += 4) {
        word = 0;
        memcpy(&word, key->byte + i, 4);
        h = fnv_add(h, word);
    }
    return h;
}

/* The index of the cached mask, or -1. */
static int find_kept(const struct masks *k, const struct key *key,
                     uint64_t hash)
{
    for (uint64_t at = hash;; at++) {
        int i = k->table[at & (TABLE_SIZE - 1)] - 1;
        if (i < 0) return -1;
        if (k->kept[i].hash == hash && k->kept[i].n_key == key->n &&
            !memcmp(k->kept[i].key, key->byte, (size_t)key->n))
            return i;
    }
}

/* Adds an entry; if the cache is full, empties it first. */
static int add_kept(struct masks *k, const struct key *key, uint64_t hash)
{
    if (k->n_kept == MASK_KEPT_MAX) {
        k->n_kept = 0;
        memset(k->table, 0, sizeof k->table);
    }
    uint64_t at = hash;
    while (k->table[at & (TABLE_SIZE - 1)])
        at++;
    struct kept *row = &k->kept[k->n_kept];
    row->hash = hash;
    row->n_key = key->n;
    memcpy(row->key, key->byte, (size_t)key->n);
    k->table[at & (TABLE_SIZE - 1)] = (int16_t)++k->n_kept;
    return k->n_kept - 1;
}

static int count_bits(const uint32_t *bits, int n_word)
{
    int n = 0;
    for (int i = 0; i < n_word; i++)
        n += __builtin_popcount(bits[i]);
    return n;
}

static void clear_scratch(struct masks *k)
{
    if (k->n_touched > TOUCHED_MAX)
        memset(k->scratch, 0, (size_t)k->v->n_word * sizeof *k->scratch);
    for (int i = 0; i < k->n_touched && i < TOUCHED_MAX; i++)
        k->scratch[k->touched[i]] = 0;
    k->n_touched = 0;
}

/* The mask of one state, cached or in scratch memory. */
static const uint32_t *mask_of_state(struct masks *k, struct machine *m,
                                     const struct machine_state *s,
                                     int *n_legal)
{
    struct key key;
    bool keeps = make_key(k, m, s, &key);
    uint64_t hash = keeps ? hash_key(&key) : 0;
    int index = keeps ? find_kept(k, &key, hash) : -1;
    size_t n_word = (size_t)k->v->n_word;
    if (index >= 0) {
        *n_legal = k->kept[index].n_legal;
        return k->bits + (size_t)index * n_word;
    }
    if (s->kind == STATE_NAME && is_free_text(m, s)) {
        fill_free_text(k, m, s, k->scratch);
        k->n_touched = TOUCHED_MAX + 1;
        *n_legal = count_bits(k->scratch, k->v->n_word);
        return k->scratch;
    }
    if (!keeps) {
        clear_scratch(k);
        struct states from = {.n = 1};
        from.state[0] = *s;
        walk(k, m, &from, 0, k->v->n_node, k->scratch);
        *n_legal = 0;
        for (int i = 0; i < k->n_touched && i < TOUCHED_MAX; i++)
            *n_legal += __builtin_popcount(k->scratch[k->touched[i]]);
        if (k->n_touched > TOUCHED_MAX)
            *n_legal = count_bits(k->scratch, k->v->n_word);
        return k->scratch;
    }
    index = add_kept(k, &key, hash);
    uint32_t *bits = k->bits + (size_t)index * n_word;
    if (is_free_text(m, s)) {
        fill_free_text(k, m, s, bits);
    } else {
        struct states from = {.n = 1};
        from.state[0] = *s;
        memset(bits, 0, n_word * sizeof *bits);
        walk(k, m, &from, 0, k->v->n_node, bits);
    }
    *n_legal = k->kept[index].n_legal = count_bits(bits, k->v->n_word);
    return bits;
}

const uint32_t *mask_get(struct masks *k, struct machine *m,
                         const struct states *s, int *n_legal)
{
    if (s->n == 1) return mask_of_state(k, m, &s->state[0], n_legal);
    size_t n_word = (size_t)k->v->n_word;
    uint32_t *sum = k->bits + (MASK_KEPT_MAX + 1) * n_word;
    memset(sum, 0, n_word * sizeof *sum);
    for (int i = 0; i < s->n; i++) {
        const uint32_t *bits = mask_of_state(k, m, &s->state[i], n_legal);
        for (size_t j = 0; j < n_word; j++)
            sum[j] |= bits[j];
    }
    *n_legal = count_bits(sum, k->v->n_word);
    return sum;
}
