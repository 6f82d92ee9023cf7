/* shared_model.c - see shared_model.h. */
#include "stages/engine/shared_model.h"

#include <string.h>

#include "vlm/vlm.h"

void shared_model_options(const struct settings *settings,
                          struct vlm_options *out)
{
    *out = (struct vlm_options){
        .model = settings->model,
        .mmproj = settings->mmproj,
        .mtp = settings_mtp(settings),
        .mtp_off = settings->model_server_fd > 0 || settings_mtp_off(settings),
        .n_ctx = settings->n_ctx,
        .yarn_factor = (float)settings->yarn,
        .n_thread = settings->n_thread,
        .fast_vision = settings->vision && !strcmp(settings->vision, "fast"),
        .fast_prompt = settings->prompt && !strcmp(settings->prompt, "fast"),
        .max_pixels = settings_page_pixels(settings),
        .cache = *settings->model_sha256 ? NULL : settings->cache,
        .timings = settings->cache,
        .device = settings->device,
        .model_server_fd = settings->model_server_fd,
        .model_server_wait_s = settings->page_timeout_s,
    };
}

/* As platen model plan adds it up. */
static struct shared_model_facts facts_of(const struct vlm *v, int n_place)
{
    struct shared_model_facts facts = {.n_place = n_place};
    if (!v) return facts;
    struct vlm_memory m = vlm_memory(v);
    size_t n = (size_t)n_place + VLM_PREFIXES_KEPT;
    facts.bytes = m.weights + m.vision + n * (m.kv + m.recurrent) + m.compute +
                  m.vision_peak;
    facts.device = m.device;
    return facts;
}

void shared_model_serve(const struct settings *settings,
                        const struct shared_model_post *post, struct err *err)
{
    if (err_failed(err)) return;
    struct vlm_options o;
    struct err why = {0};
    shared_model_options(settings, &o);
    o.model_server_fd = 0;
    o.mtp_off = settings_mtp_off(settings);
    o.n_batch_max = post->n_place_max + VLM_PREFIXES_KEPT;
    struct vlm *v = vlm_open(&o, &why);
    int n = v ? vlm_max_sequences(v) : post->n_place_max;
    struct shared_model_facts facts = facts_of(v, n);
    post->opened(post->arg, &facts);
    vlm_serve(v,
              &(struct vlm_serving){.listen_fd = post->door,
                                    .n_place = n,
                                    .why = &why,
                                    .ready = post->confine,
                                    .beat = post->beat,
                                    .arg = post->arg},
              err);
    vlm_close(v);
}
