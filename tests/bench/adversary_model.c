/* adversary_model.c - `make adversary-model`: 100,000 answers by models of
 * random weights at temperature 1.5, through vlm_generate_batch.
 *
 * adversary_model [outputs [seed]], in proportions as adversary_bench. Small
 * models of the family mean as ill as large ones. All have the same vocabulary,
 * in which many tokens begin, end or span several values. One model takes any
 * token about as gladly as another and so hardly ever ends a string; in the
 * others the rows of the head for what closes things are louder, so that they
 * do, at times that nobody can foresee. They take turns.
 */
#include "tests/support/adversary.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/vocab_gen.h"
#include "tests/synth/synth.h"
#include "vlm/model/gguf.h"
#include "vlm/sample/sampler.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

enum {
    OUTPUTS = 100000,
    SCHEMAS = 1000,
    VOCAB = 1280,
    TOKEN_MAX = REPEAT_TOKENS - 2, /* too few to be a loop */
    ROUND_MAX = 30,                /* answers that are written together */
    MODELS = 3
};

static const float loudness[MODELS] = {1, 4, 8};

struct model {
    struct vlm *v;
    struct vlm_session *session[ROUND_MAX];
};

struct models {
    struct model model[MODELS];
    struct arena *arena; /* of the round */
    struct vlm_answer answer[ROUND_MAX];
    int n_answer, at, turn;
    uint64_t seed;
    struct err err;
    long n_finish[VLM_FINISH_CANCELLED + 1], n_sampled, n_forced;
};

/* Rows of the head for tokens that close a string, an object or a list. */
static void make_louder(struct span bytes, float by, struct err *err)
{
    struct gguf *g = gguf_open_bytes(bytes, "synth", err);
    struct tokenizer *t = tokenizer_open(g, err);
    if (err_failed(err)) return;
    const struct gguf_tensor *head = gguf_find_tensor(g, "output.weight");
    size_t at = (size_t)((const char *)head->data - bytes.data);
    float *w = (float *)(void *)((char *)(uintptr_t)bytes.data + at);
    for (int i = 0; i < tokenizer_size(t); i++) {
        struct span token = tokenizer_bytes(t, i);
        if (!token.size || !strchr("\"]}", token.data[0])) continue;
        for (int64_t k = 0; k < head->ne[0]; k++)
            w[i * head->ne[0] + k] *= by;
    }
    tokenizer_close(t);
    gguf_close(g);
}

static void make_model(const char *path, float by, uint64_t seed,
                       struct err *err)
{
    struct arena *arena = arena_new();
    struct vocab_gen v = vocab_gen(VOCAB, seed);
    struct synth_options o = {.preset = "nano",
                              .type = "F32",
                              .untied = true,
                              .seed = seed,
                              .n_vocab = VOCAB,
                              .extra = v.bytes,
                              .n_extra = v.n};
    struct span bytes = synth_bytes(&o, 16 << 20, arena, err);
    make_louder(bytes, by, err);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(bytes.data, 1, bytes.size, out) != bytes.size)
        err_errno(err, "%s", path);
    if (out && fclose(out)) err_errno(err, "%s", path);
    arena_free(v.arena);
    arena_free(arena);
}

static void open_model(struct model *m, float by, uint64_t seed,
                       struct vocab_trie **trie, struct err *err)
{
    static const char path[] = "build/adversary.gguf";
    make_model(path, by, seed, err);
    m->v = vlm_open(&(struct vlm_options){.model = path,
                                          .n_ctx = 2 * TOKEN_MAX,
                                          .n_thread = 1,
                                          .n_batch_max = ROUND_MAX},
                    err);
    struct gguf *g = gguf_open(path, err);
    struct tokenizer *t = tokenizer_open(g, err);
    if (!err_failed(err) && !*trie) *trie = vocab_trie_new(t);
    tokenizer_close(t);
    gguf_close(g);
    remove(path); /* it is mapped */
    for (int i = 0; i < ROUND_MAX && !err_failed(err); i++)
        m->session[i] = vlm_session_open(m->v, err);
}

static void write_round(struct models *m, const struct grammar *g, int n)
{
    struct model *by = &m->model[m->turn++ % MODELS];
    struct vlm_request request[ROUND_MAX];
    const struct vlm_request *each[ROUND_MAX];
    m->n_answer = n < ROUND_MAX ? n : ROUND_MAX;
    m->at = 0;
    arena_reset(m->arena);
    for (int i = 0; i < m->n_answer; i++) {
        request[i] = (struct vlm_request){
            .grammar = g,
            .max_tokens = TOKEN_MAX,
            .sampling = {.temperature = 1.5f, .top_p = 1, .seed = ++m->seed}};
        each[i] = &request[i];
        vlm_session_clear(by->session[i]);
        vlm_feed_text(by->session[i], span_of("Write."), false, &m->err);
    }
    vlm_generate_batch(by->session, each, m->n_answer, m->arena, m->answer,
                       &m->err);
}

static bool write_answer(void *arg, const struct grammar *g, int n_left,
                         struct buf *text)
{
    struct models *m = arg;
    if (m->at == m->n_answer) write_round(m, g, n_left);
    if (err_failed(&m->err)) return false;
    const struct vlm_answer *a = &m->answer[m->at++];
    m->n_finish[a->finish]++;
    m->n_sampled += a->n_sampled;
    m->n_forced += a->n_forced;
    buf_add(text, a->text.data, a->text.size);
    return a->finish == VLM_FINISH_STOP;
}

static void close_models(struct models *m)
{
    for (int i = 0; i < MODELS; i++) {
        for (int k = 0; k < ROUND_MAX; k++)
            vlm_session_close(m->model[i].session[k]);
        vlm_close(m->model[i].v);
    }
    arena_free(m->arena);
}

int main(int argc, char **argv)
{
    int n_output = argc > 1 ? (int)strtol(argv[1], NULL, 10) : OUTPUTS;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct models m = {.arena = arena_new(), .seed = seed << 32};
    struct vocab_trie *trie = NULL; /* the same for all */
    for (int i = 0; i < MODELS; i++)
        open_model(&m.model[i], loudness[i], seed, &trie, &m.err);
    if (err_failed(&m.err)) {
        printf("adversary-model: %s\n", m.err.text);
        return 1;
    }
    struct adversary a = {.trie = trie,
                          .bits.state = seed,
                          .write = write_answer,
                          .write_arg = &m};
    int each = n_output * 9 / 10 / SCHEMAS;
    int shipped = (n_output - each * SCHEMAS + 5) / 6;
    bool ok = adversary_attack_shipped(&a, shipped) &&
              adversary_attack_random(&a, seed, SCHEMAS, each) &&
              !err_failed(&m.err);
    adversary_print(&a, "adversary-model");
    printf("%ld complete, %ld [model-truncated], %ld [model-loop]; %ld tokens "
           "sampled, %ld forced\n",
           m.n_finish[VLM_FINISH_STOP], m.n_finish[VLM_FINISH_LENGTH],
           m.n_finish[VLM_FINISH_LOOP], m.n_sampled, m.n_forced);
    if (!ok) printf("adversary-model: WRONG: %s %s\n", a.what, m.err.text);
    if (m.n_finish[VLM_FINISH_STOP] + m.n_finish[VLM_FINISH_LENGTH] !=
        a.counts.n_output) {
        printf("adversary-model: WRONG: an answer ended otherwise\n");
        ok = false;
    }
    vocab_trie_free(trie);
    close_models(&m);
    return ok ? 0 : 1;
}
