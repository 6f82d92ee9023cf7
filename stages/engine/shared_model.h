/* shared_model.h - the native engine split in two: what a worker opens, and the
 * model server, which holds the model for all workers (vlm.h, vlm_serve). */
#ifndef STAGES_ENGINE_SHARED_MODEL_H
#define STAGES_ENGINE_SHARED_MODEL_H

#include "stages/document/settings.h"
#include "vlm/base/err.h"

struct vlm_options;

/* The options with which the native engine opens its model; with the settings'
 * model_server_fd above 0 it uses that model server. */
void shared_model_options(const struct settings *settings,
                          struct vlm_options *out);

struct shared_model_post {
    int door;        /* the server's end of the socket pair */
    int n_place_max; /* documents at a time; fewer if memory is short */
    /* The model is open for n_place; on_gpu: it uses a GPU. */
    void (*opened)(void *arg, int n_place, bool on_gpu);
    /* Called after it, before the first client is accepted (vlm_serving.ready).
     */
    void (*confine)(void *arg);
    void (*beat)(void *arg); /* heartbeat, called before each piece of work */
    void *arg;
};

/* Serves workers until none has the other end of `door`; runs in a process of
 * its own. If the model cannot be opened, every client gets the error. FAIL:
 * ERR_SYSTEM. */
void shared_model_serve(const struct settings *settings,
                        const struct shared_model_post *post, struct err *err);

#endif
