/* engine_endpoint_probe.h - is the endpoint there, apart from any document? */
#ifndef STAGES_ENGINE_ENGINE_ENDPOINT_PROBE_H
#define STAGES_ENGINE_ENGINE_ENDPOINT_PROBE_H

#include "stages/engine/engine.h"

/* Asks for the list of models, a request that no document can spoil; at most
 * 5 s, or until `stop` (may be NULL) says so. Whatever an endpoint that works
 * may answer, an unknown path included, is well. FAIL: [endpoint-failed] when
 * nobody answers, or only that it is not ready; [endpoint-refused] when the
 * key does not open it. */
void engine_endpoint_probe(const struct settings *settings,
                           bool (*stop)(void *arg), void *stop_arg,
                           struct err *err);

#endif
