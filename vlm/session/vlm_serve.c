/* vlm_serve.c - model server and client setup (vlm.h). */
#include <string.h>
#include <sys/stat.h>

#include "vlm/base/fnv.h"
#include "vlm/base/memory_limit.h"
#include "vlm/model_server/remote_device.h"
#include "vlm/model_server/serve.h"
#include "vlm/session/vlm_inside.h"

_Static_assert((int)VLM_PREFIXES_KEPT == (int)SERVE_PREFIXES,
               "vlm.h repeats serve.h");

/* Identity of a file, as long as it is not written to. */
static uint64_t add_file(uint64_t hash, const char *path)
{
    struct stat st;
    if (!path || stat(path, &st) != 0) return fnv_add(hash, 0);
    hash = fnv_add(hash, (uint64_t)st.st_dev);
    hash = fnv_add(hash, (uint64_t)st.st_ino);
    hash = fnv_add(hash, (uint64_t)st.st_size);
    hash = fnv_add(hash, (uint64_t)st.st_mtim.tv_sec);
    return fnv_add(hash, (uint64_t)st.st_mtim.tv_nsec);
}

/* Hash of everything that must be equal for bit-identical answers. */
static uint64_t identity(const struct vlm *v)
{
    const struct vlm_options *o = &v->options;
    uint64_t hash = add_file(add_file(FNV_START, o->model), o->mmproj);
    hash = fnv_bytes(hash, &o->yarn_factor, sizeof o->yarn_factor);
    hash = fnv_add(hash, o->features_off);
    if (o->device) hash = fnv_bytes(hash, o->device, strlen(o->device));
    return fnv_add(hash, (uint64_t)o->kv_q8 | (uint64_t)o->kv_f32 << 1 |
                             (uint64_t)o->exact << 2 |
                             (uint64_t)o->fast_vision << 3 |
                             (uint64_t)o->fast_prompt << 4);
}

struct device *vlm_remote_device(const struct vlm *v, struct err *err)
{
    if (err_failed(err)) return NULL;
    return remote_device_open(
        &(struct remote_options){.server_fd = v->options.model_server_fd,
                                 .wait_s = v->options.model_server_wait_s,
                                 .n_vocab = v->shape->n_vocab,
                                 .identity = identity(v)},
        err);
}

int vlm_max_sequences(const struct vlm *v)
{
    struct vlm_memory m = vlm_memory(v);
    size_t have = m.device ? m.device : memory_limit_available();
    size_t each = m.kv + m.recurrent;
    size_t fixed = m.weights + m.vision + m.compute + m.vision_peak;
    int most = v->options.n_batch_max - SERVE_PREFIXES;
    size_t n = have > fixed ? (have - fixed) / each : 0;
    n = n > SERVE_PREFIXES ? n - SERVE_PREFIXES : 0;
    if (most < 1 || (have && n < 1)) return 1;
    return !have || n > (size_t)most ? most : (int)n;
}

void vlm_serve(struct vlm *v, const struct vlm_serving *with, struct err *err)
{
    if (err_failed(err)) return;
    struct serve_options o = {.listen_fd = with->listen_fd,
                              .n_place = with->n_place,
                              .beat = with->beat,
                              .arg = with->arg};
    if (v) {
        o.n_vocab = v->shape->n_vocab;
        o.identity = identity(v);
        o.max_pixels = v->info.max_pixels;
    }
    if (with->ready) with->ready(with->arg);
    serve(v ? v->device : NULL, &o, with->why, err);
}
