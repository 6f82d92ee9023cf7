/* bench_serve.h - a model under the load of a server: documents beside each other,
 * how long each waits for its first token, and turns that find their past read.
 *
 * A closed loop, as vLLM's benchmark_serving with --max-concurrency: so many
 * documents are in flight at all times, the next begins when one is answered. An
 * answer is free text of so many tokens (a string that may not end before).
 */
#ifndef PIPELINE_BENCH_BENCH_SERVE_H
#define PIPELINE_BENCH_BENCH_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/vlm.h"

struct bench_serve {
    struct vlm *v;             /* n_batch_max at least `n_session` */
    const struct image *image; /* shown to each, or NULL */
    const int32_t *token;      /* [n_prompt * n_document], the prompts */
    int n_session;             /* in flight */
    int n_document; /* measured; as many as sessions go before, unmeasured */
    int n_prompt, n_answer; /* tokens of each */
    int n_turn;             /* of bench_serve_turns */
    bool json;              /* a JSON object a line, else for people */
};

/* Prints ttft (from a document's turn to its first token), tpot (of those behind
 * it), e2el (all of it) as mean and percentiles, and tokens a second by stage.
 * FAIL: as vlm_feed_tokens and vlm_generate; [context-full]. */
void bench_serve_run(const struct bench_serve *b, struct err *err);

/* Prints for each turn of one conversation the time to its first token where what
 * came before stays read, and where all of it is read anew. FAIL: likewise. */
void bench_serve_turns(const struct bench_serve *b, struct err *err);

#endif
