/* bench_serve.h - benchmark of a model under a server-like load: concurrent
 * documents, time to the first token, and conversations with and without a
 * prefix cache.
 *
 * A closed loop like vLLM's benchmark_serving with --max-concurrency: a
 * constant number of documents is in flight, and the next starts when one is
 * done. An answer is free text of exactly n_answer tokens (a string that
 * cannot end earlier).
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
    int n_session;             /* documents in flight */
    int n_document; /* documents measured, after n_session for warm-up */
    int n_prompt, n_answer; /* tokens of each document */
    int n_turn;             /* for bench_serve_turns */
    bool json;              /* one JSON object per line, else text */
};

/* Prints ttft (from a document's start to its first token), tpot (time per
 * further token) and e2el (total time) as mean and percentiles, and tokens per
 * second by stage. FAIL: as vlm_feed_tokens and vlm_generate;
 * [context-full]. */
void bench_serve_run(const struct bench_serve *b, struct err *err);

/* Prints for each turn of a conversation the time to its first token if earlier
 * turns are cached, and if all of them are processed again. FAIL: likewise. */
void bench_serve_turns(const struct bench_serve *b, struct err *err);

#endif
