/* serve_prefix.c - cached prefixes of prompts (serve.h): a prompt with its schema is
 * evaluated once for all clients.
 *
 * A text is identified by a hash of tokens, positions and the pieces it was fed
 * in, which together determine its bits.
 */
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/model_server/serve_inside.h"

struct serve_text serve_prefix_text(const struct serve_text *before,
                                    const struct serve_job *job)
{
    struct serve_text text = {.known = false};
    size_t n = (size_t)job->request.n;
    size_t tokens = n * sizeof *job->token, places = n * sizeof *job->at;
    if (!before->known || !job->request.prompt || job->request.picture >= 0 ||
        job->request.left_out)
        return text;
    size_t size = sizeof before->hash + tokens + places;
    char *all = mem_alloc(1, size);
    memcpy(all, &before->hash, sizeof before->hash);
    memcpy(all + sizeof before->hash, job->token, tokens);
    memcpy(all + sizeof before->hash + tokens, job->at, places);
    text = (struct serve_text){true, hash_bytes((struct span){all, size})};
    mem_free(all);
    return text;
}

/* Short texts are evaluated faster than copied, and a copy has no
 * checkpoints. */
static bool is_cacheable(const struct serve_context *r,
                         const struct serve_job *job)
{
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (job->to->point[i].marked) return false;
    return job->text.known && job->request.n > r->d->steps &&
           !job->request.n_asked;
}

bool serve_prefix_find(struct serve_context *r, struct serve_job *job)
{
    struct err err = {0};
    if (!is_cacheable(r, job)) return false;
    for (int i = 0; i < SERVE_PREFIXES; i++) {
        struct serve_prefix *k = &r->prefix[i];
        if (!k->state || strcmp(k->hash.hex, job->text.hash.hex) != 0) continue;
        k->used = ++r->clock;
        device_state_copy(job->to->state, k->state, &err);
        return !err_failed(&err);
    }
    return false;
}

void serve_prefix_store(struct serve_context *r, const struct serve_job *job)
{
    struct err err = {0};
    struct serve_prefix *k = &r->prefix[0];
    if (!is_cacheable(r, job)) return;
    for (int i = 1; i < SERVE_PREFIXES; i++)
        if (r->prefix[i].used < k->used) k = &r->prefix[i];
    if (!k->state) k->state = device_state_new(r->d, &err);
    if (err_failed(&err)) return; /* no memory: not cached */
    device_state_copy(k->state, job->to->state, &err);
    k->hash = job->text.hash;
    k->used = ++r->clock;
}

void serve_cache_clear(struct serve_context *r)
{
    for (int i = 0; i < SERVE_PREFIXES; i++)
        device_state_free(r->prefix[i].state);
}
