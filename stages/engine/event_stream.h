/* event_stream.h - a chat completion that comes as an event stream, although
 * none was requested.
 *
 * Some servers and proxies always stream: lines "data: {...}", each with a part
 * of the message, and "data: [DONE]" at the end.
 */
#ifndef STAGES_ENGINE_EVENT_STREAM_H
#define STAGES_ENGINE_EVENT_STREAM_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "vlm/base/span.h"

/* Whether the body is an event stream. JSON and HTML are not. */
bool event_stream_is(struct span body);

/* The completion that its parts make up, as if it had not been streamed; or the
 * error that it contains, {"error": ...}. NULL: it is damaged, or breaks off
 * before its end. The caller frees it. */
cJSON *event_stream_read(struct span body);

#endif
