/* device.c - checks that apply to every device (device.h). */
#include "vlm/device/device.h"

#include <assert.h>

#include "vlm/base/arena.h"

struct device *device_open(const struct device_api *api,
                           const struct device_model *model,
                           const struct device_options *options,
                           struct err *err)
{
    if (err_failed(err)) return NULL;
    assert(options->n_run_max > 0 && options->n_run_max <= DEVICE_RUN_MAX);
    struct device *d = api->open(model, options, err);
    assert(!d || (d->api == api && d->label));
    return d;
}

void device_close(struct device *d)
{
    if (d) d->api->close(d);
}

bool device_lost(const struct device *d)
{
    return d->api->lost && d->api->lost(d);
}

void device_detach(struct device *d)
{
    if (d->api->detach) d->api->detach(d);
}

int device_renew(struct device *d, struct err *err)
{
    if (err_failed(err)) return -1;
    if (d->api->renew) return d->api->renew(d, err);
    err_set(
        err, ERR_UNSUPPORTED,
        "device %s cannot be used in a forked process; set share_model = on",
        d->label);
    return -1;
}

struct device_memory device_memory(const struct device *d, int64_t max_pixels)
{
    return d->api->memory(d, max_pixels);
}

struct device_state *device_state_new(struct device *d, struct err *err)
{
    if (err_failed(err)) return NULL;
    return d->api->state_new(d, err);
}

void device_state_free(struct device_state *s)
{
    if (s) s->device->api->state_free(s);
}

void device_state_clear(struct device_state *s)
{
    s->device->api->state_clear(s);
    assert(s->n_past == 0);
}

void device_state_copy(struct device_state *to, const struct device_state *from,
                       struct err *err)
{
    if (err_failed(err) || to == from) return;
    assert(to->device == from->device);
    to->device->api->state_copy(to, from, err);
}

static bool point_is_good(int point, struct err *err)
{
    if (point >= 0 && point < DEVICE_POINT_MAX) return true;
    return err_set(err, ERR_ARGS, "checkpoint %d: must be 0 to %d", point,
                   DEVICE_POINT_MAX - 1);
}

void device_mark(struct device_state *s, int point, struct err *err)
{
    if (err_failed(err) || !point_is_good(point, err)) return;
    s->device->api->mark(s, point, err);
}

void device_rewind(struct device_state *s, int point, struct err *err)
{
    if (err_failed(err) || !point_is_good(point, err)) return;
    s->device->api->rewind(s, point, err);
}

struct device_rows *device_encode_image(struct device *d,
                                        const struct image *image,
                                        struct err *err)
{
    if (err_failed(err)) return NULL;
    return d->api->encode_image(d, image, err);
}

struct device_rows *device_rows_new(struct device *d, const float *rows,
                                    int n_y, int n_x, struct err *err)
{
    if (err_failed(err)) return NULL;
    assert(n_y > 0 && n_x > 0);
    return d->api->rows_new(d, rows, n_y, n_x, err);
}

void device_rows_read(const struct device_rows *r, float *out, struct err *err)
{
    if (err_failed(err)) return;
    r->device->api->rows_read(r, out, err);
}

void device_rows_free(struct device_rows *r)
{
    if (r) r->device->api->rows_free(r);
}

float *device_floats_new(struct device *d, size_t n)
{
    if (d->api->floats_new) return d->api->floats_new(d, n);
    return mem_alloc(n, sizeof(float));
}

void device_floats_free(struct device *d, float *at)
{
    if (at && d->api->floats_free)
        d->api->floats_free(d, at);
    else
        mem_free(at);
}

/* The requirements of device.h on a run. */
static void assert_sound(const struct device *d, const struct device_run *r)
{
    assert(r->state->device == d && r->n > 0);
    assert(r->state->n_past + r->n <= d->n_ctx);
    assert(r->n_asked >= 0 && r->n_asked <= r->n);
    if (!r->picture) return;
    assert(r->picture->device == d && r->n_picture >= 0);
    assert(r->picture_first >= 0 && r->picture_at >= 0);
    assert(r->picture_first + r->n_picture <=
           r->picture->n_y * r->picture->n_x);
    assert(r->picture_at + r->n_picture <= r->n);
    (void)d;
}

void device_forward(struct device *d, const struct device_run *run, int n_run,
                    struct err *err)
{
    if (err_failed(err) || n_run == 0) return;
    int n = 0;
    assert(n_run <= d->n_run_max);
    for (int i = 0; i < n_run; i++) {
        assert_sound(d, &run[i]);
        n += run[i].n;
    }
    assert(n <= d->n_row_max);
    (void)n;
    d->api->forward(d, run, n_run, err);
}

void device_head(struct device *d, const struct device_place *place, int n,
                 float *logits, struct err *err)
{
    if (err_failed(err) || n == 0) return;
    assert(n <= d->n_row_max);
    d->api->head(d, place, n, logits, err);
}

void device_head_rows(struct device *d, const struct device_place *place, int n,
                      const int32_t *pick, int n_pick, float *logits,
                      struct err *err)
{
    if (err_failed(err) || n == 0 || n_pick == 0) return;
    assert(n <= d->n_row_max);
    d->api->head_rows(d, place, n, pick, n_pick, logits, err);
}

void device_guess(struct device *d, const struct device_guess *guess, int n,
                  const int32_t *pick, int n_pick, float *logits,
                  struct err *err)
{
    if (err_failed(err) || n == 0) return;
    assert(d->guesses && n <= DEVICE_GUESS_MAX && n <= d->n_run_max);
    for (int i = 0; i < n; i++) {
        const struct device_guess *g = &guess[i];
        assert(g->state->n_past > 0 && g->ahead >= 0 && g->n > 0);
        assert(g->state->n_past + g->ahead + g->n <= d->n_ctx);
        (void)g;
    }
    d->api->guess(d, guess, n, pick, n_pick, logits, err);
}
