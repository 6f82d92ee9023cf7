/* vlm_device.c - choice of the device, and the list of devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/device/cpu/cpu_device.h"
#include "vlm/device/device_name.h"
#include "vlm/device/gpu/gpu_device.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/device/gpu/gpu_ptx.h"
#include "vlm/model/gguf.h"
#include "vlm/session/vlm_inside.h"

/* --- vlm product ----------------------------------------------------------- */

/* Maps a product's weight to its tensor in the file. */

static int by_address(const void *a, const void *b)
{
    const struct gguf_tensor *const *x = a, *const *y = b;
    uintptr_t p = (uintptr_t)(*x)->data, q = (uintptr_t)(*y)->data;
    return p < q ? -1 : p > q;
}

void vlm_device_product_open(struct vlm *v)
{
    int n = gguf_n_tensor(v->gguf);
    v->by_address = arena_array(v->arena, (size_t)n, sizeof *v->by_address);
    for (int i = 0; i < n; i++)
        v->by_address[i] = gguf_tensor(v->gguf, i);
    qsort(v->by_address, (size_t)n, sizeof *v->by_address, by_address);
}

/* The last tensor that starts at or before `raw`. */
static const struct gguf_tensor *tensor_at(const struct vlm *v, const void *raw)
{
    int low = 0, high = gguf_n_tensor(v->gguf);
    while (low < high) {
        int middle = (low + high) / 2;
        if ((uintptr_t)v->by_address[middle]->data <= (uintptr_t)raw)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? v->by_address[low - 1] : NULL;
}

void vlm_device_product_report(void *arg, const void *raw, const float *x,
                               int n, int n_col)
{
    const struct vlm *v = arg;
    const struct gguf_tensor *t = tensor_at(v, raw);
    size_t at = t ? (size_t)((uintptr_t)raw - (uintptr_t)t->data) : 0;
    if (!t || at >= t->size_bytes) return; /* of the vision encoder */
    const struct vlm_product product = {
        .tensor = t->name,
        .matrix = (int)(at / (t->size_bytes / (size_t)t->ne[2])),
        .n_matrix = (int)t->ne[2],
        .x = x,
        .n = n,
        .n_col = n_col};
    v->options.product(v->options.product_arg, &product);
}

/* --- vlm device ------------------------------------------------------------ */

enum { GPU_MOST = 16 };

_Static_assert(sizeof((struct vlm_device *)0)->name == (size_t)GPU_NAME &&
                   sizeof((struct vlm_device *)0)->why ==
                       sizeof((struct gpu_found *)0)->why,
               "copied by vlm_device_list");

/* An explicitly chosen GPU needs a reason code with its remedy. Out of memory
 * has none: a retry can succeed. */
static void add_gpu_context(int ordinal, struct err *err)
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
    add_gpu_context(ordinal, err);
    return d;
}

/* The first usable GPU; if there is none, vlm_info says why. */
static struct device *open_first(struct vlm *v,
                                 const struct device_model *model,
                                 const struct device_options *options)
{
    struct gpu_found found[GPU_MOST];
    struct err err = {0};
    int n = gpu_driver_list(options->cuda, found, GPU_MOST, &err);
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
        err_set(err, ERR_ARGS, "device %s: must be auto, cpu or cuda:N", name);
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
    struct gpu_found found[GPU_MOST];
    int n =
        gpu_driver_list(NULL, found, most < GPU_MOST ? most : GPU_MOST, err);
    for (int i = 0; i < n; i++) {
        const struct gpu_found *s = &found[i];
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
