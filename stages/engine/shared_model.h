/* shared_model.h - the native engine in two: what a worker opens, and the process that
 * holds the model for all workers (vlm.h, vlm_serve). */
#ifndef STAGES_ENGINE_SHARED_MODEL_H
#define STAGES_ENGINE_SHARED_MODEL_H

#include "stages/settings.h"
#include "vlm/base/err.h"

struct vlm_options;

/* How the native engine opens its model: with the settings' model_server_fd above 0,
 * to ask the reader behind it. */
void shared_model_options(const struct settings *settings,
                          struct vlm_options *out);

struct shared_model_post {
    int door;        /* the reader's end */
    int n_place_max; /* documents at a time; fewer where memory is short */
    void (*opened)(void *arg, int n_place); /* so many are taken */
    void (*beat)(void *arg); /* it is alive: called before each piece of work */
    void *arg;
};

/* Reads for others until nobody has the other end of the door; in a process of its
 * own. A model that cannot be opened is told to everybody who comes. FAIL:
 * ERR_SYSTEM. */
void shared_model_serve(const struct settings *settings,
                        const struct shared_model_post *post, struct err *err);

#endif
