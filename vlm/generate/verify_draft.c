/* verify_draft.c - see verify_draft.h. */
#include "vlm/generate/verify_draft.h"

#include <assert.h>
#include <string.h>

void verify_draft_add(struct verify_draft *a, struct vlm_session *s,
                      const int32_t *token, int n, struct err *err)
{
    if (err_failed(err)) return;
    assert(s->n_pending + n <= VLM_AHEAD_MAX);
    device_mark(s->state, VLM_POINT_AHEAD, err);
    memcpy(a->token, s->pending, (size_t)s->n_pending * sizeof *token);
    memcpy(a->token + s->n_pending, token, (size_t)n * sizeof *token);
    a->n_own = a->n_right = s->n_pending;
    a->n = s->n_pending + n;
    a->n_pos = s->n_pos;
    memcpy(s->pending, a->token, (size_t)a->n * sizeof *token);
    s->n_pending = a->n;
    s->n_ahead = n;
}

void verify_draft_read(struct verify_draft *a, struct vlm_session *s, int row,
                       struct err *err)
{
    if (err_failed(err)) return;
    struct device_place place[VLM_AHEAD_MAX];
    size_t vocab = (size_t)s->v->shape->n_vocab;
    if (!a->logits)
        a->logits = mem_alloc(VLM_AHEAD_MAX * vocab, sizeof *a->logits);
    int n = 0, from = a->n_own - 1;
    for (int i = from; i < a->n; i++)
        place[n++] = (struct device_place){NULL, row + i};
    device_head(s->v->device, place, n, a->logits, err);
}

const float *verify_draft_logits(const struct verify_draft *a,
                                 const struct vlm *v)
{
    return a->after ? a->after
                    : a->logits + (size_t)(a->n_right - a->n_own) *
                                      (size_t)v->shape->n_vocab;
}

bool verify_draft_accept(struct verify_draft *a, struct vlm_session *s,
                         int32_t token)
{
    a->after = NULL;
    if (!verify_draft_has_pending(a) || a->token[a->n_right] != token)
        return false;
    a->n_right++;
    s->n_ahead--;
    if (a->n_right == a->n) a->after = verify_draft_logits(a, s->v);
    return true;
}

void verify_draft_drop(struct verify_draft *a, struct vlm_session *s)
{
    struct err lost = {0}; /* a lost device fails at the next call */
    a->after = NULL;
    if (!verify_draft_has_pending(a)) return;
    device_rewind(s->state, VLM_POINT_AHEAD, &lost);
    s->n_pos = a->n_pos;
    s->n_pending = a->n_right;
    memcpy(s->pending, a->token, (size_t)a->n_right * sizeof *a->token);
    s->n_ahead = 0;
    a->n = a->n_right = 0;
}
