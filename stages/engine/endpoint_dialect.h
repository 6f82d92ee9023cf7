/* endpoint_dialect.h - in what an endpoint differs from the request that platen
 * sends first, and the reply that it expects: one table.
 *
 * A dialect is a set of the bits below, 0 at the start. It is learnt from
 * replies (engine_endpoint.c) and belongs to the endpoint, not to a document:
 * struct engine carries it from reader to reader.
 */
#ifndef STAGES_ENGINE_ENDPOINT_DIALECT_H
#define STAGES_ENGINE_ENDPOINT_DIALECT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/buf.h"

enum {
    /* what it refuses in a request */
    ENDPOINT_NO_TEMPLATE = 1 << 0,    /* chat_template_kwargs */
    ENDPOINT_NO_MAX_TOKENS = 1 << 1,  /* wants max_completion_tokens */
    ENDPOINT_NO_TEMPERATURE = 1 << 2, /* temperature */
    ENDPOINT_NO_SEED = 1 << 3,        /* seed */
    ENDPOINT_NO_LOGPROBS = 1 << 4,    /* logprobs, top_logprobs */
    ENDPOINT_NO_SCHEMA = 1 << 5, /* json_schema; response_format: json_object */
    ENDPOINT_NO_FORMAT = 1 << 6, /* response_format */
    ENDPOINT_REFUSED = (1 << 7) - 1, /* all of these */
    /* where a reply has its answer */
    ENDPOINT_IN_REASONING = 1 << 7, /* reasoning_content or reasoning */
    ENDPOINT_IN_PARTS = 1 << 8,     /* a list of parts */
    ENDPOINT_IN_EVENTS = 1 << 9,    /* an event stream */
    ENDPOINT_DIALECT = (1 << 10) - 1
};

/* The members of a request that a dialect decides about. */
struct endpoint_options {
    int max_tokens;
    int64_t seed;
    double temperature;
    bool logprobs;
    const char *name; /* of the schema */
    cJSON *schema;    /* taken over */
};

/* Adds them to the request. */
void endpoint_dialect_add(cJSON *request, unsigned dialect,
                          const struct endpoint_options *options);

/* The bit for the member that the text of a refusal names first, and that is
 * not in `dialect` yet; 0: none. */
unsigned endpoint_dialect_named(const char *text, unsigned dialect);

/* Appends the dialect in words: "no seed, answers as event stream". */
void endpoint_dialect_print(unsigned dialect, struct buf *out);

#endif
