/* engine_endpoint_reply.h - what came back of one request, and what it means.
 *
 * Nothing here trusts the server: the body has a limit, and an answer that was
 * cut off is a failure. Four kinds of failure are told apart:
 *   endpoint-failed    nobody there, busy, or broken: time-outs, 408, 429, 5xx
 *   endpoint-refused   nobody may ask, or not this model: 401, 403, 404 ...
 *   endpoint-invalid   HTTP 200 and no chat completion: a proxy's page, half
 *                      an answer, somebody who speaks another language
 *   endpoint-rejected  this request was not answered: 400, 413, a completion
 *                      without text
 * From one reply of the last two kinds it cannot be known whether any other
 * request would be answered; engine_endpoint.c asks.
 */
#ifndef STAGES_ENGINE_ENGINE_ENDPOINT_REPLY_H
#define STAGES_ENGINE_ENGINE_ENDPOINT_REPLY_H

#include <curl/curl.h>

#include "stages/document.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

enum { ENGINE_ENDPOINT_BODY_MAX = 32 << 20 };

struct engine_endpoint_reply {
    struct buf body;
    long status;        /* HTTP, 0: none came */
    double retry_after; /* seconds the server asked for, 0: none */
    CURLcode code;
    char text[CURL_ERROR_SIZE];
};

/* The message in a reply. */
struct engine_endpoint_answer {
    struct span text;
    int n_prompt, n_sampled;   /* tokens, as the server counts; 0: not said */
    struct document_told told; /* of the text, where the server says so */
};

/* Sets curl up to fill in *r, which starts empty. */
void engine_endpoint_reply_begin(struct engine_endpoint_reply *r, CURL *curl);

/* Worth another try: nothing came, it broke off, the server is busy, or what
 * came is no chat completion. */
bool engine_endpoint_reply_passes(const struct engine_endpoint_reply *r);

/* Was it refused for the logprobs that it asked for, by its own words? */
bool engine_endpoint_reply_spurns(const struct engine_endpoint_reply *r);

/* The answer of a reply from `url`; its text lives in the arena; counts
 * and text are filled in when it was cut off, too. FAIL: the four reasons
 * above, [cancelled], [context-full] also for an answer that was cut off before
 * it had max_tokens, [model-truncated] for any other that did not come to its
 * own end. */
void engine_endpoint_reply_read(const struct engine_endpoint_reply *r,
                                const char *url, int max_tokens,
                                struct arena *arena,
                                struct engine_endpoint_answer *answer,
                                struct err *err);

#endif
