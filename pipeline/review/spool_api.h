/* spool_api.h - the documents of the whole spool, for /api/v1 (openapi.json).
 * Handlers of routes.h; each sets the reply. */
#ifndef PIPELINE_REVIEW_SPOOL_API_H
#define PIPELINE_REVIEW_SPOOL_API_H

#include "pipeline/review/routes.h"

#define SPOOL_API(name)                                              \
    void spool_api_##name(struct routes *r, const struct request *q, \
                          struct span body, struct request_reply *reply)

/* Is it the name of a schema, or auto? */
bool spool_api_is_schema(const struct routes *r, const char *name);

SPOOL_API(me);
SPOOL_API(schemas);
SPOOL_API(counts);
SPOOL_API(list);
SPOOL_API(document);
SPOOL_API(delete);
SPOOL_API(original);
SPOOL_API(retry);
SPOOL_API(dismiss);
SPOOL_API(unlock);
SPOOL_API(prune);

#endif
