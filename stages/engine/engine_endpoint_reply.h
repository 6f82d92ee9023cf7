/* engine_endpoint_reply.h - interprets the reply to a request.
 *
 * The server is not trusted: the body has a limit, and a truncated answer is a
 * failure. There are four kinds of failure:
 *   endpoint-failed    no server, busy or broken: timeouts, 408, 429, 5xx
 *   endpoint-refused   no access, or not this model: 401, 403, 404 ...
 *   endpoint-invalid   HTTP 200, but no chat completion: a proxy's page, half
 *                      an answer, a server of another kind
 *   endpoint-rejected  this request was not answered: 400, 413, a completion
 *                      without text, or with an empty one (ERR_ANSWER)
 * A single reply of the last two kinds does not show whether other requests
 * would be answered; engine_endpoint.c tests that.
 */
#ifndef STAGES_ENGINE_ENGINE_ENDPOINT_REPLY_H
#define STAGES_ENGINE_ENGINE_ENDPOINT_REPLY_H

#include "stages/document/document.h"
#include "stages/engine/fetch_wire.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"

struct engine_endpoint_reply {
    struct buf body;
    int status;         /* HTTP status, 0: no reply */
    double retry_after; /* delay requested by the server in seconds, 0: none */
    enum fetch_outcome outcome;
    char text[FETCH_TEXT]; /* why there is no reply */
};

/* The message in a reply. */
struct engine_endpoint_answer {
    struct span text;
    int n_prompt, n_sampled; /* tokens as counted by the server; 0: unknown */
    unsigned dialect;        /* where it was (endpoint_dialect.h) */
    bool refused;            /* there is none, but an HTTP error */
    bool only_thought;       /* cut off before it began: all was reasoning */
    struct document_token_probs
        token_probs; /* the text's token probabilities, if any */
};

/* Whether a retry can help: no reply, a broken one, a busy server, or a reply
 * that is not a chat completion. */
bool engine_endpoint_reply_passes(const struct engine_endpoint_reply *r);

/* The bit of endpoint_dialect.h for the member of the request that a refusal
 * names and that is not in `dialect`; 0: none. */
unsigned engine_endpoint_reply_names(const struct engine_endpoint_reply *r,
                                     unsigned dialect);

/* Reads the answer in a reply from `url`; its text lives in the arena. Counts
 * and text are filled in even if it was cut off. FAIL: the four reasons above,
 * [cancelled]; [model-server-lost]; [context-full], also for an answer cut off before max_tokens;
 * [model-truncated] for any other that did not end by itself. */
void engine_endpoint_reply_read(const struct engine_endpoint_reply *r,
                                const char *url, int max_tokens,
                                struct arena *arena,
                                struct engine_endpoint_answer *answer,
                                struct err *err);

#endif
