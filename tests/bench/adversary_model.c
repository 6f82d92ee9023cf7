/* adversary_model.c - `make adversary-model`: 100,000 answers by a model of
 * random weights at temperature 1.5, through vlm_generate.
 *
 * adversary_model [outputs [seed]], in proportions as adversary_bench.
 */
#include "tests/support/adversary.h"

#include <stdio.h>
#include <stdlib.h>

#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

enum { TOKEN_MAX = 300, OUTPUTS = 100000, SCHEMAS = 1000 };

struct model {
    struct vlm *v;
    struct vlm_session *session;
    struct arena *arena;
    uint64_t seed;
    struct err err;
    long n_finish[VLM_FINISH_CANCELLED + 1];
};

static bool write_answer(void *arg, const struct grammar *g, struct buf *text)
{
    struct model *m = arg;
    struct vlm_answer answer = {0};
    struct vlm_request request = {
        .grammar = g,
        .max_tokens = TOKEN_MAX,
        .sampling = {.temperature = 1.5f, .top_p = 1, .seed = ++m->seed}};
    arena_reset(m->arena);
    vlm_session_clear(m->session);
    vlm_feed_text(m->session, span_of("Write."), false, &m->err);
    vlm_generate(m->session, &request, m->arena, &answer, &m->err);
    if (err_failed(&m->err)) return false;
    m->n_finish[answer.finish]++;
    buf_add(text, answer.text.data, answer.text.size);
    return answer.finish == VLM_FINISH_STOP;
}

int main(int argc, char **argv)
{
    int n_output = argc > 1 ? (int)strtol(argv[1], NULL, 10) : OUTPUTS;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct model m = {.arena = arena_new(), .seed = seed << 32};
    m.v =
        vlm_open(&(struct vlm_options){.model = "tests/vectors/micro-q8_0.gguf",
                                       .n_ctx = 2 * TOKEN_MAX,
                                       .n_thread = 1},
                 &m.err);
    m.session = vlm_session_open(m.v, &m.err);
    if (err_failed(&m.err)) {
        printf("adversary-model: %s\n", m.err.text);
        return 1;
    }
    struct adversary a = {.trie = vlm_trie(m.v),
                          .bits.state = seed,
                          .write = write_answer,
                          .write_arg = &m};
    int each = n_output * 9 / 10 / SCHEMAS;
    int shipped = (n_output - each * SCHEMAS + 5) / 6;
    bool ok = adversary_attack_shipped(&a, shipped) &&
              adversary_attack_random(&a, seed, SCHEMAS, each) &&
              !err_failed(&m.err);
    adversary_print(&a, "adversary-model");
    printf("%ld complete, %ld [model-truncated], %ld [model-loop]\n",
           m.n_finish[VLM_FINISH_STOP], m.n_finish[VLM_FINISH_LENGTH],
           m.n_finish[VLM_FINISH_LOOP]);
    if (!ok) printf("adversary-model: WRONG: %s %s\n", a.what, m.err.text);
    vlm_session_close(m.session);
    vlm_close(m.v);
    arena_free(m.arena);
    return ok ? 0 : 1;
}
