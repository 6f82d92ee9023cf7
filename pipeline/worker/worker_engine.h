/* worker_engine.h - a worker's engine, opened for the first document that needs
 * it.
 *
 * The model can be in a model server (model_server.h), which can end at any
 * time. The document is then read again with the next server. For its third try
 * the worker loads the model itself: a document that crashes servers then
 * crashes only this worker, and is charged for it. The worker keeps its model
 * for a minute, so that it does not wait for servers that crash one after
 * another.
 */
#ifndef PIPELINE_WORKER_WORKER_ENGINE_H
#define PIPELINE_WORKER_WORKER_ENGINE_H

#include "stages/engine/engine.h"

struct worker_engine {
    struct engine *engine;    /* NULL: not open */
    struct settings settings; /* that the engine was opened with */
    int n_lost;               /* model servers lost with the present document */
    double alone_until;       /* clock_seconds: keep the own model until then */
};

/* The next document begins. */
void worker_engine_next(struct worker_engine *w);

/* Opens the engine unless it is open. FAIL: as engine_open. */
void worker_engine_open(struct worker_engine *w,
                        const struct settings *settings, struct err *err);

/* Closes and opens the engine, which may be unusable after a failure. False: it
 * cannot be opened, for the reason `why`; so the document is not at fault. */
bool worker_engine_renew(struct worker_engine *w,
                         const struct settings *settings, struct err *why);

/* Was the model server lost? If so, closes the engine and clears the error, so
 * that the document can be read again. */
bool worker_engine_lost(struct worker_engine *w, struct err *err);

#endif
