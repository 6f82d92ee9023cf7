/* attention_probe.c - attention of chosen heads to the images of a sequence
 * (vlm.h).
 *
 * Records the attention of the last evaluated token, and of the tokens before
 * it that precede drafted ones: it shows where the next token is copied from. A
 * pass records it only while heads are watched and the sequence has images.
 */
#include <string.h>

#include "vlm/session/vlm_inside.h"

/* Number of keys from the first image's first cell to the last image's last. */
static int key_count(const struct vlm_session *s)
{
    if (!s->n_picture) return 0;
    const struct vlm_picture *last = &s->picture[s->n_picture - 1];
    return last->first + last->n_y * last->n_x;
}

/* Allocates the weights before answers are written. */
static void reserve_probe(struct vlm_session *s)
{
    size_t n = VLM_AHEAD_MAX * (size_t)s->probe.n_head * (size_t)key_count(s);
    if (n <= s->probe_capacity) return;
    s->probe.weight = mem_grow(s->probe.weight, n, sizeof *s->probe.weight);
    s->probe_capacity = n;
    s->probed_at = 0;
}

void attention_probe_picture(struct vlm_session *s, int first, int n_y, int n_x)
{
    if (s->n_picture == s->picture_capacity) {
        s->picture_capacity = 2 * s->picture_capacity + 4;
        s->picture = mem_grow(s->picture, (size_t)s->picture_capacity,
                              sizeof *s->picture);
    }
    if (!s->n_picture) s->picture_at = first;
    s->picture[s->n_picture++] =
        (struct vlm_picture){first - s->picture_at, n_y, n_x};
    s->probed_at = 0;
    reserve_probe(s);
}

void attention_probe_rewind(struct vlm_session *s)
{
    while (s->n_picture && s->picture_at + key_count(s) > s->state->n_past)
        s->n_picture--;
    s->probed_at = 0;
}

void attention_probe_fork(struct vlm_session *to,
                          const struct vlm_session *from)
{
    to->n_picture = 0;
    for (int i = 0; i < from->n_picture; i++)
        attention_probe_picture(to, from->picture_at + from->picture[i].first,
                                from->picture[i].n_y, from->picture[i].n_x);
    to->probed_at = 0;
}

void attention_probe_close(struct vlm_session *s)
{
    mem_free(s->picture);
    mem_free(s->probe.weight);
    mem_free((void *)s->probe.head);
}

void vlm_probe_heads(struct vlm_session *s, const struct vlm_head *head,
                     int n_head, vlm_attention_fn *fn, void *arg)
{
    mem_free((void *)s->probe.head);
    s->probe.head = NULL;
    s->probe.n_head = n_head;
    s->on_attention = fn;
    s->attention_arg = arg;
    s->probed_at = 0;
    if (!n_head) return;
    struct device_head *copy = mem_alloc((size_t)n_head, sizeof *copy);
    for (int i = 0; i < n_head; i++)
        copy[i] = (struct device_head){head[i].layer, head[i].head};
    s->probe.head = copy;
    reserve_probe(s);
}

const struct device_attention *attention_probe_request(struct vlm_session *s,
                                                       int n)
{
    if (!s->probe.n_head || !s->n_picture) return NULL;
    s->probe.from = n - 1 - s->n_ahead;
    s->probe_ahead = s->n_ahead;
    s->probe.first = s->picture_at;
    s->probe.n_key = key_count(s);
    s->probed_at = s->state->n_past + n;
    return &s->probe;
}

bool attention_probe_last(const struct vlm_session *s,
                          struct vlm_attention *attention)
{
    *attention = (struct vlm_attention){.n_head = 0};
    if (!s->probed_at || s->probed_at != s->state->n_past || s->n_pending)
        return false;
    attention->n_head = s->probe.n_head;
    attention->n_key = s->probe.n_key;
    attention->weight =
        s->probe.weight + (size_t)(s->probe_ahead - s->n_ahead) *
                              (size_t)s->probe.n_head * (size_t)s->probe.n_key;
    attention->picture = s->picture;
    attention->n_picture = s->n_picture;
    return true;
}

void attention_probe_report(const struct vlm_session *s, const char *pointer,
                            struct span text)
{
    struct vlm_attention attention;
    if (!s->on_attention || !attention_probe_last(s, &attention)) return;
    attention.pointer = pointer;
    attention.text = text;
    s->on_attention(s->attention_arg, &attention);
}
