/* model_server.h - the process that holds the model for all workers (stages/engine/
 * shared_model.h): starts it when it is needed, and anew when it ends or says nothing for
 * page_timeout.
 *
 * Workers that had a document at hand ask it again by themselves (worker_engine.h);
 * nothing is charged to a document.
 */
#ifndef PIPELINE_SUPERVISOR_MODEL_SERVER_H
#define PIPELINE_SUPERVISOR_MODEL_SERVER_H

#include "pipeline/config/config.h"

struct model_server;

/* For so many documents at a time; starts nothing yet. NULL, which all below take,
 * where the configuration wants none. */
struct model_server *model_server_new(const struct config *config, int n_place);
void model_server_free(struct model_server *r); /* ends it */

/* New workers will have another: it works on for whoever still asks it, and is
 * looked after no more. */
void model_server_retire(struct model_server *r);

/* Has a retired one ended? It is buried then. */
bool model_server_retired_ended(struct model_server *r);

/* A worker will need it: started if it does not run. Called again and again, it
 * also buries and restarts it, and ends one that says nothing. */
void model_server_ensure(struct model_server *r);

/* Readable when it has ended; -1: none runs. */
int model_server_fd(const struct model_server *r);

/* How many documents it takes at a time; 0: that is not known. */
int model_server_places(const struct model_server *r);

/* In a worker that was just forked: the door for its settings (0: there is none);
 * all else is closed. */
int model_server_enter(struct model_server *r);

#endif
