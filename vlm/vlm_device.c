/* vlm_device.c - which device an open model is computed on, and which there are. */
#include <stdio.h>
#include <string.h>

#include "vlm/base/device_name.h"
#include "vlm/cpu/cpu_device.h"
#include "vlm/gpu/gpu_device.h"
#include "vlm/gpu/gpu_driver.h"
#include "vlm/gpu/gpu_ptx.h"
#include "vlm/vlm_inside.h"

enum { SEEN_MOST = 16 };
_Static_assert(sizeof((struct vlm_device *)0)->name == (size_t)GPU_NAME &&
                   sizeof((struct vlm_device *)0)->why ==
                       sizeof((struct gpu_found *)0)->why,
               "one is the other's copy");

/* Whoever asked for this GPU has to hear what to do about it; out of memory is
 * weather, as ever. */
static void say_which(int ordinal, struct err *err)
{
    if (err_failed(err) && !err->reason)
        err->reason = err->kind == ERR_MISSING       ? "device-missing"
                      : err->kind == ERR_UNSUPPORTED ? "device-refused"
                                                     : NULL;
    err_context(err, "cuda:%d", ordinal);
}

static struct device *open_gpu(const struct device_model *model,
                               const struct device_options *options,
                               int ordinal, struct err *err)
{
    struct device_options o = *options;
    o.ordinal = ordinal;
    struct device *d = device_open(&gpu_device_api, model, &o, err);
    say_which(ordinal, err);
    return d;
}

/* The first that serves; why none does is kept for who asks. */
static struct device *open_first(struct vlm *v,
                                 const struct device_model *model,
                                 const struct device_options *options)
{
    struct gpu_found seen[SEEN_MOST];
    struct err err = {0};
    int n = gpu_driver_list(options->cuda, seen, SEEN_MOST, &err);
    for (int i = 0; i < n; i++) {
        struct err own = {0};
        struct device *d = open_gpu(model, options, i, &own);
        if (d) return d;
        if (!err_failed(&err)) err = own;
    }
    v->info.no_gpu = arena_copy(v->arena, span_of(err.text));
    return NULL;
}

struct device *vlm_device_open(struct vlm *v, const struct device_model *model,
                               const struct device_options *options,
                               struct err *err)
{
    if (err_failed(err)) return NULL;
    const char *name = v->options.device;
    int which = device_name_read(name);
    struct device *d = NULL;
    if (which == DEVICE_NAME_BAD)
        err_set(err, ERR_ARGS, "%s is no device: auto, cpu or cuda:N", name);
    if (which >= 0) return open_gpu(model, options, which, err);
    if (which == DEVICE_NAME_AUTO) d = open_first(v, model, options);
    if (d || err_failed(err)) return d;
    struct device_options o = *options;
    if (o.n_ctx <= 0) o.n_ctx = vlm_context_default(v);
    return device_open(&cpu_device_api, model, &o, err);
}

int vlm_device_list(struct vlm_device *out, int most, struct err *err)
{
    if (err_failed(err)) return 0;
    struct gpu_found seen[SEEN_MOST];
    int n =
        gpu_driver_list(NULL, seen, most < SEEN_MOST ? most : SEEN_MOST, err);
    for (int i = 0; i < n; i++) {
        const struct gpu_found *s = &seen[i];
        out[i] = (struct vlm_device){.major = s->major,
                                     .minor = s->minor,
                                     .unified = s->unified,
                                     .left = s->left};
        memcpy(out[i].name, s->name, sizeof out[i].name);
        memcpy(out[i].why, s->why, sizeof out[i].why);
        if (!gpu_ptx_text())
            snprintf(out[i].why, sizeof out[i].why,
                     "this platen was built without kernels");
    }
    return n;
}
