/* serve_shelf.c - beginnings of sequences that are kept (serve.h): a prompt with
 * its schema is read once, whoever asks. The text is named by a hash of tokens,
 * positions and the pieces that it was fed in, which together make its bits. */
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/reader/serve_inside.h"

struct serve_text serve_shelf_text(const struct serve_text *before,
                                   const struct serve_job *job)
{
    struct serve_text text = {.known = false};
    size_t n = (size_t)job->ask.n;
    size_t tokens = n * sizeof *job->token, places = n * sizeof *job->at;
    if (!before->known || job->ask.picture >= 0 || job->ask.left_out)
        return text;
    size_t size = sizeof before->hash + tokens + places;
    char *all = mem_take(1, size);
    memcpy(all, &before->hash, sizeof before->hash);
    memcpy(all + sizeof before->hash, job->token, tokens);
    memcpy(all + sizeof before->hash + tokens, job->at, places);
    text = (struct serve_text){true, hash_bytes((struct span){all, size})};
    mem_give(all);
    return text;
}

/* Short texts are read faster than they are copied, and a copy has no points. */
static bool is_worth(const struct serve_room *r, const struct serve_job *job)
{
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (job->to->point[i].marked) return false;
    return job->text.known && job->ask.n > r->d->steps && !job->ask.n_asked;
}

bool serve_shelf_find(struct serve_room *r, struct serve_job *job)
{
    struct err err = {0};
    if (!is_worth(r, job)) return false;
    for (int i = 0; i < SERVE_SHELF; i++) {
        struct serve_kept *k = &r->kept[i];
        if (!k->state || strcmp(k->hash.hex, job->text.hash.hex) != 0) continue;
        k->used = ++r->clock;
        device_state_copy(job->to->state, k->state, &err);
        return !err_failed(&err);
    }
    return false;
}

void serve_shelf_keep(struct serve_room *r, const struct serve_job *job)
{
    struct err err = {0};
    struct serve_kept *k = &r->kept[0];
    if (!is_worth(r, job)) return;
    for (int i = 1; i < SERVE_SHELF; i++)
        if (r->kept[i].used < k->used) k = &r->kept[i];
    if (!k->state) k->state = device_state_new(r->d, &err);
    if (err_failed(&err)) return; /* no memory: everybody reads it then */
    device_state_copy(k->state, job->to->state, &err);
    k->hash = job->text.hash;
    k->used = ++r->clock;
}

void serve_shelf_clear(struct serve_room *r)
{
    for (int i = 0; i < SERVE_SHELF; i++)
        device_state_free(r->kept[i].state);
}
