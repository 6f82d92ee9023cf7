/* bench_serve.c - see bench_serve.h. */
#include "pipeline/bench/bench_serve.h"

#include <stdio.h>
#include <stdlib.h>

#include "vlm/base/clock.h"
#include "vlm/base/sort.h"
#include "vlm/grammar/grammar.h"
#include "vlm/schema/schema.h"

/* A string that cannot end by itself, so max_tokens determines its length. */
static const char endless[] =
    "{\"type\":\"string\",\"minLength\":100000,\"maxLength\":200000}";

enum { WARM, MEASURED, N_PHASE };

/* A document in flight. */
struct client {
    struct vlm_session *session;
    struct vlm_answer answer;
    struct err err;
    double started, first, last; /* clock_seconds; first 0: no token yet */
    bool busy;
};

struct loop {
    const struct bench_serve *b;
    struct client *client; /* [n_session] */
    struct vlm_batch *batch;
    struct vlm_request request;
    struct grammar *grammar;
    struct arena *arena;
    double *ttft, *tpot, *e2el; /* [n_document], ms */
    int n_started, n_done;
    int64_t n_read, n_written; /* tokens */
    double read_s, write_s;    /* seconds of prefill and of decoding */
};

/* --- one document --- */

/* Feeds the image and the prompt; the time counts as prefill. */
static void feed(struct loop *l, struct client *c, struct err *err)
{
    const struct bench_serve *b = l->b;
    const int32_t *token =
        b->token + (size_t)(l->n_started % b->n_document) * (size_t)b->n_prompt;
    double start = clock_seconds();
    vlm_session_clear(c->session);
    if (b->image) vlm_feed_image(c->session, b->image, err);
    vlm_feed_tokens(c->session, token, b->n_prompt, err);
    vlm_batch_admit(l->batch, c->session, &l->request, l->arena, &c->answer,
                    err);
    l->read_s += clock_seconds() - start;
    l->n_read += vlm_session_length(c->session);
}

static void start_document(struct loop *l, struct client *c, double since,
                           struct err *err)
{
    c->started = since;
    c->first = 0;
    c->err = (struct err){0};
    feed(l, c, &c->err);
    c->busy = true;
    l->n_started++;
    *err = c->err;
}

static void finish_document(struct loop *l, struct client *c, struct err *err)
{
    int n = c->answer.n_sampled + c->answer.n_forced;
    c->busy = false;
    if (err_failed(&c->err)) *err = c->err;
    if (err_failed(err)) return;
    l->ttft[l->n_done] = (c->first - c->started) * 1000;
    l->tpot[l->n_done] = n > 1 ? (c->last - c->first) * 1000 / (n - 1) : 0;
    l->e2el[l->n_done++] = (c->last - c->started) * 1000;
    l->n_written += n;
}

static void step_batch(struct loop *l, struct err *err)
{
    double start = clock_seconds();
    vlm_batch_step(l->batch);
    double now = clock_seconds();
    l->write_s += now - start;
    for (int i = 0; i < l->b->n_session && !err_failed(err); i++) {
        struct client *c = &l->client[i];
        if (!c->busy) continue;
        if (!(c->first > 0)) c->first = now;
        c->last = now;
        if (!vlm_batch_writing(l->batch, c->session))
            finish_document(l, c, err);
    }
}

/* Runs `n` documents, keeping all sessions busy until the last has started. */
static void run_documents(struct loop *l, int n, struct err *err)
{
    double since = clock_seconds();
    l->n_started = l->n_done = 0;
    l->n_read = l->n_written = 0;
    l->read_s = l->write_s = 0;
    while (l->n_done < n && !err_failed(err)) {
        for (int i = 0; i < l->b->n_session && !err_failed(err); i++)
            if (!l->client[i].busy && l->n_started < n)
                start_document(l, &l->client[i], since, err);
        if (!err_failed(err)) step_batch(l, err);
        since = clock_seconds();
    }
}

/* --- figures --- */

/* Nearest-rank percentile of sorted values. */
static double percentile(const double *x, int n, int percent)
{
    int rank = (percent * n + 99) / 100;
    return x[rank > 0 ? rank - 1 : 0];
}

static void print_times(const struct loop *l, const char *name, double *x)
{
    int n = l->n_done;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    sort_doubles(x, (size_t)n);
    if (l->b->json)
        printf(",\"%s\":{\"mean\":%.3f,\"p50\":%.3f,\"p90\":%.3f,"
               "\"p99\":%.3f}",
               name, sum / n, percentile(x, n, 50), percentile(x, n, 90),
               percentile(x, n, 99));
    else
        printf("  %-8s %10.1f mean %10.1f p50 %10.1f p90 %10.1f p99\n", name,
               sum / n, percentile(x, n, 50), percentile(x, n, 90),
               percentile(x, n, 99));
}

static double per_second(double n, double s)
{
    return s > 0 ? n / s : 0;
}

static void print_run(struct loop *l, double s)
{
    const struct bench_serve *b = l->b;
    double read = per_second((double)l->n_read, l->read_s);
    double written = per_second((double)l->n_written, l->write_s);
    double all = per_second((double)l->n_written, s);
    double documents = per_second(l->n_done, s);
    if (b->json)
        printf("{\"test\":\"serve\",\"sessions\":%d,\"documents\":%d,"
               "\"prompt_tokens\":%.1f,\"answer_tokens\":%.1f,\"t\":%d,"
               "\"duration_s\":%.4f,\"request_throughput\":%.4f,"
               "\"output_throughput\":%.3f,\"prefill_tps\":%.3f,"
               "\"decode_tps\":%.3f",
               b->n_session, l->n_done, (double)l->n_read / l->n_done,
               (double)l->n_written / l->n_done, vlm_threads(b->v), s,
               documents, all, read, written);
    else
        printf("%d documents, %d at a time: %.3f s, %.2f documents/s, "
               "prefill %.1f, decode %.1f, output %.1f tokens/s\n",
               l->n_done, b->n_session, s, documents, read, written, all);
    print_times(l, "ttft_ms", l->ttft);
    print_times(l, "tpot_ms", l->tpot);
    print_times(l, "e2el_ms", l->e2el);
    if (b->json) printf("}\n");
    fflush(stdout);
}

/* --- all of it --- */

static void open_loop(struct loop *l, int n_result, struct err *err)
{
    const struct bench_serve *b = l->b;
    struct schema *schema = schema_parse(span_of(endless), "answer", NULL, err);
    l->grammar = schema ? grammar_compile(schema, err) : NULL;
    schema_free(schema);
    l->request = (struct vlm_request){
        .grammar = l->grammar,
        .sampling = {.temperature = 1, .top_k = 20, .top_p = 0.95f, .seed = 1},
        .max_tokens = b->n_answer};
    l->client = mem_alloc((size_t)b->n_session, sizeof *l->client);
    for (int i = 0; i < b->n_session && !err_failed(err); i++)
        l->client[i].session = vlm_session_open(b->v, err);
    if (!err_failed(err)) l->batch = vlm_batch_new(b->v);
    l->ttft = mem_alloc((size_t)n_result, sizeof *l->ttft);
    l->tpot = mem_alloc((size_t)n_result, sizeof *l->tpot);
    l->e2el = mem_alloc((size_t)n_result, sizeof *l->e2el);
    l->arena = arena_new();
}

static void close_loop(struct loop *l)
{
    vlm_batch_free(l->batch);
    for (int i = 0; i < l->b->n_session; i++)
        vlm_session_close(l->client[i].session);
    mem_free(l->client);
    mem_free(l->ttft);
    mem_free(l->tpot);
    mem_free(l->e2el);
    grammar_free(l->grammar);
    arena_free(l->arena);
}

void bench_serve_run(const struct bench_serve *b, struct err *err)
{
    if (err_failed(err)) return;
    struct loop l = {.b = b};
    double start = 0;
    open_loop(&l, b->n_document + b->n_session, err);
    for (int phase = WARM; phase < N_PHASE && !err_failed(err); phase++) {
        start = clock_seconds();
        run_documents(&l, phase == WARM ? b->n_session : b->n_document, err);
    }
    if (!err_failed(err)) print_run(&l, clock_seconds() - start);
    close_loop(&l);
}

/* --- turns --- */

/* Seconds from the prompt to the first token of its answer. */
static double first_token(struct vlm_session *s, const int32_t *token, int n,
                          struct err *err)
{
    double start = clock_seconds();
    vlm_feed_tokens(s, token, n, err);
    vlm_logits(s, err);
    return clock_seconds() - start;
}

static void print_turn(const struct bench_serve *b, int turn, int before,
                       double warm, double cold)
{
    if (b->json)
        printf("{\"test\":\"turn\",\"turn\":%d,\"cached_tokens\":%d,"
               "\"new_tokens\":%d,\"t\":%d,\"ttft_ms\":%.3f,"
               "\"ttft_uncached_ms\":%.3f}\n",
               turn, before, b->n_prompt, vlm_threads(b->v), warm * 1000,
               cold * 1000);
    else
        printf("turn %d: %d tokens after %d cached: first token after %.1f ms, "
               "%.1f ms without the cache\n",
               turn, b->n_prompt, before, warm * 1000, cold * 1000);
    fflush(stdout);
}

/* The uncached time: the conversation's number of tokens, in another
 * session. */
static double read_uncached(struct vlm_session *s, const struct bench_serve *b,
                            int n, struct err *err)
{
    double start = clock_seconds();
    vlm_session_clear(s);
    for (int done = 0; done < n && !err_failed(err); done += b->n_prompt)
        vlm_feed_tokens(s, b->token,
                        n - done < b->n_prompt ? n - done : b->n_prompt, err);
    first_token(s, b->token, b->n_prompt, err);
    return clock_seconds() - start;
}

void bench_serve_turns(const struct bench_serve *b, struct err *err)
{
    if (err_failed(err)) return;
    struct loop l = {.b = b};
    open_loop(&l, 1, err);
    struct vlm_session *s = l.client[0].session;
    struct vlm_session *other =
        err_failed(err) ? NULL : vlm_session_open(b->v, err);
    if (!err_failed(err)) first_token(other, b->token, b->n_prompt, err);
    for (int turn = 1; turn <= b->n_turn && !err_failed(err); turn++) {
        int before = vlm_session_length(s);
        const int32_t *token = b->token + (size_t)((turn - 1) % b->n_document) *
                                              (size_t)b->n_prompt;
        double warm = first_token(s, token, b->n_prompt, err);
        double cold = read_uncached(other, b, before, err);
        if (!err_failed(err)) print_turn(b, turn, before, warm, cold);
        vlm_generate(s, &l.request, l.arena, &l.client[0].answer, err);
    }
    vlm_session_close(other);
    close_loop(&l);
}
