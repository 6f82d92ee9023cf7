/* vocab_trie.c - see vocab_trie.h. */
#include "vlm/sample/vocab_trie.h"

#include <stdlib.h>

#include "vlm/sample/string_state.h"
#include "vlm/text/tokenizer.h"

/* qsort has no context argument, so each row contains its bytes. */
struct token_row {
    uint64_t
        head; /* first eight bytes, big-endian, so that it sorts like them */
    struct span bytes;
    int32_t token;
};

static int by_bytes(const void *a, const void *b)
{
    const struct token_row *x = a, *y = b;
    if (x->head != y->head) return x->head < y->head ? -1 : 1;
    size_t n = x->bytes.size < y->bytes.size ? x->bytes.size : y->bytes.size;
    int order = memcmp(x->bytes.data, y->bytes.data, n);
    if (order) return order;
    if (x->bytes.size != y->bytes.size)
        return x->bytes.size < y->bytes.size ? -1 : 1;
    return (x->token > y->token) - (x->token < y->token);
}

static uint64_t first_bytes(struct span s)
{
    uint64_t head = 0;
    for (size_t i = 0; i < 8; i++)
        head = head << 8 | (i < s.size ? (unsigned char)s.data[i] : 0);
    return head;
}

static size_t common_prefix(struct span a, struct span b)
{
    size_t i = 0;
    while (i < a.size && i < b.size && a.data[i] == b.data[i])
        i++;
    return i;
}

/* Rows of all tokens with bytes, sorted. */
static struct token_row *sort_tokens(const struct vocab_trie *v, int *n)
{
    struct token_row *row = mem_alloc((size_t)v->n_vocab, sizeof *row);
    *n = 0;
    for (int i = 0; i < v->n_vocab; i++) {
        struct span s = v->bytes[i];
        if (s.size == 0 || s.size > VOCAB_TRIE_DEPTH_MAX) continue;
        row[(*n)++] = (struct token_row){first_bytes(s), s, i};
    }
    qsort(row, (size_t)*n, sizeof *row, by_bytes);
    return row;
}

static uint32_t count_nodes(const struct token_row *row, int n)
{
    uint32_t count = 0;
    for (int i = 0; i < n; i++) {
        size_t common = i ? common_prefix(row[i - 1].bytes, row[i].bytes) : 0;
        count += (uint32_t)(row[i].bytes.size - common);
    }
    return count;
}

static void add_nodes(struct vocab_trie *v, const struct token_row *row, int n)
{
    uint32_t open[VOCAB_TRIE_DEPTH_MAX]; /* nodes on the current path */
    size_t depth = 0;
    for (int i = 0; i < n; i++) {
        struct span s = row[i].bytes;
        size_t common = i ? common_prefix(row[i - 1].bytes, s) : 0;
        while (depth > common)
            v->node[open[--depth]].skip = v->n_node;
        while (depth < s.size) {
            open[depth] = v->n_node;
            v->node[v->n_node++] =
                (struct vocab_node){.byte = (uint8_t)s.data[depth],
                                    .depth = (uint8_t)depth,
                                    .token = (uint32_t)i};
            depth++;
        }
        v->token[i] = row[i].token;
        struct vocab_node *last = &v->node[open[depth - 1]];
        if (last->n_token == 0) last->token = (uint32_t)i;
        if (last->n_token < UINT8_MAX) last->n_token++;
    }
    while (depth > 0)
        v->node[open[--depth]].skip = v->n_node;
}

static int by_length(const void *a, const void *b)
{
    const struct vocab_inside *x = a, *y = b;
    if (x->n_char != y->n_char) return x->n_char < y->n_char ? -1 : 1;
    return (x->token > y->token) - (x->token < y->token);
}

static void add_inside(struct vocab_trie *v, const struct vocab_node *n,
                       const struct string_state *s)
{
    int n_char = s->n_char + (s->part != STRING_STATE_WHOLE);
    for (int i = 0; i < n->n_token; i++) {
        int32_t token = v->token[n->token + (uint32_t)i];
        v->inside[token / 32] |= 1u << (token % 32);
        v->by_length[v->n_inside++] = (struct vocab_inside){token, n_char};
        if (n_char > v->n_char_max) v->n_char_max = n_char;
    }
}

/* Traverses the trie with the state of a free string. */
static void find_inside(struct vocab_trie *v)
{
    struct string_state state[VOCAB_TRIE_DEPTH_MAX + 1];
    static const struct text_rule any = {.length_max = 1 << 20};
    string_state_start(&any, &state[0]);
    v->inside = mem_alloc((size_t)v->n_word, sizeof *v->inside);
    v->by_length = mem_alloc((size_t)v->n_token + 1, sizeof *v->by_length);
    for (uint32_t i = 0; i < v->n_node;) {
        const struct vocab_node *n = &v->node[i];
        struct string_state *s = &state[n->depth + 1];
        *s = state[n->depth];
        if (n->byte == '"' && s->part == STRING_STATE_WHOLE) {
            *MEM_ADD(v->exit, v->n_exit) = (struct vocab_exit){i, s->n_char};
            if (s->n_char > v->n_char_max) v->n_char_max = s->n_char;
            i = n->skip;
        } else if (!string_state_step(&any, s, n->byte)) {
            i = n->skip;
        } else {
            add_inside(v, n, s);
            i++;
        }
    }
    qsort(v->by_length, (size_t)v->n_inside, sizeof *v->by_length, by_length);
}

struct vocab_trie *vocab_trie_from(const struct span *bytes, int n_vocab)
{
    struct vocab_trie *v = mem_alloc(1, sizeof *v);
    v->n_vocab = n_vocab;
    v->n_word = (n_vocab + 31) / 32;
    v->bytes = mem_alloc((size_t)n_vocab, sizeof *v->bytes);
    size_t size = 0;
    for (int i = 0; i < n_vocab; i++)
        size += bytes[i].size;
    v->store = mem_alloc(size + 1, 1);
    char *at = v->store;
    for (int i = 0; i < n_vocab; i++) {
        if (bytes[i].size) memcpy(at, bytes[i].data, bytes[i].size);
        v->bytes[i] = (struct span){at, bytes[i].size};
        at += bytes[i].size;
    }
    struct token_row *row = sort_tokens(v, &v->n_token);
    v->token = mem_alloc((size_t)v->n_token + 1, sizeof *v->token);
    v->node =
        mem_alloc((size_t)count_nodes(row, v->n_token) + 1, sizeof *v->node);
    add_nodes(v, row, v->n_token);
    mem_free(row);
    find_inside(v);
    return v;
}

/* Markup in angle brackets: <think>, </tool_call>. */
static bool is_markup(struct span s)
{
    return s.size > 2 && s.data[0] == '<' && s.data[s.size - 1] == '>';
}

struct vocab_trie *vocab_trie_new(const struct tokenizer *t)
{
    int n = tokenizer_size(t);
    struct span *bytes = mem_alloc((size_t)n, sizeof *bytes);
    for (int i = 0; i < n; i++) {
        enum token_type type = tokenizer_type(t, i);
        struct span s = tokenizer_bytes(t, i);
        if (type == TOKEN_NORMAL ||
            (type == TOKEN_USER_DEFINED && !is_markup(s)))
            bytes[i] = s;
    }
    struct vocab_trie *v = vocab_trie_from(bytes, n);
    mem_free(bytes);
    for (int i = 0; i < n && v->n_end < 8; i++)
        if (tokenizer_is_end(t, i)) v->end[v->n_end++] = i;
    return v;
}

void vocab_trie_free(struct vocab_trie *v)
{
    if (!v) return;
    mem_free(v->node);
    mem_free(v->token);
    mem_free(v->bytes);
    mem_free(v->store);
    mem_free(v->inside);
    mem_free(v->by_length);
    mem_free(v->exit);
    mem_free(v);
}
