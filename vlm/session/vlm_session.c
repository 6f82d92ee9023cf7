/* vlm_session.c - one sequence: feeding and checkpoints (vlm.h). */
#include <string.h>

#include "vlm/base/clock.h"
#include "vlm/session/vlm_inside.h"
#include "vlm/text/tokenizer.h"

struct vlm_session *vlm_session_open(struct vlm *v, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct device_state *state = device_state_new(v->device, err);
    if (err_failed(err)) return NULL;
    struct vlm_session *s = mem_alloc(1, sizeof *s);
    s->v = v;
    s->state = state;
    s->scratch = arena_new();
    return s;
}

void vlm_session_close(struct vlm_session *s)
{
    if (!s) return;
    device_state_free(s->state);
    arena_free(s->scratch);
    mem_free(s->watch_rows);
    mem_free(s);
}

void vlm_session_clear(struct vlm_session *s)
{
    device_state_clear(s->state);
    s->n_pos = 0;
    s->n_pending = 0;
    s->n_ahead = 0;
    s->read_s = 0;
    s->n_read = 0;
}

int vlm_session_length(const struct vlm_session *s)
{
    return s->state->n_past + s->n_pending;
}

void vlm_watch_logits(struct vlm_session *s, vlm_logits_fn *fn, void *arg)
{
    size_t vocab = (size_t)s->v->shape->n_vocab;
    if (fn && !s->watch_rows)
        s->watch_rows = mem_alloc(VLM_WATCH_ROWS * vocab, sizeof(float));
    s->watch = fn;
    s->watch_arg = arg;
}

bool vlm_fits(const struct vlm_session *s, int n, struct err *err)
{
    if (err_failed(err)) return false;
    int used = vlm_session_length(s), most = s->v->device->n_ctx;
    if (n <= most - used) return true;
    return err_reason(err, ERR_LIMIT, "context-full",
                      "%d tokens do not fit after %d (context: %d); use fewer "
                      "pages or a longer context",
                      n, used, most);
}

/* ---- evaluation--------------------------------------------------------- */

/* Position of token i of a part; call in order. */
static struct position position_of(const struct vlm_part *p, int i)
{
    struct vlm_session *s = p->session;
    int n_x = p->picture ? p->picture->n_x : 0;
    int n = p->picture ? p->picture->n_y * n_x : 0, j = i - p->picture_at;
    if (j < 0 || j >= n) return position_text(s->n_pos++);
    struct position at = position_image(s->n_pos, j / n_x, j % n_x);
    if (j + 1 == n)
        s->n_pos = position_after_image(s->n_pos, p->picture->n_y, n_x);
    return at;
}

/* Sets the image rows among the run->n tokens from `done` on. */
static void cut_picture(const struct vlm_part *p, struct device_run *run)
{
    if (!p->picture) return;
    int end = p->picture_at + p->picture->n_y * p->picture->n_x;
    int first = p->done > p->picture_at ? p->done : p->picture_at;
    if (end > p->done + run->n) end = p->done + run->n;
    if (first >= end) return;
    run->picture = p->picture;
    run->picture_first = first - p->picture_at;
    run->picture_at = first - p->done;
    run->n_picture = end - first;
}

/* Are logits of all rows wanted from a device that returns only requested
 * rows? */
static bool needs_returned_rows(const struct vlm_session *s)
{
    return s->watch && s->v->device->is_remote;
}

/* Tokens of a part for the next pass, at most `room`. A part is cut at a
 * multiple of the device's chunk, which keeps it bit-identical; if a remote
 * device returns every row, after `steps` tokens. */
static int run_length(const struct vlm *v, const struct vlm_part *p, int room)
{
    int left = p->n - p->done, steps = v->device->steps;
    if (needs_returned_rows(p->session)) return left < steps ? left : steps;
    return left <= room ? left : room / v->device->chunk * v->device->chunk;
}

/* Adds as many tokens of each part as fit to the pass. Returns the number of
 * runs; of_run[i] is the part of run i. */
static int gather_runs(struct vlm *v, struct vlm_part *part, int n_part,
                       struct vlm_part **of_run)
{
    int n_row = 0, n_run = 0;
    for (int i = 0; i < n_part && n_run < v->device->n_run_max; i++) {
        struct vlm_part *p = &part[i];
        int n = run_length(v, p, v->device->n_row_max - n_row);
        if (n == 0) continue;
        struct device_run *run = &v->run[n_run];
        *run = (struct device_run){.state = p->session->state,
                                   .n = n,
                                   .token = p->token + p->done,
                                   .left_out = p->session->left_out,
                                   .prompt = p->prompt,
                                   .at = v->at + n_row};
        cut_picture(p, run);
        for (int t = 0; t < n; t++)
            v->at[n_row + t] = position_of(p, p->done + t);
        of_run[n_run++] = p;
        n_row += n;
        p->done += n;
        if (needs_returned_rows(p->session)) run->n_asked = n;
        if (needs_returned_rows(p->session) || p->done < p->n) continue;
        if (p->session->n_ahead) run->n_asked = p->session->n_ahead + 1;
    }
    return n_run;
}

/* Passes the logits of rows first .. first + n - 1 of the latest pass to the
 * callback; the last row is the last that s has evaluated. */
static void show_logits(struct vlm_session *s, int first, int n,
                        struct err *err)
{
    struct device_place place[VLM_WATCH_ROWS];
    for (int at = 0; at < n && !err_failed(err); at += VLM_WATCH_ROWS) {
        int m = n - at < VLM_WATCH_ROWS ? n - at : VLM_WATCH_ROWS;
        for (int i = 0; i < m; i++)
            place[i] = (struct device_place){NULL, first + at + i};
        device_head(s->v->device, place, m, s->watch_rows, err);
        if (!err_failed(err)) s->watch(s->watch_arg, s->watch_rows, m);
    }
}

void vlm_read(struct vlm *v, struct vlm_part *part, int n_part, struct err *err)
{
    if (err_failed(err)) return;
    struct vlm_part *of_run[DEVICE_RUN_MAX];
    double start = clock_seconds();
    while (!err_failed(err)) {
        int n_run = gather_runs(v, part, n_part, of_run), row = 0;
        if (n_run == 0) break;
        device_forward(v->device, v->run, n_run, err);
        for (int r = 0; r < n_run; row += v->run[r++].n)
            if (of_run[r]->session->watch)
                show_logits(of_run[r]->session, row, v->run[r].n, err);
    }
    double spent = clock_seconds() - start;
    for (int i = 0; i < n_part; i++) {
        part[i].session->read_s += spent;
        part[i].session->n_read += part[i].n;
    }
}

/* Evaluates a prompt, or tokens left over from an answer. */
static void read_fed(struct vlm_session *s, struct vlm_part *part,
                     struct err *err)
{
    double start = clock_seconds();
    vlm_read(s->v, part, 1, err);
    s->spent.prompt_s += clock_seconds() - start;
    s->spent.n_prompt += part->n;
}

const struct vlm_spent *vlm_spent(const struct vlm_session *s)
{
    return &s->spent;
}

void vlm_flush(struct vlm_session *s, struct err *err)
{
    if (err_failed(err) || !s->n_pending) return;
    if (!vlm_fits(s, 0, err)) return; /* an answer filled the context */
    struct vlm_part part = {
        .session = s, .token = s->pending, .n = s->n_pending};
    s->n_pending = 0;
    read_fed(s, &part, err);
}

/* ---- feeding ---------------------------------------------------------- */

void vlm_feed_tokens(struct vlm_session *s, const int32_t *token, int n,
                     struct err *err)
{
    if (err_failed(err) || n <= 0) return;
    for (int i = 0; i < n; i++)
        if (token[i] < 0 || token[i] >= s->v->shape->n_vocab) {
            err_set(err, ERR_INPUT,
                    "token %d at index %d, the vocabulary has %d", token[i], i,
                    s->v->shape->n_vocab);
            return;
        }
    if (!vlm_fits(s, n, err)) return;
    vlm_flush(s, err);
    struct vlm_part part = {
        .session = s, .token = token, .n = n, .prompt = true};
    read_fed(s, &part, err);
}

void vlm_feed_text(struct vlm_session *s, struct span text, bool special,
                   struct err *err)
{
    if (err_failed(err)) return;
    struct tokens t =
        tokenizer_encode(s->v->tokenizer, text, special, s->scratch, err);
    vlm_feed_tokens(s, t.id, t.n, err);
    arena_reset(s->scratch);
}

/* Feeds start, rows and end of an image whose rows are on the device. */
static void feed_picture(struct vlm_session *s,
                         const struct device_rows *picture, struct err *err)
{
    if (err_failed(err)) return;
    struct vlm *v = s->v;
    int n = picture->n_y * picture->n_x + 2;
    vlm_flush(s, err);
    int32_t *token = arena_array(s->scratch, (size_t)n, sizeof *token);
    for (int i = 0; i < n; i++)
        token[i] = v->image_pad;
    token[0] = v->vision_start;
    token[n - 1] = v->vision_end;
    struct vlm_part part = {.session = s,
                            .token = token,
                            .n = n,
                            .picture = picture,
                            .picture_at = 1,
                            .prompt = true};
    read_fed(s, &part, err);
    arena_reset(s->scratch);
}

void vlm_feed_rows(struct vlm_session *s, const float *rows, int n_y, int n_x,
                   struct err *err)
{
    if (err_failed(err)) return;
    const struct vlm *v = s->v;
    if (n_y < 1 || n_x < 1 || v->image_pad < 0 || v->vision_start < 0 ||
        v->vision_end < 0) {
        err_set(err, ERR_ARGS, "this model has no vision encoder");
        return;
    }
    if (!vlm_fits(s, n_y * n_x + 2, err)) return;
    struct device_rows *picture =
        device_rows_new(v->device, rows, n_y, n_x, err);
    feed_picture(s, picture, err);
    device_rows_free(picture);
}

void vlm_feed_image(struct vlm_session *s, const struct image *rgb,
                    struct err *err)
{
    if (err_failed(err)) return;
    double start = clock_seconds();
    int grid = s->v->info.grid; /* 0: no vision encoder; the device fails */
    int n = grid ? (rgb->width_px / grid) * (rgb->height_px / grid) : 0;
    if (!vlm_fits(s, n + 2, err)) return;
    struct device_rows *picture = device_encode_image(s->v->device, rgb, err);
    double spent = clock_seconds() - start;
    s->read_s += spent;
    s->spent.vision_s += spent;
    s->spent.n_vision += n;
    feed_picture(s, picture, err);
    device_rows_free(picture);
}

float *vlm_encode_image(struct vlm *v, const struct image *rgb, int *n_y,
                        int *n_x, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct device_rows *picture = device_encode_image(v->device, rgb, err);
    if (err_failed(err)) return NULL;
    *n_y = picture->n_y;
    *n_x = picture->n_x;
    float *rows = mem_alloc((size_t)(*n_y * *n_x) * (size_t)v->device->n_embd,
                            sizeof *rows);
    device_rows_read(picture, rows, err);
    device_rows_free(picture);
    return rows;
}

const float *vlm_logits(struct vlm_session *s, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct vlm *v = s->v;
    vlm_flush(s, err);
    if (!err_failed(err) && !s->state->n_past)
        err_set(err, ERR_ARGS, "the sequence is empty");
    device_head(v->device, &(struct device_place){s->state, 0}, 1, v->logits,
                err);
    return err_failed(err) ? NULL : v->logits;
}

/* ---- checkpoints---------------------------------------------------------- */

/* The checkpoint before a draft is not for callers. */
static bool is_callers(int point, struct err *err)
{
    return point != VLM_POINT_AHEAD ||
           err_set(err, ERR_ARGS, "point %d is reserved for drafts", point);
}

void vlm_mark(struct vlm_session *s, int point, struct err *err)
{
    if (err_failed(err) || !is_callers(point, err)) return;
    vlm_flush(s, err);
    device_mark(s->state, point, err);
    if (!err_failed(err)) s->point_pos[point] = s->n_pos;
}

void vlm_rewind(struct vlm_session *s, int point, struct err *err)
{
    if (err_failed(err) || !is_callers(point, err)) return;
    device_rewind(s->state, point, err);
    if (err_failed(err)) return;
    s->n_pos = s->point_pos[point];
    s->n_pending = 0;
    s->n_ahead = 0;
}
