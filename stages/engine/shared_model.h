/* shared_model.h - the native engine split in two: what a worker opens, and the
 * model server, which holds the model for all workers (vlm.h, vlm_serve). */
#ifndef STAGES_ENGINE_SHARED_MODEL_H
#define STAGES_ENGINE_SHARED_MODEL_H

#include <stddef.h>

#include "stages/document/settings.h"
#include "vlm/base/err.h"

struct vlm_options;

/* The options with which the native engine opens its model; with the settings'
 * model_server_fd above 0 it uses that model server. */
void shared_model_options(const struct settings *settings,
                          struct vlm_options *out);

/* A model that was opened, or not: then the sizes are 0. */
struct shared_model_facts {
    int n_place;   /* documents at a time */
    size_t bytes;  /* memory that it needs with as many documents */
    size_t device; /* memory of its GPU for models; 0: the CPU is used */
};

struct shared_model_post {
    int door;        /* the server's end of the socket pair */
    int n_place_max; /* documents at a time; fewer if memory is short */
    void (*opened)(void *arg, const struct shared_model_facts *facts);
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
