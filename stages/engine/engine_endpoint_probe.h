/* engine_endpoint_probe.h - checks and queries the endpoint, without a
 * document. */
#ifndef STAGES_ENGINE_ENGINE_ENDPOINT_PROBE_H
#define STAGES_ENGINE_ENGINE_ENDPOINT_PROBE_H

#include "stages/engine/endpoint_sender.h"

enum { ENGINE_ENDPOINT_MODEL_SIZE = 256, ENGINE_ENDPOINT_MODELS_SIZE = 512 };

/* What a server reports about itself. */
struct engine_endpoint_info {
    bool there; /* it replied, or there was nothing to ask */
    int n_ctx;  /* context in tokens, at most 65,536; 0: unknown or invalid */
    char model[ENGINE_ENDPOINT_MODEL_SIZE];   /* its only model; or "" */
    char models[ENGINE_ENDPOINT_MODELS_SIZE]; /* names of several, or "" */
};

/* Queries what is not configured: the context size (n_ctx) from `/props`
 * (llama-server) or `/v1/models` (vLLM), and the model (endpoint_model) from
 * `/v1/models`. Takes at most 3 s, and never fails. */
void engine_endpoint_discover(const struct settings *settings,
                              struct endpoint_sender *sender,
                              struct engine_endpoint_info *out);

/* Requests the list of models, which depends on no document; for at most 5 s,
 * or until `stop` (can be NULL) returns true. Any reply that a working endpoint
 * can give is accepted, including an unknown path. FAIL: [endpoint-failed]
 * without a reply, or if the server is not ready; [endpoint-refused] if the key
 * is not accepted. */
void engine_endpoint_probe(const struct settings *settings,
                           bool (*stop)(void *arg), void *stop_arg,
                           struct err *err);

#endif
