/* upload_api.h - adding documents, for /api/v1 (openapi.json). Handlers of
 * routes.h. A document in one request is an upload whose pieces the server hands
 * over as they arrive (document_stream.h): open, append, end or drop. */
#ifndef PIPELINE_REVIEW_UPLOAD_API_H
#define PIPELINE_REVIEW_UPLOAD_API_H

#include "pipeline/review/routes.h"

#define UPLOAD_API(name)                                              \
    void upload_api_##name(struct routes *r, const struct request *q, \
                           struct span body, struct request_reply *reply)

UPLOAD_API(begin);
UPLOAD_API(get);
UPLOAD_API(continue);
UPLOAD_API(cancel);
UPLOAD_API(open);
UPLOAD_API(append);
UPLOAD_API(end);
UPLOAD_API(drop);
UPLOAD_API(sweep);

#endif
