/* engine_endpoint_probe.h - is the endpoint there, apart from any document? */
#ifndef STAGES_ENGINE_ENGINE_ENDPOINT_PROBE_H
#define STAGES_ENGINE_ENGINE_ENDPOINT_PROBE_H

#include <curl/curl.h>

#include "stages/engine/engine.h"
#include "vlm/base/buf.h"

/* One GET of what lies beside the endpoint's /v1. */
struct engine_endpoint_get {
    int most_ms;
    bool (*stop)(void *arg); /* or NULL */
    void *stop_arg;
    /* what came: */
    char url[4096]; /* as it may be shown: without a password */
    CURLcode code;
    long status; /* HTTP, 0: none came */
    struct buf body;
};

/* Gets SERVER/path into *get, its first half filled in by the caller, who frees
 * the body. A body of more than 1 MiB breaks off. FAIL: ERR_SYSTEM where libcurl
 * cannot be started; everything else is in *get. */
void engine_endpoint_get(const struct settings *settings, const char *path,
                         struct engine_endpoint_get *get, struct err *err);

enum { ENGINE_ENDPOINT_MODEL_SIZE = 256, ENGINE_ENDPOINT_MODELS_SIZE = 512 };

/* What a server says of itself. */
struct engine_endpoint_said {
    bool there; /* it said anything, or there was nothing to ask */
    int n_ctx; /* tokens of its context, at most 65,536; 0: not said, or nonsense */
    char
        model[ENGINE_ENDPOINT_MODEL_SIZE]; /* the only one that it has; or "" */
    char models[ENGINE_ENDPOINT_MODELS_SIZE]; /* names of several, or "" */
};

/* Asks for what is not configured: the context's size (n_ctx) by `/props`
 * (llama-server) or `/v1/models` (vLLM), and the model (endpoint_model) by
 * `/v1/models`. Takes 3 s at most, and never fails. */
void engine_endpoint_discover(const struct settings *settings,
                              struct engine_endpoint_said *out);

/* Asks for the list of models, a request that no document can spoil; at most
 * 5 s, or until `stop` (may be NULL) says so. Whatever an endpoint that works
 * may answer, an unknown path included, is well. FAIL: [endpoint-failed] when
 * nobody answers, or only that it is not ready; [endpoint-refused] when the
 * key does not open it. */
void engine_endpoint_probe(const struct settings *settings,
                           bool (*stop)(void *arg), void *stop_arg,
                           struct err *err);

#endif
