/* false_device.c - see false_device.h. */
#include "tests/support/false_device.h"

#undef NDEBUG
#include <assert.h>
#include <string.h>
#include <time.h>

#include "vlm/base/arena.h"

struct false_state {
    struct device_state face;
    int sum;                  /* of all tokens */
    int n_guessed, guess_sum; /* with the drafted ones */
    struct {
        bool set;
        int n_past, sum;
    } point[DEVICE_POINT_MAX];
};

struct false_rows {
    struct device_rows face;
    int mark;
};

static struct false_device *of(const struct device *d)
{
    return (struct false_device *)(uintptr_t)d;
}

static struct false_state *state_of(const struct device_state *s)
{
    return (struct false_state *)(uintptr_t)s;
}

static struct device_state *state_new(struct device *d, struct err *err)
{
    (void)err;
    struct false_state *s = mem_alloc(1, sizeof *s);
    s->face.device = d;
    of(d)->n_state++;
    return &s->face;
}

static void state_free(struct device_state *s)
{
    of(s->device)->n_state--;
    mem_free(s);
}

static void state_clear(struct device_state *s)
{
    *state_of(s) = (struct false_state){.face.device = s->device};
}

static void state_copy(struct device_state *to, const struct device_state *from,
                       struct err *err)
{
    (void)err;
    state_clear(to);
    to->n_past = from->n_past;
    state_of(to)->sum = state_of(from)->sum;
}

static void mark(struct device_state *s, int point, struct err *err)
{
    (void)err;
    struct false_state *f = state_of(s);
    f->point[point].set = true;
    f->point[point].n_past = s->n_past;
    f->point[point].sum = f->sum;
}

static void rewind_to(struct device_state *s, int point, struct err *err)
{
    (void)err;
    struct false_state *f = state_of(s);
    assert(f->point[point].set);
    s->n_past = f->point[point].n_past;
    f->sum = f->point[point].sum;
    f->n_guessed = 0;
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (f->point[i].n_past > s->n_past) f->point[i].set = false;
}

static struct device_rows *rows_of(struct device *d, int n_y, int n_x, int mark)
{
    struct false_rows *r = mem_alloc(1, sizeof *r);
    *r = (struct false_rows){{d, n_y, n_x}, mark};
    return &r->face;
}

static int mark_of(const struct device_rows *r)
{
    return ((const struct false_rows *)(const void *)r)->mark;
}

static struct device_rows *look(struct device *d, const struct image *image,
                                struct err *err)
{
    struct false_device *f = of(d);
    assert(!f->looking);
    if (image->width_px % FALSE_GRID || image->height_px % FALSE_GRID) {
        err_set(err, ERR_ARGS, "sides must be multiples of %d", FALSE_GRID);
        return NULL;
    }
    f->looking = true;
    for (int i = 0; i < FALSE_PARTS; i++) {
        nanosleep(&(struct timespec){0, (long)(f->pass_s * 1e9)}, NULL);
        if (d->between) d->between(d->between_arg);
    }
    f->looking = false;
    f->n_look++;
    return rows_of(d, image->height_px / FALSE_GRID,
                   image->width_px / FALSE_GRID, image->data[0]);
}

static struct device_rows *rows_new(struct device *d, const float *rows,
                                    int n_y, int n_x, struct err *err)
{
    (void)err;
    int mark = rows[0] == FALSE_MARK + 0.5f           ? FALSE_MARK
               : rows[0] >= 0 && rows[0] <= UINT8_MAX ? (int)rows[0]
                                                      : 0;
    return rows_of(d, n_y, n_x, mark);
}

static void rows_free(struct device_rows *r)
{
    mem_free(r);
}

static void read_run(const struct device_run *r)
{
    for (int t = 0; t < r->n; t++) {
        int in_picture = r->picture && t >= r->picture_at &&
                         t < r->picture_at + r->n_picture;
        assert(in_picture || (r->token[t] >= 0 && r->token[t] < FALSE_VOCAB));
        state_of(r->state)->sum +=
            in_picture ? mark_of(r->picture) : r->token[t];
    }
    r->state->n_past += r->n;
    state_of(r->state)->n_guessed = 0;
}

static void forward(struct device *d, const struct device_run *run, int n_run,
                    struct err *err)
{
    struct false_device *f = of(d);
    nanosleep(&(struct timespec){0, (long)(f->pass_s * 1e9)}, NULL);
    if (f->fail_forward) {
        err_set(err, ERR_SYSTEM, "a false failure");
        return;
    }
    f->n_pass++;
    f->n_pass_in_look += f->looking;
    f->n_run += n_run;
    for (int i = 0, row = 0; i < n_run; i++) {
        for (int k = 0; k < i; k++)
            assert(run[k].state != run[i].state);
        f->n_row += run[i].n;
        read_run(&run[i]);
        for (int k = 0; k < run[i].n; k++)
            f->row_sum[row++] = state_of(run[i].state)->sum;
    }
}

static void head(struct device *d, const struct device_place *place, int n,
                 float *logits, struct err *err)
{
    struct false_device *f = of(d);
    f->n_head++;
    if (f->fail_every && f->n_head % f->fail_every == 0) {
        err_set(err, ERR_SYSTEM, "a false failure");
        return;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < FALSE_VOCAB; k++)
            logits[i * FALSE_VOCAB + k] =
                (float)((place[i].state ? state_of(place[i].state)->sum
                                        : f->row_sum[place[i].row]) *
                            FALSE_VOCAB +
                        k);
}

static void head_rows(struct device *d, const struct device_place *place, int n,
                      const int32_t *pick, int n_pick, float *logits,
                      struct err *err)
{
    float all[FALSE_VOCAB];
    assert(n == 1);
    head(d, place, 1, all, err);
    for (int i = 0; i < n_pick && !err_failed(err); i++)
        logits[i] = all[pick[i]];
}

static void guess(struct device *d, const struct device_guess *g, int n,
                  const int32_t *pick, int n_pick, float *logits,
                  struct err *err)
{
    (void)err;
    of(d)->n_guess_call++;
    for (int i = 0; i < n; i++) {
        struct false_state *s = state_of(g[i].state);
        assert(g[i].ahead == 0 || g[i].ahead == s->n_guessed);
        if (g[i].ahead == 0) s->guess_sum = s->sum;
        s->n_guessed = g[i].ahead + g[i].n;
        assert(s->face.n_past > 0 && s->face.n_past + s->n_guessed <= d->n_ctx);
        for (int k = 0; k < i; k++)
            assert(g[k].state != g[i].state);
        for (int t = 0; t < g[i].n; t++) {
            assert(g[i].token[t] >= 0 && g[i].token[t] < FALSE_VOCAB);
            s->guess_sum += g[i].token[t];
        }
        for (int k = 0; k < n_pick; k++) {
            assert(pick[k] >= 0 && pick[k] < FALSE_VOCAB);
            *logits++ = (float)(s->guess_sum * FALSE_VOCAB + pick[k]);
        }
    }
}

static const struct device_api api = {
    .name = "false",
    .state_new = state_new,
    .state_free = state_free,
    .state_clear = state_clear,
    .state_copy = state_copy,
    .mark = mark,
    .rewind = rewind_to,
    .encode_image = look,
    .rows_new = rows_new,
    .rows_free = rows_free,
    .forward = forward,
    .head = head,
    .head_rows = head_rows,
    .guess = guess,
};

void false_device_open(struct false_device *d)
{
    *d = (struct false_device){.face = {.api = &api,
                                        .label = "false",
                                        .n_row_max = FALSE_ROWS,
                                        .n_run_max = 8,
                                        .n_ctx = FALSE_CTX,
                                        .n_embd = FALSE_EMBD,
                                        .chunk = FALSE_CHUNK,
                                        .steps = FALSE_STEPS,
                                        .guesses = true,
                                        .n_thread = 1}};
}
