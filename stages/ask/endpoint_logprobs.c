/* endpoint_logprobs.c - see endpoint_logprobs.h. */
#include "stages/ask/endpoint_logprobs.h"

#include <math.h>
#include <string.h>

#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { POINTER_MAX = 1 << 20 };

static const double log_least = -100; /* servers' value for impossible */

/* Walks the leaves and their bytes in the order of the text. */
struct leaf_reader {
    struct document *doc;
    struct span text; /* the payload */
    size_t at;        /* position in text */
    size_t before;    /* bytes of the answer before the payload */
    int token;        /* first token that may belong to the next leaf */
    int capacity;
    struct buf pointer;
    bool mismatch; /* text and tree differ */
};

static size_t end_of_string(struct span s, size_t at)
{
    for (at++; at < s.size && s.data[at] != '"'; at++)
        at += s.data[at] == '\\';
    return at + 1;
}

static size_t skip(struct span s, size_t at, const char *what)
{
    while (at < s.size && strchr(what, s.data[at]))
        at++;
    return at;
}

/* The next scalar of a valid JSON text, skipping keys. */
static struct span next_scalar(struct leaf_reader *t)
{
    static const char space[] = " \t\r\n", between[] = " \t\r\n{}[],:";
    struct span s = t->text;
    for (;;) {
        size_t from = skip(s, t->at, between), to = from;
        if (from >= s.size) return (struct span){NULL, 0};
        if (s.data[from] == '"') {
            to = end_of_string(s, from);
            size_t after = skip(s, to, space);
            t->at = to;
            if (after < s.size && s.data[after] == ':') continue;
        } else {
            while (to < s.size && !strchr(between, s.data[to]))
                to++;
            t->at = to;
        }
        return (struct span){s.data + from, to - from};
    }
}

/* Does the token at bytes from..to count for the leaf at begin..end? */
static bool counts(const cJSON *value, size_t begin, size_t end, size_t from,
                   size_t to)
{
    if (from < begin) return to > begin + (cJSON_IsString(value) ? 1 : 0);
    return cJSON_IsNumber(value) ? from <= end : from < end;
}

/* Sets p, p_min and n_token from the leaf's tokens. */
static void multiply_tokens(struct leaf_reader *t, const cJSON *value,
                            struct span leaf, struct field *f)
{
    const struct document_token_probs *probs = &t->doc->token_probs;
    size_t begin = t->before + (size_t)(leaf.data - t->text.data);
    size_t end = begin + leaf.size;
    double sum = 0, least = 0;
    while (t->token < probs->n && probs->token[t->token].end <= begin)
        t->token++;
    for (int i = t->token; i < probs->n; i++) {
        size_t from = i ? probs->token[i - 1].end : 0;
        if (from > end) break;
        if (!counts(value, begin, end, from, probs->token[i].end)) continue;
        double log_p = fmin(fmax(probs->token[i].log_p, log_least), 0);
        sum += log_p;
        least = fmin(least, log_p);
        f->n_token++;
    }
    f->p = exp(sum);
    f->p_min = exp(least);
}

static void add_leaf(struct leaf_reader *t, const cJSON *value)
{
    struct document *doc = t->doc;
    struct span leaf = next_scalar(t);
    if (!leaf.data || doc->n_field == t->capacity) {
        t->mismatch = true;
        return;
    }
    struct field *f = &doc->field[doc->n_field++];
    *f = (struct field){.pointer =
                            arena_copy(doc->scratch, buf_span(&t->pointer)),
                        .p_legal = 1,
                        .legal_unknown = true};
    multiply_tokens(t, value, leaf, f);
}

static void add_leaves(struct leaf_reader *t, const cJSON *value)
{
    int i = 0;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) {
        add_leaf(t, value);
        return;
    }
    for (const cJSON *c = value->child; c && !t->mismatch; c = c->next) {
        size_t size = t->pointer.size;
        json_pointer_add_child(&t->pointer, value, c, i++);
        add_leaves(t, c);
        buf_cut(&t->pointer, size);
    }
}

static int n_leaves(const cJSON *value)
{
    int n = 0;
    if (!cJSON_IsObject(value) && !cJSON_IsArray(value)) return 1;
    for (const cJSON *c = value->child; c; c = c->next)
        n += n_leaves(c);
    return n;
}

void endpoint_logprobs_fields(struct document *doc, struct span payload,
                              const cJSON *value)
{
    doc->field = NULL;
    doc->n_field = 0;
    if (!doc->token_probs.n || !payload.data) return;
    struct leaf_reader t = {.doc = doc,
                            .text = payload,
                            .before = (size_t)(payload.data - doc->answer.data),
                            .capacity = n_leaves(value),
                            .pointer = buf_limit(POINTER_MAX)};
    doc->field =
        arena_array(doc->scratch, (size_t)t.capacity + 1, sizeof *doc->field);
    add_leaves(&t, value);
    if (t.mismatch || next_scalar(&t).data) doc->n_field = 0;
    if (!doc->n_field) doc->field = NULL;
    buf_free(&t.pointer);
}
