/* vlm_session.c - one sequence: feeding, points, files (vlm.h). */
#include <string.h>

#include "vlm/base/now.h"
#include "vlm/cpu/vision/vision.h"
#include "vlm/text/position.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm_inside.h"

struct vlm_session *vlm_session_open(struct vlm *v, struct err *err)
{
    struct state *state = state_new(v->plan, err);
    if (err_failed(err)) return NULL;
    struct vlm_session *s = mem_take(1, sizeof *s);
    s->v = v;
    s->state = state;
    s->scratch = arena_new();
    return s;
}

void vlm_session_close(struct vlm_session *s)
{
    if (!s) return;
    state_free(s->state);
    arena_free(s->scratch);
    mem_give(s->watch_rows);
    mem_give(s);
}

void vlm_session_clear(struct vlm_session *s)
{
    state_clear(s->state);
    s->n_pending = 0;
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
        s->watch_rows = mem_take(VLM_WATCH_ROWS * vocab, sizeof(float));
    s->watch = fn;
    s->watch_arg = arg;
}

bool vlm_fits(const struct vlm_session *s, int n, struct err *err)
{
    int used = vlm_session_length(s), most = s->v->plan->n_ctx;
    if (n <= most - used) return true;
    return err_reason(err, ERR_LIMIT, "context-full",
                      "%d tokens after %d, the context holds %d; give fewer "
                      "pages or a longer context",
                      n, used, most);
}

/* Embedding and position of token `at` of a part into row `row`. */
static void place(struct vlm *v, const struct vlm_part *p, int at, int row)
{
    struct state *s = p->session->state;
    int embd = v->shape->n_embd, n_image = p->n_y * p->n_x;
    int i = at - p->rows_at;
    float *x = v->x + (size_t)row * (size_t)embd;
    struct position pos;
    if (p->rows && i >= 0 && i < n_image) {
        memcpy(x, p->rows + (size_t)i * (size_t)embd, (size_t)embd * sizeof *x);
        pos = position_image(s->n_pos, i / p->n_x, i % p->n_x);
        if (i + 1 == n_image)
            s->n_pos = position_after_image(s->n_pos, p->n_y, p->n_x);
    } else {
        decoder_embed(v->decoder, p->token[at], x);
        pos = position_text(s->n_pos++);
    }
    v->pos[row][0] = pos.t;
    v->pos[row][1] = pos.h;
    v->pos[row][2] = pos.w;
}

/* Tokens are remembered for the hash of a saved file; of a picture, the words
 * of a hash of its rows stand there, made negative. */
static void remember(struct state *s, const struct vlm_part *p, int embd)
{
    memcpy(s->token + s->n_past, p->token, (size_t)p->n * sizeof *p->token);
    if (!p->rows) return;
    size_t n = (size_t)(p->n_y * p->n_x);
    struct hash h = hash_bytes((struct span){
        (const char *)p->rows, n * (size_t)embd * sizeof *p->rows});
    for (size_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, h.hex + 4 * (i % 16), sizeof word);
        s->token[s->n_past + p->rows_at + (int)i] =
            (int32_t)(word | 0x80000000u);
    }
}

static void show_logits(struct vlm *v, struct vlm_session *s, int first, int n)
{
    size_t embd = (size_t)v->shape->n_embd;
    for (int at = 0; at < n; at += VLM_WATCH_ROWS) {
        int m = n - at < VLM_WATCH_ROWS ? n - at : VLM_WATCH_ROWS;
        float *x = v->x + (size_t)(first + at) * embd;
        decoder_norm_out(v->decoder, x, m, x);
        decoder_head(v->decoder, x, m, s->watch_rows);
        s->watch(s->watch_arg, s->watch_rows, m);
    }
}

/* Takes as many tokens of each part as there is room for; a part that is cut
 * is cut at a multiple of DECODER_CHUNK, which changes no bit. */
static struct batch gather(struct vlm *v, struct vlm_part *part, int n_part,
                           struct vlm_part **of_run)
{
    struct batch b = {.x = v->x, .pos = v->pos, .run = v->run};
    for (int i = 0; i < n_part && b.n_run < VLM_BATCH_MAX; i++) {
        struct vlm_part *p = &part[i];
        int left = p->n - p->done, room = v->decoder->n_ubatch - b.n;
        int n = left <= room ? left : room / DECODER_CHUNK * DECODER_CHUNK;
        if (n == 0) continue;
        for (int t = 0; t < n; t++)
            place(v, p, p->done + t, b.n + t);
        of_run[b.n_run] = p;
        b.run[b.n_run++] = (struct run){p->session->state, b.n, n};
        b.n += n;
        p->done += n;
    }
    return b;
}

void vlm_read(struct vlm *v, struct vlm_part *part, int n_part)
{
    struct vlm_part *of_run[VLM_BATCH_MAX];
    double start = now_seconds();
    size_t embd = (size_t)v->shape->n_embd;
    for (int i = 0; i < n_part; i++)
        remember(part[i].session->state, &part[i], v->shape->n_embd);
    for (;;) {
        struct batch b = gather(v, part, n_part, of_run);
        if (b.n == 0) break;
        decoder_forward(v->decoder, &b);
        for (int r = 0; r < b.n_run; r++) {
            struct vlm_session *s = of_run[r]->session;
            int last = b.run[r].first + b.run[r].n - 1;
            memcpy(state_last(s->state), v->x + (size_t)last * embd,
                   embd * sizeof(float));
            if (s->watch) show_logits(v, s, b.run[r].first, b.run[r].n);
        }
    }
    double spent = now_seconds() - start;
    for (int i = 0; i < n_part; i++) {
        part[i].session->read_s += spent;
        part[i].session->n_read += part[i].n;
    }
}

void vlm_flush(struct vlm_session *s, struct err *err)
{
    if (err_failed(err) || !s->n_pending) return;
    if (!vlm_fits(s, 0, err)) return; /* an answer ended at the very end */
    struct vlm_part part = {
        .session = s, .token = s->pending, .n = s->n_pending};
    s->n_pending = 0;
    vlm_read(s->v, &part, 1);
}

void vlm_feed_tokens(struct vlm_session *s, const int32_t *token, int n,
                     struct err *err)
{
    if (err_failed(err) || n <= 0) return;
    for (int i = 0; i < n; i++)
        if (token[i] < 0 || token[i] >= s->v->shape->n_vocab) {
            err_set(err, ERR_INPUT, "token %d at %d, the vocabulary has %d",
                    token[i], i, s->v->shape->n_vocab);
            return;
        }
    if (!vlm_fits(s, n, err)) return;
    vlm_flush(s, err);
    struct vlm_part part = {.session = s, .token = token, .n = n};
    vlm_read(s->v, &part, 1);
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

void vlm_feed_rows(struct vlm_session *s, const float *rows, int n_y, int n_x,
                   struct err *err)
{
    if (err_failed(err)) return;
    struct vlm *v = s->v;
    int n = n_y * n_x + 2;
    if (n_y < 1 || n_x < 1 || v->image_pad < 0 || v->vision_start < 0 ||
        v->vision_end < 0) {
        err_set(err, ERR_ARGS, "this model takes no images");
        return;
    }
    if (!vlm_fits(s, n, err)) return;
    vlm_flush(s, err);
    int32_t *token = arena_array(s->scratch, (size_t)n, sizeof *token);
    for (int i = 0; i < n; i++)
        token[i] = v->image_pad;
    token[0] = v->vision_start;
    token[n - 1] = v->vision_end;
    struct vlm_part part = {.session = s,
                            .token = token,
                            .n = n,
                            .rows_at = 1,
                            .n_y = n_y,
                            .n_x = n_x,
                            .rows = rows};
    vlm_read(v, &part, 1);
    arena_reset(s->scratch);
}

/* Plans a picture; false when there is no eye or no such size. */
static bool plan_image(const struct vlm *v, const struct image *rgb,
                       struct vision_plan *plan, struct err *err)
{
    if (err_failed(err)) return false;
    if (!v->vision)
        return err_set(err, ERR_ARGS, "no vision file is open; give --mmproj");
    *plan = vision_plan(&v->vision_shape, rgb->width_px, rgb->height_px,
                        v->options.max_pixels, err);
    return !err_failed(err);
}

float *vlm_look(struct vlm *v, const struct image *rgb, int *n_y, int *n_x,
                struct err *err)
{
    struct vision_plan plan;
    if (!plan_image(v, rgb, &plan, err)) return NULL;
    float *rows =
        mem_take((size_t)plan.n_token * (size_t)v->shape->n_embd, sizeof *rows);
    vision_encode(v->vision, rgb, &plan, rows, err);
    *n_y = plan.n_token_y;
    *n_x = plan.n_token_x;
    if (!err_failed(err)) return rows;
    mem_give(rows);
    return NULL;
}

void vlm_feed_image(struct vlm_session *s, const struct image *rgb,
                    struct err *err)
{
    struct vision_plan plan;
    if (!plan_image(s->v, rgb, &plan, err)) return;
    if (!vlm_fits(s, plan.n_token + 2, err)) return;
    double start = now_seconds();
    int n_y = 0, n_x = 0;
    float *rows = vlm_look(s->v, rgb, &n_y, &n_x, err);
    s->read_s += now_seconds() - start;
    vlm_feed_rows(s, rows, n_y, n_x, err);
    mem_give(rows);
}

const float *vlm_logits(struct vlm_session *s, struct err *err)
{
    struct vlm *v = s->v;
    vlm_flush(s, err);
    if (err_failed(err)) return NULL;
    if (!s->state->n_past) {
        err_set(err, ERR_ARGS, "nothing was fed");
        return NULL;
    }
    decoder_norm_out(v->decoder, state_last(s->state), 1, v->y);
    decoder_head(v->decoder, v->y, 1, v->logits);
    return v->logits;
}

void vlm_mark(struct vlm_session *s, int point, struct err *err)
{
    vlm_flush(s, err);
    state_mark(s->state, point, err);
}

void vlm_rewind(struct vlm_session *s, int point, struct err *err)
{
    if (err_failed(err)) return;
    state_rewind(s->state, point, err);
    if (!err_failed(err)) s->n_pending = 0;
}

void vlm_fork(struct vlm_session *to, const struct vlm_session *from,
              struct err *err)
{
    if (err_failed(err) || to == from) return;
    if (to->v != from->v) {
        err_set(err, ERR_ARGS, "sessions of two models cannot be copied");
        return;
    }
    state_copy(to->state, from->state);
    memcpy(to->pending, from->pending,
           (size_t)from->n_pending * sizeof *to->pending);
    to->n_pending = from->n_pending;
    to->read_s = 0;
    to->n_read = 0;
}

void vlm_save(struct vlm_session *s, const char *path, struct err *err)
{
    vlm_flush(s, err);
    if (err_failed(err)) return;
    state_save(s->state, &vlm_info(s->v)->hash, path, err);
}

void vlm_restore(struct vlm_session *s, const char *path, struct err *err)
{
    if (err_failed(err)) return;
    vlm_session_clear(s);
    state_restore(s->state, &vlm_info(s->v)->hash, path, err);
}
