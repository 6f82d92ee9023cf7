/* vlm_generate.c - answers, several at a time (vlm.h).
 *
 * A step of an answer is either a forced run (bytes that the grammar leaves no
 * choice about, as tokens, read at once) or one chosen token. Nothing is
 * computed for a forced run but its reading; the head is computed for a choice
 * alone, and only for the legal rows where few are legal and no probability
 * over the whole vocabulary is needed.
 */
#include <assert.h>
#include <string.h>

#include "vlm/base/now.h"
#include "vlm/sample/constraint.h"
#include "vlm/sample/repeat.h"
#include "vlm/sample/sampler.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm_inside.h"
#include "vlm/vlm_leaves.h"

enum {
    TEXT_MOST = 1 << 26,   /* bytes of an answer */
    TEXT_START = 64 << 10, /* taken at once, so that tokens take nothing */
    PICK_SHARE = 8         /* legal rows alone when below 1/8 of all */
};

/* One answer being written. */
struct answer_writer {
    struct vlm_session *session;
    const struct vlm_request *request;
    struct arena *arena;
    struct vlm_answer *answer;
    struct err *err;
    struct constraint *constraint; /* NULL: free text */
    struct sampler *sampler;
    struct repeat repeat;
    struct buf text;
    struct vlm_leaves leaves;
    double start_s;
    bool choosing; /* this step chooses, else it reads a forced run */
    bool quoted;   /* the value being written is a string */
    bool escaped;  /* its last byte was a backslash */
    bool whole;    /* over the whole vocabulary */
    int n_picked;
};

struct vlm_batch {
    struct vlm *v;
    struct answer_writer *writer[DEVICE_RUN_MAX];
    int n;
    struct vlm_part part[DEVICE_RUN_MAX];
};

struct vlm_batch *vlm_batch_new(struct vlm *v)
{
    struct vlm_batch *b = mem_take(1, sizeof *b);
    b->v = v;
    return b;
}

static void writer_free(struct vlm *v, struct answer_writer *w)
{
    if (w->constraint) constraint_shelf_give(v->shelf, w->constraint);
    sampler_free(w->sampler);
    buf_free(&w->text);
    vlm_leaves_end(&w->leaves);
    mem_give(w);
}

void vlm_batch_free(struct vlm_batch *b)
{
    if (!b) return;
    for (int i = 0; i < b->n; i++)
        writer_free(b->v, b->writer[i]);
    mem_give(b);
}

static void reserve_text(struct buf *text)
{
    static const char zeros[1024];
    *text = buf_limit(TEXT_MOST);
    for (int i = 0; i < TEXT_START; i += (int)sizeof zeros)
        buf_add(text, zeros, sizeof zeros);
    buf_cut(text, 0);
}

void vlm_batch_admit(struct vlm_batch *b, struct vlm_session *s,
                     const struct vlm_request *request, struct arena *arena,
                     struct vlm_answer *answer, struct err *err)
{
    if (err_failed(err)) return;
    struct vlm *v = b->v;
    *answer = (struct vlm_answer){0};
    if (b->n >= v->options.n_batch_max) {
        err_set(err, ERR_LIMIT, "%d answers are being written, at most %d",
                b->n, v->options.n_batch_max);
        return;
    }
    if (vlm_session_length(s) == 0) {
        err_set(err, ERR_ARGS, "nothing was fed that could be answered");
        return;
    }
    vlm_flush(s, err);
    if (err_failed(err)) return;
    struct answer_writer *w = mem_take(1, sizeof *w);
    *w = (struct answer_writer){.session = s,
                                .request = request,
                                .arena = arena,
                                .answer = answer,
                                .err = err};
    if (request->grammar)
        w->constraint = constraint_shelf_take(vlm_shelf(v), request->grammar);
    w->sampler = sampler_new(v->shape->n_vocab, v->lanes);
    const struct vlm_sampling *o = &request->sampling;
    /* what a page says twice stands twice in its record */
    float presence = request->grammar ? 0 : o->presence_penalty;
    struct sampler_options options = {.temperature = o->temperature,
                                      .top_k = o->top_k,
                                      .top_p = o->top_p > 0 ? o->top_p : 1,
                                      .min_p = o->min_p,
                                      .presence_penalty = presence,
                                      .seed = o->seed};
    sampler_start(w->sampler, &options);
    reserve_text(&w->text);
    vlm_leaves_begin(&w->leaves);
    answer->n_prompt = s->n_read;
    answer->prompt_s = s->read_s;
    w->start_s = now_seconds();
    b->writer[b->n++] = w;
}

bool vlm_batch_writing(const struct vlm_batch *b, const struct vlm_session *s)
{
    for (int i = 0; i < b->n; i++)
        if (b->writer[i]->session == s) return true;
    return false;
}

static void end(struct answer_writer *w, enum vlm_finish finish)
{
    struct vlm_answer *a = w->answer;
    a->finish = finish;
    a->text.data = arena_copy(w->arena, buf_span(&w->text));
    a->text.size = w->text.size;
    a->n_leaf = w->leaves.n_leaf;
    a->leaf = vlm_leaves_give(&w->leaves, w->arena);
    a->sample_s = now_seconds() - w->start_s;
    w->session->read_s = 0;
    w->session->n_read = 0;
    w->session = NULL;
}

/* Takes a token into the answer; it is read at the end of the step. */
static void take(struct answer_writer *w, int32_t token)
{
    const struct vlm *v = w->session->v;
    struct span bytes = tokenizer_bytes(v->tokenizer, token);
    buf_add(&w->text, bytes.data, bytes.size);
    assert(w->session->n_pending < VLM_PENDING_MAX);
    w->session->pending[w->session->n_pending++] = token;
    if (repeat_feed(&w->repeat, token)) end(w, VLM_FINISH_LOOP);
}

/* Could a longer token than `tail` stand here? All tokens that may come begin
 * with the bytes that are left, or end inside them; `tail` ends with them. */
static bool longer_fits(struct answer_writer *w, size_t tail)
{
    const struct vlm *v = w->session->v;
    int n_legal = 0;
    const uint32_t *mask = constraint_mask(w->constraint, &n_legal);
    int n_word = (v->shape->n_vocab + 31) / 32;
    for (int i = 0; i < n_word; i++)
        for (uint32_t bits = mask[i]; bits; bits &= bits - 1) {
            int32_t token = i * 32 + __builtin_ctz(bits);
            if (tokenizer_bytes(v->tokenizer, token).size > tail) return true;
        }
    return false;
}

/* Tokens of what is forced here, as the model would write them: the last one
 * stays out where a longer token could cover it and what follows. False when
 * nothing is left to read. */
static bool take_forced(struct answer_writer *w)
{
    struct vlm_session *s = w->session;
    struct span forced = constraint_forced(w->constraint);
    if (!forced.size) return false;
    struct err err = {0};
    struct tokens t =
        tokenizer_encode(s->v->tokenizer, forced, false, s->scratch, &err);
    int room =
        w->request->max_tokens - w->answer->n_sampled - w->answer->n_forced;
    if (room > VLM_PENDING_MAX) room = VLM_PENDING_MAX;
    bool cut = t.n > room;
    if (cut) t.n = room;
    int n = 0;
    for (; n < t.n && !err_failed(&err); n++) {
        size_t size = tokenizer_bytes(s->v->tokenizer, t.id[n]).size;
        if (n + 1 == t.n && !cut && longer_fits(w, size)) break;
        if (!constraint_accept(w->constraint, t.id[n])) break;
        sampler_note(w->sampler, t.id[n]);
        w->answer->n_forced++;
        take(w, t.id[n]);
        if (!w->session) break;
    }
    arena_reset(s->scratch);
    return n > 0;
}

/* Decides what this step does: ends the answer, takes a forced run, or notes
 * that a token is to be chosen, and from which rows of the head. */
static void plan(struct answer_writer *w)
{
    const struct vlm_request *r = w->request;
    w->choosing = false;
    if (r->stop && r->stop(r->stop_arg)) {
        end(w, VLM_FINISH_CANCELLED);
        return;
    }
    if (w->constraint && constraint_done(w->constraint)) {
        end(w, VLM_FINISH_STOP);
        return;
    }
    if (w->answer->n_sampled + w->answer->n_forced >= r->max_tokens) {
        end(w, VLM_FINISH_LENGTH);
        return;
    }
    if (w->constraint && take_forced(w)) return;
    w->choosing = true;
    w->whole = true;
    if (!w->constraint || w->request->dictated.size) return;
    int n_legal = 0;
    bool start = false;
    constraint_mask(w->constraint, &n_legal);
    const char *leaf = constraint_leaf(w->constraint, &start);
    w->whole = start || !leaf || !vlm_leaves_is_last(&w->leaves, leaf) ||
               n_legal > w->session->v->shape->n_vocab / PICK_SHARE;
}

/* Logits of a writer that looks at legal rows alone. */
static void pick_rows(struct vlm *v, struct answer_writer *w)
{
    int n_legal = 0, n_word = (v->shape->n_vocab + 31) / 32;
    const uint32_t *mask = constraint_mask(w->constraint, &n_legal);
    w->n_picked = 0;
    for (int i = 0; i < n_word; i++)
        for (uint32_t bits = mask[i] & v->real[i]; bits; bits &= bits - 1)
            v->picked[w->n_picked++] = i * 32 + __builtin_ctz(bits);
    struct device_place last = {w->session->state, 0};
    device_head_rows(v->device, &last, 1, v->picked, w->n_picked, v->logits,
                     w->err);
}

/* Of a token's bytes those that are the value's: no quotes, nor what ends a
 * number. `first`: it is the first token of the value. */
static struct span own_bytes(struct answer_writer *w, struct span bytes,
                             bool inside, bool first)
{
    static const char ends[] = ",]}: \t\r\n";
    const char *at = bytes.data, *end = at + bytes.size;
    if (first) {
        const char *quote = memchr(at, '"', bytes.size);
        bool after = w->text.size && w->text.data[w->text.size - 1] == '"';
        w->quoted = after || quote;
        w->escaped = false;
        if (!inside || (quote == at && !after))
            while (at < end && (*at == '"' || strchr(ends, *at)))
                at++;
    }
    struct span own = {at, 0};
    for (; at < end; at++, own.size++) {
        if (w->quoted ? *at == '"' && !w->escaped : strchr(ends, *at) != NULL)
            break;
        w->escaped = *at == '\\' && !w->escaped;
    }
    return own;
}

static void count_for(struct answer_writer *w, const char *leaf,
                      const struct sampler_choice *c, bool inside)
{
    bool first = !vlm_leaves_is_last(&w->leaves, leaf);
    vlm_leaves_add(&w->leaves, leaf, c->token, c->p, c->p_legal, w->arena);
    struct span own = own_bytes(
        w, tokenizer_bytes(w->session->v->tokenizer, c->token), inside, first);
    if (own.size) vlm_gaze_tell(w->session, leaf, own);
}

/* A token counts for the leaf that it continues. One that comes from between
 * leaves counts for the leaf it ends in when it holds more of it than an
 * opening quote. */
static void take_chosen(struct answer_writer *w, const struct sampler_choice *c)
{
    bool start = false;
    const char *leaf = constraint_leaf(w->constraint, &start);
    bool inside = leaf != NULL;
    struct span bytes = tokenizer_bytes(w->session->v->tokenizer, c->token);
    if (inside) count_for(w, leaf, c, true);
    constraint_accept(w->constraint, c->token);
    leaf = constraint_leaf(w->constraint, &start);
    if (!inside && leaf && !start && bytes.size &&
        bytes.data[bytes.size - 1] != '"')
        count_for(w, leaf, c, false);
}

/* Of the legal tokens those that the dictated text goes on with. */
static const uint32_t *keep_dictated(struct vlm *v, struct answer_writer *w,
                                     const uint32_t *legal)
{
    struct span all = w->request->dictated;
    int n_word = (v->shape->n_vocab + 31) / 32, n_kept = 0;
    size_t done = w->text.size, left = all.size > done ? all.size - done : 0;
    bool fits = left && !memcmp(w->text.data, all.data, done);
    for (int i = 0; i < n_word && fits; i++) {
        v->dictated[i] = 0;
        for (uint32_t bits = legal[i] & v->real[i]; bits; bits &= bits - 1) {
            int bit = __builtin_ctz(bits);
            struct span t = tokenizer_bytes(v->tokenizer, i * 32 + bit);
            if (!t.size || t.size > left ||
                memcmp(t.data, all.data + done, t.size) != 0)
                continue;
            v->dictated[i] |= 1u << bit;
            n_kept++;
        }
    }
    if (!n_kept)
        err_set(w->err, ERR_ARGS,
                "what is dictated does not fit the grammar at byte %zu", done);
    return v->dictated;
}

static void choose(struct vlm *v, struct answer_writer *w, const float *logits)
{
    int n_legal = 0;
    struct sampler_input in = {.logits = logits,
                               .n = v->shape->n_vocab,
                               .mask = v->real,
                               .real = v->real,
                               .whole = w->constraint != NULL};
    if (w->constraint) in.mask = constraint_mask(w->constraint, &n_legal);
    if (w->constraint && w->request->dictated.size)
        in.mask = keep_dictated(v, w, in.mask);
    if (!w->whole) {
        in.id = v->picked;
        in.n = w->n_picked;
        in.whole = false;
    }
    struct sampler_choice c;
    sampler_pick(w->sampler, &in, &c, w->err);
    if (err_failed(w->err)) {
        w->session = NULL;
        return;
    }
    w->answer->n_sampled++;
    if (tokenizer_is_end(v->tokenizer, c.token)) {
        end(w, VLM_FINISH_STOP);
        return;
    }
    if (w->constraint) take_chosen(w, &c);
    take(w, c.token);
}

/* A device that failed under several answers fails each of them. */
static void fail(struct answer_writer *w, const struct err *why)
{
    *w->err = *why;
    w->session = NULL;
}

/* Head and choice for all that need the whole vocabulary, in one product. */
static void choose_whole(struct vlm_batch *b)
{
    struct vlm *v = b->v;
    size_t vocab = (size_t)v->shape->n_vocab;
    struct answer_writer *whole[DEVICE_RUN_MAX];
    struct device_place place[DEVICE_RUN_MAX];
    struct err err = {0};
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        struct answer_writer *w = b->writer[i];
        if (!w->session || !w->choosing || !w->whole) continue;
        place[n] = (struct device_place){w->session->state, 0};
        whole[n++] = w;
    }
    if (n == 0) return;
    device_head(v->device, place, n, v->logits, &err);
    for (int i = 0; i < n; i++)
        if (err_failed(&err))
            fail(whole[i], &err);
        else
            choose(v, whole[i], v->logits + (size_t)i * vocab);
}

static void choose_all(struct vlm_batch *b)
{
    choose_whole(b);
    for (int i = 0; i < b->n; i++) {
        struct answer_writer *w = b->writer[i];
        if (!w->session || !w->choosing || w->whole) continue;
        pick_rows(b->v, w);
        if (err_failed(w->err))
            w->session = NULL;
        else
            choose(b->v, w, b->v->logits);
    }
}

/* Reads what the step took, all sequences together. */
static void read_all(struct vlm_batch *b)
{
    struct answer_writer *reader[DEVICE_RUN_MAX];
    struct err err = {0};
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        struct vlm_session *s = b->writer[i]->session;
        if (!s || !s->n_pending) continue;
        int size = s->n_pending;
        s->n_pending = 0;
        if (!vlm_fits(s, size, b->writer[i]->err)) {
            b->writer[i]->session = NULL;
            continue;
        }
        reader[n] = b->writer[i];
        b->part[n++] =
            (struct vlm_part){.session = s, .token = s->pending, .n = size};
    }
    vlm_read(b->v, b->part, n, &err);
    for (int i = 0; i < n && err_failed(&err); i++)
        fail(reader[i], &err);
}

static void drop_ended(struct vlm_batch *b)
{
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        if (b->writer[i]->session)
            b->writer[n++] = b->writer[i];
        else
            writer_free(b->v, b->writer[i]);
    }
    b->n = n;
}

int vlm_batch_step(struct vlm_batch *b)
{
    for (int i = 0; i < b->n; i++)
        plan(b->writer[i]);
    choose_all(b);
    read_all(b);
    drop_ended(b);
    return b->n;
}

void vlm_generate_batch(struct vlm_session *const *s,
                        const struct vlm_request *const *request, int n,
                        struct arena *arena, struct vlm_answer *answer,
                        struct err *err)
{
    if (err_failed(err) || n <= 0) return;
    struct vlm_batch *b = vlm_batch_new(s[0]->v);
    struct err *own = mem_take((size_t)n, sizeof *own);
    int next = 0, most = s[0]->v->options.n_batch_max;
    do {
        while (next < n && b->n < most) {
            vlm_batch_admit(b, s[next], request[next], arena, &answer[next],
                            &own[next]);
            next++;
        }
    } while (vlm_batch_step(b) || next < n);
    for (int i = 0; i < n && !err_failed(err); i++)
        if (err_failed(&own[i])) *err = own[i];
    mem_give(own);
    vlm_batch_free(b);
}

void vlm_generate(struct vlm_session *s, const struct vlm_request *request,
                  struct arena *arena, struct vlm_answer *answer,
                  struct err *err)
{
    vlm_generate_batch(&s, &request, 1, arena, answer, err);
}
