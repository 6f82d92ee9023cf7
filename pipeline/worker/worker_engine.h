/* worker_engine.h - a worker's engine, opened for the first document that needs it.
 *
 * An engine may have its model with a reader (model_server.h), which may end at any time.
 * The document at hand is then asked again, with the next reader; at its third try
 * with a model of this worker's own, so that what ends readers can end only
 * this worker, which is charged to the document as ever. It keeps that model for a
 * minute: where readers end one after the other, nobody waits for the next.
 */
#ifndef PIPELINE_WORKER_WORKER_ENGINE_H
#define PIPELINE_WORKER_WORKER_ENGINE_H

#include "stages/engine/engine.h"

struct worker_engine {
    struct engine *engine;    /* NULL: not open */
    struct settings settings; /* it was opened with */
    int n_lost;               /* readers, of the document at hand */
    double alone_until;
};

/* The next document. */
void worker_engine_next(struct worker_engine *w);

/* Opens it unless it is open. FAIL: as engine_open. */
void worker_engine_open(struct worker_engine *w,
                        const struct settings *settings, struct err *err);

/* Opens it anew, whatever became of it: one that failed may be beyond help. False
 * when it cannot be opened, and `why`: so it is no document's fault. */
bool worker_engine_renew(struct worker_engine *w,
                         const struct settings *settings, struct err *why);

/* Is the failure that the reader was lost? Then the engine is closed, and the
 * failure forgotten: the document can be asked again. */
bool worker_engine_lost(struct worker_engine *w, struct err *err);

#endif
